/** `POST /contacts/import`. */
import { isUtf8 } from 'node:buffer';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { insertImportFile } from './sql.js';
import { insertJob } from '../jobs/sql.js';
import { enqueue } from '../../db/outbox.js';
import { validationError, type ApiError } from '../../errors.js';
import { newId } from '../../ids.js';
import { jobStart } from '../jobs/intents.js';
import { CsvReader, type CsvRecord } from './csv.js';
import { readHeader } from './row.js';

/** Specification, Limits. */
export const MAX_IMPORT_BYTES = 5 * 1024 * 1024;

/** Bytes that are parsed at a time to find the header. */
const PIECE_BYTES = 16 * 1024;

export interface ImportSource {
  /** The name of the file, without a path. */
  filename?: string | null;
  /** The user of the session; null for a key. */
  createdBy?: string | null;
}

/**
 * Queues an import. The file, the job, and the start of its workflow are committed together. The job parses the rows.
 *
 * @returns the job's id
 * @throws VALIDATION_ERROR (422, field `file`) for a binary file, an encoding other than UTF-8, and a header that is
 * missing or has no column `email`
 */
export async function requestImport(
  { pool, wake }: Context,
  projectId: string,
  content: Buffer,
  { filename, createdBy }: ImportSource = {},
): Promise<string> {
  requireCsv(content);
  const job = { jobId: newId(), projectId };
  await transaction(pool, async (tx) => {
    await insertJob(tx, { ...job, kind: 'IMPORT', operation: 'import', params: {}, filename, createdBy });
    await insertImportFile(tx, job, content);
    await enqueue(tx, [jobStart(job, 'IMPORT')]);
  });
  wake('outbox');
  return job.jobId;
}

function requireCsv(content: Buffer): void {
  const [first, second] = content;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw refuse('The file is in UTF-16. Save it as CSV in UTF-8.');
  if (content.includes(0)) throw refuse('The file is not a CSV file: it is binary.');
  if (!isUtf8(content))
    throw refuse(`The file is not in UTF-8: see line ${lineOfBadByte(content)}. Save it as CSV in UTF-8.`);
  const header = firstRecord(content);
  if (!header) throw refuse('The file is empty. The first line must name the columns.');
  if ('problem' in header) throw refuse(`The header is invalid. ${header.problem}.`);
  const columns = readHeader(header.cells);
  if ('problem' in columns) throw refuse(columns.problem);
}

/** Returns the header, which can follow empty lines. Parsing all records of 5 MB would delay other requests. */
function firstRecord(content: Buffer): CsvRecord | undefined {
  const reader = new CsvReader();
  const decoder = new TextDecoder();
  for (let at = 0; at < content.length; at += PIECE_BYTES) {
    const [first] = reader.write(decoder.decode(content.subarray(at, at + PIECE_BYTES), { stream: true }));
    if (first) return first;
  }
  return [...reader.write(decoder.decode()), ...reader.end()][0];
}

const LF = 0x0a;

function lineOfBadByte(content: Buffer): number {
  let line = 1;
  for (let start = 0; start < content.length; line++) {
    const end = content.indexOf(LF, start);
    const stop = end < 0 ? content.length : end + 1;
    if (!isUtf8(content.subarray(start, stop))) return line;
    start = stop;
  }
  return line;
}

const refuse = (message: string): ApiError => validationError([{ field: 'file', message, code: 'custom' }]);
