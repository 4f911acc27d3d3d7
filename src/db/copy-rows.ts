/** Rows of large binary values: the driver reads any other result as text, which takes five times as long. */
import type { PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** PostgreSQL's COPY, format binary: a signature, flags, and the length of an extension that there is not. */
const FILE_HEADER = 19;
const SETTING = 'sendloom.copy_values';

/**
 * Runs a query, in a transaction. COPY takes no parameters: `$1`, `$2`, … read them, as text, from a setting of the
 * transaction.
 *
 * @returns the rows, each value as PostgreSQL sends it in binary: bytea and text are their bytes
 */
export async function copyRows(tx: PoolClient, sql: string, values: unknown[]): Promise<Array<Array<Buffer | null>>> {
  await tx.query('SELECT set_config($1, $2, true)', [SETTING, JSON.stringify(values)]);
  const query = sql.replace(
    /\$(\d+)/g,
    (_, number: string) => `(current_setting('${SETTING}')::jsonb ->> ${Number(number) - 1})`,
  );
  const pieces: Buffer[] = [];
  for await (const piece of tx.query(copyTo(`COPY (${query}) TO STDOUT (FORMAT binary)`))) pieces.push(piece);
  return parse(Buffer.concat(pieces));
}

function parse(bytes: Buffer): Array<Array<Buffer | null>> {
  const rows: Array<Array<Buffer | null>> = [];
  let at = FILE_HEADER;
  // -1 stands behind the last row.
  for (let columns = bytes.readInt16BE(at); columns !== -1; columns = bytes.readInt16BE(at)) {
    at += 2;
    const row: Array<Buffer | null> = [];
    for (let column = 0; column < columns; column++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      row.push(length === -1 ? null : bytes.subarray(at, at + Math.max(0, length)));
      at += Math.max(0, length);
    }
    rows.push(row);
  }
  return rows;
}
