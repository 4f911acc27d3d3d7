/** Stores uploads in a folder of this machine, or of a volume that all APIs share. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { checkFolder, checkKey, type Storage } from './storage.js';

export function createDiskStorage(root: string): Storage {
  return {
    async put(key, content) {
      const target = path.join(root, checkKey(key));
      const folder = path.dirname(target);
      await mkdir(folder, { recursive: true });
      // Not a valid key, so an incomplete file is never served. It is removed with the folder.
      const draft = path.join(folder, `.${randomUUID()}`);
      try {
        const file = await open(draft, 'wx', 0o640);
        try {
          await file.writeFile(content);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, target);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await syncFolder(folder);
    },

    async get(key) {
      const file = await open(path.join(root, checkKey(key)), 'r').catch(ifMissing);
      if (file === null) return null;
      const { size } = await file.stat();
      return { size, body: file.createReadStream() };
    },

    async removeFolder(folder) {
      await rm(path.join(root, checkFolder(folder)), { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function ifMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

/** Syncs the directory entry. Otherwise, a power failure could lose the name of a synced file. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
