import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDiskStorage } from '../../src/storage/disk.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sendloom-storage-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const read = async (key: string): Promise<Buffer | null> => {
  const found = await createDiskStorage(root).get(key);
  return found && buffer(found.body);
};

test('a reader of an object that is replaced repeatedly gets one complete version', async () => {
  const storage = createDiskStorage(root);
  const versions = [Buffer.alloc(3_000_000, 'a'), Buffer.alloc(3_000_000, 'b')] as const;
  await storage.put('p/x.png', versions[0], 'image/png');
  const written = new AbortController();
  const writer = (async () => {
    for (let round = 0; round < 20; round++)
      await storage.put('p/x.png', versions[round % 2 === 0 ? 1 : 0], 'image/png');
    written.abort();
  })();
  let reads = 0;
  while (!written.signal.aborted) {
    const content = await read('p/x.png');
    expect(versions.some((version) => content?.equals(version))).toBe(true);
    reads += 1;
  }
  await writer;
  expect(reads).toBeGreaterThan(0);
  expect(readdirSync(path.join(root, 'p'))).toEqual(['x.png']);
});

test('a failed write leaves no files', async () => {
  mkdirSync(path.join(root, 'p', 'x.png', 'taken'), { recursive: true });
  await expect(createDiskStorage(root).put('p/x.png', Buffer.from('x'), 'image/png')).rejects.toThrow(
    /EISDIR|ENOTEMPTY|EEXIST/,
  );
  expect(readdirSync(path.join(root, 'p'))).toEqual(['x.png']);
});

test('an invalid key never reaches a file', async () => {
  writeFileSync(path.join(root, 'secret.txt'), 'x');
  const storage = createDiskStorage(path.join(root, 'uploads'));
  for (const key of [
    '../secret.txt',
    'p/../../secret.txt',
    '/etc/passwd',
    'p/.hidden',
    'p/x',
    'p//x.png',
    'p/x.png/',
    'p/x.png\0',
    '..\\secret.txt',
  ])
    await expect(storage.get(key), key).rejects.toThrow('Invalid key');
  for (const folder of ['', '..', '.', 'p/q', '/'])
    await expect(storage.removeFolder(folder), folder).rejects.toThrow('Invalid folder');
});

test('a folder is removed with its incomplete files, and removing it again is not an error', async () => {
  const storage = createDiskStorage(root);
  await storage.put('p/x.png', Buffer.from('x'), 'image/png');
  writeFileSync(path.join(root, 'p', '.0190-half'), 'x');
  await storage.removeFolder('p');
  await storage.removeFolder('p');
  expect([readdirSync(root), await read('p/x.png')]).toEqual([[], null]);
});
