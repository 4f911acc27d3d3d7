/**
 * One generation of the inbox on disk: its folder, its index and its segments (see store.ts).
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes after which a new segment file is begun. */
export const SEGMENT_BYTES = 256 * 1024 * 1024;

const NEWLINE = 0x0a;

/** A mail's line in the index: what a list shows, and where the raw bytes are. */
export interface IndexLine {
  from: string;
  to: string[];
  subject: string;
  date: string;
  size: number;
  file: string;
  offset: number;
}

/** A growing list of numbers at eight bytes each. */
class Offsets {
  private values = new Float64Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Float64Array(this.values.length * 2);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.length++] = value;
  }

  at(index: number): number {
    return this.values[index] ?? 0;
  }
}

/** One emptied-at-once set of mails: `clear` starts a new one, so that an id never comes to mean another mail. */
export interface Generation {
  name: string;
  folder: string;
  index: FileHandle;
  /** Start of each index line. */
  lines: Offsets;
  indexBytes: number;
  segment: FileHandle;
  segmentName: string;
  segmentBytes: number;
}

/**
 * Opens a generation by its folder's name, with or without `box-`, making it when it is missing; drops a last record
 * that a crash tore.
 */
export async function openGeneration(parent: string, named: string): Promise<Generation> {
  const name = named.replace(/^box-/, '');
  const folder = join(parent, `box-${name}`);
  await mkdir(folder, { recursive: true });
  const index = await openForUpdate(join(folder, 'index.jsonl'));
  const { lines, bytes } = await scanIndex(join(folder, 'index.jsonl'));
  const segments = (await readdir(folder)).filter((file) => file.startsWith('segment-')).sort();
  const segmentName = segments.at(-1) ?? 'segment-000001';
  const segment = await openForUpdate(join(folder, segmentName));
  const box: Generation = {
    name,
    folder,
    index,
    lines,
    indexBytes: bytes,
    segment,
    segmentName,
    segmentBytes: (await segment.stat()).size,
  };
  await dropTorn(box);
  return box;
}

/** Closes the files. */
export async function closeGeneration(box: Generation): Promise<void> {
  await box.index.close();
  await box.segment.close();
}

/** Opens for reading and writing at given positions, without truncating, making the file when it is missing. */
async function openForUpdate(path: string): Promise<FileHandle> {
  await (await open(path, 'a')).close();
  return open(path, 'r+');
}

/** Begins a new segment file. */
export async function nextSegment(box: Generation): Promise<void> {
  const name = `segment-${String(Number(box.segmentName.slice(8)) + 1).padStart(6, '0')}`;
  const segment = await openForUpdate(join(box.folder, name));
  await box.segment.close();
  Object.assign(box, { segment, segmentName: name, segmentBytes: 0 });
}

/** Writes all bytes at a position. */
export async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

async function scanIndex(path: string): Promise<{ lines: Offsets; bytes: number }> {
  const lines = new Offsets();
  let lineStart = 0;
  let position = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    if (!Buffer.isBuffer(chunk)) continue;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
      lines.push(lineStart);
      lineStart = position + at + 1;
    }
    position += chunk.length;
  }
  return { lines, bytes: lineStart };
}

// SIGKILL tears at most the end of what this process wrote; a power cut may also lose blocks of a segment whose index
// line survived.
async function dropTorn(box: Generation): Promise<void> {
  while (box.lines.length > 0) {
    const last = box.lines.length - 1;
    const [line] = await readLines(box, last, last + 1);
    if (line && (await sizeOf(join(box.folder, line.file))) >= line.offset + line.size) break;
    box.indexBytes = box.lines.at(last);
    box.lines.length = last;
  }
  await box.index.truncate(box.indexBytes);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    (found) => found.size,
    () => -1,
  );
}

/** The index lines `start` (inclusive) to `end` (exclusive), oldest first; stops at one that can't be read. */
export async function readLines(box: Generation, start: number, end: number): Promise<IndexLine[]> {
  if (end <= start) return [];
  const from = box.lines.at(start);
  const to = end < box.lines.length ? box.lines.at(end) : box.indexBytes;
  const text = Buffer.alloc(to - from);
  await box.index.read(text, 0, text.length, from);
  const lines: IndexLine[] = [];
  for (const line of text.toString('utf8').trimEnd().split('\n')) {
    const parsed = parseLine(line);
    if (!parsed) break;
    lines.push(parsed);
  }
  return lines;
}

function parseLine(line: string): IndexLine | null {
  try {
    const parsed: IndexLine = JSON.parse(line);
    return parsed;
  } catch {
    return null;
  }
}
