/** The slug of a segment: part of the names of its entry and exit events. Pure. */

/**
 * Lower case, everything but letters and digits to `-`, trimmed (contract, section 6); letters of any script, as in the
 * names of events.
 */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? 'segment' : slug;
}

/** The slug itself, or with the first number from 2 that makes it new. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  let number = 2;
  while (taken.has(`${slug}-${number}`)) number += 1;
  return `${slug}-${number}`;
}
