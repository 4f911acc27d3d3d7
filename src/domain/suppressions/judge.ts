/** What becomes of an email to a suppressed address. Pure. */
import type { EmailSourceName, EmailTypeName } from '../emails/sql/emails.js';
import type { SuppressionReason } from './sql.js';

export interface AddressedEmail {
  source: EmailSourceName;
  type: EmailTypeName;
  /** Why its address is suppressed; null when it is not. */
  suppressed: SuppressionReason | null;
}

/**
 * Why an email to a suppressed address is not handed over, but CANCELLED as that to a contact who has left; null when
 * it may go.
 *
 * It is marketing mail that a suppressed address never gets. Transactional mail is what somebody waits for, a receipt
 * or a new password, and only its sender knows whether the address works again. Test sends and the platform's own mail
 * have an address that somebody just typed.
 */
export function whyRefused({ source, type, suppressed }: AddressedEmail): string | null {
  if (suppressed === null || type === 'TRANSACTIONAL' || source === 'TEST' || source === 'PLATFORM') return null;
  return `The address is suppressed (${suppressed}): it gets no marketing mail`;
}
