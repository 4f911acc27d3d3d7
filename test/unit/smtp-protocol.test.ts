import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DataJoiner, finalDotAfter, stuffDots } from '../../src/mail/smtp/data.js';
import { createTask, findObstacle, writeEnvelope } from '../../src/mail/smtp/envelope.js';
import { noExtensions, parseExtensions } from '../../src/mail/smtp/extensions.js';
import { beginSession, type Reply } from '../../src/mail/smtp/handshake.js';
import { MAX_REPLY_BYTES, readReplyText, ReplyReader } from '../../src/mail/smtp/replies.js';
import { Turns } from '../../src/mail/smtp/sources.js';
import { parseSmtpUrl } from '../../src/mail/smtp/url.js';

/** Reads input in pieces. @returns the replies, or null if the input is not SMTP */
function readReplies(pieces: Buffer[]): Reply[] | null {
  const replies: Reply[] = [];
  const reader = new ReplyReader((code, bytes, start, end) => {
    replies.push({ code, text: readReplyText(bytes, start, end) });
    return true;
  });
  // One buffer for all pieces, as connections share theirs.
  const shared = Buffer.alloc(64 * 1024);
  for (const piece of pieces) {
    piece.copy(shared);
    if (!reader.read(shared.subarray(0, piece.length))) return null;
  }
  return replies;
}

describe('the reply reader', () => {
  const INPUT = Buffer.from('250-first\r\n250-zweites ü\r\n250 last\r\n354 go\r\n550\r\n421 4.3.2 bye\n');
  const REPLIES = [
    { code: 250, text: '250-first\n250-zweites ü\n250 last' },
    { code: 354, text: '354 go' },
    { code: 550, text: '550' },
    { code: 421, text: '421 4.3.2 bye' },
  ];

  it('reads replies that arrive together', () => {
    expect(readReplies([INPUT])).toEqual(REPLIES);
  });

  it('reads replies that are split at any byte', () => {
    for (let at = 1; at < INPUT.length; at++)
      expect(readReplies([INPUT.subarray(0, at), INPUT.subarray(at)])).toEqual(REPLIES);
    expect(readReplies([...INPUT].map((byte) => Buffer.from([byte])))).toEqual(REPLIES);
  });

  it.each(['hello\r\n', '\r\n', '25\r\n', '650 x\r\n', '250_x\r\n', '2505 x\r\n', ' 250 x\r\n', '250-a\r\nx\r\n'])(
    'rejects %j',
    (input) => {
      expect(readReplies([Buffer.from(input)])).toBeNull();
    },
  );

  it('rejects a reply without an end', () => {
    const line = Buffer.from(`250-${'x'.repeat(1020)}\r\n`);
    expect(readReplies(Array.from({ length: MAX_REPLY_BYTES / 1024 - 1 }, () => line))).toEqual([]);
    expect(readReplies(Array.from({ length: MAX_REPLY_BYTES / 1024 + 2 }, () => line))).toBeNull();
  });

  it('discards the rest of the input on request', () => {
    const codes: number[] = [];
    new ReplyReader((code) => codes.push(code) < 1).read(Buffer.from('250 a\r\n250 b\r\n'));
    expect(codes).toEqual([250]);
  });
});

describe('the extensions of a server', () => {
  it('are read from its reply to EHLO', () => {
    const reply =
      '250-mail.example.com PIPELINING\n250-size 1000\n250-AUTH LOGIN cram-md5\n250-AUTH=PLAIN\n250-starttls\n250 SMTPUTF8';
    expect(parseExtensions(reply)).toEqual({
      pipelining: false,
      startTls: true,
      smtpUtf8: true,
      maxSize: 1000,
      auth: new Set(['LOGIN', 'CRAM-MD5', 'PLAIN']),
    });
    expect(parseExtensions('250-x\n250-PIPELINING\n250 SIZE')).toMatchObject({ pipelining: true, maxSize: 0 });
    expect(parseExtensions('250 x')).toEqual(noExtensions());
  });
});

describe('an envelope', () => {
  const taskOf = (to: string) =>
    createTask({ from: 'a@example.com', to, content: Buffer.from('12345'), onResult: () => undefined }, false);

  it('declares the size and non-ASCII addresses to servers that accept them', () => {
    expect(writeEnvelope(taskOf('b@example.net'), noExtensions())).toBe(
      'MAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.net>\r\nDATA\r\n',
    );
    expect(writeEnvelope(taskOf('jürgen@example.net'), { ...noExtensions(), maxSize: 0, smtpUtf8: true })).toBe(
      'MAIL FROM:<a@example.com> SIZE=5 BODY=8BITMIME SMTPUTF8\r\nRCPT TO:<jürgen@example.net>\r\nDATA\r\n',
    );
  });

  it('is not sent to a server that cannot accept the email', () => {
    const utf8 = { ...noExtensions(), smtpUtf8: true };
    expect(findObstacle(taskOf('b@example.net'), { ...noExtensions(), maxSize: 4 })).toContain('at most 4');
    expect(findObstacle(taskOf('b@example.net'), { ...noExtensions(), maxSize: 5 })).toBeNull();
    expect(findObstacle(taskOf('b@example.net'), { ...noExtensions(), maxSize: 0 })).toBeNull();
    expect(findObstacle(taskOf('jürgen@example.net'), noExtensions())).toContain('SMTPUTF8');
    expect(findObstacle(taskOf('jürgen@example.net'), utf8)).toBeNull();
    expect(findObstacle(taskOf('b@straße.example'), noExtensions())).toBeNull();
  });

  it.each(['b@example.net>\r\nRSET', 'b', '', 'b @example.net'])('rejects the address %j', (to) => {
    expect(() => taskOf(to)).toThrow('malformed');
  });
});

describe('the data of an email', () => {
  it.each([
    ['a\r\nb\r\n', 'a\r\nb\r\n'],
    ['.\r\n', '..\r\n'],
    ['a\r\n.\r\n..\r\n.b\r\n', 'a\r\n..\r\n...\r\n..b\r\n'],
    ['a.\r\nb.', 'a.\r\nb.'],
    // A server that accepts a bare LF as a line end would find the end of the data here.
    ['a\n.\nRSET\r\n', 'a\n..\nRSET\r\n'],
  ])('of %j is %j', (content, data) => {
    expect(stuffDots(Buffer.from(content)).toString()).toBe(data);
  });

  it('ends with a dot on a line of its own', () => {
    expect(finalDotAfter(Buffer.from('a\r\n'))).toBe('.\r\n');
    expect(finalDotAfter(Buffer.from('a\n'))).toBe('\r\n.\r\n');
    expect(finalDotAfter(Buffer.alloc(0))).toBe('\r\n.\r\n');
    const joiner = new DataJoiner();
    expect(joiner.join(Buffer.from('a\r\n'), '.\r\nRCPT TO:<ü@x>').toString()).toBe('a\r\n.\r\nRCPT TO:<ü@x>');
    const large = Buffer.alloc(20_000, 'ü');
    expect(joiner.join(large, '.\r\n').equals(Buffer.concat([large, Buffer.from('.\r\n')]))).toBe(true);
    expect(joiner.join(Buffer.from('b'), '\r\n.\r\n').toString()).toBe('b\r\n.\r\n');
  });
});

describe('a session', () => {
  /** Begins a session with scripted replies. @returns what the client sent, or the error */
  async function begin(url: string, replies: string[]): Promise<string[]> {
    const sent: string[] = [];
    const next = (): Promise<Reply> => {
      const text = replies.shift() ?? '421 the script is over';
      return Promise.resolve({ code: Number(text.slice(0, 3)), text });
    };
    const dialogue = {
      readGreeting: next,
      command: (line: string) => (sent.push(line), next()),
      upgradeToTls: async () => void sent.push('(TLS)'),
    };
    await beginSession(dialogue, parseSmtpUrl(`${url}?name=me.example`)).catch((error: Error) =>
      sent.push(error.message),
    );
    return sent;
  }
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const EHLO = 'EHLO me.example';

  it('greets with EHLO, or with HELO if the server does not know EHLO', async () => {
    expect(await begin('smtp://h', ['220 h', '250 h'])).toEqual([EHLO]);
    expect(await begin('smtp://h', ['220 h', '502 what', '250 h'])).toEqual([EHLO, 'HELO me.example']);
    expect(await begin('smtp://h', ['220 h', '502 what', '502 what'])).toEqual([EHLO, 'HELO me.example', '502 what']);
    expect(await begin('smtp://h', ['554 no'])).toEqual(['554 no']);
    expect(await begin('smtp://h', ['220 h', '421 busy'])).toEqual([EHLO, '421 busy']);
  });

  it('upgrades to TLS if the server offers it or the URL requires it', async () => {
    const offer = '250-h\n250 STARTTLS';
    expect(await begin('smtp://h', ['220 h', offer, '220 go', offer])).toEqual([EHLO, 'STARTTLS', '(TLS)', EHLO]);
    expect(await begin('smtps://h', ['220 h', offer])).toEqual([EHLO]);
    expect(await begin('smtp://h', ['220 h', offer, '454 no'])).toEqual([EHLO, 'STARTTLS', '454 no']);
  });

  it.each([
    ['AUTH PLAIN LOGIN', ['235 ok'], [`AUTH PLAIN ${base64('\0u\0p')}`]],
    [
      'AUTH LOGIN CRAM-MD5',
      ['334 VXNlcm5hbWU6', '334 UGFzc3dvcmQ6', '235 ok'],
      ['AUTH LOGIN', base64('u'), base64('p')],
    ],
    [
      'AUTH CRAM-MD5',
      [`334 ${base64('<1@h>')}`, '235 ok'],
      ['AUTH CRAM-MD5', base64(`u ${createHmac('md5', 'p').update('<1@h>').digest('hex')}`)],
    ],
    ['SIZE', ['235 ok'], [`AUTH PLAIN ${base64('\0u\0p')}`]],
    ['AUTH PLAIN', ['535 wrong'], [`AUTH PLAIN ${base64('\0u\0p')}`, '535 wrong']],
    ['AUTH LOGIN', ['334 VXNlcm5hbWU6', '535 wrong'], ['AUTH LOGIN', base64('u'), '535 wrong']],
  ])('authenticates with a server that offers %s', async (offer, replies, sent) => {
    expect(await begin('smtp://u:p@h', ['220 h', `250-h\n250 ${offer}`, ...replies])).toEqual([EHLO, ...sent]);
  });
});

describe('sources', () => {
  const jobOf = (to: string) => ({ from: 'a@x', to, content: Buffer.alloc(0), onResult: () => undefined });

  it('take turns, and are not asked after null until they wake', () => {
    const turns = new Turns();
    const queues = { a: ['a1', 'a2', 'a3'], b: ['b1'] };
    let calls = 0;
    const sourceOf = (queue: string[]) => ({
      next: () => {
        calls++;
        const to = queue.shift();
        return to === undefined ? null : jobOf(to);
      },
    });
    turns.add(sourceOf(queues.a), () => undefined);
    const b = turns.add(sourceOf(queues.b), () => undefined);
    const take = () => turns.next()?.to;
    expect(new Set([take(), take(), take(), take()])).toEqual(new Set(['a1', 'a2', 'a3', 'b1']));
    expect(take()).toBeUndefined();
    const before = calls;
    queues.a.push('a4');
    queues.b.push('b2');
    expect(take()).toBeUndefined();
    expect(calls).toBe(before);
    b.wake();
    expect([take(), take()]).toEqual(['b2', undefined]);
    queues.b.push('b3');
    b.wake();
    b.remove();
    expect(take()).toBeUndefined();
  });

  it('that wake while they are asked are asked again', () => {
    const turns = new Turns();
    let asked = 0;
    const handle = turns.add(
      {
        next: () => {
          if (asked++ === 0) handle.wake();
          return asked === 2 ? jobOf('late') : null;
        },
      },
      () => undefined,
    );
    expect([turns.next(), turns.next()?.to]).toEqual([null, 'late']);
  });
});
