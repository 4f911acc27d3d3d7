/**
 * Whether a mail was written by a machine (RFC 3834): nothing may be started by it, or two machines answer each other
 * for ever. Pure.
 */
import type { InboundMail } from './parse.js';

/** Headers that only machines set, whatever they say. */
const SIGNS = [
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

/** @param sender the envelope's; empty where there is none, as of bounces and most automatic answers */
export function isAutomatic(
  { header, contentType, from }: Pick<InboundMail, 'header' | 'contentType' | 'from'>,
  sender: string,
): boolean {
  if (sender === '' || contentType === 'multipart/report') return true;
  if (header('auto-submitted').some((value) => !/^no\b/i.test(value))) return true;
  if (header('precedence').some((value) => /^(bulk|junk|list|auto_reply)\b/i.test(value))) return true;
  if (header('x-auto-response-suppress').some((value) => /\b(all|oof|autoreply)\b/i.test(value))) return true;
  if (SIGNS.some((name) => header(name).length > 0)) return true;
  return [sender, from?.address ?? ''].some((address) => /^mailer-daemon@/i.test(address));
}
