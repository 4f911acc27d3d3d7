/** Domains that were meant to be a well-known provider's. */

/**
 * Providers so large that a domain one slip away from theirs is taken for a misspelling even where it takes mail: such
 * names are bought to catch the mail. For every other provider something else has to speak for it, since a company may
 * well be called so.
 */
const LARGEST = new Set(['gmail', 'googlemail', 'yahoo', 'hotmail', 'outlook', 'icloud', 'protonmail']);

/** Services and companies of their own, one letter from one of the largest. */
const NAMED_SO = new Set([
  'amail.com',
  'cloud.com',
  'cmail.com',
  'email.com',
  'gotmail.com',
  'tmail.com',
  'wahoo.com',
  'xmail.com',
]);

/** Names shorter than this are one slip from too many others, and these from everything. */
const SHORT_LABEL = 5;
const SHORTEST_LABEL = 3;

export interface TypoOptions {
  /** Most used first. */
  wellKnown: readonly string[];
  /** Whether something speaks for the domain: it takes mail, or it is known as a service of whatever kind. */
  isEstablished: boolean;
}

/**
 * The provider's domain that was probably meant, or null.
 *
 * A slip is a letter too many, too few, wrong, or two swapped. One slip from one of the largest providers is a
 * misspelling. Two, or one from any other provider, are one only of a domain for which nothing speaks. The domain of a
 * provider never is.
 */
export function suggestDomain(domain: string, { wellKnown, isEstablished }: TypoOptions): string | null {
  if (NAMED_SO.has(domain) || wellKnown.includes(domain)) return null;
  let best: { domain: string; slips: number } | null = null;
  for (const candidate of wellKnown) {
    const allowed = slipsAllowed(candidate, isEstablished);
    if (allowed === 0 || Math.abs(candidate.length - domain.length) > allowed || areTwoCountries(candidate, domain))
      continue;
    const slips = countSlips(domain, candidate);
    if (slips <= allowed && (best === null || slips < best.slips)) best = { domain: candidate, slips };
  }
  return best?.domain ?? null;
}

function slipsAllowed(candidate: string, isEstablished: boolean): number {
  const label = candidate.slice(0, candidate.indexOf('.'));
  if (isEstablished) return LARGEST.has(label) ? 1 : 0;
  if (label.length < SHORTEST_LABEL) return 0;
  return label.length < SHORT_LABEL ? 1 : 2;
}

/** `yahoo.at` is not a misspelt `yahoo.it`: a top-level domain of two letters is a country. */
function areTwoCountries(one: string, other: string): boolean {
  const [first, second] = [one, other].map((domain) => domain.slice(domain.lastIndexOf('.') + 1));
  return first?.length === 2 && second?.length === 2 && first !== second;
}

/** Optimal string alignment: the least number of slips that make one text of the other, none within another. */
function countSlips(from: string, to: string): number {
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
