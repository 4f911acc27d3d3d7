/**
 * The journal of a worker: which emails it hands over, and their results, in a file per leased chunk of a campaign and per
 * claim of other emails.
 *
 * PostgreSQL receives results every 25 to 100 ms, which is hundreds of emails at full speed. The journal receives them at the
 * end of each turn of the event loop. The page cache survives the process, so after a SIGKILL an email is in doubt only
 * if its final dot was sent and the reply was not read: at most one per connection.
 *
 * 1. The file is created before the flush that allows the chunk's first email.
 * 2. HANDED_OVER is written before the content. So an email that is not in the file was not sent.
 * 3. The file is deleted only after the chunk's results are recorded in PostgreSQL.
 * 4. The page cache does not survive the machine. After a reboot, journals are not used.
 * 5. If a write fails, `campaign_chunks.is_journaled` becomes false before another email of the chunk is handed over, and
 *    `worker_instances.is_journaled` before another claimed email is.
 */
import { closeSync, mkdirSync, openSync, unlinkSync, writeFileSync, writeSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../../log.js';
import type { SmtpClient } from '../../mail/smtp/client.js';
import { readIdentity } from './process-identity.js';
import type { ChunkRef } from './sql/chunks.js';
import { State, isResultState, type ResultState } from './states.js';

/** The code of a handover in a record. The other codes are states. */
const HANDED_OVER = 255;
/** Position (2 bytes), code (1), flags (1), length of the text (2), text. Little endian. */
const RECORD_HEADER_BYTES = 6;
const HAS_RESPONSE = 1;
const IS_AMBIGUOUS = 2;
const MAX_TEXT_BYTES = 1000;
const BUFFER_BYTES = 256 * 1024;
const CLAIM_BUFFER_BYTES = 16 * 1024;
const ID_BYTES = 16;

export interface JournaledResult {
  state: ResultState;
  error: string | null;
  response: string | null;
  isAmbiguous: boolean;
}

/** The journal of one leased chunk, or of one claim. */
export interface JournalFile {
  noteHandedOver: (position: number) => void;
  noteResult: (position: number, result: JournaledResult) => void;
  /** Deletes the file. Call it after the chunk's results are recorded. */
  remove: () => void;
}

export interface Journal {
  /** Creates the journal of a chunk. @returns null if that fails; the failure is logged and counted */
  openChunk: (chunk: ChunkRef, onFailure: () => void) => JournalFile | null;
  /** Creates the journal of claimed emails, whose positions are those in `ids`. @returns as openChunk */
  openClaim: (ids: readonly string[], onFailure: () => void) => JournalFile | null;
  /** Writes all pending records: one `write` per file. Call it before contents are written to sockets. */
  write: () => void;
  /** Deletes the folder. Call it after all files are removed. */
  close: () => void;
}

export interface JournalOptions {
  /** The folder with one folder per worker. */
  directory: string;
  workerId: string;
  /** Identifies the database that the chunks are in. */
  database: string;
  log: Log;
  /** Called for each failed operation. */
  onFailure: () => void;
}

export const OWNER_FILE = 'owner.json';
const claimFile = (number: number): string => `claim.${number}`;
/** Returns the number of the claim whose file has this name; null for other files. */
export const numberOfClaim = (name: string): number | null => {
  const match = /^claim\.(\d+)$/.exec(name);
  return match ? Number(match[1]) : null;
};
export const chunkFile = ({ campaignId, chunk }: ChunkRef): string => `${campaignId}.${chunk}`;

/** Creates a worker's journal. @returns null if the folder cannot be created, or if the platform has no /proc */
export function openJournal({ directory, workerId, database, log, onFailure }: JournalOptions): Journal | null {
  const folder = path.join(directory, workerId);
  const fail = (error: unknown): void => {
    onFailure();
    log.error(
      { err: error, folder },
      'The journal cannot be written. Sending continues without it: a crash leaves more emails with an unknown outcome',
    );
  };
  const identity = readIdentity();
  if (!identity) {
    log.info('This platform does not identify processes in /proc, so workers keep no journal');
    return null;
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, OWNER_FILE), JSON.stringify({ workerId, database, ...identity }));
  } catch (error) {
    fail(error);
    return null;
  }
  const dirty = new Set<() => void>();
  let isScheduled = false;
  let claims = 0;
  const write = (): void => {
    isScheduled = false;
    for (const writeFile of dirty) writeFile();
    dirty.clear();
  };
  /** @param pending a buffer for records that begins with `length` bytes to write before them */
  const open = (name: string, pending: Buffer, onFileFailure: () => void, length = 0): JournalFile | null => {
    const file = path.join(folder, name);
    let descriptor: number;
    try {
      descriptor = openSync(file, 'w', 0o600);
    } catch (error) {
      fail(error);
      return null;
    }
    let hasFailed = false;
    const writeFile = (): void => {
      try {
        for (let from = 0; from < length;) from += writeSync(descriptor, pending, from, length - from);
      } catch (error) {
        if (!hasFailed) {
          hasFailed = true;
          fail(error);
          onFileFailure();
        }
      }
      length = 0;
    };
    const add = (position: number, code: number, flags: number, text: string): void => {
      if (hasFailed) return;
      if (length + RECORD_HEADER_BYTES + MAX_TEXT_BYTES > pending.length) writeFile();
      const bytes = text === '' ? 0 : pending.write(text, length + RECORD_HEADER_BYTES, MAX_TEXT_BYTES);
      pending.writeUInt16LE(position, length);
      pending[length + 2] = code;
      pending[length + 3] = flags;
      pending.writeUInt16LE(bytes, length + 4);
      length += RECORD_HEADER_BYTES + bytes;
      dirty.add(writeFile);
    };
    return {
      noteHandedOver: (position) => add(position, HANDED_OVER, 0, ''),
      noteResult(position, { state, error, response, isAmbiguous }) {
        const flags = (response === null ? 0 : HAS_RESPONSE) | (isAmbiguous ? IS_AMBIGUOUS : 0);
        add(position, state, flags, response ?? error ?? '');
        if (isScheduled) return;
        isScheduled = true;
        setImmediate(write);
      },
      remove() {
        dirty.delete(writeFile);
        try {
          closeSync(descriptor);
          unlinkSync(file);
        } catch (error) {
          fail(error);
        }
      },
    };
  };

  return {
    write,
    openChunk: (chunk, onChunkFailure) => open(chunkFile(chunk), Buffer.allocUnsafe(BUFFER_BYTES), onChunkFailure),
    openClaim(ids, onClaimFailure) {
      const header = headerOf(ids);
      const pending = Buffer.allocUnsafe(header.length + CLAIM_BUFFER_BYTES);
      header.copy(pending);
      return open(claimFile(++claims), pending, onClaimFailure, header.length);
    },
    close() {
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch (error) {
        fail(error);
      }
    },
  };
}

/** The number of the ids (2 bytes), and the ids. */
function headerOf(ids: readonly string[]): Buffer {
  const header = Buffer.alloc(2 + ids.length * ID_BYTES);
  header.writeUInt16LE(ids.length);
  for (const [index, id] of ids.entries()) header.write(id.replaceAll('-', ''), 2 + index * ID_BYTES, 'hex');
  return header;
}

const toId = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The content of the journal of a claim. */
export interface JournaledClaim extends JournaledRecords {
  /** The claimed emails, by their positions. */
  ids: string[];
}

/** Parses the journal of a claim. Without a complete header, nothing was handed over. */
export function parseClaim(bytes: Buffer): JournaledClaim {
  const count = bytes.length < 2 ? 0 : bytes.readUInt16LE();
  const end = 2 + count * ID_BYTES;
  if (bytes.length < end) return { ids: [], handedOver: new Set(), results: new Map() };
  const ids = Array.from({ length: count }, (_, index) =>
    toId(bytes.subarray(2 + index * ID_BYTES, 2 + (index + 1) * ID_BYTES)),
  );
  return { ids, ...parseJournal(bytes.subarray(end)) };
}

/** The records of a journal, by position. */
export interface JournaledRecords {
  handedOver: Set<number>;
  results: Map<number, JournaledResult>;
}

/** Parses the records of a journal. A truncated record at the end is ignored, because its email was not handed over. */
export function parseJournal(bytes: Buffer): JournaledRecords {
  const handedOver = new Set<number>();
  const results = new Map<number, JournaledResult>();
  for (let at = 0; at + RECORD_HEADER_BYTES <= bytes.length;) {
    const textEnd = at + RECORD_HEADER_BYTES + bytes.readUInt16LE(at + 4);
    if (textEnd > bytes.length) break;
    const position = bytes.readUInt16LE(at);
    const code = bytes[at + 2];
    const flags = bytes[at + 3] ?? 0;
    const text = bytes.toString('utf8', at + RECORD_HEADER_BYTES, textEnd);
    if (code === HANDED_OVER) {
      handedOver.add(position);
      // A second attempt of the same lease, after a handover that was not completed.
      results.delete(position);
    } else if (isResultState(code)) {
      results.set(position, {
        state: code,
        error: code === State.SENT || text === '' ? null : text,
        response: (flags & HAS_RESPONSE) === 0 ? null : text,
        isAmbiguous: (flags & IS_AMBIGUOUS) !== 0,
      });
    }
    at = textEnd;
  }
  return { handedOver, results };
}

/**
 * Adds the results in the journal of a dead process to the states in PostgreSQL. Emails that were handed over without a
 * result become UNKNOWN. Changes `states`.
 */
export function applyJournal(states: Buffer, { handedOver, results }: JournaledRecords): void {
  for (const [position, { state }] of results) if (states[position] === State.OPEN) states[position] = state;
  for (const position of handedOver) if (states[position] === State.OPEN) states[position] = State.UNKNOWN;
}

/** Notes emails in the journal before their content is written. */
export function journalHandOvers(client: SmtpClient, journal: Journal): void {
  client.onHandOver((jobs) => {
    for (const job of jobs) job.noteHandOver?.();
    journal.write();
  });
}
