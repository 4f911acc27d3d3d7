/** Bounces of mail servers that write them as plain text: qmail's (QSBMF), and those of Exim before 4.86. Pure. */
import { cleanLine } from '../domain/feedback/text.js';
import type { InboundMail } from './parse.js';

const QMAIL = /^\s*Hi\. This is the [\w-]+ program at /;
const EXIM = /^\s*This message was created automatically by mail delivery software\b/;
/** The paragraph of the first recipient: the address, and under it why. */
const QMAIL_REASON = /^<[^<>\n]{1,320}>:\n([^\n]+(?:\n[^\n]+)*)/m;
const EXIM_REASON = /\bfailed:\n\s*\n[ \t][^\n]*@[^\n]*\n([^\n]+(?:\n[^\n]+)*)/;

/**
 * Why a mail came back, in the words of such a bounce; null when it is none. `reason` is one line, null where there is
 * none.
 */
export function readPlainBounce({
  contentType,
  header,
  text,
}: Pick<InboundMail, 'contentType' | 'header' | 'text'>): { reason: string | null } | null {
  // Its absence says that a mail is text (RFC 2045, 5.2).
  if (contentType !== '' && contentType !== 'text/plain') return null;
  const plain = text.replace(/\r\n/g, '\n');
  const pattern = QMAIL.test(plain)
    ? QMAIL_REASON
    : EXIM.test(plain) && header('x-failed-recipients').length > 0
      ? EXIM_REASON
      : null;
  if (!pattern) return null;
  return { reason: cleanLine(pattern.exec(plain)?.[1] ?? '') };
}
