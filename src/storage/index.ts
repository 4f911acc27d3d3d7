/** Creates the storage that UPLOADS_URL names; by default, a folder in DATA_DIR. */
import path from 'node:path';
import type { Environment } from '../config.js';
import { createDiskStorage } from './disk.js';
import { createS3Storage } from './s3.js';
import type { Storage } from './storage.js';
import { parseUploadsUrl } from './url.js';

export type { Storage } from './storage.js';

export function createStorage({ UPLOADS_URL, DATA_DIR }: Pick<Environment, 'UPLOADS_URL' | 'DATA_DIR'>): Storage {
  const location = parseUploadsUrl(UPLOADS_URL ?? `file:${path.join(DATA_DIR, 'uploads')}`);
  return location.kind === 'disk' ? createDiskStorage(location.folder) : createS3Storage(location);
}
