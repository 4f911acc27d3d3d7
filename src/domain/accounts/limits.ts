/** How often something may be tried in 15 minutes (contract, section 2). */

/** Failed logins of one address, and from one network. */
export const FAILURES_PER_ADDRESS = 10;
export const FAILURES_PER_NETWORK = 100;
/** Mails of each kind that can be asked for, for one address. */
export const MAILS_PER_ADDRESS = 5;

/** What is counted for an address. */
export const addressKey = (what: 'login' | 'reset' | 'verification', email: string): string =>
  `${what}:address:${email}`;
