/** The states of the emails of a chunk, their positions, and the size of chunks. Pure. */

/** A state takes one byte in `campaign_chunks.states` and in a journal. */
export const State = {
  /** No result. The email may be in flight. */
  OPEN: 0,
  SENT: 1,
  FAILED: 2,
  CANCELLED: 3,
  /** A crash hid the outcome. */
  UNKNOWN: 4,
  /** Due again later. */
  RETRY: 5,
  /** The result is recorded in `emails`. */
  SETTLED: 6,
} as const;

export type State = (typeof State)[keyof typeof State];
/** A result that is not recorded yet. */
export type ResultState = Exclude<State, typeof State.OPEN | typeof State.SETTLED>;

/** The names of results in metrics. */
export const OUTCOMES = {
  [State.SENT]: 'sent',
  [State.FAILED]: 'failed',
  [State.CANCELLED]: 'cancelled',
  [State.UNKNOWN]: 'failed',
  [State.RETRY]: 'retry',
} as const;

const RESULT_STATES = new Set<number>([State.SENT, State.FAILED, State.CANCELLED, State.UNKNOWN, State.RETRY]);

export const isResultState = (state: number | undefined): state is ResultState =>
  state !== undefined && RESULT_STATES.has(state);

/** Emails per chunk: few leases, and few unrecorded emails. */
const MAX_CHUNK_SIZE = 1000;
const MIN_CHUNK_SIZE = 20;
/** A chunk of a campaign with a rate limit covers this time. */
const CHUNK_SECONDS = 2;

/** Returns the number of emails per chunk. @param perSecond the rate limit of a project; 0: none */
export const chunkSizeFor = (perSecond: number): number =>
  perSecond === 0 ? MAX_CHUNK_SIZE : Math.min(MAX_CHUNK_SIZE, Math.max(MIN_CHUNK_SIZE, perSecond * CHUNK_SECONDS));

/**
 * Returns the number of a campaign's email: the last 32 bits of its id (src/db/functions/campaign_email_id.sql). Only
 * ids of the snapshot contain it.
 */
export const numberOf = (emailId: string): number => Number.parseInt(emailId.slice(-8), 16);

/** Where a chunk's emails are: a range of ids, or a list for a retry chunk. */
export interface ChunkBounds {
  size: number;
  firstId: string | null;
  lastId: string | null;
  members: string[] | null;
}

/** Returns a function from an email's id to its position in the chunk; -1 if the email is not in the chunk. */
export function positionsOf({ size, firstId, members }: ChunkBounds): (emailId: string) => number {
  if (members !== null) {
    const positions = new Map(members.map((id, position) => [id, position]));
    return (emailId) => positions.get(emailId) ?? -1;
  }
  const first = numberOf(firstId ?? '');
  return (emailId) => {
    const position = numberOf(emailId) - first;
    return position >= 0 && position < size ? position : -1;
  };
}

/** Returns the stored states of a chunk as a buffer with one byte per position. */
export function toStates(stored: Buffer | null, size: number): Buffer {
  const states = Buffer.alloc(size);
  stored?.copy(states);
  return states;
}

/**
 * Marks the emails that a lost worker may have handed over, and whose result is unknown, as UNKNOWN. Changes `states`.
 *
 * @param mark the worker handed over no email at this position or after it
 */
export function markUnknown(states: Buffer, mark: number): void {
  for (let position = 0; position < Math.min(mark, states.length); position++)
    if (states[position] === State.OPEN) states[position] = State.UNKNOWN;
}
