/** A file in a form (`multipart/form-data`). */
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, badRequest, validationError } from '../errors.js';

/** Boundaries, headers and small fields around the file. */
const FORM_BYTES = 64 * 1024;

export interface FormFile {
  /** What the client says that it is called; empty where it doesn't say. */
  name: string;
  content: Buffer;
}

export interface FileRules {
  /** The name of the part; others are ignored. */
  part: string;
  maxBytes: number;
  /** Of the 413. */
  tooLarge: string;
  /** Why it must come once. */
  once: string;
}

/** Has a scope of routes take forms, and nothing else. */
export async function takeForms(scope: FastifyInstance, { maxBytes }: Pick<FileRules, 'maxBytes'>): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(multipart, {
    limits: { fileSize: maxBytes, files: 10, fields: 20, fieldSize: FORM_BYTES, parts: 30 },
  });
}

/**
 * @throws PAYLOAD_TOO_LARGE (413), BAD_REQUEST (400) for a form that can't be read, VALIDATION_ERROR (422) without the
 * file, or with more than one
 */
export async function readFormFile(
  request: FastifyRequest,
  { part: wanted, maxBytes, tooLarge, once }: FileRules,
): Promise<FormFile> {
  const tooMuch = (): ApiError => new ApiError('PAYLOAD_TOO_LARGE', tooLarge);
  // Before anything is read; a client that doesn't say its length is stopped on the way.
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_BYTES) throw tooMuch();
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
    if (error instanceof Error && 'code' in error && error.code === 'FST_REQ_FILE_TOO_LARGE') throw tooMuch();
    if (error instanceof Error && 'statusCode' in error) throw error;
    throw badRequest('The form can not be read: it is not valid multipart/form-data.', { cause: error });
  }
  if (file === null)
    throw validationError([
      { field: wanted, message: `Required: a part named "${wanted}" with a file name`, code: 'required' },
    ]);
  // Which of them is meant, nobody can say.
  if (files > 1) throw validationError([{ field: wanted, message: `must come once: ${once}`, code: 'custom' }]);
  return file;
}

/** A part of bytes (`application/octet-stream`) is a file without a name too, whatever the library's types say. */
const nameOf = ({ filename }: { filename?: string }): string => filename ?? '';
