/**
 * Detects mail that was sent by a machine (RFC 3834). Such mail must not start anything, to prevent mail loops. Pure.
 */
import type { InboundMail } from './parse.js';

/** Headers that only machines set, with any value. */
const AUTOMATIC_HEADERS = [
  'list-id',
  'list-post',
  'list-unsubscribe',
  'x-autoreply',
  'x-autorespond',
  'x-auto-reply-from',
  'x-failed-recipients',
  'x-loop',
  'feedback-id',
];

/** @param sender of the envelope; empty for a null sender, as bounces and most automatic replies have */
export function isAutomatic(
  { header, contentType, from }: Pick<InboundMail, 'header' | 'contentType' | 'from'>,
  sender: string,
): boolean {
  if (sender === '' || contentType === 'multipart/report') return true;
  if (header('auto-submitted').some((value) => !/^no\b/i.test(value))) return true;
  if (header('precedence').some((value) => /^(bulk|junk|list|auto_reply)\b/i.test(value))) return true;
  if (header('x-auto-response-suppress').some((value) => /\b(all|oof|autoreply)\b/i.test(value))) return true;
  if (AUTOMATIC_HEADERS.some((name) => header(name).length > 0)) return true;
  return [sender, from?.address ?? ''].some((address) => /^mailer-daemon@/i.test(address));
}
