/**
 * The activity of one project for all its listeners in this process. One poller reads each page once and writes the same
 * bytes to every listener.
 *
 * A listener that resumes first reads the pages between its own position and a mark of the poller. In the meantime, the
 * poller's pages wait in a bounded queue of the listener.
 */
import type { LimitFunction } from 'p-limit';
import type { Context } from '../../context.js';
import { readMark, readOpenTransactions, type Mark, type OpenTransactions } from '../../db/snapshots.js';
import { readLivePage, type FeedState, type LiveActivity } from '../activity/live.js';
import { encodePosition, positionAt, type Position } from '../activity/live-position.js';
import { formatMessage, formatPosition, type Connection } from './connection.js';
import { PollLoop } from './poll-loop.js';

/** The poller's pages that a resuming listener may leave unread. */
const MAX_QUEUED_BYTES = 8 * 1024 * 1024;

interface ActivityListener {
  connection: Connection;
  /** null: the listener receives the poller's pages. */
  resume: { position: Position; queue: Buffer[]; queuedBytes: number } | null;
}

export class ActivityChannel {
  readonly #listeners = new Set<ActivityListener>();
  /** Listeners that resume at the end of a poll that starts after they have connected. */
  readonly #joining = new Set<ActivityListener>();
  readonly #loop: PollLoop;
  /** Limits the statements of all projects in flight. */
  readonly #limitStatements: LimitFunction;
  #state: FeedState | null = null;
  /** The transactions that were open at the end of the current window, if they are known. */
  #openAtEnd: OpenTransactions | null = null;
  /** The mark of the last complete window. */
  #mark: Mark | null = null;
  /** Recent entries by id, because an update of an event within moments of its insertion looks like an insertion. */
  #recent = new Map<string, number>();

  constructor(
    private readonly ctx: Context,
    private readonly projectId: string,
    { limitStatements, intervalMs }: { limitStatements: LimitFunction; intervalMs: number },
  ) {
    this.#limitStatements = limitStatements;
    this.#loop = new PollLoop({
      intervalMs,
      hasWork: () => this.#listeners.size > 0,
      runTurn: () => this.#poll(),
      failed: (error) => ctx.log.warn({ err: error, projectId }, 'The live feed could not be read'),
    });
  }

  /**
   * Prepares the channel for a listener. Call it before `add`.
   *
   * @returns a position before everything that is committed after this call
   */
  async start(): Promise<Position> {
    if (this.#mark && this.#listeners.size > 0) return positionAt(this.#mark);
    const { mark, open } = await readMark(this.ctx.pool);
    // Nothing is polled without listeners, so the channel's own position is out of date.
    if (this.#listeners.size === 0) {
      this.#mark = mark;
      this.#state = { position: positionAt(mark), open };
    }
    return positionAt(mark);
  }

  /** Adds a listener that has received everything up to `position`. @returns a function that removes it */
  add(connection: Connection, position: Position): () => void {
    const listener: ActivityListener = { connection, resume: { position, queue: [], queuedBytes: 0 } };
    connection.write(formatPosition(encodePosition(position)));
    const isCurrent = position.window === null && position.mark.snapshot === this.#mark?.snapshot;
    if (isCurrent && this.#state?.position.window === null) listener.resume = null;
    else this.#joining.add(listener);
    this.#listeners.add(listener);
    this.#loop.start();
    return () => {
      this.#listeners.delete(listener);
      this.#joining.delete(listener);
    };
  }

  /** Tells all listeners their position, so that the window of a later resumption is short. */
  announcePosition(): void {
    if (!this.#mark || this.#state?.position.window !== null) return;
    const text = formatPosition(encodePosition(this.#state.position));
    for (const { connection, resume } of this.#listeners) if (!resume) connection.write(text);
  }

  async #poll(): Promise<void> {
    // A failed turn leaves a window that ends at an earlier mark. A listener may already have entries after it.
    const joining = this.#state?.position.window ? [] : [...this.#joining];
    const present = await this.#limitStatements(() => readOpenTransactions(this.ctx.pool));
    for (;;) {
      const started = performance.now();
      const state = this.#state;
      if (!state) throw new Error('A channel needs a start before it has listeners.');
      // The transactions must have been read before the snapshot of the window's end.
      const openAtEnd = state.position.window ? this.#openAtEnd : present;
      const page = await this.#limitStatements(() => readLivePage(this.ctx, this.projectId, state, { present }));
      this.#publish(page.messages);
      if (page.next.window === null) {
        this.#state = { position: page.next, open: openAtEnd };
        this.#completeWindow(page.next.mark, joining);
        return;
      }
      this.#state = { position: page.next, open: state.open };
      this.#openAtEnd = openAtEnd;
      if (this.#listeners.size === 0) return;
      // At most half of the time of a processor for a project with a backlog.
      await new Promise((resolve) => setTimeout(resolve, performance.now() - started));
    }
  }

  #completeWindow(mark: Mark, joining: ActivityListener[]): void {
    this.#mark = mark;
    const since = Date.parse(mark.since);
    for (const [id, at] of this.#recent) if (at < since) this.#recent.delete(id);
    for (const listener of joining) {
      if (!this.#joining.delete(listener)) continue;
      void this.#resume(listener, mark);
    }
  }

  #publish(messages: LiveActivity[]): void {
    const fresh = messages.filter(({ entry }) => !this.#recent.has(entry.id));
    if (fresh.length === 0) return;
    for (const { entry } of fresh) this.#recent.set(entry.id, entry.timestamp.getTime());
    const bytes = toBytes(fresh);
    for (const listener of this.#listeners) {
      if (!listener.resume) listener.connection.write(bytes);
      else if (!this.#joining.has(listener)) queue(listener, listener.resume, bytes);
    }
  }

  /** Writes the pages up to the mark, then the pages that the poller has read since then. */
  async #resume(listener: ActivityListener, until: Mark): Promise<void> {
    const { connection, resume } = listener;
    if (!resume) return;
    let state: FeedState = { position: resume.position, open: null };
    try {
      while (!connection.isClosed) {
        const current = state;
        const page = await this.#limitStatements(() => readLivePage(this.ctx, this.projectId, current, { until }));
        connection.write(toBytes(page.messages));
        state = { position: page.next, open: null };
        if (page.next.window === null && page.next.mark.snapshot === until.snapshot) break;
        await connection.drained();
      }
    } catch (error) {
      // The client connects again and resumes at the last entry that it received.
      this.ctx.log.warn({ err: error, projectId: this.projectId }, 'A listener could not resume');
      connection.cut();
      return;
    }
    for (let bytes = resume.queue.shift(); bytes && !connection.isClosed; bytes = resume.queue.shift()) {
      resume.queuedBytes -= bytes.length;
      connection.write(bytes);
      await connection.drained();
    }
    // In the same turn of the event loop in which the queue was empty, so no page is missing.
    listener.resume = null;
  }
}

const toBytes = (messages: LiveActivity[]): Buffer =>
  Buffer.from(
    messages.map(({ id, entry }) => formatMessage({ topic: 'activity', id, data: JSON.stringify(entry) })).join(''),
  );

function queue({ connection }: ActivityListener, resume: NonNullable<ActivityListener['resume']>, bytes: Buffer): void {
  resume.queue.push(bytes);
  resume.queuedBytes += bytes.length;
  if (resume.queuedBytes > MAX_QUEUED_BYTES) connection.cut();
}
