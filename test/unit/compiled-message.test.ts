/** Compiled messages: the static writer gives the same emails as rendering and composing each of them. */
import { simpleParser, type ParsedMail } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { compileMessage, type EmailValues, type MessageSource } from '../../src/mail/compiled-message.js';
import { ComposeError } from '../../src/mail/address.js';
import { compose } from '../../src/mail/compose.js';
import { compileContent } from '../../src/mail/content.js';
import { createLinks } from '../../src/mail/links.js';
import { encodeQuotedPrintable } from '../../src/mail/mime-encode.js';
import { TemplateError } from '../../src/mail/template-error.js';

const links = createLinks({
  secretKey: '0123456789abcdef0123456789abcdef',
  publicUrl: 'https://m.test',
  mailHost: 'm.test',
});
const CONTACT = '01890a5d-ac96-774b-bcce-b302099a8057';
const EMAIL = '01890a5d-ac96-774b-bcce-b302099a8058';
const OTHER = '01890a5d-ac96-774b-bcce-b302099a8059';

const IDENTITY = { feedbackId: 'a:b:marketing:sender', list: { id: 'campaigns.b.m.test', name: 'Jürgen' } };

const sourceOf = (changes: Partial<MessageSource> = {}): MessageSource => ({
  messageIdDomain: 'example.com',
  from: { name: 'Jürgen', address: 'news@example.com' },
  subject: 'Hello {{ name ?? you }}',
  html: '<p>Hello {{ name ?? you }}, welcome.</p><a href="https://shop.test/">Shop</a>',
  headers: {},
  attachments: [],
  bulk: true,
  ...changes,
});

const emailOf = (changes: Partial<EmailValues> = {}): EmailValues => ({
  id: EMAIL,
  date: new Date('2024-10-01T12:00:00.000Z'),
  to: { name: 'Ada Lovelace', address: 'ada@example.net' },
  variables: {},
  tracked: false,
  listUnsubscribe: links.unsubscribeTargets({ contactId: CONTACT, emailId: EMAIL }),
  ...changes,
});

const compile = (changes: Partial<MessageSource> = {}) => compileMessage(sourceOf(changes), links.tracking);

/** The email as it is rendered and composed without a compiled message. */
function composeSeparately(source: MessageSource, email: EmailValues): Buffer {
  const { subject, html, text } = compileContent(source).render(
    email.variables,
    email.tracked ? links.tracking.of(email.id) : undefined,
  );
  return compose({
    ...source,
    messageId: `${email.id}@${source.messageIdDomain}`,
    date: email.date,
    to: email.to,
    subject: `${email.subjectPrefix ?? ''}${subject}`,
    html,
    text,
    listUnsubscribe: email.listUnsubscribe,
  });
}

/** What a reader's program gets from an email. */
async function contentOf(raw: Buffer): Promise<Record<string, unknown>> {
  const parsed: ParsedMail = await simpleParser(raw, { skipTextLinks: true, skipHtmlToText: true });
  const { subject, from, to, replyTo, messageId, date, html, text, attachments } = parsed;
  const headers = parsed.headerLines
    .filter(({ key }) => key !== 'content-type')
    .map(({ line }) => line.replace(/\r?\n[ \t]+/g, ' '));
  const files = attachments.map(({ filename, cid, content, contentType }) => ({
    filename,
    cid,
    contentType,
    content: content.toString('base64'),
  }));
  return { subject, from: from?.value, to, replyTo: replyTo?.value, messageId, date, html, text, headers, files };
}

/** Rules for every line: CRLF only, at most 998 bytes (in bodies 76 characters), no dot at the start. */
function expectSound(raw: Buffer): void {
  const text = raw.toString('latin1');
  expect(text).toMatch(/^[\t\r\n\x20-\x7e]*$/);
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(text.endsWith('\r\n')).toBe(true);
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  for (const line of text.split('\r\n')) {
    expect(line.length).toBeLessThanOrEqual(998);
    expect(line).not.toMatch(/^\./);
  }
  for (const line of body.split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
  // DKIM's relaxed form of the body is the body itself.
  expect(body).not.toMatch(/\t| {2}| \r\n/);
}

async function expectSame(source: MessageSource, email: EmailValues): Promise<void> {
  const compiled = compileMessage(source, links.tracking);
  expect(compiled.isStatic({ tracked: email.tracked })).toBe(true);
  const raw = compiled.write(email);
  expectSound(raw);
  expect(await contentOf(raw)).toEqual(await contentOf(composeSeparately(source, email)));
}

describe('a compiled message', () => {
  it('gives the same email as rendering and composing', async () => {
    for (const tracked of [false, true])
      await expectSame(
        sourceOf({ replyTo: 'help@example.com', headers: { 'X-Id': '42' }, identity: IDENTITY }),
        emailOf({ tracked }),
      );
  });

  it('has the same bytes for the same email', () => {
    const write = () => compileMessage(sourceOf(), links.tracking).write(emailOf({ tracked: true }));
    const first = Buffer.from(write());
    compile().write(emailOf({ id: OTHER, tracked: true }));
    expect(write().equals(first)).toBe(true);
    expect(
      compile()
        .write(emailOf({ id: OTHER, tracked: true }))
        .equals(first),
    ).toBe(false);
  });

  it.each([
    ['<p>{% if name %}x{% endif %}</p>', 'logic'],
    ['<p>{{ name | upcase }}</p>', 'a filter'],
  ])('renders and composes each email of %s (%s)', async (html) => {
    const source = sourceOf({ html });
    const compiled = compileMessage(source, links.tracking);
    for (const tracked of [false, true]) {
      const email = emailOf({ tracked, variables: { name: 'Ada' } });
      expect(compiled.isStatic({ tracked })).toBe(false);
      expect(compiled.write(email).equals(composeSeparately(source, email))).toBe(true);
    }
  });

  it('renders and composes each email if the body shows its links only when it is rendered', async () => {
    const compiled = compile({ html: '<p>{{{ name }}}</p>' });
    expect([compiled.isStatic({ tracked: false }), compiled.isStatic({ tracked: true })]).toEqual([true, false]);
    const raw = compiled.write(emailOf({ tracked: true, variables: { name: '<a href="https://shop.test/">x</a>' } }));
    expect((await simpleParser(raw)).html).toContain('https://m.test/c/');
  });

  it('renders and composes each email with a header whose name begins with a dot', () => {
    expect(compile({ headers: { '.X-Id': '42' } }).isStatic({ tracked: false })).toBe(false);
  });

  it('contains attachments and inline images', async () => {
    const attachments: MessageSource['attachments'] = [
      { filename: 'a.png', content: Buffer.from('x'), contentType: 'image/png', contentId: 'a', disposition: 'inline' },
      {
        filename: 'Größe.pdf',
        content: Buffer.alloc(999, 7),
        contentType: 'application/pdf',
        disposition: 'attachment',
      },
    ];
    await expectSame(sourceOf({ html: '<img src="cid:a">{{ name }}', attachments }), emailOf({ tracked: true }));
  });

  it('writes a value on lines of its own, so that its length does not change other lines', () => {
    const linesOf = (name: string) =>
      compile({ html: `<p>${'text '.repeat(30)}{{ name }} ${'text '.repeat(30)}</p>`, subject: 'x' })
        .write(emailOf({ variables: { name } }))
        .toString('latin1')
        .split('\r\n');
    const [short, long] = [linesOf('~'), linesOf('~'.repeat(200))];
    expect(short.filter((line) => !/^~+=$/.test(line))).toEqual(long.filter((line) => !/^~+=$/.test(line)));
    expect(short).toContain('~=');
  });

  it('never divides a tracking token by a line break', () => {
    const html = Array.from({ length: 90 }, (_, at) => `${'x'.repeat(at)}<a href="https://shop.test/">y</a>`).join(
      '\n',
    );
    const raw = compile({ html })
      .write(emailOf({ tracked: true }))
      .toString('latin1');
    expect(raw.split(links.tracking.of(EMAIL).token)).toHaveLength(92);
  });

  it('collapses the blank lines that empty values leave in the text alternative', async () => {
    const html = '<p>one</p><p>{{ name }}</p><p>two</p><p>{{ other }}</p>';
    const textOf = async (variables: Record<string, unknown>) =>
      (await simpleParser(compile({ html }).write(emailOf({ variables })))).text;
    expect(await textOf({ name: 'Ada', other: 'x' })).toBe('one\n\nAda\n\ntwo\n\nx');
    expect(await textOf({ name: '', other: 'x' })).toBe('one\n\ntwo\n\nx');
    expect(await textOf({ name: 'a\n\n\n\nb', other: 'x' })).toBe('one\n\na\n\nb\n\ntwo\n\nx');
  });

  it('rejects an email with too many characters, an invalid date, or a malformed address', () => {
    const big = { name: 'x'.repeat(3_000_000) };
    expect(() => compile({ html: '{{ name }}{{ name }}' }).write(emailOf({ variables: big }))).toThrow(TemplateError);
    expect(() => compile().write(emailOf({ date: new Date(Number.NaN) }))).toThrow(ComposeError);
    expect(() => compile().write(emailOf({ to: { address: 'a@b.test\r\nBcc: c@d.test' } }))).toThrow(ComposeError);
  });

  it('keeps a non-ASCII local part, for servers with SMTPUTF8', () => {
    const raw = compile().write(emailOf({ to: { address: 'jürgen@straße.example' } }));
    expect(raw.toString()).toContain('\r\nTo: jürgen@xn--strae-oqa.example\r\n');
    expect(raw.subarray(-4).toString()).toBe('--\r\n');
  });

  it('writes many emails, each into bytes of its own', async () => {
    const compiled = compile({ html: `<p>{{ name }}</p>${'<p>text</p>\n'.repeat(400)}` });
    const emails = Array.from({ length: 500 }, (_, index) => compiled.write(emailOf({ variables: { name: index } })));
    for (const index of [0, 1, 250, 499]) {
      const raw = emails[index] ?? Buffer.alloc(0);
      expect((await simpleParser(raw)).subject).toBe(`Hello ${index}`);
    }
  });
});

describe('quoted-printable', () => {
  it.each([
    ['plain text.', 'plain text.'],
    ['.a\n..\r\n.', '=2Ea\r\n=2E.\r\n=2E'],
    ['a=b', 'a=3Db'],
    ['a  b \n c\t\n', 'a=20 b=20\r\n c=09\r\n'],
    ['ü🎉\uD83D', '=C3=BC=F0=9F=8E=89=EF=BF=BD'],
    ['\u0000\u007f', '=00=7F'],
    ['x'.repeat(75), 'x'.repeat(75)],
    [`${'x'.repeat(75)}.y`, `${'x'.repeat(75)}=\r\n=2Ey`],
    [`${'x'.repeat(74)}ü`, `${'x'.repeat(74)}=\r\n=C3=BC`],
    [`${'x'.repeat(75)} .`, `${'x'.repeat(75)}=\r\n .`],
    ['', ''],
  ])('of %j is %j', (text, encoded) => {
    expect(encodeQuotedPrintable(text)).toBe(encoded);
  });

  it('continues a line', () => {
    expect(encodeQuotedPrintable('.ab', 74)).toBe('.=\r\nab');
    expect(encodeQuotedPrintable('.ab', 75)).toBe('=\r\n=2Eab');
    expect(encodeQuotedPrintable('ab', 75)).toBe('=\r\nab');
  });
});

/** A deterministic source of random numbers (mulberry32), so that a failure can be repeated. */
function createRandom(seed: number): {
  pick: <T>(items: readonly T[]) => T | undefined;
  chance: (share: number) => boolean;
} {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    pick: (items) => items.at(Math.floor(next() * items.length)),
    chance: (share) => next() < share,
  };
}

const PIECES = [
  '<p>Thank you for being with us. This week there is something new to see for you and your friends.</p>\n',
  '<p>Grüße aus Köln = 1 + 1 🎉</p>\r\n',
  `<p>${'word'.repeat(60)}</p>`,
  `<p>${'ü'.repeat(100)}${'plain text '.repeat(60)}</p>`,
  '<p>.\n.. three\n...\n</p>',
  '<p>a  b\tc   \n d \r e</p>',
  '<p>{{ name }}</p>',
  '<p>Hi {{ name ?? "good friend" }}, you have {{ points ?? 0 }} points.</p>',
  '{{ name }}{{ other }} {{ data.city ?? nowhere }}',
  'one<br>{{ name }}<br>{{ other }}<br>two<br>\n',
  '<p title="{{ name }}" class=\'{{other}}\'>x</p>',
  '<h1>{{ name }}</h1>\n\n\n<ul><li>{{ other }}</li><li>{{ name }}</li></ul>',
  '<table><tr><td>{{ name }}</td><td>b</td></tr></table>',
  '<a href="https://shop.test/a?b=c&amp;d=e">Shop</a>',
  `<a href="https://shop.test/${'long/'.repeat(40)}">far</a>`,
  '<a href="https://shop.test/{{ name }}?p={{ points }}">{{ name }}</a>',
  '<a href="{{ url ?? "https://shop.test/none" }}">yours</a>',
  '<a href="https://shop.test/x" data-no-track>untracked</a> <a href="mailto:a@b.test">mail</a>',
  '<a href="{{ unsubscribeUrl }}">off</a>',
  '<img src="https://shop.test/{{ name }}.png" alt="{{ other }}">',
  '<p>こんにちは世界、{{ name }}。{{ other }}お元気ですか。今日はとても良い天気です。</p>'.repeat(5),
  '</body></html>',
];
const SUBJECTS = [
  'Hello',
  'Grüße {{ name ?? you }}',
  '{{ name }}',
  `${'long subject '.repeat(20)}{{ other }}`,
  '{{ name }} {{ other ?? "=?utf-8?Q?x?=" }}',
];
const VALUES = [
  '',
  undefined,
  null,
  'Ada',
  'Jürgen 🎉 名前',
  `<b>"Tom" & 'Ann'</b>`,
  'x'.repeat(1200),
  `${'many words '.repeat(80)}end`,
  'ü'.repeat(90),
  'a\nb\r\nc\n\n\n\nd',
  '\n\n',
  '.',
  '...dots',
  ' around ',
  'a  b\t\tc',
  '=3D =\n',
  '{{ name }}{% if %}',
  'https://shop.test/?a=1&b=2',
  0,
  false,
  12.5,
  ['a', 'b'],
  { plan: 'pro' },
];
const TEXTS = [
  'Hi {{ name ?? you }}\n\n\n\nmore',
  '. dot\n..\n',
  'a  b\t\tc ',
  'x'.repeat(2000),
  'Grüße 🎉\r\nnext',
  '{{ name }}\n\n{{ other }}\n\n{{ url }}',
  'trailing \n\n',
];
const NAMES = [
  undefined,
  'Ada Lovelace',
  'Jürgen Müller',
  'O"Brien, Inc. (x) <y>',
  'Ä'.repeat(80),
  'x\r\nBcc: a@b.test',
];

describe('random compiled messages', () => {
  it.each(Array.from({ length: 200 }, (_, seed) => seed))(
    'give the same emails as rendering and composing: %i',
    async (seed) => {
      const { pick, chance } = createRandom(seed);
      const source = sourceOf({
        subject: pick(SUBJECTS) ?? '',
        html: Array.from({ length: pick([1, 2, 4, 8, 12]) ?? 1 }, () => pick(PIECES)).join(''),
        headers: chance(0.5) ? { 'X-Name': pick(SUBJECTS) ?? '', 'X-Id': '42' } : {},
        bulk: chance(0.5),
        ...(chance(0.5) && { replyTo: 'help@example.com' }),
        ...(chance(0.3) && { text: `${pick(TEXTS)}${pick(TEXTS)}` }),
        ...(chance(0.3) && {
          cc: Array.from({ length: pick([1, 2, 50]) ?? 1 }, (_, n) => ({
            name: pick(NAMES),
            address: `cc${n}@example.net`,
          })),
        }),
      });
      const email = emailOf({
        to: { name: pick(NAMES), address: pick(['ada@example.net', 'post@straße.example']) ?? '' },
        variables: {
          name: pick(VALUES),
          other: pick(VALUES),
          points: pick(VALUES),
          url: pick(VALUES),
          data: { city: pick(VALUES) },
          unsubscribeUrl: links.unsubscribeUrl(CONTACT, EMAIL),
        },
        tracked: chance(0.5),
        subjectPrefix: chance(0.2) ? '[TEST] ' : undefined,
        listUnsubscribe: chance(0.5) ? links.unsubscribeTargets({ contactId: CONTACT, emailId: EMAIL }) : undefined,
      });
      await expectSame(source, email);
    },
  );
});
