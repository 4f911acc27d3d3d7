/**
 * The streams of this process (additions, section 1): limits, one channel of activity and one of figures per project
 * with listeners, comments, and the end.
 */
import pLimit from 'p-limit';
import type { ApiContext } from '../../context.js';
import { ApiError, validationError } from '../../errors.js';
import { decodePosition } from '../activity/live-position.js';
import { ActivityChannel } from './activity-channel.js';
import { Connection, type Transport } from './connection.js';
import { FiguresChannel, type FigureTopic } from './figures-channel.js';
import { requireWorkflows, type Topic } from './topics.js';

const MAX_CONNECTIONS_PER_USER = 6;
const MAX_CONNECTIONS_PER_PROJECT = 50;
/** The times of production. Tests make them shorter. */
const TIMES: LiveTimes = { activityMs: 500, figuresMs: 1000, commentMs: 15_000 };
/** Milliseconds after which a client connects again. */
const RETRY_MS = 2000;
/** Statements of all activity channels in flight, so that requests find free connections of the pool. */
const MAX_STATEMENTS = 3;

export interface StreamRequest {
  projectId: string;
  /** The user of the session; null for a key. */
  userId: string | null;
  topics: readonly Topic[];
  /** The header Last-Event-ID. Empty text, which a client without a position sends, is ignored. */
  lastEventId: string | undefined;
  /** Whether the credential is still valid. It is checked again while the stream is open. */
  isAdmitted: () => Promise<boolean>;
  /** Sends the response's head. */
  open: () => Transport;
}

export interface LiveTimes {
  /** The interval of polls for activity. */
  activityMs: number;
  /** The interval of polls for all other topics, and so of their messages. */
  figuresMs: number;
  commentMs: number;
}

export interface Stream {
  /** Releases the stream after its connection was closed. */
  close(): void;
}

export interface Live {
  /**
   * Opens a stream.
   *
   * @throws RATE_LIMIT_EXCEEDED (429, too many connections), WORKFLOW_NOT_FOUND (404), VALIDATION_ERROR (422, an
   * invalid Last-Event-ID)
   */
  open(request: StreamRequest): Promise<Stream>;
  /** Ends all streams. Streams that are opened later end immediately, so that their clients connect elsewhere. */
  end(): void;
}

interface Entry {
  projectId: string;
  userId: string | null;
  connection: Connection | null;
  isAdmitted: () => Promise<boolean>;
}

interface Channels {
  activity: ActivityChannel;
  figures: FiguresChannel;
}

export function createLive(ctx: ApiContext, times: LiveTimes = TIMES): Live {
  const entries = new Set<Entry>();
  const channels = new Map<string, Channels>();
  const limitStatements = pLimit(MAX_STATEMENTS);
  let isEnding = false;
  let timer: NodeJS.Timeout | undefined;

  const channelsOf = (projectId: string): Channels => {
    const known = channels.get(projectId);
    if (known) return known;
    const created = {
      activity: new ActivityChannel(ctx, projectId, { limitStatements, intervalMs: times.activityMs }),
      figures: new FiguresChannel(ctx, projectId, times.figuresMs),
    };
    channels.set(projectId, created);
    return created;
  };

  /** Sends comments, so that proxies keep the connections open, and ends streams whose credential is no longer valid. */
  const comment = (): void => {
    for (const { activity } of channels.values()) activity.announcePosition();
    for (const { connection, isAdmitted } of entries) {
      connection?.write(':\n\n');
      // After a database error, the next round checks again.
      void isAdmitted().then(
        (admitted) => (admitted ? undefined : connection?.end()),
        () => undefined,
      );
    }
  };

  const release = (entry: Entry): void => {
    entries.delete(entry);
    if (![...entries].some(({ projectId }) => projectId === entry.projectId)) channels.delete(entry.projectId);
    if (entries.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  /** Counts the stream before anything is awaited, so that concurrent requests cannot exceed the limits. */
  const reserve = ({ projectId, userId, isAdmitted }: StreamRequest): Entry => {
    const count = (matches: (entry: Entry) => boolean): number => [...entries].filter(matches).length;
    if (userId !== null && count((entry) => entry.userId === userId) >= MAX_CONNECTIONS_PER_USER)
      throw tooMany(`Each user may have ${MAX_CONNECTIONS_PER_USER} open streams.`);
    if (count((entry) => entry.projectId === projectId) >= MAX_CONNECTIONS_PER_PROJECT)
      throw tooMany(`Each project may have ${MAX_CONNECTIONS_PER_PROJECT} open streams.`);
    const entry: Entry = { projectId, userId, connection: null, isAdmitted };
    entries.add(entry);
    timer ??= setInterval(comment, times.commentMs).unref();
    return entry;
  };

  /** Returns where the stream's activity begins; null if it has none. */
  const startOf = async ({ projectId, topics, lastEventId }: StreamRequest) => {
    if (!topics.includes('activity')) return null;
    const resumed = lastEventId ? decodePosition(lastEventId) : null;
    if (lastEventId && !resumed) throw invalidLastEventId();
    const start = await channelsOf(projectId).activity.start();
    return resumed ?? start;
  };

  return {
    async open(request) {
      const { projectId, topics } = request;
      const entry = reserve(request);
      try {
        await requireWorkflows(ctx.pool, projectId, topics);
        const start = isEnding ? null : await startOf(request);
        const connection = new Connection(request.open());
        entry.connection = connection;
        connection.write(`retry: ${RETRY_MS}\n\n`);
        if (isEnding) connection.end();
        const { activity, figures } = channelsOf(projectId);
        const figureTopics = topics.filter((topic): topic is FigureTopic => topic !== 'activity');
        const removals = connection.isClosed
          ? []
          : [
              ...(start ? [activity.add(connection, start)] : []),
              ...(figureTopics.length > 0 ? [figures.add(connection, figureTopics)] : []),
            ];
        return {
          close() {
            connection.markClosed();
            for (const remove of removals) remove();
            release(entry);
          },
        };
      } catch (error) {
        release(entry);
        throw error;
      }
    },
    end() {
      isEnding = true;
      for (const { connection } of entries) connection?.end();
    },
  };
}

const tooMany = (rule: string): ApiError =>
  new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `${rule} Close one of them, or wait until one has ended, before you open another.`,
    { retryAfter: RETRY_MS / 1000 },
  );

const invalidLastEventId = (): ApiError =>
  validationError([
    { field: 'Last-Event-ID', message: 'is not the id of a message of this stream', code: 'invalid_string' },
  ]);
