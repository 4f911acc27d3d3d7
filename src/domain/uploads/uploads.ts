/**
 * Images for the bodies of templates (contract, section 8). Each has the key `<project id>/<id>.<extension>` and is
 * public.
 */
import type { Context } from '../../context.js';
import { ApiError, notFound } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { plainFileName } from '../file-name.js';
import type { StoredObject } from '../../storage/storage.js';
import { imageTypeOf, type ImageType } from './image.js';

export const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

export interface Upload {
  /** Its permanent URL. */
  url: string;
  key: string;
  /** The client's file name, without a path. */
  filename: string;
  contentType: ImageType['contentType'];
  /** In bytes. */
  size: number;
}

/**
 * Stores an image durably.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE (415) if it is not an image, SERVICE_UNAVAILABLE (503) if the storage fails
 */
export async function uploadImage(
  ctx: Context,
  projectId: string,
  { name, content }: { name: string; content: Buffer },
): Promise<Upload> {
  const type = await imageTypeOf(content);
  if (!type)
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'This file is not a PNG, JPEG, GIF, or WebP image, or it also contains another file.',
      { suggestion: 'Save the image again with an image editor. SVG is not supported.' },
    );
  const file = `${newId()}.${type.extension}`;
  const key = `${projectId}/${file}`;
  await withStorage(ctx.storage.put(key, content, type.contentType));
  return {
    url: `${ctx.config.PUBLIC_URL}/uploads/${key}`,
    key,
    filename: plainFileName(name) || file,
    contentType: type.contentType,
    size: content.length,
  };
}

const CONTENT_TYPES: Record<ImageType['extension'], ImageType['contentType']> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/**
 * Opens an image.
 *
 * @throws UPLOAD_NOT_FOUND (404, also for malformed keys), SERVICE_UNAVAILABLE (503) if the storage fails
 */
export async function openUpload(
  ctx: Context,
  folder: string,
  file: string,
): Promise<StoredObject & { contentType: ImageType['contentType'] }> {
  const [, id = '', extension] = /^([^.]+)\.(png|jpg|gif|webp)$/.exec(file) ?? [];
  if (!isLowerId(folder) || !isLowerId(id) || !isExtension(extension)) throw notFound('UPLOAD');
  const found = await withStorage(ctx.storage.get(`${folder}/${file}`));
  if (!found) throw notFound('UPLOAD');
  return { ...found, contentType: CONTENT_TYPES[extension] };
}

const isLowerId = (text: string): boolean => isId(text) && text === text.toLowerCase();
const isExtension = (text: string | undefined): text is ImageType['extension'] =>
  text !== undefined && text in CONTENT_TYPES;

async function withStorage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ApiError('SERVICE_UNAVAILABLE', 'The storage of uploads is not available. Try again.', { cause: error });
  }
}
