/**
 * Revisions of templates, campaigns, segments, and workflows (additions, section 2, "Concurrent edits"). Every change of
 * content counts one (src/db/functions/count_revision.sql). A write that names the revisions it expects is refused at any
 * other one, so that the second of two editors cannot overwrite the first without seeing its change.
 */
import { ApiError } from '../errors.js';

/** The revisions that a write accepts; null accepts every revision. */
export type ExpectedRevisions = readonly number[] | null;

/** The key of a resource's revision. It is a symbol, so that the body of a response does not contain the revision. */
export const REVISION: unique symbol = Symbol('revision');

/** A resource whose responses have an `ETag`. */
export interface Revised {
  [REVISION]: number;
}

/** Converts a row: the revision is not a field of the resource. */
export const toRevised = <Row extends { revision: number }>({
  revision,
  ...row
}: Row): Omit<Row, 'revision'> & Revised => ({ ...row, [REVISION]: revision });

/** The filter of a guarded update with Prisma. */
export const revisionFilter = (expected: ExpectedRevisions): { in: number[] } | undefined =>
  expected === null ? undefined : { in: [...expected] };

export const staleRevision = (revision: number): ApiError =>
  new ApiError(
    'PRECONDITION_FAILED',
    'The resource has changed since the version in If-Match. Nothing was changed. Read it again and repeat the change.',
    { revision },
  );

/**
 * Checks the revision of a row that the caller has locked, or does not change.
 *
 * @throws PRECONDITION_FAILED (412)
 */
export function requireRevision(revision: number, expected: ExpectedRevisions): void {
  if (expected !== null && !expected.includes(revision)) throw staleRevision(revision);
}
