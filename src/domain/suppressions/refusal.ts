/** Decides whether an email to a suppressed address is sent. Pure. */
import type { EmailSourceName, EmailTypeName } from '../emails/sql/emails.js';
import type { SuppressionReason } from './sql.js';

export interface AddressedEmail {
  source: EmailSourceName;
  type: EmailTypeName;
  /** Why its address is suppressed; null if it is not. */
  suppressed: SuppressionReason | null;
}

/**
 * Returns why an email is CANCELLED instead of sent; null if it may be sent.
 *
 * Only marketing mail is refused. The recipient waits for transactional mail, such as a receipt or a new password, and
 * only the sender can judge whether the address works again. Test sends and the platform's own mail go to an address
 * that a user has just entered.
 */
export function suppressionRefusal({ source, type, suppressed }: AddressedEmail): string | null {
  if (suppressed === null || type === 'TRANSACTIONAL' || source === 'TEST' || source === 'PLATFORM') return null;
  return `The address is suppressed (${suppressed}) and gets no marketing mail`;
}
