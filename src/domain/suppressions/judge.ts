/** What becomes of an email to a suppressed address. Pure. */
import type { EmailSourceName, EmailTypeName } from '../../db/sql/emails.js';
import type { SuppressionReason } from '../../db/sql/suppressions.js';

export interface AddressedEmail {
  source: EmailSourceName;
  type: EmailTypeName;
  /** Why its address is suppressed; null when it is not. */
  suppressed: SuppressionReason | null;
}

export interface Refusal {
  status: 'CANCELLED' | 'FAILED';
  error: string;
}

/**
 * Marketing mail to a suppressed address never goes out, and is CANCELLED as that to a contact who has left. Transactional mail does: a complaint or a
 * decision by hand is about marketing. But where an address has bounced for good there is nobody to read it, and every other try is held against the
 * sender: that is a failure, as when the mail server says so once more. Test sends and the platform's own mail have an address that somebody just typed.
 *
 * @returns null when the email may go
 */
export function refuseSuppressed({ source, type, suppressed }: AddressedEmail): Refusal | null {
  if (suppressed === null || source === 'TEST' || source === 'PLATFORM') return null;
  if (type !== 'TRANSACTIONAL') return { status: 'CANCELLED', error: `The address is suppressed (${suppressed}): it gets no marketing mail` };
  return suppressed === 'bounce' ? { status: 'FAILED', error: 'An email to this address has bounced for good; lift its suppression to mail it again' } : null;
}
