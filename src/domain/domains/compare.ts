/** Compares the records in the DNS with a domain's expected records. Pure. */
import type { DomainRecord, RecordStatus } from './records.js';

/** The found values of each record, in the order of the records; null if the DNS did not answer. */
export type Answers = ReadonlyArray<readonly string[] | null>;

export interface Comparison {
  /** The records with their new status. A record without an answer keeps its status. */
  records: DomainRecord[];
  /** Whether every required record is correct; null if the DNS did not answer for one of them. */
  passed: boolean | null;
}

/** Compares each record with its answer. */
export function compareRecords(records: readonly DomainRecord[], answers: Answers): Comparison {
  const compared = records.map((record, index) => {
    const found = answers[index] ?? null;
    return found === null ? record : { ...record, status: statusOf(record, found), found: [...found] };
  });
  const unanswered = records.some((record, index) => record.required && (answers[index] ?? null) === null);
  const required = compared.filter((record) => record.required);
  return {
    records: compared,
    passed: unanswered ? null : required.length > 0 && required.every((record) => record.status === 'VERIFIED'),
  };
}

function statusOf(record: DomainRecord, found: readonly string[]): RecordStatus {
  const { value } = record;
  switch (record.purpose) {
    case 'DKIM':
      return statusAmong(found, isDkim, (text) => isSameDkim(text, value));
    case 'SPF': {
      const policies = found.filter(isSpf);
      // Two SPF records are a permanent error (RFC 7208, section 4.5).
      if (policies.length > 1) return 'FAILED';
      return statusAmong(policies, isSpf, (text) => terms(text).includes(mechanismOf(value)));
    }
    case 'DMARC': {
      const policies = found.filter(isPolicy);
      // Receivers apply none of two DMARC policies (RFC 7489, section 6.6.3).
      if (policies.length > 1) return 'FAILED';
      // The owner may choose any policy. The expected record has the weakest one.
      return statusAmong(policies, isPolicy, (text) => /^(none|quarantine|reject)$/i.test(tags(text).get('p') ?? ''));
    }
    case 'RETURN_PATH':
      return statusAmong(
        found,
        () => true,
        (text) => hostName(text) === hostName(value),
      );
    default:
      return record.purpose satisfies never;
  }
}

/** Ignores unrelated records: a domain has many other TXT records. */
function statusAmong(
  found: readonly string[],
  isRelated: (text: string) => boolean,
  isCorrect: (text: string) => boolean,
): RecordStatus {
  const related = found.filter(isRelated);
  if (related.length === 0) return 'PENDING';
  return related.some(isCorrect) ? 'VERIFIED' : 'FAILED';
}

const hostName = (text: string): string => text.toLowerCase().replace(/\.$/, '');

/** Parses a tag list (RFC 6376, section 3.2). The order and white space around names and values do not matter. */
function tags(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of text.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0) found.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return found;
}

const isDkim = (text: string): boolean => tags(text).has('p');

/** Compares the keys. The other tags must not forbid our use: RSA with SHA-256, for mail. */
function isSameDkim(text: string, expected: string): boolean {
  const published = tags(text);
  const allows = (name: string, wanted: string): boolean => {
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
    allows('h', 'sha256') &&
    allows('s', 'email')
  );
}

/** Base64 can be folded anywhere: DNS providers split long values. */
const keyOf = (list: Map<string, string>): string => (list.get('p') ?? '').replace(/\s+/g, '');

const terms = (text: string): string[] => text.toLowerCase().trim().split(/\s+/);
const isSpf = (text: string): boolean => terms(text)[0] === 'v=spf1';
const mechanismOf = (value: string): string => terms(value)[1] ?? '';

/** Whether a text is a DMARC policy: it begins with the version (RFC 7489, section 6.3). */
export const isPolicy = (text: string): boolean => /^\s*v\s*=\s*DMARC1\s*(?:;|$)/.test(text);
