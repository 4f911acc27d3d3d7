/** The live updates of a project: `GET /projects/:id/stream`, resumed without a gap after every interruption. */
import { SendloomError } from './error.js';
import { EventParser } from './event-parser.js';
import type { SendloomOptions } from './index.js';
import type { components } from './schema.js';

type Schemas = components['schemas'];

/** The data of each topic's messages. */
export interface StreamTopics {
  activity: Schemas['Activity'];
  campaigns: Schemas['CampaignProgress'];
  jobs: Schemas['Job'];
  domains: Schemas['Domain'];
  reputation: Schemas['Security'];
  [workflow: `workflow:${string}`]: Schemas['WorkflowFigures'];
}
export type StreamTopic = 'activity' | 'campaigns' | 'jobs' | 'domains' | 'reputation' | `workflow:${string}`;

/** A message of one of the topics. `switch (message.topic)` narrows the type of `data`. */
export type StreamMessage<Topic extends StreamTopic = StreamTopic> = {
  [Name in Topic]: {
    topic: Name;
    data: StreamTopics[Name];
    /** The position after this message, for `lastEventId`. Undefined until the stream has a position. */
    lastEventId: string | undefined;
  };
}[Topic];

export type StreamStatus = 'connecting' | 'open' | 'waiting' | 'closed';

export interface StreamOptions<Topic extends StreamTopic> extends SendloomOptions {
  projectId: string;
  topics: readonly Topic[];
  /** Continues after the message with this position. Default: messages from now on. */
  lastEventId?: string;
  /** Closes the stream. */
  signal?: AbortSignal;
  /** Called when the status changes. */
  onStatus?: (status: StreamStatus) => void;
}

export interface Stream<Topic extends StreamTopic> extends AsyncIterable<StreamMessage<Topic>> {
  /** The position after the last received message. Pass it to `openStream` to continue later. */
  readonly lastEventId: string | undefined;
  /** Ends the stream and its iteration. */
  close(): void;
}

const DEFAULT_RETRY_MS = 2000;
const MAX_RETRY_MS = 30_000;
/** Three comments of the server. A connection that is silent for longer is broken. */
const SILENCE_TIMEOUT_MS = 45_000;

/**
 * Opens a stream of live updates. Iterate over it once:
 *
 * ```ts
 * for await (const message of openStream({ baseUrl, key, projectId, topics: ['activity', 'campaigns'] })) …
 * ```
 *
 * It connects again when the connection breaks, when the server restarts, and after responses with 429 or 5xx. Activity
 * continues at the last received entry, so that none is missing or repeated. The other topics send their current state
 * after each connection.
 *
 * @throws SendloomError (from the iteration) for any other response, such as 401, 404, or 422
 */
export function openStream<Topic extends StreamTopic>(options: StreamOptions<Topic>): Stream<Topic> {
  const closing = new AbortController();
  const close = (): void => closing.abort();
  // Not AbortSignal.any(): Node 20 can collect the combined signal as garbage, and then it never aborts.
  if (options.signal?.aborted) close();
  options.signal?.addEventListener('abort', close);
  const position = new Position(options.lastEventId);
  return {
    get lastEventId() {
      return position.lastEventId;
    },
    close,
    async *[Symbol.asyncIterator]() {
      try {
        yield* readMessages(options, position, closing);
      } finally {
        options.signal?.removeEventListener('abort', close);
      }
    },
  };
}

/** What survives a connection. */
class Position {
  retryMs = DEFAULT_RETRY_MS;
  /** Connections in a row that failed. */
  failures = 0;
  constructor(public lastEventId: string | undefined) {}
}

async function* readMessages<Topic extends StreamTopic>(
  options: StreamOptions<Topic>,
  position: Position,
  closing: AbortController,
): AsyncGenerator<StreamMessage<Topic>, void> {
  const { onStatus = () => undefined } = options;
  const { signal } = closing;
  try {
    while (!signal.aborted) {
      onStatus('connecting');
      const connection = new Connection(signal);
      try {
        const body = await connect(options, position, connection.signal);
        if (body) {
          onStatus('open');
          yield* readConnection<Topic>(body, position, connection);
        }
      } catch (error) {
        // A lost connection and a refused one are the same: connect again.
        if (error instanceof SendloomError) throw error;
        position.failures += 1;
      } finally {
        connection.close();
      }
      if (signal.aborted) return;
      onStatus('waiting');
      await wait(retryDelay(position), signal);
    }
  } finally {
    closing.abort();
    onStatus('closed');
  }
}

/** @returns null if the server asks to connect later */
async function connect<Topic extends StreamTopic>(
  { baseUrl, projectId, topics, key, fetch: send = (request) => fetch(request) }: StreamOptions<Topic>,
  position: Position,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | null> {
  const url = `${baseUrl.replace(/\/+$/, '')}/projects/${encodeURIComponent(projectId)}/stream?topics=${topics.map(encodeURIComponent).join(',')}`;
  const response = await send(
    new Request(url, {
      headers: {
        Accept: 'text/event-stream',
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...(position.lastEventId !== undefined && { 'Last-Event-ID': position.lastEventId }),
      },
      ...(key === undefined && { credentials: 'include' as const }),
      signal,
    }),
  );
  if (response.ok && response.body) {
    position.failures = 0;
    return response.body;
  }
  const error = new SendloomError(response, await response.json().catch(() => null));
  if (response.status !== 429 && response.status < 500) throw error;
  position.failures += 1;
  return null;
}

async function* readConnection<Topic extends StreamTopic>(
  body: ReadableStream<Uint8Array>,
  position: Position,
  connection: Connection,
): AsyncGenerator<StreamMessage<Topic>, void> {
  const parser = new EventParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  // The abort of a request does not always reach its body.
  connection.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
  for (;;) {
    connection.expectBytes();
    const { done, value } = await reader.read();
    connection.stopWaiting();
    if (done) return;
    for (const { event, data, lastEventId } of parser.parse(decoder.decode(value, { stream: true }))) {
      // Of this message, although later ones have arrived: the consumer may stop here.
      position.lastEventId = lastEventId ?? position.lastEventId;
      yield toMessage<Topic>(event, data, position.lastEventId);
    }
    position.lastEventId = parser.lastEventId ?? position.lastEventId;
    position.retryMs = parser.retryMs ?? position.retryMs;
  }
}

const toMessage = <Topic extends StreamTopic>(
  topic: string,
  data: string,
  lastEventId: string | undefined,
): StreamMessage<Topic> => ({ topic, data: JSON.parse(data), lastEventId }) as StreamMessage<Topic>;

/** The abort signal of one connection: the stream is closed, or the connection is silent. */
class Connection {
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly stream: AbortSignal) {
    if (stream.aborted) this.#abort();
    stream.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  expectBytes(): void {
    this.#timer = setTimeout(this.#abort, SILENCE_TIMEOUT_MS);
  }

  stopWaiting(): void {
    clearTimeout(this.#timer);
  }

  close(): void {
    this.stopWaiting();
    this.stream.removeEventListener('abort', this.#abort);
    this.#abort();
  }
}

/** The server's retry time, doubled for each failed connection, and up to half of it in addition. */
function retryDelay({ retryMs, failures }: Position): number {
  const delay = Math.min(MAX_RETRY_MS, retryMs * 2 ** Math.max(0, failures - 1));
  return delay * (1 + Math.random() / 2);
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
