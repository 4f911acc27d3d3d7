/**
 * A recording SMTP server with scripted replies, and a worker that delivers to it. Temporal is not running.
 */
import { once } from 'node:events';
import { authenticate } from 'mailauth';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect } from 'vitest';
import { createLog } from '../../src/log.js';
import { startWorker, type RunningWorker } from '../../src/temporal/worker.js';
import { testDkimKey, useApi, type TestApi, type TestProject } from './api.js';

export interface ReceivedMail {
  /** The envelope's addresses. */
  from: string;
  to: string;
  raw: Buffer;
  /** Date.now() when it was accepted. */
  at: number;
}

/** A reply that rejects a recipient or the content: `451 try later`. */
export interface Refusal {
  code: number;
  message: string;
}

export interface Sink {
  url: string;
  port: number;
  /** The accepted mails, in order. */
  mails: ReceivedMail[];
  /** Recipients of every mail with received content, including rejected mails. */
  attempts: string[];
  to: (address: string) => ReceivedMail[];
  /**
   * Sets the replies to the contents of the next mails. A reply of null accepts the mail, and a promise lets the client
   * wait. Without a script, the server accepts all mails immediately.
   */
  answer: (script: ((to: string) => Refusal | null | Promise<Refusal | null>) | null) => void;
  stop: () => Promise<void>;
}

/** @param port a free one when 0 */
export async function startSink(port = 0): Promise<Sink> {
  const mails: ReceivedMail[] = [];
  const attempts: string[] = [];
  let script: Parameters<Sink['answer']>[0] = null;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      const take = async (): Promise<void> => {
        const { mailFrom, rcptTo } = session.envelope;
        const to = rcptTo[0]?.address ?? '';
        attempts.push(to);
        const refusal = (await script?.(to)) ?? null;
        if (refusal) return done(Object.assign(new Error(refusal.message), { responseCode: refusal.code }));
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to,
          raw: Buffer.concat(chunks),
          at: Date.now(),
        });
        done(null, 'taken');
      };
      stream.on('end', () => void take());
    },
  });
  server.on('error', () => undefined);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('The sink listens on no port');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    port: address.port,
    mails,
    attempts,
    to: (wanted) => mails.filter(({ to }) => to === wanted),
    answer: (next) => {
      script = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // A crashed server sends no reply.
        for (const connection of server.connections) connection.close();
      }),
  };
}

export interface Delivery extends TestApi {
  sink: Sink;
  /** Sends a request, which must return 200. @returns the ids of the emails, in the order of the recipients */
  send: (project: TestProject, body: Record<string, unknown>) => Promise<string[]>;
  /** `GET /emails/:id` */
  email: (project: TestProject, id: string) => Promise<EmailAnswer>;
  /** Starts another worker, optionally with another configuration. It stops after the file. */
  worker: (overrides?: Partial<TestApi['config']>) => Promise<RunningWorker>;
  /** Names of the stored events of an email, oldest first. */
  events: (emailId: string) => Promise<string[]>;
}

export interface EmailAnswer {
  status: string;
  attempts: number;
  error: string | null;
  response: string | null;
  messageId: string;
  ambiguous: boolean;
  nextAttemptAt: string | null;
  sentAt: string | null;
}

/** Sets up an API, a sink, and (unless `worker` is false) a worker that delivers to it, for a test file. */
export function useDelivery({
  environment = {},
  worker = true,
}: { environment?: Record<string, string>; worker?: boolean } = {}): Delivery {
  const api = useApi(environment);
  const running: RunningWorker[] = [];
  const delivery: Partial<Delivery> = {};
  const start: Delivery['worker'] = async (overrides = {}) => {
    const config = { ...api.config, SMTP_URL: delivery.sink?.url ?? '', ...overrides };
    const started = await startWorker(config, createLog(config.LOG_LEVEL));
    let stopped: Promise<void> | undefined;
    const once: RunningWorker = { ...started, stop: () => (stopped ??= started.stop()) };
    running.push(once);
    return once;
  };
  beforeAll(async () => {
    delivery.sink = await startSink();
    Object.assign(api, { sink: delivery.sink });
    if (worker) await start();
  });
  afterAll(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await delivery.sink?.stop();
  });
  return Object.assign(api as Delivery, {
    worker: start,
    send: async (project: TestProject, body: Record<string, unknown>) => {
      const response = await api.as(project, 'POST', '/v1/send', {
        from: `team@${project.domain}`,
        subject: 'Hello',
        body: '<p>Hello</p>',
        ...body,
      });
      expect(response.statusCode, response.body).toBe(200);
      return response.json<{ data: { emails: Array<{ email: string }> } }>().data.emails.map(({ email }) => email);
    },
    email: async (project: TestProject, id: string) => {
      const response = await api.as(project, 'GET', `/emails/${id}`);
      expect(response.statusCode, response.body).toBe(200);
      return response.json<EmailAnswer>();
    },
    events: async (emailId: string) =>
      (await api.ctx.prisma.event.findMany({ where: { emailId }, orderBy: { createdAt: 'asc' } })).map(
        ({ name }) => name,
      ),
  });
}

export const parse = (mail: ReceivedMail): Promise<ParsedMail> => simpleParser(mail.raw);

/** Returns a header of the mail, unfolded, or null if it does not exist. */
export function rawHeader({ raw }: ReceivedMail, name: string): string | null {
  const head = raw.toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
  const line = head
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .find((field) => field.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line === undefined ? null : line.slice(name.length + 1).trim();
}

/** Verifies DKIM with an independent library and the key of the test domains. Returns the result and the signing domain. */
export async function dkimVerdict(mail: ReceivedMail): Promise<{ result: string; domain: string }> {
  const { publicKeyBase64 } = await testDkimKey();
  const { dkim } = await authenticate(mail.raw, {
    ip: '127.0.0.1',
    helo: 'localhost',
    sender: mail.from,
    disableArc: true,
    disableDmarc: true,
    disableBimi: true,
    resolver: async (name: string) => {
      if (name.startsWith('sl._domainkey.')) return [[`v=DKIM1; k=rsa; p=${publicKeyBase64}`]];
      throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    },
  });
  const [first] = dkim?.results ?? [];
  return { result: String(first?.status.result), domain: String(first?.signingDomain) };
}
