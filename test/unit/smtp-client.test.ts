/** The sources, the handover, and the outages of the SMTP client, against scripted and real servers. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { createSmtpClient, type SmtpClient } from '../../src/mail/smtp/client.js';
import type { SmtpJob, SmtpResult } from '../../src/mail/smtp/job.js';
import type { PoolOptions } from '../../src/mail/smtp/pool.js';
import { eventually } from '../helpers/eventually.js';
import { sendOver } from '../helpers/send-over.js';

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** What a scripted server does with a command or a content. `null`: it does not reply. */
type Script = (input: { line: string; isContent: boolean; socket: Socket; connection: number }) => string | null;

const OFFER = '250-script\r\n250-PIPELINING\r\n250 SIZE';

/** The reply of a server that accepts everything. */
function acceptAll(line: string, isContent: boolean): string {
  if (isContent) return '250 taken';
  if (line.startsWith('EHLO')) return OFFER;
  return line === 'DATA' ? '354 go' : '250 ok';
}

async function startScript(script: Script, port = 0) {
  const inputs: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.write('220 script\r\n');
    let text = '';
    let isContent = false;
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (;;) {
        const mark = isContent ? '\r\n.\r\n' : '\r\n';
        const end = text.indexOf(mark);
        if (end === -1) return;
        const line = text.slice(0, end);
        text = text.slice(end + mark.length);
        inputs.push(isContent ? `content: ${line}` : line);
        const reply = script({ line, isContent, socket, connection });
        isContent = !isContent && (reply ?? '').startsWith('354');
        if (reply !== null && socket.writable) socket.write(`${reply}\r\n`);
      }
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  cleanups.push(stop);
  const bound = (server.address() as AddressInfo).port;
  return {
    inputs,
    contents: () => inputs.filter((input) => input.startsWith('content: ')).map((input) => input.slice(9)),
    port: bound,
    url: `smtp://127.0.0.1:${bound}`,
    connections: () => connections,
    stop,
  };
}

function open(url: string, options: Partial<PoolOptions> = {}): SmtpClient {
  const client = createSmtpClient({
    urls: [url],
    connections: 3,
    timeouts: { connectMs: 2000, replyMs: 2000 },
    coolDownMs: 1,
    outagePause: { minMs: 20, maxMs: 80 },
    ...options,
  });
  cleanups.push(() => client.close({ graceMs: 50 }));
  return client;
}

/** A source of the given emails. */
function createSource(client: SmtpClient, names: string[], priority: 'urgent' | 'bulk' = 'bulk') {
  const queue = [...names];
  const taken: string[] = [];
  const results = new Map<string, SmtpResult>();
  const next = (): SmtpJob | null => {
    const name = queue.shift();
    if (name === undefined) return null;
    taken.push(name);
    return {
      from: 'a@example.com',
      to: `${name}@example.net`,
      content: Buffer.from(`${name}\r\n`),
      onResult: (result) => results.set(name, result),
    };
  };
  const handle = client.addSource({ next }, { priority });
  const add = (...more: string[]): void => {
    queue.push(...more);
    handle.wake();
  };
  const outcomes = (): Record<string, string> =>
    Object.fromEntries([...results].map(([name, { outcome }]) => [name, outcome]));
  return { queue, taken, results, outcomes, add, handle };
}

const range = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('a connection', () => {
  it('announces the next email together with the content of the previous one', async () => {
    // The server accepts a content only when it has the next envelope.
    let accept: (() => void) | null = null;
    const server = await startScript(({ line, isContent, socket }) => {
      if (isContent && line !== 'c') {
        accept = () => socket.write('250 taken\r\n');
        return null;
      }
      if (line === 'DATA') accept?.();
      return acceptAll(line, isContent);
    });
    const { outcomes } = createSource(open(server.url, { connections: 1 }), ['a', 'b', 'c']);
    await eventually(() => expect(outcomes()).toEqual({ a: 'accepted', b: 'accepted', c: 'accepted' }));
    expect(server.contents()).toEqual(['a', 'b', 'c']);
  });

  describe('with an email that has a successor', () => {
    /** Offers the first email, and the others as its successors. @returns their outcomes, in order */
    function offerChain(client: SmtpClient, names: string[]): string[] {
      const outcomes: string[] = [];
      const take = (): SmtpJob | null => {
        const name = names.shift();
        if (name === undefined) return null;
        return {
          from: 'a@example.com',
          to: `${name}@example.net`,
          content: Buffer.from(`${name}\r\n`),
          onResult: ({ outcome }) => outcomes.push(`${name} ${outcome}`),
          takeSuccessor: take,
        };
      };
      const first = [take()];
      client.addSource({ next: () => first.shift() ?? null }, { priority: 'urgent' });
      return outcomes;
    }

    it('announces it before bulk email, with the content of the one before', async () => {
      const server = await startScript(({ line, isContent }) => acceptAll(line, isContent));
      const client = open(server.url, { connections: 1 });
      const outcomes = offerChain(client, ['a', 'b', 'not an\naddress', 'c']);
      const bulk = createSource(client, ['bulk']);
      await eventually(() => expect(bulk.outcomes()).toEqual({ bulk: 'accepted' }));
      expect(server.contents()).toEqual(['a', 'b', 'c', 'bulk']);
      expect(outcomes).toEqual(['a accepted', 'not an\naddress rejected', 'b accepted', 'c accepted']);
    });

    it('announces another urgent email instead, if one waits', async () => {
      const server = await startScript(({ line, isContent }) => acceptAll(line, isContent));
      const client = open(server.url, { connections: 1 });
      const outcomes = offerChain(client, ['a', 'b']);
      const urgent = createSource(client, ['before', 'after'], 'urgent');
      await eventually(() => expect(urgent.outcomes()).toEqual({ before: 'accepted', after: 'accepted' }));
      expect(server.contents()).toEqual(['before', 'a', 'after']);
      expect(outcomes).toEqual(['a accepted']);
    });
  });

  it('does not take an email that waits for another connection to open', async () => {
    // The server replies to nothing after a content, and greets the second client only after the first content.
    let greetSecond = (): void => undefined;
    const silent = new Set<number>();
    const server = await startScript(({ line, isContent, socket, connection }) => {
      if (isContent) {
        silent.add(connection);
        setTimeout(greetSecond, 20);
      }
      if (silent.has(connection)) return null;
      if (line.startsWith('EHLO') && connection === 2) {
        greetSecond = () => socket.write(`${OFFER}\r\n`);
        return null;
      }
      return acceptAll(line, false);
    });
    createSource(open(server.url, { connections: 4 }), ['a', 'b']);
    await eventually(() => expect(server.contents().toSorted()).toEqual(['a', 'b']), { within: 5000 });
  });

  it('sends one command at a time to a server without PIPELINING', async () => {
    let pending = 0;
    const server = await startScript(({ line, isContent, socket }) => {
      if (line.startsWith('EHLO')) return '250 script';
      // A command that arrives before the reply to the previous one is pipelined.
      expect(pending).toBe(0);
      if (line === 'DATA' || isContent) return acceptAll(line, isContent);
      pending++;
      setImmediate(() => {
        pending--;
        socket.write('250 ok\r\n');
      });
      return null;
    });
    const { outcomes } = createSource(open(server.url, { connections: 1 }), ['a', 'b']);
    await eventually(() => expect(outcomes()).toEqual({ a: 'accepted', b: 'accepted' }));
    expect(server.inputs.slice(1, 5)).toEqual([
      'MAIL FROM:<a@example.com>',
      'RCPT TO:<a@example.net>',
      'DATA',
      'content: a',
    ]);
  });

  it('sends only the final dot if the server accepts DATA after it refused the recipient', async () => {
    const server = await startScript(({ line, isContent }) =>
      line === 'RCPT TO:<no@example.net>' ? '550 5.1.1 unknown' : acceptAll(line, isContent),
    );
    const { outcomes, results } = createSource(open(server.url, { connections: 1 }), ['a', 'no', 'b']);
    await eventually(() => expect(outcomes()).toEqual({ a: 'accepted', no: 'rejected', b: 'accepted' }));
    expect(results.get('no')).toMatchObject({ permanent: true, stage: 'envelope', response: '550 5.1.1 unknown' });
    expect(server.contents()).toEqual(['a', '', 'b']);
    expect(server.connections()).toBe(1);
  });

  it('reports the first refusal of an email, not the ones that follow from it', async () => {
    const server = await startScript(({ line, isContent }) => {
      if (line.startsWith('MAIL')) return '451 4.3.0 later';
      if (line.startsWith('RCPT')) return '503 MAIL first';
      return line === 'DATA' ? '554 no recipients' : acceptAll(line, isContent);
    });
    const { results } = createSource(open(server.url), ['a']);
    await eventually(() =>
      expect(results.get('a')).toMatchObject({ outcome: 'rejected', permanent: false, response: '451 4.3.0 later' }),
    );
    expect(server.inputs.slice(-1)).toEqual(['RSET']);
  });

  it('closes instead if the server accepted the recipient, because it would deliver an empty email', async () => {
    const server = await startScript(({ line, isContent, connection }) =>
      line.startsWith('MAIL') && connection === 1 ? '451 not now' : acceptAll(line, isContent),
    );
    const { outcomes } = createSource(open(server.url, { connections: 1 }), ['a', 'b']);
    await eventually(() => expect(outcomes()).toEqual({ a: 'rejected', b: 'accepted' }));
    expect(server.contents()).toEqual(['b']);
  });

  it('leaves the handed email in doubt and repeats the announced one if it ends', async () => {
    // The first connection ends when it has received the envelope of c, and without a reply to b.
    const server = await startScript(({ line, isContent, socket, connection }) => {
      if (connection > 1 || !server.contents().includes('b')) return acceptAll(line, isContent);
      if (line === 'DATA') socket.destroy();
      return null;
    });
    const { outcomes } = createSource(open(server.url, { connections: 1 }), ['a', 'b', 'c']);
    await eventually(() => expect(outcomes()).toEqual({ a: 'accepted', b: 'inDoubt', c: 'accepted' }));
    expect(server.contents()).toEqual(['a', 'b', 'c']);
  });

  it('reports a 421 reply to the content as a temporary rejection, because the server did not accept it', async () => {
    const server = await startScript(({ line, isContent }) =>
      isContent && line === 'b' ? '421 4.7.0 try later' : acceptAll(line, isContent),
    );
    const { outcomes, results } = createSource(open(server.url, { connections: 1 }), ['a', 'b', 'c']);
    await eventually(() => expect(outcomes()).toEqual({ a: 'accepted', b: 'rejected', c: 'accepted' }));
    expect(results.get('b')).toMatchObject({ permanent: false, response: '421 4.7.0 try later' });
    expect(server.connections()).toBe(2);
  });

  it('sends the email that was announced with one whose content got a 421 reply over another connection', async () => {
    const server = await startScript(({ line, isContent }) =>
      isContent && line === 'a' ? '421 4.7.0 try later' : acceptAll(line, isContent),
    );
    const { outcomes } = createSource(open(server.url, { connections: 1 }), ['a', 'b']);
    await eventually(() => expect(outcomes()).toEqual({ a: 'rejected', b: 'accepted' }));
    expect(server.contents()).toEqual(['a', 'b']);
    expect(server.connections()).toBe(2);
  });

  it('ends if plain text follows the reply to STARTTLS', async () => {
    const server = await startScript(({ line, isContent }) => {
      if (line.startsWith('EHLO')) return '250-script\r\n250 STARTTLS';
      return line === 'STARTTLS' ? '220 go\r\n250 injected' : acceptAll(line, isContent);
    });
    await expect(open(server.url).verify()).rejects.toThrow('injected');
  });
});

describe('the sources of a client', () => {
  it('are served urgent ones first, then in turn', async () => {
    const replies: Array<() => void> = [];
    const server = await startScript(({ line, isContent, socket }) => {
      if (!isContent) return line.startsWith('EHLO') ? '250 script' : acceptAll(line, isContent);
      replies.push(() => socket.write('250 taken\r\n'));
      return null;
    });
    const client = open(server.url, { connections: 1 });
    const first = createSource(client, ['first'], 'urgent');
    await eventually(() => expect(replies).toHaveLength(1));
    const sources = [
      createSource(client, range(2, 'a')),
      createSource(client, range(4, 'b')),
      createSource(client, range(2, 'u'), 'urgent'),
    ];
    while (server.contents().length < 9) {
      const { length } = server.contents();
      replies.shift()?.();
      await eventually(() => expect(server.contents()).toHaveLength(length + 1));
    }
    replies.shift()?.();
    await eventually(() => expect(sources.flatMap(({ results }) => [...results])).toHaveLength(8));
    expect(first.outcomes()).toEqual({ first: 'accepted' });
    const [, ...order] = server.contents();
    expect(order.slice(0, 2)).toEqual(['u0', 'u1']);
    const firstLetters = order.slice(2, 6).map((name) => name[0]);
    expect(firstLetters.filter((letter) => letter === 'a')).toHaveLength(2);
    expect(order[2]?.[0]).not.toBe(order[3]?.[0]);
  });

  it('leave a tenth of the connections to urgent email', async () => {
    const server = await startScript(({ line, isContent }) =>
      isContent && !line.startsWith('urgent')
        ? null
        : line.startsWith('EHLO')
          ? '250 script'
          : acceptAll(line, isContent),
    );
    const client = open(server.url, { connections: 10 });
    const bulk = createSource(client, range(30, 'bulk'));
    await eventually(() => expect(server.contents()).toHaveLength(9));
    await sendOver(client, { from: 'a@example.com', to: 'b@example.net', raw: Buffer.from('urgent\r\n') });
    expect(bulk.taken).toHaveLength(9);
  });

  it('are not asked after they were removed', async () => {
    const server = await startScript(({ line, isContent }) => acceptAll(line, isContent));
    const source = createSource(open(server.url), []);
    source.handle.remove();
    source.add('late');
    const other = createSource(open(server.url), ['a']);
    await eventually(() => expect(other.outcomes()).toEqual({ a: 'accepted' }));
    expect(source.taken).toEqual([]);
  });

  it('get emails back that were withdrawn, or that a closed client did not send', async () => {
    const server = await startScript(({ line, isContent }) => acceptAll(line, isContent));
    const client = open(server.url, { connections: 1 });
    const results: SmtpResult[] = [];
    const queue = [false, true].map((isValid): SmtpJob => ({
      from: 'a@example.com',
      to: 'b@example.net',
      content: Buffer.from(`${isValid}\r\n`),
      onResult: (result) => results.push(result),
      canHandOver: () => isValid,
    }));
    client.addSource({ next: () => queue.shift() ?? null }, { priority: 'bulk' });
    await eventually(() => expect(results.map(({ outcome }) => outcome)).toEqual(['unsent', 'accepted']));
    expect(server.contents()).toEqual(['true']);
    await client.close({ graceMs: 50 });
    const late = createSource(client, ['late']);
    expect(late.taken).toEqual([]);
  });

  it('have their malformed emails rejected and the others sent', async () => {
    const server = await startScript(({ line, isContent }) => acceptAll(line, isContent));
    const { outcomes } = createSource(open(server.url), ['a', 'b> NOTIFY=NEVER', 'c']);
    await eventually(() => expect(Object.values(outcomes()).sort()).toEqual(['accepted', 'accepted', 'rejected']));
  });
});

describe('the handover hook', () => {
  it('receives each email once, before its content is written', async () => {
    const server = await startScript(({ line, isContent }) => acceptAll(line, isContent));
    const client = open(server.url, { connections: 5 });
    const names: string[] = [];
    client.onHandOver((jobs) => {
      for (const { content } of jobs) {
        names.push(content.toString().trim());
        expect(server.contents()).not.toContain(content.toString().trim());
      }
    });
    const { outcomes } = createSource(client, range(200, 'n'));
    await eventually(() => expect(Object.keys(outcomes())).toHaveLength(200));
    expect(names.sort()).toEqual(range(200, 'n').sort());
  });

  it('receives few emails in one turn of the event loop, and urgent ones first', async () => {
    // The server is ready for all contents at the same time.
    const waiting: Socket[] = [];
    const server = await startScript(({ line, socket }) => {
      if (line === '.') return '250 taken';
      if (line !== 'DATA') return line.includes(':') || line.startsWith('EHLO') ? acceptAll(line, false) : null;
      if (waiting.push(socket) === 24) for (const one of waiting) one.write('354 go\r\n');
      return null;
    });
    const client = open(server.url, { connections: 30 });
    const turns: string[][] = [];
    client.onHandOver((jobs) => void turns.push(jobs.map(({ content }) => content.toString().trim())));
    const bulk = createSource(client, range(20, 'b'), 'bulk');
    const urgent = createSource(client, range(4, 'u'), 'urgent');
    await eventually(() => expect(Object.keys({ ...bulk.outcomes(), ...urgent.outcomes() })).toHaveLength(24));
    expect(Math.max(...turns.map(({ length }) => length))).toBeLessThanOrEqual(16);
    expect(turns.flat().slice(0, 8)).toEqual(expect.arrayContaining(range(4, 'u')));
  });

  it('can withdraw an email, so that its content is not written', async () => {
    const server = await startScript(({ line, isContent }) => acceptAll(line, isContent));
    const client = open(server.url, { connections: 1 });
    // As a journal that cannot be written withdraws the email, and allows it later.
    let isJournaled = true;
    client.onHandOver((jobs) => {
      if (jobs.some(({ content }) => content.toString() === 'b\r\n')) isJournaled = !isJournaled;
    });
    const results: Array<[name: string, outcome: string]> = [];
    const queue = ['a', 'b', 'c', 'b'].map((name): SmtpJob => ({
      from: 'a@example.com',
      to: 'b@example.net',
      content: Buffer.from(`${name}\r\n`),
      onResult: ({ outcome }) => results.push([name, outcome]),
      canHandOver: () => isJournaled || name === 'c' || results.some(([other]) => other === 'c'),
    }));
    client.addSource({ next: () => queue.shift() ?? null }, { priority: 'bulk' });
    await eventually(() =>
      expect(results).toEqual([
        ['a', 'accepted'],
        ['b', 'unsent'],
        ['c', 'accepted'],
        ['b', 'accepted'],
      ]),
    );
    expect(server.contents()).toEqual(['a', 'c', 'b']);
  });
});

describe('while no server is reachable, a client', () => {
  it('probes with one email at a time, and resumes when the server is back', async () => {
    const gone = await startScript(() => null);
    await gone.stop();
    const client = open(gone.url, { connections: 5 });
    const source = createSource(client, range(200, 'n'));
    await eventually(() => expect(client.isReachable).toBe(false));
    // The emails that were taken together failed together; after that, each pause ends with one probe.
    await eventually(() => expect(source.results.size).toBe(source.taken.length));
    const before = source.taken.length;
    let mostInFlight = 0;
    await eventually(() => {
      mostInFlight = Math.max(mostInFlight, source.taken.length - source.results.size);
      expect(source.taken.length).toBeGreaterThanOrEqual(before + 3);
    });
    expect(mostInFlight).toBeLessThanOrEqual(1);
    expect(source.taken.length).toBeLessThanOrEqual(before + 4);
    expect(new Set(Object.values(source.outcomes()))).toEqual(new Set(['unsent']));

    const server = await startScript(({ line, isContent }) => acceptAll(line, isContent), gone.port);
    await eventually(() => expect(source.results.size).toBe(200));
    expect(client.isReachable).toBe(true);
    const accepted = Object.values(source.outcomes()).filter((outcome) => outcome === 'accepted');
    expect(accepted).toHaveLength(server.contents().length);
    expect(accepted.length).toBeGreaterThan(100);
  });

  it('counts a server that accepts connections and fails at the first email as unreachable', async () => {
    const server = await startScript(({ line, isContent }) =>
      line.startsWith('MAIL') ? '530 5.7.0 authentication required' : acceptAll(line, isContent),
    );
    const client = open(server.url, { connections: 1 });
    const { results } = createSource(client, ['a']);
    await eventually(() =>
      expect(results.get('a')).toMatchObject({ outcome: 'unsent', response: '530 5.7.0 authentication required' }),
    );
    expect(client.isReachable).toBe(false);
  });

  it('continues with the connections that it has, if the server accepts no more of them', async () => {
    const server = await startScript(({ line, isContent, connection }) =>
      connection > 2 && line.startsWith('EHLO') ? '421 too many connections' : acceptAll(line, isContent),
    );
    const client = open(server.url, { connections: 10 });
    const source = createSource(client, range(300, 'n'));
    await eventually(() => {
      for (const [name, { outcome }] of source.results) {
        if (outcome !== 'unsent') continue;
        source.results.delete(name);
        source.add(name);
      }
      expect(Object.values(source.outcomes())).toEqual(range(300, '').map(() => 'accepted'));
    });
    expect(server.contents()).toHaveLength(300);
  });
});

describe('with a real server', () => {
  const OPTIONS: Array<[string, string, SMTPServerOptions]> = [
    ['plain text', 'smtp', {}],
    ['plain text without PIPELINING', 'smtp', { hidePIPELINING: true }],
    ['STARTTLS', 'smtp', { disabledCommands: [] }],
    ['STARTTLS without PIPELINING', 'smtp', { disabledCommands: [], hidePIPELINING: true }],
    ['TLS', 'smtps', { secure: true }],
    ['TLS without enhanced status codes', 'smtps', { secure: true, hideENHANCEDSTATUSCODES: true }],
  ];

  it.each(OPTIONS)('sends small and large emails over %s, with AUTH', async (_name, protocol, options) => {
    const received = new Map<string, string>();
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      onAuth: ({ username, password }, _session, done) =>
        done(username === 'u' && password === 'p' ? null : new Error('wrong'), { user: 'u' }),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          received.set(session.envelope.rcptTo[0]?.address ?? '', Buffer.concat(chunks).toString());
          done();
        });
      },
      ...options,
    });
    server.on('error', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    cleanups.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const { port } = server.server.address() as AddressInfo;
    const client = open(`${protocol}://u:p@127.0.0.1:${port}?rejectUnauthorized=false`, { connections: 2 });
    const contents = new Map<string, string>();
    for (let n = 0; n < 60; n++)
      contents.set(`jürgen${n}@example.net`, `Subject: ${n}\r\n\r\n${'.line\r\n'.repeat(n % 20 === 0 ? 60_000 : n)}`);
    const queue = [...contents];
    const outcomes: string[] = [];
    const next = (): SmtpJob | null => {
      const [to, content] = queue.shift() ?? [];
      if (to === undefined || content === undefined) return null;
      const onResult = ({ outcome }: SmtpResult): void => void outcomes.push(outcome);
      return { from: 'a@example.com', to, content: Buffer.from(content), onResult };
    };
    client.addSource({ next }, { priority: 'bulk' });
    await eventually(() => expect(outcomes).toHaveLength(60));
    expect(new Set(outcomes)).toEqual(new Set(['accepted']));
    expect(received).toEqual(contents);
    await client.close({ graceMs: 1000 });
  });

  it('rejects an email to a non-ASCII local part if the server does not accept it', async () => {
    const server = await startScript(({ line, isContent }) => acceptAll(line, isContent));
    const { results } = createSource(open(server.url), ['jürgen']);
    await eventually(() =>
      expect(results.get('jürgen')).toMatchObject({ outcome: 'rejected', permanent: true, response: null }),
    );
    expect(server.inputs.some((input) => input.startsWith('MAIL'))).toBe(false);
  });
});
