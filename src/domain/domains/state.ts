/** The state of a domain after a check. Pure. */

/**
 * - `PENDING`: its DKIM record is missing or incorrect
 * - `VERIFIED`: it can be used to send mail
 * - `FAILED`: its DKIM record is correct, but another project has verified the domain
 */
export const DOMAIN_STATUSES = ['PENDING', 'VERIFIED', 'FAILED'] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

export interface DomainState {
  status: DomainStatus;
  verifiedAt: Date | null;
  /** When the checks of a verified domain began to fail. */
  failingSince: Date | null;
}

export type CheckResult = 'passed' | 'failed' | 'taken';

/** How long the checks of a verified domain may fail before it is pending: 72 hours (contract, section 8). */
export const GRACE_MS = 72 * 3600 * 1000;

/** Returns the state after a check. A verified domain stays verified until its checks have failed for 72 hours. */
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
