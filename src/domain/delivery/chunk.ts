/** A leased chunk in the memory of its worker: what was handed over, the results, and how long the lease holds. */
import type { JournalFile } from './journal.js';
import type { ChunkRow } from './sql/chunks.js';
import type { EmailResult } from './sql/settle.js';
import type { CampaignEmail } from './sql/recipients.js';
import { State, positionsOf, toStates } from './states.js';

export interface OpenChunk {
  row: ChunkRow;
  /** One state per position, with results that are not settled yet. */
  states: Buffer;
  /** Results that are not settled yet, by position. */
  results: Map<number, EmailResult>;
  /** Emails without a result. */
  open: number;
  /** The recorded results, as in the database. */
  settled: number;
  /** Durable: no email at this position or after it may be handed over. */
  mark: number;
  /** The highest handed over position + 1. */
  handed: number;
  journal: JournalFile | null;
  /** Handing over must stop at this time, unless a flush extends the lease. */
  deadline: Deadline;
  /** The worker hands over nothing more of it: the campaign was canceled, or the lane ends. */
  isStopped: boolean;
  /** The database knows that it is stopped. */
  isStopFlushed: boolean;
  /** Another worker may have the chunk. */
  isLost: boolean;
  /** Its results are recorded, and its lease has ended. */
  isClosed: boolean;
  /** A statement that records its results is in flight. */
  settling: Promise<void> | null;
  /** Called when a flush or a settlement has changed the chunk. */
  onChange: () => void;
}

/** An email of a chunk, to send. */
export interface ChunkEmail {
  chunk: OpenChunk;
  position: number;
  email: CampaignEmail;
}

export function createChunk(row: ChunkRow, journal: JournalFile | null, onChange: () => void): OpenChunk {
  return {
    row,
    states: toStates(row.states, row.size),
    results: new Map(),
    open: 0,
    settled: row.settled,
    mark: 0,
    handed: 0,
    journal,
    deadline: createDeadline(0),
    isStopped: false,
    isStopFlushed: false,
    isLost: false,
    isClosed: false,
    settling: null,
    onChange,
  };
}

/**
 * Takes the emails of a chunk that have no result yet. All other positions are settled: their emails were canceled or
 * deleted.
 */
export function addEmails(chunk: OpenChunk, emails: readonly CampaignEmail[]): ChunkEmail[] {
  const positionOf = positionsOf(chunk.row);
  const isPending = new Uint8Array(chunk.row.size);
  const added: ChunkEmail[] = [];
  for (const email of emails) {
    const position = positionOf(email.id);
    if (position === -1) continue;
    isPending[position] = 1;
    if (chunk.states[position] === State.OPEN) added.push({ chunk, position, email });
  }
  for (let position = 0; position < chunk.row.size; position++)
    if (isPending[position] === 0) chunk.states[position] = State.SETTLED;
  chunk.open = added.length;
  return added;
}

/** Whether an email at `position` may be handed over now. */
export const canHandOver = (chunk: OpenChunk, position: number): boolean =>
  !chunk.isLost && !chunk.isStopped && position < chunk.mark && !chunk.deadline.isPassed();

export interface Deadline {
  isPassed: () => boolean;
}

/**
 * Returns a deadline in `ms` milliseconds. It has passed if either clock says so: the monotonic clock stands still while
 * the machine is suspended, and the other clock can be set back.
 */
export function createDeadline(
  ms: number,
  start: { wall: number; monotonic: number } = { wall: Date.now(), monotonic: performance.now() },
): Deadline {
  return { isPassed: () => performance.now() - start.monotonic >= ms || Date.now() - start.wall >= ms };
}

/** The number of emails that the first flush of a campaign allows to hand over. */
const MIN_ALLOWANCE = 100;
/** The emails that a flush allows to hand over, as a multiple of those since the previous flush. */
const ALLOWANCE_FACTOR = 3;

/** Returns how many emails a flush allows to hand over. @param handedSince the number of those since the last flush */
export const allowanceAfter = (handedSince: number): number => Math.max(MIN_ALLOWANCE, ALLOWANCE_FACTOR * handedSince);

/**
 * Returns the marks of a campaign's open chunks for the next flush, in the order in which they are sent. A lost machine
 * leaves at most the emails below the marks unknown, so the marks are only as far ahead as two flushes need.
 *
 * @param handedSince the number of emails handed over since the last flush
 */
export function planMarks(
  chunks: readonly Pick<OpenChunk, 'states' | 'mark' | 'handed'>[],
  handedSince: number,
): number[] {
  let allowance = allowanceAfter(handedSince);
  return chunks.map(({ states, mark, handed }) => {
    let position = handed;
    for (; position < states.length && allowance > 0; position++) if (states[position] === State.OPEN) allowance--;
    return Math.max(mark, position);
  });
}
