/**
 * The inbox's mails on disk: raw bytes in append-only segment files, and one JSON line per mail in an index.
 *
 * Memory holds eight bytes per mail (where its index line starts), whatever the mails' size; everything else is read
 * when it is looked at. A mail exists when its index line is complete, and the line is written after the mail's bytes,
 * so a crash leaves at most bytes that nothing names.
 */
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  closeGeneration,
  nextSegment,
  openGeneration,
  readLines,
  writeAll,
  SEGMENT_BYTES,
  type Generation,
  type IndexLine,
} from './generation.js';

/** What the index knows of a mail. */
export interface MailEntry {
  id: string;
  /** The From header, decoded; the envelope's sender where the header is missing. */
  from: string;
  /** The envelope's recipients. */
  to: string[];
  /** The Subject header, decoded. */
  subject: string;
  /** When it arrived, ISO 8601. */
  date: string;
  /** Bytes of the raw mail. */
  size: number;
}

export interface IncomingMail {
  from: string;
  to: string[];
  subject: string;
  date: string;
  /** The raw mail; or, for a large one, the name of a file in the store's folder (see `spoolPath`) that holds it. */
  body: Buffer | { file: string; size: number };
}

export interface ListOptions {
  limit: number;
  /** The id of the last mail of the page before. */
  cursor?: string;
  /** Part of a recipient's or the sender's address, any case. */
  to?: string;
  /** Part of the subject, any case. */
  subject?: string;
}

export interface MailPage {
  messages: MailEntry[];
  /** Mails that match the search, on all pages. */
  total: number;
  /** Of the next page; null on the last one. */
  cursor: string | null;
}

export interface MailStore {
  /** Stores a mail; resolves with its id once the operating system has all of its bytes and its index line. */
  append(mail: IncomingMail): Promise<string>;
  list(options: ListOptions): Promise<MailPage>;
  find(id: string): Promise<MailEntry | null>;
  /** The raw mail; null when there is none of that id. */
  source(id: string): Promise<Buffer | null>;
  count(): number;
  clear(): Promise<void>;
  /** A new path in the store's folder to write a large mail to, before it is appended. */
  spoolPath(name: string): string;
  close(): Promise<void>;
}

interface Waiting {
  mail: IncomingMail;
  resolve: (id: string) => void;
  reject: (error: unknown) => void;
}

const SCAN_LINES = 2000;

/**
 * Opens the store in `folder`, which is made when it is missing. A last record that a crash tore is dropped.
 *
 * @throws the file system's errors
 */
export async function openMailStore(folder: string): Promise<MailStore> {
  await mkdir(folder, { recursive: true });
  const names = (await readdir(folder)).filter((name) => name.startsWith('box-')).sort();
  let box = await openGeneration(folder, names.at(-1) ?? newName());
  for (const old of names.slice(0, -1)) await rm(join(folder, old), { recursive: true, force: true });

  let queue: Waiting[] = [];
  let flushing: Promise<void> | null = null;

  // All mails that arrive while a write is under way go out with the next one: two system calls for many mails.
  async function flush(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      try {
        const ids = await write(
          box,
          batch.map((one) => one.mail),
        );
        batch.forEach((one, position) => one.resolve(ids[position] ?? ''));
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    flushing = null;
  }

  const positionOf = (id: string): number => {
    const [name, number] = id.split('.');
    const position = Number(number) - 1;
    return name === box.name && Number.isInteger(position) && position >= 0 && position < box.lines.length
      ? position
      : -1;
  };

  async function lineOf(id: string): Promise<{ box: Generation; line: IndexLine } | null> {
    const current = box;
    const position = positionOf(id);
    if (position < 0) return null;
    const [line] = await readLines(current, position, position + 1);
    return line ? { box: current, line } : null;
  }

  return {
    append: (mail) =>
      new Promise((resolve, reject) => {
        queue.push({ mail, resolve, reject });
        flushing ??= flush();
      }),

    async list({ limit, cursor, to, subject }) {
      const current = box;
      const end = cursor === undefined ? current.lines.length : Math.max(positionOf(cursor), 0);
      if (!to && !subject) {
        const start = Math.max(0, end - limit);
        const messages = (await readLines(current, start, end))
          .map((line, i) => entryOf(current, start + i, line))
          .reverse();
        return { messages, total: current.lines.length, cursor: start > 0 ? (messages.at(-1)?.id ?? null) : null };
      }
      return search(current, end, limit, { to, subject });
    },

    async find(id) {
      const found = await lineOf(id);
      return found && entryOf(found.box, positionOf(id), found.line);
    },

    async source(id) {
      const found = await lineOf(id);
      if (!found) return null;
      const file = await open(join(found.box.folder, found.line.file), 'r');
      try {
        const body = Buffer.alloc(found.line.size);
        const { bytesRead } = await file.read(body, 0, body.length, found.line.offset);
        return body.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },

    count: () => box.lines.length,

    async clear() {
      const old = box;
      box = await openGeneration(folder, newName(old.name));
      // A write that is under way goes to the old box.
      await flushing;
      await closeGeneration(old);
      await rm(old.folder, { recursive: true, force: true });
    },

    spoolPath: (name) => join(folder, `spool-${name}`),

    async close() {
      await flushing;
      await closeGeneration(box);
    },
  };

  async function write(into: Generation, mails: IncomingMail[]): Promise<string[]> {
    if (into.segmentBytes > SEGMENT_BYTES) await nextSegment(into);
    const bodies: Buffer[] = [];
    const lines: Buffer[] = [];
    let offset = into.segmentBytes;
    for (const { body, ...facts } of mails) {
      const place = Buffer.isBuffer(body)
        ? { file: into.segmentName, offset, size: body.length }
        : { file: body.file, offset: 0, size: body.size };
      if (Buffer.isBuffer(body)) {
        bodies.push(body);
        offset += body.length;
      } else {
        await rename(join(folder, `spool-${body.file}`), join(into.folder, body.file));
      }
      lines.push(Buffer.from(`${JSON.stringify({ ...facts, ...place } satisfies IndexLine)}\n`));
    }
    await writeAll(into.segment, Buffer.concat(bodies), into.segmentBytes);
    into.segmentBytes = offset;
    await writeAll(into.index, Buffer.concat(lines), into.indexBytes);
    return lines.map((line) => {
      into.lines.push(into.indexBytes);
      into.indexBytes += line.length;
      return `${into.name}.${into.lines.length}`;
    });
  }
}

/** A name that sorts after `before`, whatever the clock says. */
function newName(before = '0'): string {
  return Math.max(Date.now(), parseInt(before, 36) + 1)
    .toString(36)
    .padStart(9, '0');
}

function entryOf(box: Generation, position: number, { from, to, subject, date, size }: IndexLine): MailEntry {
  return { id: `${box.name}.${position + 1}`, from, to, subject, date, size };
}

async function search(
  box: Generation,
  before: number,
  limit: number,
  wanted: { to?: string; subject?: string },
): Promise<MailPage> {
  const to = wanted.to?.toLowerCase();
  const subject = wanted.subject?.toLowerCase();
  const matches = (line: IndexLine): boolean =>
    (!to || [line.from, ...line.to].some((address) => address.toLowerCase().includes(to))) &&
    (!subject || line.subject.toLowerCase().includes(subject));

  const messages: MailEntry[] = [];
  let total = 0;
  let more = false;
  for (let end = box.lines.length; end > 0; end -= SCAN_LINES) {
    const start = Math.max(0, end - SCAN_LINES);
    const lines = await readLines(box, start, end);
    for (let i = lines.length - 1; i >= 0; i--) {
      const line = lines[i];
      if (!line || !matches(line)) continue;
      total++;
      if (start + i >= before) continue;
      if (messages.length < limit) messages.push(entryOf(box, start + i, line));
      else more = true;
    }
  }
  return { messages, total, cursor: more ? (messages.at(-1)?.id ?? null) : null };
}
