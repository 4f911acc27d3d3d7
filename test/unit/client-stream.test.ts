/** The client's `openStream`: the format of the stream, and connections after interruptions. */
import { describe, expect, test } from 'vitest';
import { EventParser } from '../../packages/client/src/event-parser.js';
import { openStream, type StreamStatus } from '../../packages/client/src/index.js';

describe('the parser', () => {
  const parse = (...parts: string[]) => {
    const parser = new EventParser();
    return { parser, events: parts.flatMap((part) => parser.parse(part)) };
  };

  test('reads events that are cut anywhere', () => {
    const text = 'event: activity\nid: a\ndata: {"n":\ndata: 1}\n\n:\n\nid: b\n\ndata:x\n\n';
    for (let cut = 0; cut <= text.length; cut++) {
      const { parser, events } = parse(text.slice(0, cut), text.slice(cut));
      expect(events).toEqual([
        { event: 'activity', data: '{"n":\n1}', lastEventId: 'a' },
        { event: 'message', data: 'x', lastEventId: 'b' },
      ]);
      expect(parser.lastEventId).toBe('b');
    }
  });

  test.each(['\n', '\r\n', '\r'])('accepts each kind of line break: %j', (line) => {
    const text = ['retry: 10', 'data: x', '', ''].join(line);
    const { parser, events } = parse(...text.split(''));
    // A carriage return at the end may be half of a line break, so the event waits for the next character.
    expect([...events, ...parser.parse('\n')]).toEqual([{ event: 'message', data: 'x', lastEventId: undefined }]);
    expect(parser.retryMs).toBe(10);
  });
});

const OPTIONS = { baseUrl: 'http://sendloom.test/', key: 'sk_1', projectId: 'p', topics: ['activity'] } as const;

const message = (n: number): string => `event: activity\nid: id-${n}\ndata: {"id":"${n}"}\n\n`;

/** A fetch that returns one scripted response after the other. */
function scripted(responses: Array<() => Response>) {
  const requests: Request[] = [];
  return {
    requests,
    fetch: async (request: Request): Promise<Response> => {
      requests.push(request);
      const respond = responses[requests.length - 1];
      if (!respond) throw new TypeError('The connection was refused.');
      return respond();
    },
  };
}

const streamOf =
  (...chunks: string[]) =>
  () =>
    new Response(`retry: 1\n\n${chunks.join('')}`);

/** A response that breaks after its chunks. */
const brokenAfter =
  (...chunks: string[]) =>
  (): Response => {
    const encoder = new TextEncoder();
    let next = 0;
    return new Response(
      new ReadableStream({
        pull(controller) {
          const chunk = chunks[next++];
          if (chunk === undefined) controller.error(new Error('The connection was lost.'));
          else controller.enqueue(encoder.encode(chunk));
        },
      }),
    );
  };

describe('openStream', () => {
  test('connects again after the end, a broken connection, 429, and 5xx, each time after the last message', async () => {
    const server = scripted([
      streamOf(message(1), message(2)),
      () => new Response('{}', { status: 503 }),
      () => new Response('{}', { status: 429 }),
      brokenAfter(message(3), 'event: activity\nid: id-4\nda'),
      streamOf(message(4)),
    ]);
    const statuses: StreamStatus[] = [];
    const stream = openStream({ ...OPTIONS, fetch: server.fetch, onStatus: (status) => statuses.push(status) });
    const ids: string[] = [];
    for await (const { data } of stream) {
      ids.push(data.id);
      if (ids.length === 4) break;
    }
    expect(ids).toEqual(['1', '2', '3', '4']);
    expect(server.requests.map(({ headers }) => headers.get('last-event-id'))).toEqual([
      null,
      'id-2',
      'id-2',
      'id-2',
      'id-3',
    ]);
    expect(server.requests[0]?.url).toBe('http://sendloom.test/projects/p/stream?topics=activity');
    expect(server.requests[0]?.headers.get('authorization')).toBe('Bearer sk_1');
    expect(stream.lastEventId).toBe('id-4');
    expect(statuses.filter((status) => status === 'open')).toHaveLength(3);
    expect(statuses.at(-1)).toBe('closed');
    expect(server.requests.at(-1)?.signal.aborted).toBe(true);
  });

  test('has the position of the yielded message, although later ones have arrived', async () => {
    const server = scripted([streamOf(message(1), message(2), message(3))]);
    const stream = openStream({ ...OPTIONS, fetch: server.fetch });
    for await (const { lastEventId } of stream) {
      expect([lastEventId, stream.lastEventId]).toEqual(['id-1', 'id-1']);
      break;
    }
  });

  test('continues after a given position, with the session cookie if there is no key', async () => {
    const server = scripted([streamOf(message(1))]);
    const { key: _, ...options } = OPTIONS;
    for await (const { topic } of openStream({ ...options, lastEventId: 'id-0', fetch: server.fetch })) {
      expect(topic).toBe('activity');
      break;
    }
    expect(server.requests[0]?.headers.get('last-event-id')).toBe('id-0');
    expect(server.requests[0]?.credentials).toBe('include');
  });

  test.each([401, 404, 422])('throws the error of a response with %i', async (status) => {
    const server = scripted([() => Response.json({ error: { code: 'X', message: 'No.' } }, { status })]);
    const read = async (): Promise<void> => {
      for await (const found of openStream({ ...OPTIONS, fetch: server.fetch })) expect(found).toBeUndefined();
    };
    await expect(read()).rejects.toMatchObject({ name: 'SendloomError', status, code: 'X' });
  });

  test('ends when it is closed while it waits', async () => {
    const closing = new AbortController();
    const stream = openStream({
      ...OPTIONS,
      fetch: scripted([]).fetch,
      signal: closing.signal,
      onStatus: (status) => status === 'waiting' && closing.abort(),
    });
    const ids: string[] = [];
    for await (const { data } of stream) ids.push(data.id);
    expect(ids).toEqual([]);
  });

  test('ends when it is closed, although the abort of the request does not reach the body', async () => {
    const closing = new AbortController();
    // Like a body whose request was collected as garbage: it stays open.
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(message(1))),
    });
    const stream = openStream({ ...OPTIONS, fetch: async () => new Response(body), signal: closing.signal });
    const ids: string[] = [];
    for await (const { data } of stream) {
      ids.push(data.id);
      setImmediate(() => closing.abort());
    }
    expect(ids).toEqual(['1']);
  });
});
