import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../src/mail/smtp/errors.js';
import { createSmtpClient, type SmtpClient } from '../../src/mail/smtp/client.js';
import type { PoolOptions } from '../../src/mail/smtp/pool.js';
import { sendOver, type SentEmail } from '../helpers/send-over.js';

const RAW = Buffer.from('From: a@example.com\r\nSubject: x\r\n\r\nLine\r\n.dot\r\n');
const cleanups: Array<() => Promise<unknown> | void> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Received {
  from: string;
  to: string;
  raw: string;
  session: string;
}

/** A real SMTP server that stores mails. The local part of a recipient selects its reply. */
async function startServer(options: SMTPServerOptions = {}, port = 0) {
  const mails: Received[] = [];
  let connections = 0;
  const refuse = (address: string) => {
    const code = /^(\d{3})@/.exec(address)?.[1];
    return code === undefined ? null : Object.assign(new Error(`refused with ${code}`), { responseCode: Number(code) });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('data') ? null : refuse(address)),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo[0]?.address ?? '';
        const failure = stream.sizeExceeded
          ? Object.assign(new Error('too large'), { responseCode: 552 })
          : refuse(to.replace(/^data/, ''));
        if (failure) return done(failure);
        const { mailFrom } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to,
          raw: Buffer.concat(chunks).toString('latin1'),
          session: session.id,
        });
        done(null, 'taken');
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  const stop = () => new Promise<void>((resolve) => server.close(resolve));
  cleanups.push(stop);
  const address = server.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    mails,
    port: bound,
    url: `smtp://127.0.0.1:${bound}`,
    connections: () => connections,
    stop,
    sockets: server.connections,
  };
}

/** A scripted server: `onContent` handles the end of each mail's DATA. */
async function startScript(script: {
  greeting?: string;
  ehlo?: string;
  onLine?: (line: string, socket: Socket) => boolean;
  onContent?: (socket: Socket) => void;
}) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    let inData = false;
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.write(script.greeting ?? '220 ready\r\n');
    socket.on('data', (chunk: Buffer) => {
      if (inData) {
        script.onContent?.(socket);
        if (chunk.includes('\r\n.\r\n')) {
          inData = false;
          socket.write('250 taken\r\n');
        }
        return;
      }
      for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
        if (script.onLine?.(line, socket)) return;
        inData = line.startsWith('DATA');
        socket.write(
          inData ? '354 continue\r\n' : line.startsWith('EHLO') ? (script.ehlo ?? '250 ready\r\n') : '250 ok\r\n',
        );
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  cleanups.push(close);
  const { port } = server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, sockets };
}

interface Sender extends Pick<SmtpClient, 'verify' | 'close'> {
  send: (mail: SentEmail) => ReturnType<typeof sendOver>;
}

function open(options: Partial<PoolOptions> & { urls: string[] }): Sender {
  const client = createSmtpClient({
    connections: 3,
    ...options,
    timeouts: { connectMs: 2000, replyMs: 2000, ...options.timeouts },
  });
  cleanups.push(() => client.close({ graceMs: 100 }));
  return { verify: client.verify, close: client.close, send: (mail) => sendOver(client, mail) };
}

const mailTo = (to: string, raw = RAW) => ({ from: 'a@example.com', to, raw });

async function failureOf(sending: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await sending.then(
    () => new Error('The mail was taken'),
    (reason: unknown) => reason,
  );
  if (error instanceof TransportError) return error;
  throw error;
}

async function eventually(check: () => void): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      check();
      return;
    } catch (error) {
      if (tries === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

describe('the SMTP transport', () => {
  it('delivers mails unchanged, one after the other on a reused connection', async () => {
    const server = await startServer();
    const transport = open({ urls: [server.url], connections: 1 });
    for (let count = 0; count < 5; count += 1) {
      const result = await transport.send(mailTo(`r${count}@example.net`));
      expect(result).toMatchObject({ response: expect.stringMatching(/^250 .*taken/), server: server.url.slice(7) });
    }
    expect(server.mails.map(({ to }) => to)).toEqual([0, 1, 2, 3, 4].map((count) => `r${count}@example.net`));
    expect(server.mails.every(({ from, raw }) => from === 'a@example.com' && raw === RAW.toString())).toBe(true);
    expect(server.connections()).toBe(1);
  });

  it('opens at most its maximum of connections', async () => {
    const server = await startServer();
    const transport = open({ urls: [server.url], connections: 3 });
    await Promise.all(Array.from({ length: 30 }, (_, count) => transport.send(mailTo(`r${count}@example.net`))));
    expect(server.mails).toHaveLength(30);
    expect(server.connections()).toBe(3);
  });

  it.each([
    ['450@example.net', 'transient', 450, 'envelope'],
    ['550@example.net', 'permanent', 550, 'envelope'],
    ['data451@example.net', 'transient', 451, 'after-data'],
    ['data554@example.net', 'permanent', 554, 'after-data'],
  ])('classifies a reply to %s and keeps the connection', async (to, kind, responseCode, stage) => {
    const server = await startServer();
    const transport = open({ urls: [server.url], connections: 1 });
    for (let times = 0; times < 15; times += 1) {
      expect(await failureOf(transport.send(mailTo(to)))).toMatchObject({
        kind,
        responseCode,
        stage,
        response: expect.stringContaining('refused'),
        ambiguous: false,
      });
    }
    await transport.send(mailTo('ok@example.net'));
    expect(server.mails).toHaveLength(1);
    expect(server.connections()).toBe(1);
  });

  it("reports an email over the server's size limit as a permanent rejection", async () => {
    const server = await startServer({ size: 1000 });
    const transport = open({ urls: [server.url] });
    expect(await failureOf(transport.send(mailTo('a@example.net', Buffer.alloc(2000, 'x'))))).toMatchObject({
      kind: 'permanent',
      stage: 'envelope',
    });
    await transport.send(mailTo('ok@example.net'));
  });

  it('reports an unreachable server as a connection error', async () => {
    const server = await startServer();
    await server.stop();
    const transport = open({ urls: [server.url] });
    expect(await failureOf(transport.send(mailTo('a@example.net')))).toMatchObject({
      kind: 'connection',
      stage: 'connect',
    });
    expect(await failureOf(transport.verify())).toMatchObject({ kind: 'connection' });
  });

  it('does not blame the mail for a rejecting greeting or a failed login', async () => {
    const script = await startScript({ greeting: '554 no service\r\n' });
    expect(await failureOf(open({ urls: [script.url] }).send(mailTo('a@example.net')))).toMatchObject({
      kind: 'connection',
      stage: 'connect',
      responseCode: 554,
    });
    const server = await startServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('wrong')),
    });
    const transport = open({ urls: [server.url.replace('//', '//user:p%40ss@')] });
    expect(await failureOf(transport.send(mailTo('a@example.net')))).toMatchObject({
      kind: 'connection',
      stage: 'connect',
      responseCode: 535,
    });
    expect(await failureOf(open({ urls: [server.url] }).send(mailTo('a@example.net')))).toMatchObject({
      kind: 'connection',
      stage: 'envelope',
      responseCode: 530,
    });
  });

  it('authenticates with the credentials of the URL', async () => {
    let seen = '';
    const server = await startServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (auth, _session, done) => ((seen = `${auth.username}:${auth.password}`), done(null, { user: 1 })),
    });
    await open({ urls: [server.url.replace('//', '//user:p%40ss@')] }).send(mailTo('a@example.net'));
    expect(seen).toBe('user:p@ss');
  });

  it('does not blame the mail for a 421 reply during the conversation', async () => {
    const script = await startScript({
      onLine: (line, socket) => line.startsWith('MAIL') && Boolean(socket.end('421 closing\r\n')),
    });
    expect(await failureOf(open({ urls: [script.url] }).send(mailTo('a@example.net')))).toMatchObject({
      kind: 'connection',
      stage: 'envelope',
      responseCode: 421,
    });
  });

  it('uses TLS if the server offers it, with any certificate on loopback', async () => {
    const secure: boolean[] = [];
    const server = await startServer({
      disabledCommands: [],
      onMailFrom: (_address, session, done) => (secure.push(session.secure), done()),
    });
    await open({ urls: [server.url] }).send(mailTo('tls@example.net'));
    await open({ urls: [`${server.url}?rejectUnauthorized=false`] }).send(mailTo('tls@example.net'));
    await open({ urls: [`${server.url}?ignoreTLS=true`] }).send(mailTo('plain@example.net'));
    expect([secure, server.mails.length]).toEqual([[true, true, false], 3]);
  });

  it('checks the certificate if TLS is required, unless configured otherwise', async () => {
    const server = await startServer({ disabledCommands: [] });
    const smtps = await startServer({ secure: true });
    const smtpsUrl = smtps.url.replace('smtp', 'smtps');
    for (const url of [`${server.url}?requireTLS=true`, `${server.url}?rejectUnauthorized=true`, smtpsUrl]) {
      expect(await failureOf(open({ urls: [url] }).send(mailTo('a@example.net'))), url).toMatchObject({
        kind: 'connection',
        stage: 'connect',
      });
    }
    await open({ urls: [`${smtpsUrl}?rejectUnauthorized=false`] }).send(mailTo('a@example.net'));
    expect([server.mails.length, smtps.mails.length]).toEqual([0, 1]);
  });

  it('delivers every mail to a server that closes the connection after each one', async () => {
    let taken = 0;
    const closing = await startScript({
      onContent: (socket) => {
        taken += 1;
        setImmediate(() => socket.end());
      },
    });
    const transport = open({ urls: [closing.url], connections: 2 });
    await Promise.all(Array.from({ length: 20 }, (_, count) => transport.send(mailTo(`r${count}@example.net`))));
    expect(taken).toBe(20);
  });

  it('replaces an idle connection that broke without a failed attempt', async () => {
    const first: Array<() => void> = [];
    const server = await startServer({
      // Waits for the third mail, so that each connection has one, and none is still opening afterwards.
      onMailFrom(_address, _session, done) {
        if (first.length === 3) return done();
        if (first.push(done) === 3) for (const proceed of first) proceed();
      },
    });
    const transport = open({ urls: [server.url], connections: 3 });
    await Promise.all([1, 2, 3].map((count) => transport.send(mailTo(`r${count}@example.net`))));
    for (const connection of server.sockets) connection.close();
    await Promise.all([4, 5, 6].map((count) => transport.send(mailTo(`r${count}@example.net`))));
    expect(server.mails).toHaveLength(6);
  });

  it('replaces a reused connection that the server closes at the first command', async () => {
    let mails = 0;
    const script = await startScript({
      onLine: (line, socket) => line.startsWith('MAIL') && (mails += 1) === 2 && Boolean(socket.destroy()),
    });
    const transport = open({ urls: [script.url], connections: 1 });
    await transport.send(mailTo('a@example.net'));
    await transport.send(mailTo('b@example.net'));
    expect(mails).toBe(3);
  });

  it('reports an unknown outcome if the server dies after the content', async () => {
    const script = await startScript({ onContent: (socket) => socket.destroy() });
    const error = await failureOf(open({ urls: [script.url] }).send(mailTo('a@example.net')));
    expect(error).toMatchObject({ kind: 'connection', stage: 'after-data', ambiguous: true });
  });

  it('reports a mail as not accepted if the server dies halfway through it', async () => {
    let chunks = 0;
    const script = await startScript({ onContent: (socket) => void ((chunks += 1) === 2 && socket.destroy()) });
    const large = Buffer.from(`Subject: x\r\n\r\n${'0123456789\r\n'.repeat(2_000_000)}`);
    const error = await failureOf(open({ urls: [script.url] }).send(mailTo('a@example.net', large)));
    expect(error).toMatchObject({ kind: 'connection', stage: 'data', ambiguous: false });
  });

  it('delivers a large mail unchanged', async () => {
    const server = await startServer();
    const large = Buffer.from(`Subject: x\r\n\r\n${'.0123456789\r\n'.repeat(200_000)}`);
    await open({ urls: [server.url], timeouts: { replyMs: 20_000 } }).send(mailTo('a@example.net', large));
    expect(server.mails[0]?.raw === large.toString()).toBe(true);
  });

  it('gives up on a server that does not reply within the reply timeout', async () => {
    const script = await startScript({ onLine: (line) => line.startsWith('MAIL') });
    const error = await failureOf(
      open({ urls: [script.url], timeouts: { replyMs: 200 } }).send(mailTo('a@example.net')),
    );
    expect(error).toMatchObject({ kind: 'connection', stage: 'envelope' });
  });

  it('rejects an address that could inject SMTP commands', async () => {
    const server = await startServer();
    const transport = open({ urls: [server.url] });
    expect(await failureOf(transport.send(mailTo('a@example.net>\r\nRCPT TO:<b@example.net')))).toMatchObject({
      kind: 'permanent',
      stage: 'envelope',
    });
  });

  it('encodes international domains in ASCII in the envelope', async () => {
    const lines: string[] = [];
    const script = await startScript({ onLine: (line) => lines.push(line) === 0 });
    await open({ urls: [script.url] }).send(mailTo('post@straße.example'));
    expect(lines).toContain('RCPT TO:<post@xn--strae-oqa.example>');
  });

  it('fails over to the next server and returns to the first', async () => {
    const gone = await startServer();
    await gone.stop();
    const second = await startServer();
    const transport = open({ urls: [gone.url, second.url], coolDownMs: 150 });
    await Promise.all([1, 2, 3, 4].map((count) => transport.send(mailTo(`r${count}@example.net`))));
    expect(second.mails).toHaveLength(4);

    const first = await startServer({}, gone.port);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await transport.send(mailTo('probe@example.net'));
    await eventually(() => expect(first.connections()).toBeGreaterThan(0));
    for (let count = 0; count < 6; count += 1) await transport.send(mailTo(`back${count}@example.net`));
    expect(first.mails.length).toBeGreaterThanOrEqual(4);
    expect(first.mails.length + second.mails.length).toBe(11);
    await transport.close({ graceMs: 100 });
  });

  it('renews a connection after its maximum of mails and closes an idle one', async () => {
    const server = await startServer();
    const transport = open({ urls: [server.url], connections: 1, maxMails: 2, maxIdleMs: 100 });
    for (let count = 0; count < 5; count += 1) await transport.send(mailTo(`r${count}@example.net`));
    expect(server.connections()).toBe(3);
    await eventually(() => expect(server.sockets.size).toBe(0));
    await transport.send(mailTo('late@example.net'));
    expect(server.mails).toHaveLength(6);
  });

  it('finishes the emails in flight on close, takes no others, and leaves no connection', async () => {
    const server = await startServer();
    const transport = open({ urls: [server.url], connections: 2 });
    const sending = [1, 2].map((count) => transport.send(mailTo(`r${count}@example.net`)));
    // Connections take emails at the end of a turn of the event loop.
    await nextTurn();
    void transport.send(mailTo('waiting@example.net'));
    await transport.close({ graceMs: 2000 });
    await Promise.all(sending);
    void transport.send(mailTo('late@example.net'));
    await eventually(() => expect(server.sockets.size).toBe(0));
    expect(server.mails.map(({ to }) => to).sort()).toEqual(['r1@example.net', 'r2@example.net']);
  });

  it('cuts connections that do not end in time on close', async () => {
    const script = await startScript({ onLine: (line) => line.startsWith('MAIL') });
    const transport = open({ urls: [script.url] });
    const sending = failureOf(transport.send(mailTo('a@example.net')));
    await eventually(() => expect(script.sockets.size).toBe(1));
    await transport.close({ graceMs: 50 });
    expect(await sending).toMatchObject({ kind: 'connection' });
  });

  it('does not wait on close for a server that ignores QUIT', async () => {
    const script = await startScript({ onLine: (line) => line.startsWith('QUIT') });
    const transport = open({ urls: [script.url] });
    await transport.send(mailTo('a@example.net'));
    await transport.close({ graceMs: 50 });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await eventually(() => expect(script.sockets.size).toBe(0));
  });

  it('connects once to verify the server', async () => {
    const server = await startServer();
    await open({ urls: [server.url] }).verify();
    expect(server.connections()).toBe(1);
  });
});
