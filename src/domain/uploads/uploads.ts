/**
 * Images for the bodies of templates (contract, section 8). Each is kept by `<project id>/<id>.<ending>`, and served to
 * anybody who knows that.
 */
import type { Context } from '../../context.js';
import { ApiError, notFound } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import type { StoredObject } from '../../storage/storage.js';
import { imageTypeOf, type ImageType } from './image.js';

/** 10 MB. */
export const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
const MAX_FILENAME = 255;

export interface Upload {
  /** Where it is to be had, for good. */
  url: string;
  key: string;
  /** As the client named it, without a path. */
  filename: string;
  contentType: ImageType['contentType'];
  /** In bytes. */
  size: number;
}

/**
 * Keeps an image; when this answers, it is there.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE (415) for anything that is not one image alone, SERVICE_UNAVAILABLE (503) when the
 * storage fails
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
      'This is not a PNG, JPEG, GIF or WebP image, or it is something else besides.',
      { suggestion: 'Save it once more with an image editor. SVG is not taken.' },
    );
  const file = `${newId()}.${type.extension}`;
  const key = `${projectId}/${file}`;
  await reaching(ctx.storage.put(key, content, type.contentType));
  return {
    url: `${ctx.config.PUBLIC_URL}/uploads/${key}`,
    key,
    filename: plainName(name) || file,
    contentType: type.contentType,
    size: content.length,
  };
}

/** The last part of a path, on one line. */
const plainName = (name: string): string =>
  Array.from(
    name
      .replace(/^.*[/\\]/s, '')
      .replace(/\p{Cc}/gu, '')
      .trim(),
  )
    .slice(0, MAX_FILENAME)
    .join('');

const CONTENT_TYPES: Record<ImageType['extension'], ImageType['contentType']> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/**
 * Opens an image.
 *
 * @throws UPLOAD_NOT_FOUND (404) also for anything that is not the key of an upload, SERVICE_UNAVAILABLE (503) when the
 * storage fails
 */
export async function openUpload(
  ctx: Context,
  folder: string,
  file: string,
): Promise<StoredObject & { contentType: ImageType['contentType'] }> {
  const [, id = '', extension] = /^([^.]+)\.(png|jpg|gif|webp)$/.exec(file) ?? [];
  if (!isLowerId(folder) || !isLowerId(id) || !isExtension(extension)) throw notFound('UPLOAD');
  const found = await reaching(ctx.storage.get(`${folder}/${file}`));
  if (!found) throw notFound('UPLOAD');
  return { ...found, contentType: CONTENT_TYPES[extension] };
}

const isLowerId = (text: string): boolean => isId(text) && text === text.toLowerCase();
const isExtension = (text: string | undefined): text is ImageType['extension'] =>
  text !== undefined && text in CONTENT_TYPES;

async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ApiError('SERVICE_UNAVAILABLE', 'The storage of uploads is not available right now.', { cause: error });
  }
}
