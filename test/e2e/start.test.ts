/**
 * `npm start` as a user meets it: a copy of the checkout in a path with blanks, below a folder that is closed to other
 * users.
 *
 * The tests are one story, in their order. The dependencies and the build are the checkout's; installing them is what
 * CI does.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort, isListening, LOOPBACK } from '../../packages/embedded/src/ports.js';
import { createReturnPaths } from '../../src/mail/return-path.js';
import { eventually } from '../helpers/eventually.js';
import { dsn } from '../helpers/reports.js';
import { sendTo } from '../helpers/smtp-client.js';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'prisma.config.ts',
  'scripts',
  'prisma',
  'workflows',
  'activities',
  'packages',
  'src',
  'dist',
];
/** Limits against hanging, with room for a loaded machine. */
const READY_TIMEOUT_MS = 90_000;
const MAX_SHOWN_LINES = 40;

const Addresses = z.object({
  api: z.string(),
  database: z.string(),
  temporal: z.string(),
  temporalUi: z.string(),
  smtp: z.string(),
  inbox: z.string(),
  dns: z.string(),
  inbound: z.string(),
});
const Claim = z.object({ owner: z.object({ pid: z.number() }) });

/** mkdtemp creates it with mode 0700. */
const closed = mkdtempSync(path.join(realpathSync(tmpdir()), 'sendloom-start-'));
const clone = path.join(closed, 'a clone');
const data = path.join(clone, '.data');
const started: Started[] = [];
let port: number;
let key = '';

beforeAll(async () => {
  port = await freePort();
  mkdirSync(clone);
  for (const name of COPIED) cpSync(path.join(CHECKOUT, name), path.join(clone, name), { recursive: true });
  symlinkSync(realpathSync(path.join(CHECKOUT, 'node_modules')), path.join(clone, 'node_modules'));
});

afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const one of started) if (!one.hasEnded() || one === started.at(-1)) console.error(one.describe());
});

afterAll(async () => {
  await Promise.all(started.map((one) => one.end('SIGTERM')));
  const pointer = path.join(data, 'postgres.location');
  if (existsSync(pointer)) rmSync(readFileSync(pointer, 'utf8').trim(), { recursive: true, force: true });
  rmSync(closed, { recursive: true, force: true, maxRetries: 5 });
});

interface Started {
  npm: ChildProcess;
  output: () => string;
  /** The last lines of the output, with the seconds since the start, for the message of a failed test. */
  describe: () => string;
  hasEnded: () => boolean;
  /** Resolves with the milliseconds until the banner. */
  ready: () => Promise<number>;
  /** Resolves with the exit code; null if a signal ended npm. */
  ended: Promise<number | null>;
  end: (signal: NodeJS.Signals) => Promise<number | null>;
}

function start(env: Record<string, string> = {}): Started {
  const { PATH = '', HOME = '', XDG_CACHE_HOME, TEMPORAL_CLI } = process.env;
  const anyPort = Object.fromEntries(
    ['POSTGRES', 'TEMPORAL', 'TEMPORAL_UI', 'SMTP', 'INBOX', 'DNS', 'INBOUND'].map((name) => [
      `EMBEDDED_${name}_PORT`,
      '0',
    ]),
  );
  const began = Date.now();
  // In its own process group, as in a terminal.
  const npm = spawn('npm', ['start'], {
    cwd: clone,
    env: {
      PATH,
      HOME,
      ...(XDG_CACHE_HOME && { XDG_CACHE_HOME }),
      ...(TEMPORAL_CLI && { TEMPORAL_CLI }),
      PORT: String(port),
      METRICS_PORT: '0',
      ...anyPort,
      ...env,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const timedLines: string[] = [];
  const elapsed = (): string => `${((Date.now() - began) / 1000).toFixed(1)} s`;
  for (const stream of [npm.stdout, npm.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const line of chunk.split('\n').filter(Boolean)) timedLines.push(`${elapsed()} ${line}`);
    });
  }
  const ended = once(npm, 'close').then(() => npm.exitCode);
  const hasEnded = (): boolean => npm.exitCode !== null || npm.signalCode !== null;
  const describe = (): string => {
    const state = hasEnded() ? `ended with ${npm.exitCode ?? npm.signalCode}` : `has run for ${elapsed()}`;
    return `npm start, pid ${npm.pid}, ${state}. Its last lines:\n${timedLines.slice(-MAX_SHOWN_LINES).join('\n')}`;
  };
  const untilReady = async (): Promise<number> => {
    await eventually(() => expect(hasEnded() || text.includes('Sendloom is ready.')).toBe(true), {
      within: READY_TIMEOUT_MS,
    }).catch(() => undefined);
    if (hasEnded() || !text.includes('Sendloom is ready.')) throw new Error(`Not ready: ${describe()}`);
    return Date.now() - began;
  };
  const one: Started = {
    npm,
    ended,
    hasEnded,
    output: () => text,
    describe,
    ready: untilReady,
    end: async (signal) => {
      if (!hasEnded()) npm.kill(signal);
      return ended;
    },
  };
  started.push(one);
  return one;
}

const addresses = () => Addresses.parse(JSON.parse(readFileSync(path.join(data, 'addresses.json'), 'utf8')));
const nodePid = () => Claim.parse(JSON.parse(readFileSync(path.join(data, 'sendloom.claim.json'), 'utf8'))).owner.pid;
const portOf = (address: string) => Number(new URL(address.includes('//') ? address : `tcp://${address}`).port);

async function contacts(): Promise<string[]> {
  const response = await fetch(`http://${LOOPBACK}:${port}/contacts`, { headers: { authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
  return z
    .object({ data: z.array(z.object({ email: z.string() })) })
    .parse(await response.json())
    .data.map(({ email }) => email);
}

/** None of the earlier ports is still open. */
async function expectNothingLeft(before: z.infer<typeof Addresses>): Promise<void> {
  for (const address of [
    before.api,
    before.database,
    before.temporal,
    before.temporalUi,
    before.smtp,
    before.inbox,
    before.inbound,
  ]) {
    expect(await isListening(portOf(address)), address).toBe(false);
  }
}

describe.sequential('npm start', () => {
  let running: Started;

  test('prints the addresses and a first request that, pasted, puts a mail into the inbox', async () => {
    running = start();
    await running.ready();
    const { api, inbox, temporalUi, inbound } = addresses();
    for (const address of [api, inbox, temporalUi, inbound]) expect(running.output()).toContain(address);

    const [, commands = ''] = /\n\n((?: {2}.*\n)+)\nThen open/.exec(running.output()) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', `${commands}\necho "$KEY"`], { cwd: closed });
    expect(stdout).toContain('"success":true');
    key = stdout.trim().split('\n').at(-1) ?? '';
    await eventually(async () => {
      const found: unknown = await (await fetch(`${inbox}/api/messages?limit=1`)).json();
      expect(found).toMatchObject({ total: 1, messages: [{ to: ['ann@example.test'], subject: 'Hello' }] });
    });
    expect(await contacts()).toEqual(['ann@example.test']);
  });

  test('receives a reply to that mail and its bounce', async () => {
    const get = async (url: string): Promise<unknown> =>
      (await fetch(`http://${LOOPBACK}:${port}${url}`, { headers: { authorization: `Bearer ${key}` } })).json();
    const Sent = z.object({ data: z.array(z.object({ emailId: z.string() })) });
    const sent = await eventually(async () => {
      const [first] = Sent.parse(await get('/events?eventName=email.sent')).data;
      if (!first) throw new Error('Nothing was sent');
      return first;
    });
    const { from } = z.object({ from: z.string() }).parse(await get(`/emails/${sent.emailId}`));
    const listener = portOf(addresses().inbound);
    expect(
      await sendTo(listener, 'ann@example.test', from, 'From: ann@example.test\nSubject: Re: Hello\n\nThanks\n'),
    ).toBe('250 Accepted');
    expect(await get('/events?eventName=email.received')).toMatchObject({
      data: [{ data: { subject: 'Re: Hello', to: from } }],
    });

    const returnPath = createReturnPaths(readFileSync(path.join(data, 'secret.key'), 'utf8').trim()).of(
      sent.emailId,
      `bounces.${from.split('@')[1]}`,
    );
    expect(await sendTo(listener, '', returnPath, dsn())).toBe('250 Accepted');
    expect(await get(`/emails/${sent.emailId}`)).toMatchObject({ status: 'BOUNCED', bounceType: 'permanent' });
  });

  test('the demo finds the system at its default URL if DATA_DIR is another folder', async () => {
    const env = { ...process.env, PORT: String(port), DATA_DIR: path.join(closed, 'elsewhere') };
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/demo.mjs'], { cwd: clone, env });
    expect(stdout).toContain(`A campaign to 1,000 contacts at http://${LOOPBACK}:${port}`);
    expect(stdout).toMatch(/sentCount +1,000/);
  });

  test('the demo names the address that it tried if nothing runs there', async () => {
    const unused = await freePort();
    const env = { ...process.env, PORT: String(unused), DATA_DIR: path.join(closed, 'elsewhere') };
    const demo = promisify(execFile)(process.execPath, ['scripts/demo.mjs'], { cwd: clone, env });
    await expect(demo).rejects.toMatchObject({
      stderr: expect.stringContaining(`No Sendloom responds at http://${LOOPBACK}:${unused}.`),
    });
  });

  test('logs nothing but JSON before the banner, so that a log collector can read it', () => {
    const lines = running.output().split('Sendloom is ready.')[0]?.split('\n') ?? [];
    const log = lines.filter((line) => line.includes('[INFO]') || line.startsWith('{'));
    expect(log.length).toBeGreaterThan(0);
    for (const line of log) expect(JSON.parse(line)).toHaveProperty('msg');
  });

  test('rejects a second start on the same data in one line, and the first keeps running', async () => {
    const second = start({ PORT: String(await freePort()) });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`Process ${nodePid()} already runs Sendloom`);
    expect(await contacts()).toEqual(['ann@example.test']);
  });

  test('omits each embedded part whose variable points elsewhere', async () => {
    const { database, temporal, smtp, dns } = addresses();
    const other = await freePort();
    const dataDir = path.join(closed, 'empty');
    const secret = readFileSync(path.join(data, 'secret.key'), 'utf8').trim();
    const beside = start({
      PORT: String(other),
      DATA_DIR: dataDir,
      DATABASE_URL: database,
      TEMPORAL_ADDRESS: temporal,
      SMTP_URL: smtp,
      DNS_SERVERS: dns,
      SECRET_KEY: secret,
    });
    await beside.ready();
    expect(readdirSync(dataDir)).toEqual(['addresses.json', 'journal']);
    const response = await fetch(`http://${LOOPBACK}:${other}/contacts`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(200);
    await beside.end('SIGTERM');
    expect(await isListening(other)).toBe(false);
    expect(await contacts()).toEqual(['ann@example.test']);
  });

  test('SIGTERM to npm stops all processes', async () => {
    const before = addresses();
    await running.end('SIGTERM');
    expect(running.output()).toContain('"stopped"');
    await expectNothingLeft(before);
  });

  test('a port in use is reported in one line, and nothing is left running', async () => {
    const { createServer } = await import('node:net');
    const stranger = createServer().listen(port, LOOPBACK);
    await once(stranger, 'listening');
    const began = Date.now();
    const refused = start();
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain(`Port ${port} is already in use.`);
    // The worker, which was starting at the same time, must not delay the end.
    expect(Date.now() - began).toBeLessThan(25_000);
    expect(existsSync(path.join(data, 'sendloom.claim.json'))).toBe(false);
    stranger.close();
    await once(stranger, 'close');
  });

  test('a second start is ready in under 10 seconds, with the data of the first', async () => {
    running = start();
    // Measured on a machine that may run other tests at the same time.
    expect(await running.ready()).toBeLessThan(process.env.CI ? 20_000 : 10_000);
    expect(await contacts()).toEqual(['ann@example.test']);
  });

  test('a SIGKILL leaves nothing that blocks the next start', async () => {
    const before = addresses();
    process.kill(nodePid(), 'SIGKILL');
    await running.ended;
    expect(await isListening(portOf(before.database))).toBe(true);
    running = start();
    await running.ready();
    expect(await contacts()).toEqual(['ann@example.test']);
    expect(
      (await isListening(portOf(before.database))) && portOf(addresses().database) !== portOf(before.database),
    ).toBe(false);
  });

  test('Ctrl-C, which reaches the whole process group, stops all processes', async () => {
    const before = addresses();
    const { pid } = running.npm;
    if (pid === undefined) throw new Error('npm has no pid');
    process.kill(-pid, 'SIGINT');
    await running.ended;
    expect(running.output()).not.toContain('received a second signal');
    await expectNothingLeft(before);
    expect(existsSync(path.join(data, 'sendloom.claim.json'))).toBe(false);
  });
});
