import libmime from 'libmime';
import { simpleParser } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { ComposeError } from '../../src/mail/address.js';
import { compose, type OutgoingMessage } from '../../src/mail/compose.js';
import { isReservedHeader, RESERVED_HEADERS } from '../../src/mail/headers.js';
import { startCpuTimer } from '../helpers/cpu-time.js';

const DATE = new Date('2024-10-01T12:00:00.000Z');
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const message = (changes: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  messageId: 'abc123@example.com',
  date: DATE,
  from: { name: 'Example', address: 'news@example.com' },
  to: { address: 'reader@example.net' },
  subject: 'Hello',
  html: '<p>Hello</p>',
  headers: {},
  attachments: [],
  bulk: false,
  ...changes,
});

const write = (changes: Partial<OutgoingMessage> = {}) => {
  const raw = compose(message(changes)).toString('latin1');
  const end = raw.indexOf('\r\n\r\n');
  return { raw, head: raw.slice(0, end), lines: raw.split('\r\n') };
};
const read = (changes: Partial<OutgoingMessage> = {}) => simpleParser(compose(message(changes)));
/** Content that every server accepts: ASCII, CRLF only, no long lines. */
function expectSound(raw: string): void {
  expect(raw).toMatch(/^[\t\r\n\x20-\x7e]*$/);
  expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  for (const line of raw.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
}

describe('composed mails', () => {
  it('have their sender, recipient, date, and Message-ID', async () => {
    const parsed = await read({
      to: { name: 'Ada Lovelace', address: 'ada@example.net' },
      replyTo: 'help@example.com',
    });
    expect(parsed.from?.value).toEqual([{ name: 'Example', address: 'news@example.com' }]);
    expect(parsed.to).toMatchObject({ value: [{ name: 'Ada Lovelace', address: 'ada@example.net' }] });
    expect(parsed.replyTo?.value).toMatchObject([{ address: 'help@example.com' }]);
    expect(parsed).toMatchObject({
      messageId: '<abc123@example.com>',
      date: DATE,
      subject: 'Hello',
      html: '<p>Hello</p>',
    });
    expect(write().head).toContain('Date: Tue, 01 Oct 2024 12:00:00 +0000\r\n');
  });

  it('have the addresses of Cc, one per line', async () => {
    const cc = Array.from({ length: 50 }, (_, n) => ({
      name: `Jürgen "J." ${n}, Müller`,
      address: `cc${n}@example.net`,
    }));
    const { raw, lines } = write({ cc });
    expectSound(raw);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(78);
    expect((await read({ cc })).cc).toMatchObject({ value: cc });
    expect(write({ cc: [] }).head).not.toContain('Cc:');
  });

  it('have the same bytes when composed again', () => {
    const make = () =>
      compose(
        message({
          attachments: [{ filename: 'a.png', content: PIXEL, contentType: 'image/png', disposition: 'attachment' }],
        }),
      );
    expect(make().equals(make())).toBe(true);
    expect(compose(message()).equals(compose(message({ messageId: 'other@example.com' })))).toBe(false);
  });

  it('have a text alternative, given or derived from the HTML', async () => {
    expect((await read({ html: '<p>Hi <b>you</b></p><a href="https://a.example">x</a>' })).text?.trim()).toBe(
      'Hi you\n\nx [https://a.example]',
    );
    expect((await read({ text: 'Own text' })).text?.trim()).toBe('Own text');
  });

  it.each([
    'Jürgen Müller',
    'Zoë 🎉 Party',
    '株式会社サンプル',
    'O"Brien, Inc. (x) <y>',
    'Dr. A. B',
    'Ä'.repeat(120),
    '🎉'.repeat(60),
    '=?utf-8?Q?trick?=',
    `Long ${'name '.repeat(30)}end`,
  ])('encode the name %s by RFC 2047', async (name) => {
    const parsed = await read({ from: { name, address: 'a@example.com' }, to: { name, address: 'b@example.net' } });
    expect(parsed.from?.value).toEqual([{ name, address: 'a@example.com' }]);
    const { raw, head } = write({ from: { name, address: 'a@example.com' } });
    expectSound(raw);
    for (const word of head.match(/=\?[^?]+\?[QB]\?[^?]*\?=/g) ?? []) {
      expect(word.length).toBeLessThanOrEqual(75);
      const [, encoding, text = ''] = /^=\?utf-8\?([QB])\?(.*)\?=$/.exec(word) ?? [];
      const bytes =
        encoding === 'B'
          ? Buffer.from(text, 'base64')
          : Buffer.from(
              text
                .replaceAll('_', ' ')
                .replace(/=(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
              'latin1',
            );
      expect(bytes.toString()).not.toContain('\uFFFD');
    }
    for (const line of head.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
  });

  it.each([
    'Grüße aus Köln 🎉',
    'x '.repeat(300).trim(),
    'ü'.repeat(998),
    'A'.repeat(998),
    '=?utf-8?Q?evil?=',
    'Ünï '.repeat(40).trim(),
    'two  spaces',
  ])('encode the subject %s', async (subject) => {
    const { raw, head } = write({ subject });
    expectSound(raw);
    expect((await read({ subject })).subject).toBe(subject);
    for (const line of head.split('\r\n'))
      expect(line.length).toBeLessThanOrEqual(subject.startsWith('AAA') ? 998 : 78);
  });

  it('wrap a line of 1,500 characters', async () => {
    const html = `<p>${'long text '.repeat(150)}</p>`;
    const { raw, lines } = write({ html });
    expectSound(raw);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76);
    expect((await read({ html })).html).toBe(html);
  });

  it.each([
    ['short ASCII lines in 7bit', '<p>plain</p>\n<p>text</p>', '7bit'],
    [
      'a few special characters in quoted-printable',
      `<p>Grüße = ${'text '.repeat(50)}</p> \n<p>&</p>\t`,
      'quoted-printable',
    ],
    ['mostly other scripts in base64', '<p>こんにちは世界、お元気ですか。今日はとても良い天気です。</p>', 'base64'],
    ['control characters in quoted-printable', `<p>${'a'.repeat(50)}\u0000\u0008</p>`, 'quoted-printable'],
  ])('encode %s', async (_name, html, encoding) => {
    const { raw } = write({ html, text: 'x' });
    expectSound(raw);
    expect(raw).toContain(`Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`);
    expect((await read({ html, text: 'x' })).html).toBe(html);
  });

  it('never split a character at a soft line break', () => {
    const { raw } = write({
      html: `<p>${'a'.repeat(400)}${'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaé🎉'.repeat(20)}</p>`,
      text: 'x',
    });
    const body = raw.slice(raw.indexOf('quoted-printable'));
    for (const line of body.split('\r\n').filter((line) => line.endsWith('='))) {
      const bytes = Buffer.from(
        line.slice(0, -1).replace(/=(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      );
      expect(bytes.toString()).not.toContain('\uFFFD');
      expect(line.length).toBeLessThanOrEqual(76);
    }
  });

  it('convert every kind of line ending to CRLF', () => {
    expectSound(write({ html: 'a\nb\r\nc\rd\n.\n..x', text: 'a\n\nb' }).raw);
  });

  it('contain attachments with names in any script', async () => {
    const names = [
      'a.pdf',
      'Übersicht für März.pdf',
      '資料.pdf',
      'quo"te;x.pdf',
      `${'lang-'.repeat(40)}ß.pdf`,
      `${'a'.repeat(200)}.pdf`,
    ];
    const attachments = names.map((filename, index) => ({
      filename,
      content: Buffer.from(`content ${index}`),
      contentType: 'application/pdf',
      disposition: 'attachment' as const,
    }));
    expectSound(write({ attachments }).raw);
    const parsed = await read({ attachments });
    expect(parsed.attachments.map(({ filename }) => filename)).toEqual(names);
    expect(parsed.attachments.map(({ content }) => content.toString())).toEqual(
      names.map((_, index) => `content ${index}`),
    );
    expect(
      parsed.attachments.every(
        ({ contentType, contentDisposition }) =>
          contentType === 'application/pdf' && contentDisposition === 'attachment',
      ),
    ).toBe(true);
    expect(write({ attachments }).raw).toMatch(/^Content-Type: multipart\/mixed;/m);
  });

  it('contain inline images that the body references', async () => {
    const attachments = [
      {
        filename: 'logo.png',
        content: PIXEL,
        contentType: 'image/png',
        contentId: 'logo@x',
        disposition: 'inline' as const,
      },
      {
        filename: 'doc.pdf',
        content: Buffer.alloc(5000, 7),
        contentType: 'application/pdf',
        disposition: 'attachment' as const,
      },
    ];
    const parsed = await read({ html: '<img src="cid:logo@x">', attachments });
    expect(parsed.html).toContain(`data:image/png;base64,${PIXEL.toString('base64')}`);
    expect(parsed.attachments).toMatchObject([
      { cid: 'logo@x', related: true },
      { filename: 'doc.pdf', size: 5000 },
    ]);
    expect(write({ attachments }).raw).toMatch(
      /multipart\/mixed[\s\S]*multipart\/alternative[\s\S]*text\/plain[\s\S]*multipart\/related[\s\S]*text\/html[\s\S]*image\/png[\s\S]*application\/pdf/,
    );
  });

  it.each(['message/rfc822', 'multipart/mixed', 'text/html\r\nX: y', 'nonsense', 'a/b; name="x\r\ny"'])(
    'send an attachment of type %j as application/octet-stream',
    (contentType) => {
      const { raw } = write({
        attachments: [{ filename: 'a', content: Buffer.from('x'), contentType, disposition: 'attachment' }],
      });
      expect(raw).toContain('Content-Type: application/octet-stream;');
    },
  );

  it('have List-Unsubscribe for one click (RFC 8058) and Precedence: bulk', async () => {
    const url = 'https://mail.example.com/unsubscribe/token';
    const { head } = write({ listUnsubscribe: { url, mailto: 'u-1@example.com' }, bulk: true });
    expect(head).toContain(
      `List-Unsubscribe: <${url}>,\r\n <mailto:u-1@example.com?subject=unsubscribe>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`,
    );
    expect(head).toContain('Precedence: bulk');
    expect(write().head).not.toMatch(/Precedence|List-/);
  });

  const identity = {
    feedbackId: 'spring:shop:marketing:sender',
    list: { id: 'campaigns.shop.mail.example.com', name: 'The Shop' },
  };

  it('have Feedback-ID and List-ID if they are bulk mail', () => {
    expect(write({ identity, bulk: true }).head).toContain(
      'Feedback-ID: spring:shop:marketing:sender\r\nList-ID: The Shop <campaigns.shop.mail.example.com>\r\n',
    );
    expect(write({ bulk: false }).head).not.toMatch(/Feedback-ID|List-ID/i);
  });

  it.each([
    ['Ada & Söhne', '=?utf-8?B?QWRhICYgU8O2aG5l?= <'],
    ['Shop <a@x.test>, "new"', String.raw`"Shop <a@x.test>, \"new\"" <`],
    ['Shop\r\nBcc: a@x.test', '"Shop Bcc: a@x.test"'],
    ['word '.repeat(40).trim(), '=?utf-8?Q?word_word'],
  ])('encode %j as the name of the list', async (name, encoded) => {
    const { raw, head } = write({ identity: { ...identity, list: { ...identity.list, name } }, bulk: true });
    expectSound(raw);
    expect(head).toContain(`List-ID: ${encoded}`);
    for (const line of head.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
    const parsed = await simpleParser(raw);
    expect(JSON.stringify(parsed.headers.get('list'))).toContain(identity.list.id);
    expect(parsed.bcc).toBeUndefined();
  });

  it("keep the author's Feedback-ID and List-ID, each instead of that of Sendloom", () => {
    const own = { 'FEEDBACK-id': 'a:b:c:shop1' };
    const { head } = write({ identity, headers: own, bulk: true });
    expect(head.match(/^feedback-id:.*$/gim)).toEqual(['FEEDBACK-id: a:b:c:shop1']);
    expect(head.match(/^list-id:.*$/gim)).toEqual(['List-ID: The Shop <campaigns.shop.mail.example.com>']);
    const both = write({ identity, headers: { ...own, 'list-id': '<news.shop.test>' }, bulk: true }).head;
    expect(both.match(/^(?:feedback|list)-id:.*$/gim)).toEqual([
      'FEEDBACK-id: a:b:c:shop1',
      'list-id: <news.shop.test>',
    ]);
  });

  it('encode and fold custom headers', async () => {
    const value = 'Größe '.repeat(30).trim();
    const headers = { 'X-Name': value, 'X-Long': 'word '.repeat(100).trim(), 'X-Id': '42' };
    expectSound(write({ headers }).raw);
    const parsed = await read({ headers });
    // The parser does not decode words in unknown headers.
    const name = parsed.headers.get('x-name');
    expect([
      typeof name === 'string' && libmime.decodeWords(name),
      parsed.headers.get('x-long'),
      parsed.headers.get('x-id'),
    ]).toEqual([value, headers['X-Long'], '42']);
  });

  it('omit custom headers that Sendloom sets itself', () => {
    const evil = Object.fromEntries(
      [
        ...RESERVED_HEADERS,
        'Content-Type',
        'CONTENT-TRANSFER-ENCODING',
        'Resent-From',
        'X-Bad\r\nBcc',
        'X Bad',
        'X:Bad',
        'ARC-Seal',
        '',
      ].map((name) => [name, 'evil@example.org']),
    );
    expect(Object.keys(evil).every((name) => isReservedHeader(name, { bulk: false }))).toBe(true);
    expect(write({ headers: evil }).raw).toBe(write().raw);
    expect(isReservedHeader('X-Fine', { bulk: true })).toBe(false);
  });

  it("keep the author's List-Unsubscribe, but bulk mails have only the one of Sendloom", () => {
    const headers = {
      'List-Unsubscribe': '<https://shop.example/off>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    expect(write({ headers }).head).toContain(
      'List-Unsubscribe: <https://shop.example/off>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n',
    );
    const listUnsubscribe = { url: 'https://mail.example.com/unsubscribe/token' };
    expect(write({ headers, listUnsubscribe, bulk: true }).raw).toBe(write({ listUnsubscribe, bulk: true }).raw);
  });

  it('contain each custom header once, with the Precedence of Sendloom', () => {
    const { head } = write({ headers: { 'X-A': '1', 'x-a': '2', Precedence: 'list' }, bulk: true });
    expect(head.match(/^x-a:/gim)).toHaveLength(1);
    expect(head.match(/^precedence: (.*)$/gim)).toEqual(['Precedence: bulk']);
  });

  it('do not allow header injection through values', async () => {
    const evil = 'x\r\nBcc: evil@example.org\r\n\r\nbody';
    const changes: Partial<OutgoingMessage> = {
      from: { name: evil, address: 'a@example.com' },
      to: { name: evil, address: 'b@example.net' },
      subject: evil,
      messageId: 'id\r\nBcc: evil@example.org',
      headers: { 'X-A': evil },
      listUnsubscribe: { url: `https://a.example/${evil}`, mailto: evil },
      attachments: [
        { filename: evil, content: PIXEL, contentType: 'image/png', contentId: evil, disposition: 'inline' },
      ],
    };
    expectSound(write(changes).raw);
    const parsed = await read(changes);
    expect(parsed.bcc).toBeUndefined();
    expect(parsed.html).toBe('<p>Hello</p>');
    expect(parsed.subject).toBe('x Bcc: evil@example.org body');
  });

  it.each(['a@b.example\r\nBcc: c@d.example', 'a b@c.example', '<a@b.example>', 'ada', '@b.example', 'a@'])(
    'are rejected for the address %j',
    (address) => {
      expect(() => compose(message({ to: { address } }))).toThrow(ComposeError);
    },
  );

  it('encode international domains in ASCII', () => {
    expect(write({ to: { address: 'post@straße.example' } }).head).toContain('To: post@xn--strae-oqa.example\r\n');
  });

  it('encode a large attachment quickly', async () => {
    const content = Buffer.alloc(10_000_000, 'abc');
    const cpuMs = startCpuTimer();
    const raw = compose(
      message({
        attachments: [
          { filename: 'big.bin', content, contentType: 'application/octet-stream', disposition: 'attachment' },
        ],
      }),
    );
    expect(cpuMs()).toBeLessThan(5000);
    expect((await simpleParser(raw)).attachments[0]?.content.equals(content)).toBe(true);
  });
});
