/**
 * The inbox's mails on disk: one `.eml` file per mail, and one JSON line per mail in an index, which memory mirrors.
 *
 * A mail exists when its index line is complete. The line is written after the file, so a crash leaves at most a file
 * without a line.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';

/** What the index contains about a mail. */
export interface MailEntry {
  /** Also the name of its file. */
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
  /** The id of a new mail, whose source is written to `fileOf(id)` before `append` lists it. */
  newId(): string;
  fileOf(id: string): string;
  /** Returns when the operating system has the mail's index line. */
  append(mail: MailEntry): void;
  list(options: ListOptions): MailPage;
  find(id: string): MailEntry | undefined;
  count(): number;
  /** Deletes all listed mails. */
  clear(): Promise<void>;
}

/**
 * Opens the store in `folder`, which is created if it does not exist. An index line that a crash cut short is removed.
 *
 * @throws the file system's errors
 */
export async function openMailStore(folder: string): Promise<MailStore> {
  await mkdir(folder, { recursive: true });
  const index = join(folder, 'index.jsonl');
  const mails = new Map((await readIndex(index)).map((mail) => [mail.id, mail]));
  const fileOf = (id: string): string => join(folder, `${id}.eml`);

  return {
    newId: () => randomUUID(),
    fileOf,

    append(mail) {
      appendFileSync(index, `${JSON.stringify(mail)}\n`);
      mails.set(mail.id, mail);
    },

    list({ limit, cursor, to = '', subject = '' }) {
      const found = [...mails.values()]
        .reverse()
        .filter((mail) => includesText([mail.from, ...mail.to].join('\n'), to) && includesText(mail.subject, subject));
      // An unknown cursor returns an empty page.
      const start = cursor === undefined ? 0 : found.findIndex(({ id }) => id === cursor) + 1 || found.length;
      const messages = found.slice(start, start + limit);
      const hasMore = start + limit < found.length;
      return { messages, total: found.length, cursor: hasMore ? (messages.at(-1)?.id ?? null) : null };
    },

    find: (id) => mails.get(id),
    count: () => mails.size,

    async clear() {
      const ids = [...mails.keys()];
      mails.clear();
      await truncate(index);
      for (const id of ids) await rm(fileOf(id), { force: true });
    },
  };
}

async function readIndex(file: string): Promise<MailEntry[]> {
  await appendFile(file, '');
  const bytes = await readFile(file);
  const end = bytes.lastIndexOf('\n') + 1;
  await truncate(file, end);
  const lines = bytes.subarray(0, end).toString('utf8').split('\n').filter(Boolean);
  return lines.map((line): MailEntry => JSON.parse(line));
}

const includesText = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
