/** Entity tags of revisions, and the `If-Match` header (RFC 9110, 8.8.3 and 13.1.1). Pure. */
import type { ExpectedRevisions } from '../domain/revisions.js';
import { validationError } from '../errors.js';

/** The largest revision that the database can store. */
const MAX_REVISION = 2 ** 31 - 1;

/** An element of a list of entity tags, with its comma. Elements may be empty (RFC 9110, 5.6.1.2). */
const ELEMENT = /[ \t]*(?:(?<weak>W\/)?"(?<opaque>[\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(?:,|$)/y;

/** Returns the strong entity tag of a revision. */
export const toEtag = (revision: number): string => `"${revision}"`;

/**
 * Returns the revisions that an `If-Match` header accepts. `*` accepts all. The comparison is strong: a weak tag, such as
 * a compressing proxy makes of ours, accepts none, nor does a tag of another origin.
 *
 * @throws VALIDATION_ERROR (422) for a header that is neither `*` nor a list of entity tags
 */
export function readIfMatch(header: string | undefined): ExpectedRevisions {
  if (header === undefined || header.trim() === '*') return null;
  const revisions: number[] = [];
  let tags = 0;
  for (let place = 0; place < header.length; place = ELEMENT.lastIndex) {
    ELEMENT.lastIndex = place;
    const { weak, opaque } = ELEMENT.exec(header)?.groups ?? failed();
    if (opaque === undefined) continue;
    tags += 1;
    if (weak === undefined && /^[1-9]\d{0,9}$/.test(opaque) && Number(opaque) <= MAX_REVISION)
      revisions.push(Number(opaque));
  }
  return tags > 0 ? revisions : failed();
}

function failed(): never {
  throw validationError([
    {
      field: 'If-Match',
      message: 'must be * or a list of entity tags in double quotes, such as "3"',
      code: 'invalid_string',
    },
  ]);
}
