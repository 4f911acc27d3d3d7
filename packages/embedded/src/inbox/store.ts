/**
 * The inbox's mails on disk: one `.eml` file per mail, and one JSON line per mail in an index, which memory mirrors.
 *
 * A mail exists when its index line is complete. The line is written after the file, so a crash leaves at most a file
 * without a line.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What the index contains about a mail. */
export interface MailEntry {
  id: string;
  /** The decoded From header, or the envelope's sender if the header is missing. */
  from: string;
  /** The envelope's recipients. */
  to: string[];
  /** The decoded Subject header. */
  subject: string;
  /** Time of arrival, ISO 8601. */
  date: string;
  /** Size of the raw mail in bytes. */
  size: number;
}

export interface ListOptions {
  limit: number;
  /** The id of the last mail of the previous page. */
  cursor?: string;
  /** Part of a recipient's or the sender's address. Case does not matter. */
  to?: string;
  /** Part of the subject. Case does not matter. */
  subject?: string;
}

export interface MailPage {
  /** Newest first. */
  messages: MailEntry[];
  /** Number of mails that match the search, on all pages. */
  total: number;
  /** The cursor of the next page; null on the last page. */
  cursor: string | null;
}

export interface MailStore {
  /** The path of a new file for a mail, which is then passed to `append`. */
  newFile(): string;
  /** Lists the mail in `file`. Resolves with its id when the operating system has its index line. */
  append(file: string, mail: Omit<MailEntry, 'id'>): Promise<string>;
  list(options: ListOptions): MailPage;
  find(id: string): MailEntry | null;
  /** The raw mail; null if the mail does not exist. */
  readSource(id: string): Promise<Buffer | null>;
  count(): number;
  clear(): Promise<void>;
  close(): Promise<void>;
}

interface IndexLine extends Omit<MailEntry, 'id'> {
  /** The name of the mail's file. */
  file: string;
}

/**
 * A set of mails that `clear` replaces as a whole. Ids contain its name, so an id never refers to another mail later.
 */
interface Box {
  name: string;
  folder: string;
  lines: IndexLine[];
  index: ReturnType<typeof createWriteStream>;
}

/**
 * Opens the store in `folder`, which is created if it does not exist. An index line that a crash cut short is removed.
 *
 * @throws the file system's errors
 */
export async function openMailStore(folder: string): Promise<MailStore> {
  await mkdir(folder, { recursive: true });
  const names = (await readdir(folder)).filter((name) => name.startsWith('mails-')).sort();
  let box = await openBox(folder, names.at(-1)?.slice('mails-'.length) ?? nextName());
  for (const old of names.slice(0, -1)) await rm(join(folder, old), { recursive: true, force: true });

  const entryAt = (position: number): MailEntry | null => {
    const line = box.lines[position];
    if (!line) return null;
    const { file: _file, ...entry } = line;
    return { id: `${box.name}.${position + 1}`, ...entry };
  };
  const positionOf = (id: string): number => {
    const [name, number] = id.split('.');
    return name === box.name ? Number(number) - 1 : -1;
  };

  return {
    newFile: () => join(box.folder, `${randomUUID()}.eml`),

    append(file, mail) {
      const target = box;
      // A mail that was received during `clear` is removed with the old box.
      if (dirname(file) !== target.folder) return Promise.resolve(`${target.name}.0`);
      const line: IndexLine = { ...mail, file: basename(file) };
      return new Promise((resolve, reject) => {
        target.index.write(`${JSON.stringify(line)}\n`, (error) => {
          if (error) return reject(error);
          resolve(`${target.name}.${target.lines.push(line)}`);
        });
      });
    },

    list({ limit, cursor, to, subject }) {
      const before = cursor === undefined ? box.lines.length : Math.max(positionOf(cursor), 0);
      const isMatch = matcher(to, subject);
      const page: MailPage = { messages: [], total: 0, cursor: null };
      let hasMore = false;
      for (let position = box.lines.length - 1; position >= 0; position--) {
        const line = box.lines[position];
        if (!line || !isMatch(line)) continue;
        page.total++;
        if (position >= before) continue;
        const entry = page.messages.length < limit ? entryAt(position) : null;
        if (entry) page.messages.push(entry);
        else hasMore = true;
      }
      if (hasMore) page.cursor = page.messages.at(-1)?.id ?? null;
      return page;
    },

    find: (id) => entryAt(positionOf(id)),

    async readSource(id) {
      const line = box.lines[positionOf(id)];
      return line ? readFile(join(box.folder, line.file)) : null;
    },

    count: () => box.lines.length,

    async clear() {
      const old = box;
      box = await openBox(folder, nextName(old.name));
      await closeBox(old);
      await rm(old.folder, { recursive: true, force: true });
    },

    close: () => closeBox(box),
  };
}

async function openBox(parent: string, name: string): Promise<Box> {
  const folder = join(parent, `mails-${name}`);
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'index.jsonl');
  await writeFile(path, '', { flag: 'a' });
  const lines = await readIndex(path);
  return { name, folder, lines, index: createWriteStream(path, { flags: 'a' }) };
}

async function readIndex(path: string): Promise<IndexLine[]> {
  const bytes = await readFile(path);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) await truncate(path, end);
  const lines = bytes.subarray(0, end).toString('utf8').split('\n').filter(Boolean);
  return lines.map((line): IndexLine => JSON.parse(line));
}

async function closeBox(box: Box): Promise<void> {
  box.index.end();
  await once(box.index, 'close');
}

function matcher(to: string | undefined, subject: string | undefined): (line: IndexLine) => boolean {
  const address = to?.toLowerCase();
  const words = subject?.toLowerCase();
  return (line) =>
    (!address || [line.from, ...line.to].some((one) => one.toLowerCase().includes(address))) &&
    (!words || line.subject.toLowerCase().includes(words));
}

/** A name that sorts after `previous`, even if the clock was set back. */
function nextName(previous = '0'): string {
  return Math.max(Date.now(), parseInt(previous, 36) + 1)
    .toString(36)
    .padStart(9, '0');
}
