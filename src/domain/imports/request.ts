/** `POST /contacts/import`. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { insertJob } from '../jobs/sql.js';
import { enqueue } from '../../db/outbox.js';
import { badRequest, notFound, validationError, type ApiError } from '../../errors.js';
import { isId } from '../../ids.js';
import { jobStart } from '../jobs/intents.js';
import { selectSegments } from '../segments/sql/segments.js';
import { CsvReader, type CsvRecord } from './csv.js';
import { mappingErrors, readHeader } from './header.js';
import { DELIMITERS, type Delimiter, type ImportMapping, type ImportParams } from './options.js';
import { discardingOnError, ImportUpload } from './upload.js';

/** Specification, Limits: the default of IMPORT_MAX_MB. */
export const MAX_IMPORT_BYTES = 5 * 1024 * 1024;

/** Bytes that are parsed at a time to find the header. */
const PIECE_BYTES = 16 * 1024;

/** The options of an import. Without any, an import is as the specification has it. */
export interface ImportRequest extends Partial<Omit<ImportParams, 'header'>> {
  /** The name of the file, without a path. */
  filename?: string | null;
  /** The user of the session; null for a key. */
  createdBy?: string | null;
}

/** Queues an import of a file in memory: see submitImport. */
export async function requestImport(
  ctx: Context,
  projectId: string,
  content: Buffer,
  request: ImportRequest = {},
): Promise<string> {
  const upload = new ImportUpload(ctx, projectId);
  return discardingOnError(upload, async () => {
    await upload.write(content);
    return submitImport(ctx, upload, request);
  });
}

/**
 * Queues an import. The end of the file, the job, and the start of its workflow are committed together. The job parses
 * the rows. If it throws, the caller discards the upload.
 *
 * @returns the job's id
 * @throws VALIDATION_ERROR (422, field `file`) for a binary file, an encoding other than UTF-8, and a header that is
 * missing or has no column `email`; (422, field `mapping…`) for a mapping with invalid targets; SEGMENT_NOT_FOUND (404);
 * BAD_REQUEST (400, a dynamic segment)
 */
export async function submitImport(
  { pool, wake }: Context,
  upload: ImportUpload,
  { filename, createdBy, ...options }: ImportRequest,
): Promise<string> {
  const { job } = upload;
  const mapping = options.mapping ?? null;
  const errors = mappingErrors(mapping ?? {});
  if (errors.length > 0) throw validationError(errors);
  const problem = upload.encodingProblem();
  if (problem !== null) throw refuse(problem);
  const { delimiter, header } = readHead(upload, mapping, options.delimiter);
  const params: ImportParams = {
    mapping,
    dryRun: options.dryRun ?? false,
    onExisting: options.onExisting ?? 'update',
    segmentId: options.segmentId ?? null,
    delimiter,
    header,
  };
  await transaction(pool, async (tx) => {
    if (params.segmentId !== null) {
      const [segment] = isId(params.segmentId) ? await selectSegments(tx, job.projectId, params.segmentId) : [];
      if (!segment) throw notFound('SEGMENT');
      if (segment.type !== 'STATIC')
        throw badRequest('The condition of a dynamic segment determines its members. Import into a static segment.');
    }
    await upload.finish(tx);
    await insertJob(tx, {
      ...job,
      kind: 'IMPORT',
      operation: params.dryRun ? 'dryRun' : 'import',
      params: { ...params },
      filename,
      createdBy,
    });
    await enqueue(tx, [jobStart(job, 'IMPORT')]);
  });
  wake('outbox');
  return job.jobId;
}

/**
 * Reads the header with the given delimiter, or with the first one that gives a valid header. So a file that is valid
 * with commas is always read with commas.
 */
function readHead(
  upload: ImportUpload,
  mapping: ImportMapping | null,
  given: Delimiter | undefined,
): { delimiter: Delimiter; header: string[] } {
  const problems: Array<{ message: string; cells: number }> = [];
  for (const delimiter of given === undefined ? DELIMITERS : [given]) {
    const record = firstRecord(upload, delimiter);
    if (!record) throw refuse('The file is empty. The first line must name the columns.');
    if ('problem' in record) {
      problems.push({ message: `The header is invalid. ${record.problem}.`, cells: 0 });
      continue;
    }
    const columns = readHeader(record.cells, mapping);
    if (!('problem' in columns)) return { delimiter, header: record.cells };
    problems.push({ message: columns.problem, cells: record.cells.length });
  }
  // The problem with the delimiter that separates the most columns, commas first.
  const [worst] = problems.sort((a, b) => b.cells - a.cells);
  throw refuse(worst?.message ?? '');
}

/** Returns the header. Parsing all records would delay other requests. */
function firstRecord({ head, isWhole }: ImportUpload, delimiter: Delimiter): CsvRecord | undefined {
  const reader = new CsvReader({ delimiter });
  const decoder = new TextDecoder();
  for (let at = 0; at < head.length; at += PIECE_BYTES) {
    const [first] = reader.write(decoder.decode(head.subarray(at, at + PIECE_BYTES), { stream: true }));
    if (first) return first;
  }
  return isWhole ? [...reader.write(decoder.decode()), ...reader.end()][0] : undefined;
}

const refuse = (message: string): ApiError => validationError([{ field: 'file', message, code: 'custom' }]);
