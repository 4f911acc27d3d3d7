/** The signed URL of an export, and its content. */
import { timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Context } from '../../context.js';
import { notFound } from '../../errors.js';
import { deriveKey } from '../../mail/derived-key.js';
import { createMac } from '../../mail/mac.js';
import { UUID_BYTES, uuidOf, writeUuid } from '../../mail/uuid-bytes.js';
import { findEndedExport, type JobRef } from '../jobs/sql.js';
import { readExportParams, type ExportFormat } from './params.js';
import { selectExportPart } from './sql.js';

const decompress = promisify(gunzip);

/** How long a file is kept, from the end of its job. */
export const EXPORT_LIFETIME_MS = 24 * 3_600_000;

/** 128 bits cannot be guessed. */
const MAC_BYTES = 16;

export const exportExpiry = (endedAt: Date): Date => new Date(endedAt.getTime() + EXPORT_LIFETIME_MS);

type Signer = Pick<Context, 'config'>;

/** Returns the code that only this installation can create for a job. */
const codeOf = ({ config }: Signer, id: Buffer): Buffer => {
  const mac = createMac(deriveKey(config.SECRET_KEY, 'export:v1'), UUID_BYTES);
  return Buffer.from(mac.digest(id.toString('latin1')), 'latin1').subarray(0, MAC_BYTES);
};

/** Returns the URL of an export's file. The job decides until when it is valid. */
export function exportUrl(ctx: Signer, jobId: string): string {
  const id = Buffer.alloc(UUID_BYTES);
  writeUuid(jobId, id, 0);
  const token = Buffer.concat([id, codeOf(ctx, id)]).toString('base64url');
  return `${ctx.config.PUBLIC_URL}/exports/${token}`;
}

function readToken(ctx: Signer, token: string): string | null {
  const given = Buffer.from(token, 'base64url');
  // Accept only one spelling of a token: the decoder skips unknown characters.
  if (given.length !== UUID_BYTES + MAC_BYTES || given.toString('base64url') !== token) return null;
  const id = given.subarray(0, UUID_BYTES);
  return timingSafeEqual(codeOf(ctx, id), given.subarray(UUID_BYTES)) ? uuidOf(id) : null;
}

export interface ExportFile {
  filename: string;
  format: ExportFormat;
  /** The size of the file. */
  bytes: number;
  /** Reads and decompresses one part at a time. */
  content: AsyncGenerator<Buffer>;
}

/**
 * Opens the file of an export.
 *
 * @throws JOB_NOT_FOUND (404) for a token that was not created here, an expired file, and a job that no longer exists
 */
export async function openExport(ctx: Context, token: string): Promise<ExportFile> {
  const jobId = readToken(ctx, token);
  const job = jobId === null ? null : await findEndedExport(ctx.pool, jobId);
  if (!job || exportExpiry(job.endedAt) <= new Date()) throw notFound('JOB');
  const { kind, format, bytes, parts } = readExportParams(job.params);
  return {
    filename: `${kind}-${job.endedAt.toISOString().slice(0, 10)}.${format}`,
    format,
    bytes,
    content: readParts(ctx, job, parts),
  };
}

async function* readParts({ pool }: Context, job: JobRef, parts: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < parts; position++) {
    const part = await selectExportPart(pool, job, position);
    // The connection is then cut before Content-Length bytes, so that the client sees an incomplete download.
    if (part === null) throw new Error('A part of an export expired during its download.');
    yield await decompress(part);
  }
}
