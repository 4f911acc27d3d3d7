import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startInbox, type Inbox } from '../../packages/embedded/src/inbox/index.js';
import type { ParsedMail } from '../../packages/embedded/src/inbox/mail.js';
import type { MailPage } from '../../packages/embedded/src/inbox/store.js';

const log = pino({ level: 'silent' });
let dataDir: string;
let inbox: Inbox;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'inbox-'));
  inbox = await start();
});

afterEach(async () => {
  await inbox.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = (): Promise<Inbox> => startInbox({ dataDir, smtpPort: 0, httpPort: 0, log });
const get = (path: string, init?: RequestInit): Promise<Response> => fetch(`${inbox.webUrl}${path}`, init);
const list = async (query = ''): Promise<MailPage> => JSON.parse(await (await get(`/api/messages${query}`)).text());

async function send(mail: Parameters<ReturnType<typeof createTransport>['sendMail']>[0]): Promise<void> {
  const transport = createTransport(inbox.smtpUrl);
  await transport.sendMail({
    from: 'sender@example.test',
    to: 'ann@example.test',
    subject: 'Hello',
    text: 'Text',
    ...mail,
  });
  transport.close();
}

describe('the inbox', () => {
  test('shows a mail in the API and on the page', async () => {
    await send({
      from: '"Zoë Sender" <zoe@example.test>',
      to: ['ann@example.test', 'bob@example.test'],
      subject: 'Grüße aus Köln',
      text: 'plain words',
      html: '<p>rich words <img src="cid:logo"></p>',
      attachments: [
        { filename: 'räport.pdf', content: Buffer.from('%PDF'), contentType: 'application/pdf' },
        { filename: 'logo.png', content: Buffer.from('png'), cid: 'logo' },
      ],
    });
    const { messages, total, cursor } = await list();
    expect({ total, cursor }).toEqual({ total: 1, cursor: null });
    expect(messages[0]).toMatchObject({
      from: expect.stringContaining('Zoë Sender'),
      to: ['ann@example.test', 'bob@example.test'],
      subject: 'Grüße aus Köln',
    });
    const id = messages[0]?.id;

    const mail: ParsedMail = JSON.parse(await (await get(`/api/messages/${id}`)).text());
    expect(mail.text).toContain('plain words');
    expect(mail.html).toContain('data:image/png;base64,');
    expect(mail.attachments).toMatchObject([
      { contentId: 'logo', contentType: 'image/png', disposition: 'inline' },
      { filename: 'räport.pdf', contentType: 'application/pdf', size: 4 },
    ]);
    expect(mail.headers.find(({ name }) => name === 'MIME-Version')?.value).toBe('1.0');

    const source = await (await get(`/api/messages/${id}/source`)).text();
    expect(source).toContain('MIME-Version: 1.0\r\n');
    expect(Buffer.byteLength(source)).toBe(messages[0]?.size);
    expect(await (await get(`/api/messages/${id}/attachments/1`)).text()).toBe('%PDF');

    expect(await (await get('/')).text()).toContain('Grüße aus Köln');
    const page = await (await get(`/messages/${id}`)).text();
    for (const part of ['plain words', '<iframe', 'MIME-Version', 'räport.pdf', `/api/messages/${id}/source`])
      expect(page).toContain(part);
  });

  test('leaves hostile HTML and headers inert', async () => {
    const attack = '<script>alert(1)</script>';
    await send({
      from: { name: attack, address: 'evil@example.test' },
      subject: `${attack}"><img src=x onerror=alert(1)>`,
      text: `</pre>${attack}`,
      html: `${attack}<form action="http://evil.test"></form>`,
      headers: { 'X-Evil': attack },
      attachments: [{ filename: `"${attack}.html`, content: attack, contentType: 'text/html' }],
    });
    const [mail] = (await list()).messages;
    const pages = ['/', `/?subject=${encodeURIComponent(attack)}`, `/messages/${mail?.id}`];
    for (const path of pages) {
      const answer = await get(path);
      expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
      const body = await answer.text();
      expect(body).not.toContain(attack);
      expect(body).not.toContain('<img src=x');
    }
    expect(await (await get(`/messages/${mail?.id}`)).text()).toMatch(
      /<iframe sandbox="(?!.*allow-scripts)(?!.*allow-same-origin)/,
    );

    const framed = await get(`/messages/${mail?.id}/html`);
    const policy = framed.headers.get('content-security-policy');
    expect(policy).toMatch(/^sandbox(?!.*allow-scripts)(?!.*allow-same-origin)/);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('http:');

    const file = await get(`/api/messages/${mail?.id}/attachments/0`);
    expect(file.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
  });

  test('rejects forms and requests of other sites', async () => {
    await send({});
    expect((await get('/delete', { method: 'POST', headers: { origin: 'http://evil.test' } })).status).toBe(403);
    expect((await get('/api/messages', { method: 'DELETE', headers: { origin: 'http://evil.test' } })).status).toBe(
      403,
    );
    expect(await (await get('/api/count')).json()).toEqual({ count: 1 });
  });

  test('keeps its mails after a restart, even if a crash interrupted a write', async () => {
    await send({ subject: 'first' });
    await send({ subject: 'second' });
    await inbox.stop();
    await appendFile(join(dataDir, 'inbox', 'index.jsonl'), '{"from":"torn');
    await appendFile(join(dataDir, 'inbox', 'partial.eml'), 'torn bytes');

    inbox = await start();
    await send({ subject: 'third' });
    const { messages } = await list();
    expect(messages.map(({ subject }) => subject)).toEqual(['third', 'second', 'first']);
    for (const { id, subject } of messages)
      expect(await (await get(`/api/messages/${id}/source`)).text()).toContain(`Subject: ${subject}\r\n`);
  });

  test('counts one mail in the singular', async () => {
    await send({});
    const page = await (await get('/')).text();
    expect(page).toContain('>1 mail<');
    expect(page).not.toContain('1 mails');
    await send({});
    expect(await (await get('/')).text()).toContain('>2 mails<');
  });

  test('pages and searches by address and subject', async () => {
    for (let i = 1; i <= 5; i++)
      await send({ to: i % 2 ? 'odd@example.test' : 'even@example.test', subject: `Number ${i}` });
    const first = await list('?limit=2');
    expect(first.messages.map(({ subject }) => subject)).toEqual(['Number 5', 'Number 4']);
    const second = await list(`?limit=2&cursor=${first.cursor}`);
    const third = await list(`?limit=2&cursor=${second.cursor}`);
    expect([...second.messages, ...third.messages].map(({ subject }) => subject)).toEqual([
      'Number 3',
      'Number 2',
      'Number 1',
    ]);
    expect(third.cursor).toBeNull();

    const odd = await list('?to=ODD@&limit=2');
    expect(odd).toMatchObject({ total: 3, messages: [{ subject: 'Number 5' }, { subject: 'Number 3' }] });
    expect(await list(`?to=ODD@&limit=2&cursor=${odd.cursor}`)).toMatchObject({
      total: 3,
      cursor: null,
      messages: [{ subject: 'Number 1' }],
    });
    expect((await list('?subject=number%204')).messages).toHaveLength(1);
  });

  test('deletes all mails, and an old id never refers to a new mail', async () => {
    await send({});
    const [old] = (await list()).messages;
    expect((await get('/api/messages', { method: 'DELETE' })).status).toBe(200);
    await send({ subject: 'new' });
    expect((await list()).total).toBe(1);
    expect((await get(`/api/messages/${old?.id}`)).status).toBe(404);
  });

  test('stores a large mail completely and rejects one above the limit', async () => {
    const big = Buffer.alloc(5 * 1024 * 1024, 7);
    await send({ attachments: [{ filename: 'big.bin', content: big }] });
    const [mail] = (await list()).messages;
    const content = Buffer.from(await (await get(`/api/messages/${mail?.id}/attachments/0`)).arrayBuffer());
    expect(content.equals(big)).toBe(true);
    await expect(
      send({ attachments: [{ filename: 'huge.bin', content: Buffer.alloc(40 * 1024 * 1024, 7) }] }),
    ).rejects.toMatchObject({ responseCode: 552 });
    expect((await list()).total).toBe(1);
  });

  test('uses a free port if the given one is in use', async () => {
    const other = await mkdtemp(join(tmpdir(), 'inbox-'));
    const second = await startInbox({
      dataDir: other,
      smtpPort: Number(new URL(inbox.smtpUrl).port),
      httpPort: Number(new URL(inbox.webUrl).port),
      log,
    });
    expect(second.smtpUrl).not.toBe(inbox.smtpUrl);
    expect((await fetch(`${second.webUrl}/api/count`)).status).toBe(200);
    await second.stop();
    await rm(other, { recursive: true });
  });
});
