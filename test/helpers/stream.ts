/** Listeners of `GET /projects/:id/stream` for tests: over HTTP, and without a connection. */
import { z } from 'zod';
import { EventParser } from '../../packages/client/src/event-parser.js';
import type { Live, StreamRequest } from '../../src/domain/live/live.js';
import { eventually } from './eventually.js';

export interface Received {
  topic: string;
  /** The id of the stream after this message. */
  lastEventId: string | undefined;
  data: Record<string, unknown>;
}

const Data = z.record(z.string(), z.unknown());

/** Collects the messages of a stream. */
export class Messages {
  readonly all: Received[] = [];
  text = '';
  readonly #parser = new EventParser();

  add(text: string): void {
    this.text += text;
    for (const { event, data, lastEventId } of this.#parser.parse(text))
      this.all.push({ topic: event, lastEventId, data: Data.parse(JSON.parse(data)) });
  }

  /** The id that a client would send when it connects again. */
  get lastEventId(): string | undefined {
    return this.#parser.lastEventId;
  }

  get ids(): unknown[] {
    return this.all.map(({ data }) => data.id);
  }

  /** Waits for a message. */
  async find(matches: (message: Received) => boolean): Promise<Received> {
    return eventually(
      () => {
        const found = this.all.find(matches);
        if (!found) throw new Error(`No such message among ${JSON.stringify(this.all).slice(0, 2000)}`);
        return found;
      },
      { every: 5 },
    );
  }

  findId(id: string): Promise<Received> {
    return this.find(({ data }) => data.id === id);
  }
}

/** Opens a stream without HTTP. `buffered` are the bytes that the client leaves unread. */
export async function listenDirectly(
  live: Live,
  request: Pick<StreamRequest, 'projectId' | 'topics'> & Partial<StreamRequest>,
  { buffered = () => 0 }: { buffered?: () => number } = {},
) {
  const messages = new Messages();
  let ended: 'ended' | 'destroyed' | null = null;
  const stream = await live.open({
    userId: null,
    lastEventId: undefined,
    isAdmitted: () => Promise.resolve(true),
    open: () => ({
      write: (chunk) => messages.add(chunk.toString()),
      bufferedBytes: buffered,
      end: () => (ended = 'ended'),
      destroy: () => (ended = 'destroyed'),
      drained: () => Promise.resolve(),
    }),
    ...request,
  });
  return { messages, close: () => stream.close(), ended: () => ended };
}

/** Opens a stream over HTTP and reads it until it ends. */
export async function listenOver(url: string, headers: Record<string, string>) {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const messages = new Messages();
  const read = async (): Promise<'ended' | 'broken'> => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) messages.add(decoder.decode(chunk, { stream: true }));
      return 'ended';
    } catch {
      return 'broken';
    }
  };
  const done = response.ok ? read() : Promise.resolve('broken' as const);
  return { response, messages, done, close: () => abort.abort() };
}
