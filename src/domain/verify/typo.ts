/**
 * Detects typos of well-known providers' domains.
 *
 * Hand-written: mailcheck (1.1.1, unmaintained) suggests by similarity alone, so it also corrects domains that accept
 * mail. The rules below depend on whether the domain is established.
 */

/**
 * The largest providers. A domain within one edit is a typo even if it accepts mail, because such names are registered
 * to catch misdirected mail. For other providers, a similar domain may belong to a company.
 */
const LARGEST_PROVIDERS = new Set(['gmail', 'googlemail', 'yahoo', 'hotmail', 'outlook', 'icloud', 'protonmail']);

/** Legitimate domains within one edit of the largest providers. */
const LEGITIMATE_DOMAINS = new Set([
  'amail.com',
  'cloud.com',
  'cmail.com',
  'email.com',
  'gotmail.com',
  'tmail.com',
  'wahoo.com',
  'xmail.com',
]);

/** Shorter labels allow one edit only. */
const SHORT_LABEL_LENGTH = 5;
/** Shorter labels allow no edit, because they are similar to too many names. */
const MIN_LABEL_LENGTH = 3;

export interface TypoOptions {
  /** Most used first. */
  wellKnown: readonly string[];
  /** Whether the domain accepts mail or is a known service. */
  isEstablished: boolean;
}

/**
 * Returns the provider's domain that was probably meant, or null.
 *
 * An edit inserts, deletes, or replaces a letter, or swaps two. One edit from one of the largest providers is a typo.
 * Two edits, or one edit from another provider, are a typo only if the domain is not established. A provider's own
 * domain is never a typo.
 */
export function suggestDomain(domain: string, { wellKnown, isEstablished }: TypoOptions): string | null {
  if (LEGITIMATE_DOMAINS.has(domain) || wellKnown.includes(domain)) return null;
  let best: { domain: string; edits: number } | null = null;
  for (const candidate of wellKnown) {
    const allowed = maxEdits(candidate, isEstablished);
    if (
      allowed === 0 ||
      Math.abs(candidate.length - domain.length) > allowed ||
      haveDifferentCountries(candidate, domain)
    )
      continue;
    const edits = countEdits(domain, candidate);
    if (edits <= allowed && (best === null || edits < best.edits)) best = { domain: candidate, edits };
  }
  return best?.domain ?? null;
}

function maxEdits(candidate: string, isEstablished: boolean): number {
  const label = candidate.slice(0, candidate.indexOf('.'));
  if (isEstablished) return LARGEST_PROVIDERS.has(label) ? 1 : 0;
  if (label.length < MIN_LABEL_LENGTH) return 0;
  return label.length < SHORT_LABEL_LENGTH ? 1 : 2;
}

/** `yahoo.at` is not a typo of `yahoo.it`: top-level domains of two letters are countries. */
function haveDifferentCountries(one: string, other: string): boolean {
  const [first, second] = [one, other].map((domain) => domain.slice(domain.lastIndexOf('.') + 1));
  return first?.length === 2 && second?.length === 2 && first !== second;
}

/** Counts edits by optimal string alignment. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const wrong = from[i - 1] === to[j - 1] ? 0 : 1;
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + wrong);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        least = Math.min(least, at(beforeLast, j - 2) + 1);
      row.push(least);
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, to.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;
