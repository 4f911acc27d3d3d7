/**
 * Reports about mails: delivery status notifications (RFC 3464, and in the words of servers that don't know it) and
 * feedback reports (ARF, RFC 5965). What they say, not whether to believe it. Pure.
 */
import { isComplaint } from '../domain/feedback/ses.js';
import { cleanLine } from '../domain/feedback/text.js';
import type { MailNames } from '../domain/feedback/origin.js';
import { fieldGroups, type Fields } from './fields.js';
import type { InboundMail } from './parse.js';
import { readPlainBounce } from './plain-bounce.js';

export type Report =
  | { kind: 'bounced'; bounceType: 'permanent' | 'transient'; reason: string | null }
  | { kind: 'delivered' }
  /** How the mail is named in it, and tokens of its unsubscribe links. */
  | {
      kind: 'complained';
      reason: string | null;
      names: Required<Pick<MailNames, 'returnPaths' | 'messageIds'>>;
      unsubscribeTokens: string[];
    };

/** What a mail reports; null when it is no report, or one that changes nothing (a delay, "not spam"). */
export function readReport(mail: InboundMail): Report | null {
  // Gateways that add a part of their own make another multipart of it.
  const status = mail.parts.find(
    ({ contentType }) => contentType === 'message/delivery-status' || contentType === 'message/global-delivery-status',
  );
  if (status) return readDeliveryStatus(fieldGroups(status.content));
  const plain = readPlainBounce(mail);
  if (plain)
    return {
      kind: 'bounced',
      bounceType: isPermanentByWords(plain.reason ?? '') ? 'permanent' : 'transient',
      reason: plain.reason,
    };
  if (mail.contentType !== 'multipart/report') return null;
  const feedback = mail.parts.find(({ contentType }) => contentType === 'message/feedback-report');
  return feedback ? readFeedback(mail, fieldGroups(feedback.content)[0] ?? new Map()) : null;
}

/** Of several recipients, which only an alias of the one that we mailed can have, the worst counts. */
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
    // Handed on to a system that sends no notifications: more will not be known.
    case 'delivered':
    case 'relayed':
      return { kind: 'delivered' };
    default:
      return null;
  }
}

/**
 * Whether an address failed for good: class 5 of its status, or, where there is none, of the mail server's words. A
 * loop between mail servers (X.4.6) is the fault of none of their addresses. Where nothing says so it is not for good:
 * that would end a subscription.
 */
function isPermanent(status: string, diagnostic: string): boolean {
  const [code] = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(status) ?? [];
  return code === undefined ? isPermanentByWords(diagnostic) : isForGood(code);
}

/** By the enhanced status code in them, which is no part of an IP address, or by the server's reply. */
function isPermanentByWords(words: string): boolean {
  const [code] = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/.exec(words) ?? [];
  return code === undefined
    ? /(?:^\s*(?:smtp\s*;\s*)?|: )5\d\d\b/i.test(words) && !/: 4\d\d\b/.test(words)
    : isForGood(code);
}

const isForGood = (code: string): boolean => code.startsWith('5') && code !== '5.4.6';

const firstWord = (fields: Fields, name: string): string =>
  (/^\s*([\w-]+)/.exec(fields.get(name)?.[0] ?? '')?.[1] ?? '').toLowerCase();

const ORIGINALS = new Set(['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers']);

function readFeedback(mail: InboundMail, fields: Fields): Report | null {
  const type = firstWord(fields, 'feedback-type') || 'abuse';
  if (!isComplaint(type)) return null;
  const heads = mail.parts
    .filter(({ contentType }) => ORIGINALS.has(contentType))
    .map(({ content }) => fieldGroups(content)[0] ?? new Map());
  const all = (name: string): string[] => heads.flatMap((head) => head.get(name) ?? []);
  return {
    kind: 'complained',
    reason: cleanLine(type),
    names: {
      returnPaths: [...(fields.get('original-mail-from') ?? []), ...all('return-path')]
        .map((value) => value.replace(/^\s*<|>\s*$/g, ''))
        .slice(0, 10),
      messageIds: all('message-id').slice(0, 10),
    },
    unsubscribeTokens: all('list-unsubscribe')
      .flatMap((value) => [...value.matchAll(/\/unsubscribe\/([\w-]{20,200})/g)].map(([, token = '']) => token))
      .slice(0, 10),
  };
}
