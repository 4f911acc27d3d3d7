/** Whether what the DNS answers is what a domain's records should be: pure. */
import type { DomainRecord, RecordStatus } from './records.js';

/**
 * The values found for each record, in the order of the records; null where the DNS gave no answer, which proves
 * nothing.
 */
export type Answers = ReadonlyArray<readonly string[] | null>;

export interface Judgement {
  /** The records with their new status; one without an answer keeps what it had. */
  records: DomainRecord[];
  /** Whether every required record is right; null when the DNS did not answer for one of them. */
  passed: boolean | null;
}

/** Compares each record with the answers for it. */
export function judge(records: readonly DomainRecord[], answers: Answers): Judgement {
  const judged = records.map((record, index) => {
    const found = answers[index] ?? null;
    return found === null ? record : { ...record, status: statusOf(record, found) };
  });
  const unanswered = records.some((record, index) => record.required && (answers[index] ?? null) === null);
  const required = judged.filter((record) => record.required);
  return {
    records: judged,
    passed: unanswered ? null : required.length > 0 && required.every((record) => record.status === 'VERIFIED'),
  };
}

function statusOf(record: DomainRecord, found: readonly string[]): RecordStatus {
  const { value } = record;
  switch (record.purpose) {
    case 'DKIM':
      return verdict(found, isDkim, (text) => isSameDkim(text, value));
    case 'SPF': {
      const policies = found.filter(isSpf);
      // Two SPF records are a permanent error for every receiver (RFC 7208, 4.5).
      if (policies.length > 1) return 'FAILED';
      return verdict(policies, isSpf, (text) => terms(text).includes(mechanismOf(value)));
    }
    case 'DMARC':
      // Any policy is the owner's own choice; ours is the least that there can be.
      return verdict(found, isDmarc, (text) => /^(none|quarantine|reject)$/i.test(tags(text).get('p') ?? ''));
    case 'RETURN_PATH':
      return verdict(
        found,
        () => true,
        (text) => hostName(text) === hostName(value),
      );
    default:
      return record.purpose satisfies never;
  }
}

/** Records that are about something else count as absent: a domain's own TXT records are many. */
function verdict(
  found: readonly string[],
  isAbout: (text: string) => boolean,
  isRight: (text: string) => boolean,
): RecordStatus {
  const relevant = found.filter(isAbout);
  if (relevant.length === 0) return 'PENDING';
  return relevant.some(isRight) ? 'VERIFIED' : 'FAILED';
}

const hostName = (text: string): string => text.toLowerCase().replace(/\.$/, '');

/** A tag list (RFC 6376, 3.2): white space around names and values means nothing, nor does the order. */
function tags(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of text.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0) found.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return found;
}

const isDkim = (text: string): boolean => tags(text).has('p');

/** The key decides; the tags beside it must only not forbid what we do with it: RSA over SHA-256, for mail. */
function isSameDkim(text: string, expected: string): boolean {
  const published = tags(text);
  const lists = (name: string, wanted: string): boolean => {
    const list = published.get(name);
    return (
      list === undefined ||
      list.split(':').some((item) => item.trim() === wanted || (name === 's' && item.trim() === '*'))
    );
  };
  return (
    keyOf(published) === keyOf(tags(expected)) &&
    (published.get('v') ?? 'DKIM1') === 'DKIM1' &&
    (published.get('k') ?? 'rsa') === 'rsa' &&
    lists('h', 'sha256') &&
    lists('s', 'email')
  );
}

/** Base64 may be folded anywhere, as it is when a provider splits a long value. */
const keyOf = (list: Map<string, string>): string => (list.get('p') ?? '').replace(/\s+/g, '');

const terms = (text: string): string[] => text.toLowerCase().trim().split(/\s+/);
const isSpf = (text: string): boolean => terms(text)[0] === 'v=spf1';
const mechanismOf = (value: string): string => terms(value)[1] ?? '';

const isDmarc = (text: string): boolean => tags(text).get('v') === 'DMARC1';
