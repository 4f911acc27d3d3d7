/** Activities of `domainVerification`. */
import type { Context } from '../src/context.js';
import { checkDomain } from '../src/domain/domains/check.js';
import type { DomainStatus } from '../src/domain/domains/state.js';

export interface CheckDomainInput {
  domainId: string;
  /** The workflow's time, in milliseconds since 1970. */
  now?: number;
}

/** `exists` is false if the domain was removed. */
export type CheckDomainResult = { exists: false } | { exists: true; status: DomainStatus };

export interface DomainActivities {
  /** Checks the DNS records and stores the result. Without a DNS response, the status stays as it is. */
  checkDomain(input: CheckDomainInput): Promise<CheckDomainResult>;
}

export const createDomainActivities = (ctx: Context): DomainActivities => ({
  async checkDomain({ domainId, now }) {
    const domain = await checkDomain(ctx, domainId, { now: now === undefined ? undefined : new Date(now) });
    return domain ? { exists: true, status: domain.status } : { exists: false };
  },
});
