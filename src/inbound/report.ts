/**
 * Reads reports about mails: delivery status notifications (RFC 3464, and the plain text of older servers) and feedback
 * reports (ARF, RFC 5965). It does not decide whether a report is trustworthy. Pure.
 */
import { isComplaint } from '../domain/feedback/ses.js';
import { cleanLine } from '../domain/feedback/text.js';
import type { MailNames } from '../domain/feedback/origin.js';
import type { InboundMail } from './parse.js';

export type Report =
  | { kind: 'bounced'; bounceType: 'permanent' | 'transient'; reason: string | null }
  | { kind: 'delivered' }
  | {
      kind: 'complained';
      reason: string | null;
      /** The names of the mail in the report. */
      names: Required<Pick<MailNames, 'returnPaths' | 'messageIds'>>;
      /** Tokens of the unsubscribe links in the report. */
      unsubscribeTokens: string[];
    };

const MAX_NAMES = 10;

/** Returns the report in a mail; null if it is not a report, or one without effect (a delay, "not spam"). */
export function readReport(mail: InboundMail): Report | null {
  // Gateways that add their own part change the type of the whole mail, so only the type of the part counts.
  const status = mail.parts.find(
    ({ contentType }) => contentType === 'message/delivery-status' || contentType === 'message/global-delivery-status',
  );
  if (status) return readDeliveryStatus(fieldGroups(status.content));
  const plain = readPlainBounce(mail);
  if (plain)
    return {
      kind: 'bounced',
      bounceType: isPermanentText(plain.reason ?? '') ? 'permanent' : 'transient',
      reason: plain.reason,
    };
  if (mail.contentType !== 'multipart/report') return null;
  const feedback = mail.parts.find(({ contentType }) => contentType === 'message/feedback-report');
  return feedback ? readFeedback(mail, fieldGroups(feedback.content)[0] ?? new Map()) : null;
}

/** All values of each field, unfolded, by its name in lower case. */
type Fields = ReadonlyMap<string, readonly string[]>;

/** Parses the groups of fields in a part, which are separated by blank lines (RFC 3464, section 2.1.2). */
function fieldGroups(content: Uint8Array): Fields[] {
  return Buffer.from(content)
    .toString()
    .split(/\r?\n[ \t]*\r?\n/)
    .map(parseFields)
    .filter(({ size }) => size > 0);
}

function parseFields(block: string): Fields {
  const fields = new Map<string, string[]>();
  for (const line of block.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (!/^[!-9;-~]+$/.test(name)) continue;
    const value = line.slice(colon + 1).trim();
    const known = fields.get(name);
    if (known) known.push(value);
    else fields.set(name, [value]);
  }
  return fields;
}

const firstWord = (fields: Fields, name: string): string =>
  (/^\s*([\w-]+)/.exec(fields.get(name)?.[0] ?? '')?.[1] ?? '').toLowerCase();

/** Several recipients are possible if an address is an alias. The worst outcome counts. */
function readDeliveryStatus(groups: Fields[]): Report | null {
  const outcomes = groups.map(outcomeOf).filter((outcome) => outcome !== null);
  return (
    outcomes.find((outcome) => outcome.kind === 'bounced' && outcome.bounceType === 'permanent') ??
    outcomes.find(({ kind }) => kind === 'bounced') ??
    outcomes.find(({ kind }) => kind === 'delivered') ??
    null
  );
}

function outcomeOf(group: Fields): Report | null {
  switch (firstWord(group, 'action')) {
    case 'failed': {
      const [status = ''] = group.get('status') ?? [];
      const [diagnostic = ''] = group.get('diagnostic-code') ?? [];
      return {
        kind: 'bounced',
        bounceType: isPermanent(status, diagnostic) ? 'permanent' : 'transient',
        reason: cleanLine(diagnostic.replace(/^\s*smtp\s*;\s*/i, '') || status),
      };
    }
    // Relayed: delivered to a system that sends no notifications, so no later report will come.
    case 'delivered':
    case 'relayed':
      return { kind: 'delivered' };
    default:
      return null;
  }
}

/**
 * Whether an address failed permanently: its status has class 5, or, without a status, the server's text has. Without
 * either, the failure is transient, because a permanent one unsubscribes the contact.
 */
function isPermanent(status: string, diagnostic: string): boolean {
  const [code] = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(status) ?? [];
  return code === undefined ? isPermanentText(diagnostic) : isPermanentCode(code);
}

/** Decides by the enhanced status code in the text (but not a part of an IP address), or by the SMTP reply code. */
function isPermanentText(text: string): boolean {
  const [code] = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/.exec(text) ?? [];
  return code === undefined
    ? /(?:^\s*(?:smtp\s*;\s*)?|: )5\d\d\b/i.test(text) && !/: 4\d\d\b/.test(text)
    : isPermanentCode(code);
}

/** A loop between mail servers (5.4.6) is not the fault of an address. */
const isPermanentCode = (code: string): boolean => code.startsWith('5') && code !== '5.4.6';

const QMAIL_BOUNCE = /^\s*Hi\. This is the [\w-]+ program at /;
const EXIM_BOUNCE = /^\s*This message was created automatically by mail delivery software\b/;
/** The paragraph of the first recipient: the address, then the reason. */
const QMAIL_REASON = /^<[^<>\n]{1,320}>:\n([^\n]+(?:\n[^\n]+)*)/m;
const EXIM_REASON = /\bfailed:\n\s*\n[ \t][^\n]*@[^\n]*\n([^\n]+(?:\n[^\n]+)*)/;

/**
 * Reads a plain-text bounce of qmail (QSBMF) or of Exim before 4.86. Returns null for any other mail; `reason` is one
 * line, or null if there is none.
 */
function readPlainBounce({ contentType, header, text }: InboundMail): { reason: string | null } | null {
  // Without a content type, a mail is plain text (RFC 2045, section 5.2).
  if (contentType !== '' && contentType !== 'text/plain') return null;
  const plain = text.replace(/\r\n/g, '\n');
  if (QMAIL_BOUNCE.test(plain)) return { reason: cleanLine(QMAIL_REASON.exec(plain)?.[1] ?? '') };
  if (EXIM_BOUNCE.test(plain) && header('x-failed-recipients').length > 0)
    return { reason: cleanLine(EXIM_REASON.exec(plain)?.[1] ?? '') };
  return null;
}

const ORIGINAL_TYPES = new Set(['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers']);

function readFeedback(mail: InboundMail, fields: Fields): Report | null {
  const type = firstWord(fields, 'feedback-type') || 'abuse';
  if (!isComplaint(type)) return null;
  const originals = mail.parts
    .filter(({ contentType }) => ORIGINAL_TYPES.has(contentType))
    .map(({ content }) => fieldGroups(content)[0] ?? new Map());
  const valuesOf = (name: string): string[] => originals.flatMap((original) => original.get(name) ?? []);
  return {
    kind: 'complained',
    reason: cleanLine(type),
    names: {
      returnPaths: [...(fields.get('original-mail-from') ?? []), ...valuesOf('return-path')]
        .map((value) => value.replace(/^\s*<|>\s*$/g, ''))
        .slice(0, MAX_NAMES),
      messageIds: valuesOf('message-id').slice(0, MAX_NAMES),
    },
    unsubscribeTokens: valuesOf('list-unsubscribe')
      .flatMap((value) => [...value.matchAll(/\/unsubscribe\/([\w-]{20,200})/g)].map(([, token = '']) => token))
      .slice(0, MAX_NAMES),
  };
}
