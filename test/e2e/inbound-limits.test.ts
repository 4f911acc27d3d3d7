/** The limits of the SMTP listener: it rejects excess, replies 451 to temporary failures, and stays available. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { createContext } from '../../src/context.js';
import { newId } from '../../src/ids.js';
import { startInboundListener } from '../../src/inbound/listener.js';
import { startInbound } from '../../src/inbound/start.js';
import { createLog } from '../../src/log.js';
import { TEST_CERTIFICATE } from '../helpers/certificate.js';
import { eventually } from '../helpers/eventually.js';
import { openFlakyDatabase } from '../helpers/flaky-database.js';
import { useInbound } from '../helpers/inbound.js';
import { dsn } from '../helpers/reports.js';
import { connectSmtp, sendTo, type SmtpClient } from '../helpers/smtp-client.js';

const inbound = await useInbound({ INBOUND_MAX_MB: '1', INBOUND_CONNECTIONS: '10' });
const { port, receiving, eventsOf } = inbound;

const ACCEPTED = '250 Accepted';
const mail = (body = 'Hello\n'): string => `From: ann@x.test\nSubject: s\nMessage-ID: <${newId()}@x.test>\n\n${body}`;

const clients: SmtpClient[] = [];
afterAll(() => {
  for (const client of clients) client.close();
});
async function client(): Promise<SmtpClient> {
  const one = await eventually(() => connectSmtp(port));
  clients.push(one);
  return one;
}

describe('the listener', () => {
  test('does not relay, has no AUTH, and announces the maximum size', async () => {
    const one = await client();
    expect(await one.say('AUTH PLAIN AGEAYg==')).toMatch(/^5/);
    expect(await one.say('MAIL FROM:<ann@x.test> SIZE=1048577')).toMatch(/^552/);
    expect(await one.say('MAIL FROM:<ann@x.test>')).toMatch(/^250/);
    for (const to of ['bob@gmail.com', 'bob%gmail.com@x.test', '@x.test:bob@gmail.com', 'postmaster'])
      expect(await one.say(`RCPT TO:<${to}>`), to).toMatch(/^5/);
    expect(await one.say('DATA')).toMatch(/^503/);
    one.close();
  });

  test('rejects a larger mail and accepts the next one on the same connection', async () => {
    const project = await receiving();
    const one = await client();
    expect(await one.mail('ann@x.test', `a@${project.domain}`, mail(`${'x'.repeat(998)}\n`.repeat(1100)))).toMatch(
      /^552 /,
    );
    expect(await one.mail('ann@x.test', `a@${project.domain}`, mail(`${'x'.repeat(998)}\n`.repeat(900)))).toBe(
      ACCEPTED,
    );
    expect(await one.mail('ann@x.test', `a@${project.domain}`, mail())).toBe(ACCEPTED);
    one.close();
    expect(await eventsOf(project)).toHaveLength(2);
  });

  test('rejects a header and a tree of parts that are too large', async () => {
    const project = await receiving();
    const one = await client();
    expect(await one.mail('ann@x.test', `a@${project.domain}`, `Subject: ${'x\n '.repeat(150_000)}\n\n`)).toMatch(
      /^554 5\.6\.0 /,
    );
    expect(
      await one.mail(
        'ann@x.test',
        `a@${project.domain}`,
        `Content-Type: multipart/mixed; boundary=b\n\n${'--b\nContent-Type: text/plain\n\nx\n'.repeat(25_000)}--b--\n`,
      ),
    ).toMatch(/^554 5\.6\.0 /);
    expect(await one.mail('ann@x.test', `a@${project.domain}`, mail())).toBe(ACCEPTED);
    one.close();
  });

  test('accepts pipelined commands', async () => {
    const project = await receiving();
    const one = await client();
    const content = mail().replaceAll('\n', '\r\n');
    const commands = `MAIL FROM:<ann@x.test>\r\nRCPT TO:<a@${project.domain}>\r\nDATA\r\n`;
    one.write(
      `${commands}${content}\r\n.\r\n${commands}${content.replace('Message-ID: <', 'Message-ID: <second')}\r\n.\r\nQUIT\r\n`,
    );
    const answers: string[] = [];
    for (let i = 0; i < 9; i++) answers.push((await one.hear()).slice(0, 3));
    expect(answers).toEqual(['250', '250', '354', '250', '250', '250', '354', '250', '221']);
    await one.ended;
    expect(await eventsOf(project)).toHaveLength(2);
  });

  test('ends a connection that searches for addresses', async () => {
    const one = await client();
    await one.say('MAIL FROM:<ann@x.test>');
    const answers: string[] = [];
    for (let i = 0; i < 11; i++) answers.push((await one.say(`RCPT TO:<user${i}@example.com>`)).slice(0, 3));
    expect(answers).toEqual([...Array.from({ length: 10 }, () => '550'), '421']);
    await one.ended;
  });

  test('accepts a hundred recipients of one mail', async () => {
    const project = await receiving();
    const one = await client();
    await one.say('MAIL FROM:<ann@x.test>');
    for (let i = 0; i < 100; i++) expect(await one.say(`RCPT TO:<user${i}@${project.domain}>`)).toMatch(/^250/);
    expect(await one.say(`RCPT TO:<more@${project.domain}>`)).toMatch(/^452/);
    expect(await one.say('DATA')).toMatch(/^354/);
    expect(await one.content(mail())).toBe(ACCEPTED);
    one.close();
    expect(await eventsOf(project)).toHaveLength(100);
  });

  test('gives one client half of its connections, and frees them when they close', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => client()));
    const answers = await Promise.all(many.map((one) => one.say('NOOP')));
    expect(answers.filter((answer) => answer.startsWith('250'))).toHaveLength(5);
    for (const one of many) one.close();
    await eventually(async () => {
      const one = await client();
      expect(await one.say('NOOP')).toMatch(/^250/);
      one.close();
    });
  });

  test('stores nothing of a mail whose sender disconnects in the middle', async () => {
    const project = await receiving();
    const one = await client();
    await one.say('MAIL FROM:<ann@x.test>');
    await one.say(`RCPT TO:<a@${project.domain}>`);
    await one.say('DATA');
    const whole = mail('First half\nSecond half\n').replaceAll('\n', '\r\n');
    one.write(whole.slice(0, -20));
    one.close();
    await one.ended;
    const next = await client();
    expect(await next.mail('ann@x.test', `a@${project.domain}`, whole)).toBe(ACCEPTED);
    next.close();
    const events = await eventsOf(project);
    expect(events.map(({ data }) => data.text)).toEqual([expect.stringContaining('Second half')]);
  });
});

describe('without the database', () => {
  test('mails get 451 before and after their content, and are never applied partly', async () => {
    const flaky = await openFlakyDatabase(inbound.config.DATABASE_URL);
    const ctx = createContext({ ...inbound.config, DATABASE_URL: flaky.url }, createLog('silent'), { name: 'test' });
    const listener = await startInboundListener(ctx, { port: 0, host: '127.0.0.1' });
    try {
      const project = await receiving();
      const { id, mail: sent } = await inbound.mailed(project);
      const to = [sent.from, `a@${project.domain}`];
      const report = dsn();
      const one = await connectSmtp(listener.port);
      expect(await one.mail('', to, report)).toBe(ACCEPTED);
      await one.say('MAIL FROM:<>');
      for (const address of to) expect(await one.say(`RCPT TO:<${address}>`)).toMatch(/^250/);
      await one.say('DATA');
      await flaky.cut();
      expect(await one.content(dsn())).toMatch(/^451 4\.3\.0 /);
      expect(await one.mail('', to, report)).toMatch(/^451 4\.3\.0 /);
      await flaky.restore();
      await eventually(async () => expect(await one.mail('', to, report)).toBe(ACCEPTED));
      one.close();
      expect((await inbound.email(project, id)).status).toBe('BOUNCED');
      expect(await eventsOf(project)).toHaveLength(1);
    } finally {
      await listener.stop();
      await ctx.close();
      await flaky.close();
    }
  });
});

describe('a stop', () => {
  test('finishes a complete mail, replies 421 to others, and frees the port for the next worker', async () => {
    const project = await receiving();
    const config = { ...inbound.config, INBOUND_SMTP_PORT: 0 };
    const ctx = createContext(config, createLog('silent'), { name: 'test' });
    const listener = await startInboundListener(ctx, { port: 0, host: '127.0.0.1' });
    const idle = await connectSmtp(listener.port);
    const busy = await connectSmtp(listener.port);
    const second = startInbound({ ...ctx, config: { ...config, INBOUND_SMTP_PORT: listener.port } });

    // The contact is locked: the mail waits in its transaction while the stop comes.
    await inbound.as(project, 'POST', '/contacts', { email: 'ann@x.test' });
    const holder = await inbound.ctx.pool.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM contacts WHERE project_id = $1 FOR UPDATE`, [project.id]);
    const answer = busy.mail('ann@x.test', `a@${project.domain}`, mail());
    await eventually(async () => {
      const { rows } = await inbound.ctx.pool.query<{ waiting: number }>(
        `SELECT count(*) AS waiting FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      expect(rows[0]?.waiting).toBeGreaterThan(0);
    });
    const stopping = listener.stop();
    await holder.query('COMMIT');
    holder.release();
    expect(await answer).toBe(ACCEPTED);
    await stopping;
    await Promise.all([idle.ended, busy.ended]);
    expect(await idle.hear()).toMatch(/^(421|closed)/);

    expect(await eventually(() => sendTo(listener.port, 'ann@x.test', `a@${project.domain}`, mail()))).toBe(ACCEPTED);
    expect(await eventsOf(project)).toHaveLength(2);
    await second.stop();
    await ctx.close();
  });
});

test('with a certificate it offers STARTTLS', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sendloom-tls-'));
  const [cert, key] = ['cert', 'key'].map((name) => path.join(folder, `${name}.pem`));
  if (!cert || !key) throw new Error('unreachable');
  writeFileSync(cert, TEST_CERTIFICATE.cert);
  writeFileSync(key, TEST_CERTIFICATE.key);
  const ctx = createContext({ ...inbound.config, INBOUND_TLS_CERT: cert, INBOUND_TLS_KEY: key }, createLog('silent'), {
    name: 'test',
  });
  const listener = await startInboundListener(ctx, { port: 0, host: '127.0.0.1' });
  const socket = new Socket();
  const lines: string[] = [];
  socket.connect(listener.port, '127.0.0.1');
  socket.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\r\n').filter(Boolean)));
  await eventually(() => expect(lines.join()).toContain('220 '));
  socket.write('EHLO client.test\r\n');
  await eventually(() => expect(lines.join()).toContain('STARTTLS'));
  socket.write('STARTTLS\r\n');
  await eventually(() => expect(lines.at(-1)).toMatch(/^220 /));
  socket.removeAllListeners('data');
  const secure = connect({ socket, servername: 'secure.test', ca: TEST_CERTIFICATE.cert });
  await new Promise<void>((resolve, reject) => {
    secure.once('secureConnect', resolve);
    secure.once('error', reject);
  });
  expect(secure.authorized).toBe(true);
  secure.destroy();
  await listener.stop();
  await ctx.close();
  rmSync(folder, { recursive: true });
});
