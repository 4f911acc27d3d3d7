/** The rejected rows of a chunk, for `GET /jobs/:id/errors.csv`. */
import type { Queryable } from '../../db/pool.js';
import { guardFormula } from '../csv.js';
import { insertRejectedRows } from '../jobs/errors-sql.js';
import { readHeader, type Columns } from './header.js';
import type { ImportParams } from './options.js';
import { TOO_MUCH_DATA } from './row.js';
import { copyRejectedRows, selectStagedRows, type ImportChunk, type StagedData } from './sql.js';

/** Rows whose data is in memory together. */
const BATCH_SIZE = 100;

interface Rejected {
  /** The number of rows that were rejected when they were read. */
  refused: number;
  /** Lines whose contact would exceed the limits of its data. */
  misfits: number[];
}

/**
 * Stores the rejected rows of a chunk. Only rows that were rejected when they were read still have their cells. The cells
 * of the others are written again from what was read: ignored columns are empty.
 */
export async function storeRejectedRows(
  tx: Queryable,
  chunk: ImportChunk,
  { header, mapping }: ImportParams,
  { refused, misfits }: Rejected,
): Promise<void> {
  if (refused > 0) await copyRejectedRows(tx, chunk);
  const columns = readHeader(header ?? ['email'], mapping);
  if ('problem' in columns) return;
  for (let at = 0; at < misfits.length; at += BATCH_SIZE) {
    const rows = await selectStagedRows(tx, chunk, misfits.slice(at, at + BATCH_SIZE));
    await insertRejectedRows(
      tx,
      chunk,
      rows.map((row) => ({ line: row.line, cells: writeCells(columns, row), error: TOO_MUCH_DATA })),
    );
  }
}

function writeCells(columns: Columns, { email, subscribed, snoozedUntil, data }: StagedData): string[] {
  const cells = Array.from({ length: columns.count }, () => '');
  const rest = { ...data };
  const put = (index: number | null, text: string): void => {
    if (index !== null) cells[index] = columns.isMapped ? guardFormula(text) : text;
  };
  put(columns.email, email);
  put(columns.subscribed, subscribed === null ? '' : String(subscribed));
  put(columns.snoozedUntil, snoozedUntil?.toISOString() ?? '');
  for (const { index, key, type } of columns.data) {
    const value = data[key];
    delete rest[key];
    if (typeof value === 'string' && type !== 'json') put(index, value);
    else if (value !== undefined) cells[index] = JSON.stringify(value);
  }
  if (Object.keys(rest).length > 0) put(columns.rest, JSON.stringify(rest));
  return cells;
}
