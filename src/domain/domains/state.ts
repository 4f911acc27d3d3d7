/** What a check makes of a domain: pure. */

/**
 * - `PENDING`: its DKIM record is not there yet, or not as it should be
 * - `VERIFIED`: mail may be sent from it
 * - `FAILED`: its DKIM record is right, but another project has verified the domain
 */
export const DOMAIN_STATUSES = ['PENDING', 'VERIFIED', 'FAILED'] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

export interface DomainState {
  status: DomainStatus;
  verifiedAt: Date | null;
  /** Since when the checks of a verified domain fail. */
  failingSince: Date | null;
}

export type CheckResult = 'passed' | 'failed' | 'taken';

/** How long a verified domain may fail its checks before it is pending again: 72 hours (contract, section 8). */
export const GRACE_MS = 72 * 3600 * 1000;

/**
 * The state after a check. A verified domain stays so until its checks have failed for 72 hours: a slip in the DNS
 * stops no mail.
 */
export function nextState(current: DomainState, result: CheckResult, now: Date): DomainState {
  switch (result) {
    case 'passed':
      return { status: 'VERIFIED', verifiedAt: current.verifiedAt ?? now, failingSince: null };
    case 'taken':
      return { status: 'FAILED', verifiedAt: null, failingSince: null };
    case 'failed': {
      const failingSince = current.failingSince ?? now;
      const inGrace = current.status === 'VERIFIED' && now.getTime() - failingSince.getTime() < GRACE_MS;
      return inGrace
        ? { status: 'VERIFIED', verifiedAt: current.verifiedAt, failingSince }
        : { status: 'PENDING', verifiedAt: null, failingSince: null };
    }
    default:
      return result satisfies never;
  }
}
