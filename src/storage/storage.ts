/** Where uploaded files are kept: objects by key, `<folder>/<name>`. */
import type { Readable } from 'node:stream';

export interface StoredObject {
  body: Readable;
  /** In bytes; null where the storage does not say. */
  size: number | null;
}

export interface Storage {
  /** Keeps an object; whoever reads it meets all of it or nothing, also after a crash. */
  put(key: string, content: Buffer, contentType: string): Promise<void>;
  /** Null when there is none. The caller reads the body to its end, or destroys it. */
  get(key: string): Promise<StoredObject | null>;
  /** Removes all objects of a folder; none is no error. */
  removeFolder(folder: string): Promise<void>;
}

const KEY = /^[0-9a-z-]{1,64}\/[0-9a-z-]{1,64}\.[a-z]{1,8}$/;
const FOLDER = /^[0-9a-z-]{1,64}$/;

/** The last line of defence against a path that leads elsewhere: keys are made by us. */
export function checkKey(key: string): string {
  if (!KEY.test(key)) throw new Error('This is no key of an upload');
  return key;
}

export function checkFolder(folder: string): string {
  if (!FOLDER.test(folder)) throw new Error('This is no folder of uploads');
  return folder;
}
