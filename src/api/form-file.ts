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
  /** The maximum size of a field without a file name. Default: 64 KiB. */
  maxFieldBytes?: number;
  /** The message of the 413. */
  tooLarge: string;
  /** The end of the message for a repeated part. */
  once: string;
}

/** Receives the parts of a form in their order. */
export interface FormReader {
  /** A piece of the file. The next piece is read when it resolves. */
  onFile: (chunk: Buffer) => Promise<void> | void;
  onField?: (name: string, value: unknown, field: { isTruncated: boolean }) => void;
  /** A file in another part. Its content is ignored. */
  onOtherFile?: (name: string) => void;
}

/** Makes a scope of routes accept forms only. */
export async function acceptForms(
  scope: FastifyInstance,
  { maxBytes, maxFieldBytes = FORM_OVERHEAD_BYTES }: Pick<FileRules, 'maxBytes' | 'maxFieldBytes'>,
): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(multipart, {
    limits: { fileSize: maxBytes, files: 10, fields: 20, fieldSize: maxFieldBytes, parts: 30 },
  });
}

/**
 * Reads the file of a form into memory.
 *
 * @throws as readFormParts
 */
export async function readFormFile(request: FastifyRequest, rules: FileRules): Promise<FormFile> {
  const chunks: Buffer[] = [];
  const name = await readFormParts(request, rules, { onFile: (chunk) => void chunks.push(chunk) });
  return { name, content: Buffer.concat(chunks) };
}

/**
 * Reads a form in pieces.
 *
 * @returns the name of the file that the client sent, or an empty string
 * @throws PAYLOAD_TOO_LARGE (413), BAD_REQUEST (400) for a malformed form, VALIDATION_ERROR (422) if the form does not
 * have exactly one file in the part
 */
export async function readFormParts(
  request: FastifyRequest,
  { part: wanted, maxBytes, maxFieldBytes = 0, tooLarge, once }: FileRules,
  { onFile, onField, onOtherFile }: FormReader,
): Promise<string> {
  const tooLargeError = (): ApiError => new ApiError('PAYLOAD_TOO_LARGE', tooLarge);
  // Checked before reading. A request without a Content-Length fails while it is read.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_OVERHEAD_BYTES + maxFieldBytes)
    throw tooLargeError();
  let name: string | null = null;
  let files = 0;
  let rejection: { error: unknown } | null = null;
  const write = async (chunk: unknown): Promise<void> => {
    try {
      if (Buffer.isBuffer(chunk)) await onFile(chunk);
    } catch (error) {
      rejection = { error };
      throw error;
    }
  };
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        onField?.(part.fieldname, part.value, { isTruncated: part.valueTruncated });
      } else if (part.fieldname === wanted && ++files === 1) {
        name = nameOf(part);
        for await (const chunk of part.file) await write(chunk);
        if (part.file.truncated) throw tooLargeError();
      } else {
        if (part.fieldname !== wanted) onOtherFile?.(part.fieldname);
        part.file.resume();
      }
    }
  } catch (error) {
    throw toFormError(error, rejection, tooLargeError);
  }
  if (name === null)
    throw validationError([
      { field: wanted, message: `Required: a part named "${wanted}" with a file name`, code: 'required' },
    ]);
  if (files > 1) throw validationError([{ field: wanted, message: `must come once: ${once}`, code: 'custom' }]);
  return name;
}

/** Returns the file name of a part. Parts with `application/octet-stream` may have none, contrary to the types. */
const nameOf = ({ filename }: { filename?: string }): string => filename ?? '';

/** Errors of the reader stay as they are. All others are errors of the form. */
function toFormError(error: unknown, rejection: { error: unknown } | null, tooLargeError: () => ApiError): unknown {
  if (rejection) return rejection.error;
  if (error instanceof ApiError) return error;
  if (error instanceof Error && 'code' in error && error.code === 'FST_REQ_FILE_TOO_LARGE') return tooLargeError();
  if (error instanceof Error && 'statusCode' in error) return error;
  return badRequest('The request body is not valid multipart/form-data.', { cause: error });
}
