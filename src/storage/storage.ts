/** The storage of uploaded files: objects by key, `<folder>/<name>`. */
import type { Readable } from 'node:stream';

export interface StoredObject {
  body: Readable;
  /** In bytes; null if the storage does not report it. */
  size: number | null;
}

export interface Storage {
  /** Stores an object atomically and durably. */
  put(key: string, content: Buffer, contentType: string): Promise<void>;
  /** Returns null if the object does not exist. The caller reads the body to its end, or destroys it. */
  get(key: string): Promise<StoredObject | null>;
  /** Removes all objects of a folder. A missing folder is not an error. */
  removeFolder(folder: string): Promise<void>;
}

const KEY = /^[0-9a-z-]{1,64}\/[0-9a-z-]{1,64}\.[a-z]{1,8}$/;
const FOLDER = /^[0-9a-z-]{1,64}$/;

/** Rejects keys that could lead outside the storage. We generate all keys, so this is a second line of defense. */
export function checkKey(key: string): string {
  if (!KEY.test(key)) throw new Error('Invalid key of an upload');
  return key;
}

export function checkFolder(folder: string): string {
  if (!FOLDER.test(folder)) throw new Error('Invalid folder of uploads');
  return folder;
}
