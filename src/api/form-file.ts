/** A file in a form (`multipart/form-data`). */
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, badRequest, validationError } from '../errors.js';

/** The space for boundaries, headers, and small fields around the file. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

export interface FormFile {
  /** The file name that the client sent, or an empty string. */
  name: string;
  content: Buffer;
}

export interface FileRules {
  /** The name of the part. Other parts are ignored. */
  part: string;
  maxBytes: number;
  /** The message of the 413. */
  tooLarge: string;
  /** The end of the message for a repeated part. */
  once: string;
}

/** Makes a scope of routes accept forms only. */
export async function acceptForms(scope: FastifyInstance, { maxBytes }: Pick<FileRules, 'maxBytes'>): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(multipart, {
    limits: { fileSize: maxBytes, files: 10, fields: 20, fieldSize: FORM_OVERHEAD_BYTES, parts: 30 },
  });
}

/**
 * Reads the file of a form.
 *
 * @throws PAYLOAD_TOO_LARGE (413), BAD_REQUEST (400) for a malformed form, VALIDATION_ERROR (422) if the form does not
 * have exactly one file in the part
 */
export async function readFormFile(
  request: FastifyRequest,
  { part: wanted, maxBytes, tooLarge, once }: FileRules,
): Promise<FormFile> {
  const tooLargeError = (): ApiError => new ApiError('PAYLOAD_TOO_LARGE', tooLarge);
  // Checked before reading. A request without a Content-Length fails while it is read.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_OVERHEAD_BYTES) throw tooLargeError();
  let file: FormFile | null = null;
  let files = 0;
  try {
    for await (const part of request.parts()) {
      if (part.type !== 'file') continue;
      if (part.fieldname === wanted) files++;
      if (part.fieldname === wanted && file === null) file = { name: nameOf(part), content: await part.toBuffer() };
      else part.file.resume();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'FST_REQ_FILE_TOO_LARGE') throw tooLargeError();
    if (error instanceof Error && 'statusCode' in error) throw error;
    throw badRequest('The request body is not valid multipart/form-data.', { cause: error });
  }
  if (file === null)
    throw validationError([
      { field: wanted, message: `Required: a part named "${wanted}" with a file name`, code: 'required' },
    ]);
  if (files > 1) throw validationError([{ field: wanted, message: `must come once: ${once}`, code: 'custom' }]);
  return file;
}

/** Returns the file name of a part. Parts with `application/octet-stream` may have none, contrary to the types. */
const nameOf = ({ filename }: { filename?: string }): string => filename ?? '';
