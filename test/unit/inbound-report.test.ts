/**
 * The contents of delivery status notifications (RFC 3464) and feedback reports (RFC 5965), and automatic mails (RFC
 * 3834).
 */
import { describe, expect, test } from 'vitest';
import { isAutomatic } from '../../src/inbound/automatic.js';
import { createMailThreads } from '../../src/inbound/mail-threads.js';
import { readReport } from '../../src/inbound/report.js';
import { arf, dsn, type DsnOptions } from '../helpers/reports.js';

const { parse: parseMail } = createMailThreads({ maxParsers: 1 });

/** A bounce in the format of qmail (QSBMF). */
const qmail = (why: string): string => `Received: (qmail 1234 invoked for bounce); 21 Nov 2026 10:00:00 -0000
From: MAILER-DAEMON@mx.test
Subject: failure notice

Hi. This is the qmail-send program at mx.test.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<ann@x.test>:
${why}

--- Below this line is a copy of the message.

Return-Path: <b@x.test>
Subject: 550 5.1.1
`;

/** A bounce of an Exim version without delivery status notifications. */
const exim = (why: string): string => `X-Failed-Recipients: ann@x.test
Auto-Submitted: auto-replied
Content-Type: text/plain; charset=us-ascii
Subject: Mail delivery failed: returning message to sender

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ann@x.test
${why}

------ This is a copy of the message, including all the headers. ------

Subject: 550 5.1.1
`;

const report = async (mail: string | Buffer) =>
  readReport(await parseMail(Buffer.from(typeof mail === 'string' ? mail.replace(/\r?\n/g, '\r\n') : mail)));
const bounced = (bounceType: string, reason: unknown = expect.anything()) => ({ kind: 'bounced', bounceType, reason });

describe('a delivery status notification', () => {
  test.each<[string, DsnOptions, unknown]>([
    ['failed with class 5', {}, bounced('permanent', '550 5.1.1 <ann@x.test>: user unknown')],
    ['failed with class 5, in another case', { action: 'Failed', status: ' 5.7.1 (rejected)' }, bounced('permanent')],
    [
      'failed with class 4, after the last retry',
      { status: '4.4.7', diagnostic: 'X-Postfix; delivery temporarily suspended' },
      bounced('transient', 'X-Postfix; delivery temporarily suspended'),
    ],
    [
      'failed, where the status takes precedence over the text',
      { status: '4.2.2', diagnostic: 'smtp; 552 5.2.2 full' },
      bounced('transient'),
    ],
    [
      "failed without a status, by the status in the server's text",
      { status: null, diagnostic: 'smtp; 550 5.1.1 no such user' },
      bounced('permanent'),
    ],
    [
      "failed without a status, by the server's reply code",
      { status: null, diagnostic: 'smtp; 554 go away' },
      bounced('permanent'),
    ],
    [
      'failed temporarily without a status',
      { status: null, diagnostic: 'smtp; 451 4.3.0 later' },
      bounced('transient'),
    ],
    [
      'failed without evidence that the failure is permanent',
      { status: null, diagnostic: null },
      bounced('transient', null),
    ],
    ['failed without a reason', { diagnostic: null }, bounced('permanent', '5.1.1')],
    [
      'failed because of a mail loop',
      { status: '5.4.6', diagnostic: 'smtp; 554 5.4.6 mail loop' },
      bounced('transient'),
    ],
    ['delayed', { action: 'delayed', status: '4.4.1' }, null],
    ['delivered', { action: 'delivered', status: '2.0.0' }, { kind: 'delivered' }],
    ['relayed', { action: 'relayed', status: '2.0.0' }, { kind: 'delivered' }],
    ['expanded', { action: 'expanded', status: '2.0.0' }, null],
    ['something else', { action: 'unknown' }, null],
    [
      'several results, of which the worst counts',
      {
        action: 'delivered',
        more: [
          'Final-Recipient: rfc822; b@x.test\nAction: failed\nStatus: 4.0.0',
          'Final-Recipient: rfc822; c@x.test\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp;\n 550 folded',
        ],
      },
      bounced('permanent', '550 folded'),
    ],
  ])('reports %s', async (_what, options, expected) => {
    expect(await report(dsn(options))).toEqual(expected);
  });

  test('may have its status in base64, with CRLF or LF', async () => {
    const mail = dsn();
    const [status = ''] = /Reporting-MTA[\s\S]*?user unknown\n/.exec(mail) ?? [];
    const encoded = mail
      .replace(status, `${Buffer.from(status).toString('base64')}\n`)
      .replace('message/delivery-status\n', 'message/delivery-status\nContent-Transfer-Encoding: base64\n');
    expect(await report(encoded)).toEqual(bounced('permanent'));
    expect(await report(Buffer.from(mail))).toEqual(bounced('permanent'));
  });

  test('may be in another multipart type if a gateway has added a part', async () => {
    expect(await report(dsn().replace('multipart/report; report-type=delivery-status', 'multipart/mixed'))).toEqual(
      bounced('permanent'),
    );
  });

  test('without a status does not treat an IP address as a status', async () => {
    expect(await report(dsn({ status: null, diagnostic: 'smtp; 451 mx[5.9.10.3] is busy' }))).toEqual(
      bounced('transient'),
    );
    expect(
      await report(dsn({ status: null, diagnostic: 'X-Postfix; connect to mx[5.9.10.3]:25: Connection refused' })),
    ).toEqual(bounced('transient'));
  });

  test.each([
    ['550 5.1.1 <ann@x.test>: User unknown', 'permanent'],
    ['550 no mailbox', 'permanent'],
    ['450 4.2.1 try later', 'transient'],
    ['451 5.9.10.3 is busy', 'transient'],
  ])("of qmail contains the server's reply: %s", async (said, bounceType) => {
    const reason = `5.9.10.3 does not like recipient. Remote host said: ${said} Giving up on 5.9.10.3.`;
    expect(
      await report(qmail(`5.9.10.3 does not like recipient.\nRemote host said: ${said}\nGiving up on 5.9.10.3.`)),
    ).toEqual(bounced(bounceType, reason));
  });

  test("of qmail contains qmail's own reason", async () => {
    expect(await report(qmail('Sorry, no mailbox here by that name. (#5.1.1)'))).toEqual(
      bounced('permanent', 'Sorry, no mailbox here by that name. (#5.1.1)'),
    );
    expect(
      await report(
        qmail(
          "Connected to 192.0.2.1 but connection died. (#4.4.2)\nI'm not going to try again; this message has been in the queue too long.",
        ),
      ),
    ).toEqual(bounced('transient'));
    expect(await report(qmail('Sorry.'))).toEqual(bounced('transient', 'Sorry.'));
  });

  test("of an older Exim contains the server's reply, or is transient", async () => {
    expect(await report(exim('    host mx.x.test [192.0.2.1]: 550 User unknown'))).toEqual(
      bounced('permanent', 'host mx.x.test [192.0.2.1]: 550 User unknown'),
    );
    expect(
      await report(
        exim(
          '    SMTP error from remote mail server after RCPT TO:<ann@x.test>:\n    host mx.x.test [192.0.2.1]: 550 5.1.1 unknown',
        ),
      ),
    ).toEqual(bounced('permanent'));
    expect(await report(exim('    retry timeout exceeded'))).toEqual(bounced('transient', 'retry timeout exceeded'));
  });

  test.each([
    ['text about one', 'Subject: failed\n\nAction: failed\nStatus: 5.1.1\n'],
    [
      'a reply that quotes one',
      `Subject: Re: failure notice\n\nWhat is this?\n${qmail('no (#5.1.1)').split('\n\n').slice(1).join('\n\n').replace(/^/gm, '> ')}`,
    ],
    ['text that begins like one of Exim', exim('    550 5.1.1 no').replace(/^X-Failed-Recipients:.*\n/m, '')],
    [
      'a forwarded one',
      `Content-Type: multipart/mixed; boundary=F\n\n--F\n\nlook\n--F\nContent-Type: message/rfc822\n\n${dsn()}\n--F--\n`,
    ],
    [
      'a receipt',
      'Content-Type: multipart/report; report-type=disposition-notification; boundary=F\n\n--F\n\nread\n--F\nContent-Type: message/disposition-notification\n\nDisposition: manual-action/MDN-sent-manually; displayed\n--F--\n',
    ],
    ['an empty one', 'Content-Type: multipart/report; report-type=delivery-status; boundary=F\n\n--F--\n'],
    ['nothing', ''],
  ])('is not %s', async (_what, mail) => {
    expect(await report(mail)).toBeNull();
  });
});

describe('a feedback report', () => {
  test('identifies the mail by all of its headers', async () => {
    const original =
      'Return-Path: <b+token@bounces.x.test>\nMessage-ID:\n <id@x.test>\nList-Unsubscribe: <https://m.test/unsubscribe/abcdefghijklmnopqrstuvwxyz>\nSubject: s\n\nMessage-ID: <body@x.test>\n';
    for (const as of [
      'message/rfc822',
      'message/rfc822\nContent-Disposition: inline',
      'message/rfc822\nContent-Disposition: attachment',
      'text/rfc822-headers',
    ]) {
      expect(await report(arf({ original, as, fields: 'Original-Mail-From: <b+other@bounces.x.test>\n' })), as).toEqual(
        {
          kind: 'complained',
          reason: 'abuse',
          names: { returnPaths: ['b+other@bounces.x.test', 'b+token@bounces.x.test'], messageIds: ['<id@x.test>'] },
          unsubscribeTokens: ['abcdefghijklmnopqrstuvwxyz'],
        },
      );
    }
  });

  test.each([
    ['abuse', true],
    ['fraud', true],
    ['virus', true],
    ['other', true],
    ['not-spam', false],
    ['Not-Spam', false],
    ['auth-failure', false],
  ])('of the type %s is a complaint: %s', async (type, isOne) => {
    expect((await report(arf({ type }))) !== null).toBe(isOne);
  });
});

describe('an automatic mail', () => {
  const mail = (headers: string) =>
    parseMail(Buffer.from(`From: ann@x.test\r\nSubject: s\r\n${headers}\r\n\r\ntext\r\n`));

  test.each([
    'Auto-Submitted: auto-replied',
    'auto-submitted: Auto-Generated; x=y',
    'Precedence: bulk',
    'Precedence: Auto_Reply',
    'List-Id: <l.x.test>',
    'X-Auto-Response-Suppress: DR, OOF, AutoReply',
    'X-Autoreply: yes',
    'X-Loop: a@x.test',
    'Content-Type: multipart/report; boundary=x',
    'Subject: x\r\nFrom: MAILER-DAEMON@x.test',
  ])('has the header %s', async (headers) => {
    const parsed = headers.includes('MAILER')
      ? await parseMail(Buffer.from(`${headers}\r\n\r\ntext`))
      : await mail(headers);
    expect(isAutomatic(parsed, 'ann@x.test')).toBe(true);
  });

  test('has no envelope sender', async () => {
    expect(isAutomatic(await mail('X-A: b'), '')).toBe(true);
  });

  test.each(['Auto-Submitted: no', 'Precedence: first-class', 'X-Auto-Response-Suppress: RN, NRN', 'Importance: high'])(
    'does not have only the header %s',
    async (headers) => {
      expect(isAutomatic(await mail(headers), 'ann@x.test')).toBe(false);
    },
  );
});

describe('a mail that is expensive to parse', () => {
  const part = '--b\r\nContent-Type: application/pdf\r\n\r\nx\r\n';
  const tree = (count: number): string =>
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(count)}--b--\r\n`;

  test.each([
    ['a hundred thousand parts', tree(100_000)],
    ['tens of thousands of text parts', tree(50_000).replaceAll('application/pdf', 'text/plain')],
    [
      'deeply nested parts',
      Array.from({ length: 5000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join(
        '',
      ),
    ],
    ['a header without end', `Subject: ${'x'.repeat(300_000)}\r\n\r\n`],
  ])('with %s is rejected within seconds', async (_what, mail) => {
    const began = performance.now();
    await expect(parseMail(Buffer.from(mail))).rejects.toMatchObject({ responseCode: 554 });
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test('with 400 parts is parsed', async () => {
    expect((await parseMail(Buffer.from(tree(400)))).parts).toHaveLength(400);
  });

  test.each([
    ['no content', ''],
    ['no header', '\r\ntext'],
    ['a broken boundary', 'Content-Type: multipart/mixed\r\n\r\n--x\r\n'],
    ['an unknown charset', 'Content-Type: text/plain; charset=klingon\r\n\r\n\xff\xfe'],
    ['8-bit names', Buffer.from('From: J\xfcrgen <j@x.test>\r\nSubject: Gr\xfc\xdfe\r\n\r\n\xff\xfe', 'latin1')],
    ['an address without end', `From: ${'<'.repeat(100_000)}\r\nTo: ${'"('.repeat(50_000)}\r\n\r\nx`],
    ['a group as its sender', 'From: Friends: ann@x.test, bob@x.test;\r\n\r\nx'],
  ])('with %s is parsed within seconds', async (_what, mail) => {
    const began = performance.now();
    await expect(parseMail(Buffer.from(mail))).resolves.toBeDefined();
    expect(performance.now() - began).toBeLessThan(5000);
  });
});
