/** Chooses the columns for the data of contacts in a CSV file. */
import type { PoolClient } from 'pg';
import { STANDARD_COLUMNS } from './contacts.js';
import { isDataKey } from '../imports/header.js';
import { guardFormula } from '../csv.js';
import type { JobRef } from '../jobs/sql.js';
import { ERROR_COLUMN } from '../jobs/errors-column.js';
import type { DataColumn } from './params.js';

/** Keys that are columns of their own, the most frequent first. The values of others are in the column `data`. */
const MAX_COLUMNS = 200;
const MAX_NAME_LENGTH = 200;

interface SurveyedKey {
  key: string;
  types: string[];
  /** Whether a string is empty: an empty cell would not keep it. */
  hasEmpty: boolean;
}

/**
 * Returns the columns: the type of a column is that of all its values, or `json` for mixed values, lists, and objects.
 *
 * Only the header depends on the survey. A value that does not fit its column, because it was written later, is in the
 * column `data`. The statement groups by key and type first, because parallel workers cannot compute
 * array_agg(DISTINCT …).
 */
export async function surveyColumns(
  tx: PoolClient,
  { jobId, projectId }: JobRef,
  { hasSet }: { hasSet: boolean },
): Promise<DataColumn[]> {
  const { rows } = await tx.query<SurveyedKey>(
    `SELECT key, array_agg(type) AS types, bool_or("hasEmpty") AS "hasEmpty"
       FROM (SELECT d.key, jsonb_typeof(d.value) AS type, bool_or(d.value = '""') AS "hasEmpty", count(*) AS count
               FROM ${hasSet ? 'export_contacts m JOIN contacts c ON c.id = m.contact_id' : 'contacts c'}
              CROSS JOIN LATERAL jsonb_each(c.data) d
              WHERE ${hasSet ? 'm.job_id = $1' : 'c.project_id = $1'} GROUP BY 1, 2) k
      GROUP BY key ORDER BY sum(count) DESC, key LIMIT ${MAX_COLUMNS}`,
    [hasSet ? jobId : projectId],
  );
  return rows
    .filter(({ key }) => canBeColumn(key))
    .map(({ key, types: [first, ...others], hasEmpty }) => ({
      key,
      type: others.length === 0 && !hasEmpty && isScalar(first) ? first : 'json',
    }));
}

const isScalar = (type: string | undefined): type is 'string' | 'number' | 'boolean' =>
  type === 'string' || type === 'number' || type === 'boolean';

const RESERVED_NAMES = new Set([...STANDARD_COLUMNS, ERROR_COLUMN].map((name) => name.toLowerCase()));

/** Whether a key can be the name of a column that an import reads back: names lose their spaces, and some have a meaning. */
const canBeColumn = (key: string): boolean =>
  key.length <= MAX_NAME_LENGTH &&
  key === key.trim() &&
  guardFormula(key) === key &&
  isDataKey(key) &&
  !RESERVED_NAMES.has(key.toLowerCase());
