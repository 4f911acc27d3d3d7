/** `npm run webhooks:listen`: what it prints for each delivery, and what it responds. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

const SCRIPT = 'scripts/webhooks-listen.mjs';
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const BODY = JSON.stringify({
  type: 'email.bounced',
  timestamp: '2026-11-23T10:00:00.000Z',
  data: { email: 'ada@x.test' },
});

const started: ChildProcess[] = [];
const receivers: Receiver[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

async function listen(args: string[] = [], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [SCRIPT, '0', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const url = await eventually(() => {
    const found = /URL for a webhook endpoint: (http:\S+)/.exec(output)?.[1];
    if (found === undefined || !output.includes('Ctrl+C')) throw new Error(`Not started: ${output}`);
    return found;
  });
  /** Waits until the text was printed. Returns all that was printed. */
  const printed = (text: string) =>
    eventually(() => {
      if (!output.includes(text)) throw new Error(`"${text}" is not in: ${output}`);
      return output;
    });
  return { child, url, printed };
}

function signed(body: string, { id = 'evt_1', secret = SECRET, at = Date.now() } = {}): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,AAAA v1,${signature}` };
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

describe('a delivery', () => {
  test('is printed with its type, id, signature, and indented body', async () => {
    const { url, printed } = await listen(['--secret', SECRET]);
    expect((await post(url, BODY, signed(BODY))).status).toBe(204);
    const output = await printed('responded 204');
    expect(output).toMatch(/^\d\d:\d\d:\d\d\.\d{3} email\.bounced · evt_1$/m);
    expect(output).toContain(`signature: valid · ${BODY.length} bytes`);
    expect(output).toContain('\n    "data": {\n      "email": "ada@x.test"\n    }\n');
    expect(output).not.toContain(SECRET);
  });

  test('is marked when its id arrives again', async () => {
    const { url, printed } = await listen();
    for (const id of ['a', 'b', 'a']) await post(url, BODY, { 'webhook-id': id });
    const output = await printed('repeated');
    expect(output.match(/· (a|b)\b.*$/gm)).toEqual(['· a', '· b', '· a · repeated (2 times)']);
    expect(output).toContain('signature: unchecked (no --secret)');
  });

  test('is printed with the reason if its signature is invalid', async () => {
    const { url, printed } = await listen([], { WEBHOOK_SECRET: `${SECRET},whsec_${'A'.repeat(32)}` });
    await post(url, BODY, signed(BODY));
    await printed('signature: valid');
    await post(url, `${BODY} `, signed(BODY));
    await printed('invalid (another secret, or a changed body)');
    await post(url, BODY, signed(BODY, { at: Date.now() - 600_000 }));
    // The timestamp has whole seconds, so it can be a second more.
    await printed('invalid (signed 60');
    await post(url, BODY);
    await printed('invalid (without webhook-id, webhook-timestamp, webhook-signature)');
  });

  test('without JSON, or with characters that control the terminal, is printed as harmless text', async () => {
    const { url, printed } = await listen();
    await post(url, 'plain \x1b[2J\x1b]0;title\x07 text\x9b31m\u202e', { 'webhook-id': 'x' });
    const output = await printed('responded 204');
    expect(output).toContain('POST / · x');
    // oxlint-disable-next-line no-control-regex -- they must not be there
    expect(output).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  });

  test('of more than 1 MB is rejected, and the next one is received', async () => {
    const { url, printed } = await listen();
    expect((await post(url, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    await printed('more than 1024 KB with 413');
    expect((await post(url, BODY)).status).toBe(204);
  });

  test('that breaks off does not end the receiver', async () => {
    const { url, printed } = await listen();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc', () => socket.destroy());
    await printed('was not received');
    expect((await post(url, BODY)).status).toBe(204);
  });
});

describe('the response', () => {
  test('has the given status after the given delay', async () => {
    const { url, printed } = await listen(['--status', '500', '--delay', '300']);
    const startedAt = performance.now();
    expect((await post(url, BODY)).status).toBe(500);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
    await printed('responded 500 after 300 ms');
  });

  test('is that of --forward, which gets the same bytes and headers', async () => {
    const receiver = await startReceiver();
    receivers.push(receiver);
    receiver.answer((response) => response.writeHead(429, { 'retry-after': '7' }).end('slow'));
    const { url, printed } = await listen(['--forward', `${receiver.origin}/hook`]);
    const headers = signed(BODY);
    const response = await post(url, BODY, headers);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    expect(receiver.requests).toEqual([
      expect.objectContaining({ method: 'POST', url: '/hook', body: BODY, headers: expect.objectContaining(headers) }),
    ]);
    await printed(`${receiver.origin}/hook responded 429; responded 429`);
  });

  test('is 502 if --forward does not respond', async () => {
    const { url, printed } = await listen(['--forward', 'http://127.0.0.1:9/hook']);
    expect((await post(url, BODY)).status).toBe(502);
    await printed('http://127.0.0.1:9/hook does not respond (');
  });
});

describe('the command', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('ends on %s, also while a response is delayed', async (signal) => {
    const { child, url, printed } = await listen(['--delay', '600000']);
    const pending = post(url, BODY).catch((error: unknown) => error);
    await printed('email.bounced');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await pending).toBeInstanceOf(Error);
  });

  test.each([
    ['a port that is not a number', ['http'], 'The port must be a whole number from 0 to 65535, but it is "http".'],
    ['two ports', ['4000', '5000'], 'Give only one port.'],
    ['an unusable secret', ['--secret', 'sk_1'], 'A secret is "whsec_" followed by base64.'],
    ['an unusable status', ['--status', '99'], '--status must be a whole number from 200 to 599, but it is "99".'],
    ['a URL that is not one', ['--forward', 'localhost:4000'], '--forward must be a URL with http or https'],
    ['an unknown option', ['--verbose'], "Unknown option '--verbose'"],
  ])('explains %s', (_, args, message) => {
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain('Usage: npm run webhooks:listen');
    expect(stderr).not.toContain('    at ');
  });

  test('explains that the port is in use', async () => {
    const receiver = await startReceiver();
    receivers.push(receiver);
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, String(receiver.port)], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, `The address 127.0.0.1:${receiver.port} is in use. Give another port.\n`]);
  });
});
