import { generateKeyPairSync } from 'node:crypto';
import { authenticate } from 'mailauth';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileMessage, type MessageSource } from '../../src/mail/compiled-message.js';
import { compose, type OutgoingMessage } from '../../src/mail/compose.js';
import { createLinks } from '../../src/mail/links.js';
import { generateDkimKey, loadDkimKey, signMessage, SigningError, type DkimKeyPair } from '../../src/mail/sign.js';

let pair: DkimKeyPair;
beforeAll(async () => {
  pair = await generateDkimKey();
});

const signer = () => ({ domain: 'example.com', selector: 'sl1', key: loadDkimKey(pair.privateKeyPem) });

const message = (changes: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  messageId: 'abc123@example.com',
  date: new Date('2024-10-01T12:00:00.000Z'),
  from: { name: 'Jürgen', address: 'news@example.com' },
  to: { address: 'reader@example.net' },
  subject: 'Hello',
  html: '<p>Hello</p>',
  headers: {},
  attachments: [],
  bulk: false,
  ...changes,
});

/** The result of an independent verifier that finds the key in DNS. */
async function verdict(raw: Buffer): Promise<{ result: string; comment?: string }> {
  const { dkim } = await authenticate(raw, {
    ip: '127.0.0.1',
    helo: 'a.example.com',
    sender: 'news@example.com',
    disableArc: true,
    disableDmarc: true,
    disableBimi: true,
    resolver: async (name: string) => {
      if (name === 'sl1._domainkey.example.com') return [[`v=DKIM1; k=rsa; p=${pair.publicKeyBase64}`]];
      throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    },
  });
  const [first] = dkim?.results ?? [];
  return { result: String(first?.status.result), comment: String(first?.status.comment) };
}

const CASES: Array<[string, Partial<OutgoingMessage>]> = [
  ['an ASCII mail', {}],
  ['a UTF-8 mail', { subject: 'Grüße 🎉 aus Köln', html: `<p>${'Grüße 🎉 '.repeat(100)}</p>` }],
  [
    'a mail in another script',
    { subject: '今日の天気', html: '<p>こんにちは世界</p>', to: { name: '花子', address: 'hanako@example.net' } },
  ],
  [
    'a mail with attachments',
    {
      attachments: [
        {
          filename: 'Übersicht.pdf',
          content: Buffer.alloc(20_000, 3),
          contentType: 'application/pdf',
          disposition: 'attachment',
        },
      ],
    },
  ],
  ['a mail with trailing blank lines and white space', { html: '<p>a  \t b</p>  \n\n \t\n\n\n', text: 'x \n \n\n' }],
  [
    'a mail with long headers',
    {
      subject: 'word '.repeat(150).trim(),
      to: { name: 'Ä'.repeat(100), address: 'a@example.net' },
      headers: { 'X-Long': 'y '.repeat(200) },
    },
  ],
  [
    'a bulk mail',
    {
      bulk: true,
      replyTo: 'help@example.com',
      listUnsubscribe: { url: 'https://a.example/unsubscribe/t', mailto: 'u@example.com' },
    },
  ],
];

describe('DKIM signatures', () => {
  it.each(CASES)('of %s are valid', async (_name, changes) => {
    const verified = await verdict(await signMessage(compose(message(changes)), signer()));
    expect(verified).toMatchObject({ result: 'pass' });
  });

  it('of a compiled mail are valid and the same without the conversion of its body', async () => {
    const { tracking } = createLinks({ secretKey: '0123456789abcdef0123456789abcdef', publicUrl: 'https://m.test' });
    const source: MessageSource = {
      messageIdDomain: 'example.com',
      from: { name: 'Jürgen', address: 'news@example.com' },
      subject: 'Grüße {{ name }}',
      html: '<p>a  b \t c = {{ name }}  \n\n</p><p>.{{ name }}.</p><a href="https://shop.test/">x</a> \n\n\n{{ name }}',
      headers: {},
      attachments: [],
      bulk: true,
    };
    for (const name of ['Jürgen  ', '', ' .\t x \n\n\n', 'x '.repeat(300)]) {
      const raw = compileMessage(source, tracking).write({
        id: '01890a5d-ac96-774b-bcce-b302099a8058',
        date: new Date('2024-10-01T12:00:00.000Z'),
        to: { address: 'reader@example.net' },
        variables: { name },
        tracked: true,
      });
      const signed = await signMessage(raw, signer(), { isBodyRelaxed: true });
      expect(await verdict(signed)).toMatchObject({ result: 'pass' });
      expect(signed.equals(await signMessage(raw, signer()))).toBe(true);
    }
  });

  it('cover the addresses, the content, and the unsubscribe headers', async () => {
    const raw = await signMessage(
      compose(message({ replyTo: 'a@example.com', listUnsubscribe: { url: 'https://a.example/t' } })),
      signer(),
    );
    const header = raw.toString('latin1').split('\r\n\r\n')[0]?.replace(/\r\n /g, '') ?? '';
    const names = /h=([^;]*);/.exec(header)?.[1]?.split(':');
    expect(names).toEqual([
      'from',
      'from',
      'to',
      'reply-to',
      'subject',
      'date',
      'message-id',
      'mime-version',
      'content-type',
      'list-unsubscribe',
      'list-unsubscribe-post',
    ]);
  });

  it("cover the caller's Feedback-ID and List-ID, which no relay can change", async () => {
    const headers = { 'Feedback-ID': 'spring:shop:news:sender', 'List-ID': '<news.shop.example>' };
    const signed = await signMessage(compose(message({ headers, bulk: true })), signer());
    const text = signed.toString('latin1');
    expect(/h=([^;]*);/.exec(text.replace(/\r\n /g, ''))?.[1]).toMatch(/:list-id:feedback-id$/);
    expect(await verdict(signed)).toMatchObject({ result: 'pass' });
    for (const value of Object.values(headers)) {
      const changed = text.replace(value, '<other.example>');
      expect(changed).not.toBe(text);
      expect((await verdict(Buffer.from(changed, 'latin1'))).result).not.toBe('pass');
    }
  });

  it.each([
    ['body', (raw: string) => raw.replace('<p>Hello</p>', '<p>Other</p>')],
    ['subject', (raw: string) => raw.replace('Subject: Hello', 'Subject: Other')],
    ['second From', (raw: string) => `From: evil@example.org\r\n${raw}`],
  ])('are invalid after a change: %s', async (_name, change) => {
    const raw = await signMessage(compose(message()), signer());
    expect((await verdict(Buffer.from(change(raw.toString('latin1')), 'latin1'))).result).not.toBe('pass');
  });

  it('have the same bytes for the same mail', async () => {
    const raw = compose(message());
    expect((await signMessage(raw, signer())).equals(await signMessage(raw, signer()))).toBe(true);
  });

  it('have header lines of at most 78 characters', async () => {
    const raw = await signMessage(compose(message()), signer());
    const header = raw.toString('latin1').split('\r\nFrom:')[0] ?? '';
    for (const line of header.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
  });

  it('are valid for an empty body', async () => {
    const raw = Buffer.from('From: a@example.com\r\nSubject: x\r\n\r\n');
    expect(await verdict(await signMessage(raw, signer()))).toMatchObject({ result: 'pass' });
  });

  it('fail with an unusable key, so that no mail is sent unsigned', async () => {
    const ed25519 = generateKeyPairSync('ed25519');
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const raw = compose(message());
    await expect(signMessage(raw, { ...signer(), key: ed25519.privateKey })).rejects.toThrow(SigningError);
    await expect(signMessage(raw, { ...signer(), key: rsa.publicKey })).rejects.toThrow(SigningError);
    await expect(signMessage(Buffer.from('no header'), signer())).rejects.toThrow(SigningError);
    expect(() => loadDkimKey('nonsense')).toThrow(SigningError);
    expect(() => loadDkimKey(ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).toThrow(
      SigningError,
    );
  });

  it('parse each key once', () => {
    expect(loadDkimKey(pair.privateKeyPem)).toBe(loadDkimKey(pair.privateKeyPem));
  });
});
