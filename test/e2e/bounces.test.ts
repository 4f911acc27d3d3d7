/** Bounces and complaints over SMTP: real mails, and notifications to their return paths. */
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { dkimVerdict, rawHeader } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';
import { useInbound } from '../helpers/inbound.js';
import { arf, dsn } from '../helpers/reports.js';
import { connectSmtp } from '../helpers/smtp-client.js';

const inbound = await useInbound();
const { deliver, mailed, receiving, email, events, contact, eventsOf } = inbound;

const ACCEPTED = '250 Accepted';
const NONE = /^550 5\.1\.1 /;

describe('a mail', () => {
  test("has its own return path below its sender's domain, and DKIM passes", async () => {
    const project = await receiving();
    const first = await mailed(project);
    const second = await mailed(project);
    for (const { id, mail } of [first, second]) {
      expect(mail.from).toMatch(new RegExp(`^b\\+[a-z2-7]{45}@bounces\\.${project.domain}$`));
      expect(inbound.ctx.returnPaths.read(mail.from)?.emailId).toBe(id);
      expect(rawHeader(mail, 'From')).toBe(`team@${project.domain}`);
      expect(await dkimVerdict(mail)).toEqual({ result: 'pass', domain: project.domain });
    }
    expect(first.mail.from).not.toBe(second.mail.from);
  });

  test("bounces to its sender while the domain's RETURN_PATH record is not verified", async () => {
    const project = await inbound.project();
    expect((await mailed(project)).mail.from).toBe(`team@${project.domain}`);
  });

  test('that bounces is BOUNCED with its reason, and its contact is unsubscribed', async () => {
    const project = await receiving();
    const { id, mail } = await mailed(project);
    await eventually(async () => expect((await email(project, id)).status).toBe('SENT'));
    // Some servers write addresses in capitals.
    expect(await deliver('', mail.from.toUpperCase(), dsn({ original: mail.raw.toString() }))).toBe(ACCEPTED);

    expect(await email(project, id)).toMatchObject({
      status: 'BOUNCED',
      bounceType: 'permanent',
      bounceReason: '550 5.1.1 <ann@x.test>: user unknown',
      bouncedAt: expect.any(String),
    });
    expect(await contact(project, mail.to)).toMatchObject({ subscribed: false });
    expect(await events(id)).toEqual(['email.sent', 'contact.unsubscribed', 'email.bounced']);
    const list = await inbound.as(project, 'GET', '/events?eventName=email.bounced');
    expect(list.json<{ data: Array<{ emailId: string }> }>().data.map(({ emailId }) => emailId)).toEqual([id]);
  });

  test('that bounces before its delivery is recorded ends the same way', async () => {
    const project = await receiving();
    let release: () => void = () => undefined;
    const held = new Promise<null>((resolve) => (release = () => resolve(null)));
    const to = `early-${newId()}@x.test`;
    inbound.sink.answer((address) => (address === to ? held : null));
    const [id = ''] = await inbound.send(project, { to, subscribed: true });
    await eventually(() => expect(inbound.sink.attempts).toContain(to));
    expect(await deliver('', inbound.ctx.returnPaths.of(id, `bounces.${project.domain}`), dsn())).toBe(ACCEPTED);
    release();
    inbound.sink.answer(null);
    await eventually(async () =>
      expect(await email(project, id)).toMatchObject({ status: 'BOUNCED', sentAt: expect.any(String) }),
    );
    expect(await contact(project, to)).toMatchObject({ subscribed: false });
  });

  test('has the status of a transient failure, a delay, a delivery, or a relay', async () => {
    const project = await receiving();
    const expected: Array<[Parameters<typeof dsn>[0], Record<string, unknown>]> = [
      [{ status: '4.4.7' }, { status: 'BOUNCED', bounceType: 'transient' }],
      [
        { action: 'delayed', status: '4.4.1' },
        { status: 'SENT', bounceType: null },
      ],
      [{ action: 'delivered', status: '2.0.0' }, { status: 'DELIVERED' }],
      [{ action: 'relayed', status: '2.0.0' }, { status: 'DELIVERED' }],
    ];
    for (const [options, answer] of expected) {
      const { id, mail } = await mailed(project);
      await eventually(async () => expect((await email(project, id)).status).toBe('SENT'));
      expect(await deliver('', mail.from, dsn(options))).toBe(ACCEPTED);
      expect(await email(project, id)).toMatchObject(answer);
      expect(await contact(project, mail.to)).toMatchObject({ subscribed: true });
    }
  });

  test('that bounces repeatedly and concurrently is counted once', async () => {
    const project = await receiving();
    const { id, mail } = await mailed(project);
    await eventually(async () => expect((await email(project, id)).status).toBe('SENT'));
    const report = dsn();
    expect(await Promise.all(Array.from({ length: 8 }, () => deliver('', mail.from, report)))).toEqual(
      Array.from({ length: 8 }, () => ACCEPTED),
    );
    expect(await events(id)).toEqual(['email.sent', 'contact.unsubscribed', 'email.bounced']);
    const { rows } = await inbound.ctx.pool.query<{ hard: number }>(
      `SELECT coalesce(sum(hard_bounced), 0) AS hard FROM stat_deltas WHERE project_id = $1`,
      [project.id],
    );
    expect(rows[0]?.hard).toBe(1);
    // A repeat does not end a later subscription.
    await inbound.ctx.prisma.contact.updateMany({ where: { projectId: project.id }, data: { subscribed: true } });
    expect(await deliver('', mail.from, report)).toBe(ACCEPTED);
    expect(await contact(project, mail.to)).toMatchObject({ subscribed: true });
  });
});

describe('a forged notification', () => {
  test('to a return path with a wrong token is rejected before its content', async () => {
    const project = await receiving();
    const { id, mail } = await mailed(project);
    const [local = '', host = ''] = mail.from.split('@');
    const other = local.endsWith('a') ? 'q' : 'a';
    for (const to of [
      `${local.slice(0, -1)}${other}@${host}`,
      `b+${'a'.repeat(45)}@${host}`,
      `bounce@${host}`,
      `${local}@elsewhere.test`,
      `${local}@bounces.elsewhere.test`,
      inbound.ctx.returnPaths.of(newId(), host),
    ]) {
      expect(await deliver('', to, dsn()), to).toMatch(NONE);
    }
    expect((await email(project, id)).status).toBe('SENT');
  });

  test('to an inbound address has no effect, because only the token counts', async () => {
    const project = await receiving();
    const { id, mail } = await mailed(project);
    expect(await deliver('', `team@${project.domain}`, dsn({ original: mail.raw.toString() }))).toBe(ACCEPTED);
    expect((await email(project, id)).status).toBe('SENT');
    // It is stored like any other automatic mail.
    expect(await eventsOf(project)).toEqual([
      expect.objectContaining({ contactId: null, data: expect.objectContaining({ automatic: true }) }),
    ]);
  });

  test('to the host of the return path counts as one to the return path', async () => {
    const project = await receiving();
    const { id, mail } = await mailed(project);
    expect(await deliver('', `${mail.from.split('@')[0]}@mail.sendloom.test`, dsn())).toBe(ACCEPTED);
    expect((await email(project, id)).status).toBe('BOUNCED');
  });
});

describe('at a return path', () => {
  test.each([
    [
      'an automatic reply',
      'Subject: Out of office\nAuto-Submitted: auto-replied\n\nBack on Monday: 5.1.1 Action: failed\n',
    ],
    ['a reply of a person', 'From: ann@x.test\nSubject: Re: Hello\n\nThank you\n'],
    [
      'a receipt',
      'Content-Type: multipart/report; report-type=disposition-notification; boundary=F\n\n--F\n\nread\n--F\nContent-Type: message/disposition-notification\n\nDisposition: manual-action/MDN-sent-manually; displayed\n--F--\n',
    ],
    ['nothing', ''],
  ])('%s is accepted, has no effect, and gets no reply mail', async (_what, text) => {
    const project = await receiving();
    const { id, mail } = await mailed(project);
    await eventually(async () => expect((await email(project, id)).status).toBe('SENT'));
    const before = inbound.sink.mails.length;
    expect(await deliver('ann@x.test', mail.from, text)).toBe(ACCEPTED);
    expect(await email(project, id)).toMatchObject({ status: 'SENT' });
    expect(await eventsOf(project)).toEqual([]);
    expect(inbound.sink.mails).toHaveLength(before);
  });

  test('a mail with more than a hundred hops is rejected as a loop', async () => {
    const project = await receiving();
    const { id, mail } = await mailed(project);
    expect(await deliver('', mail.from, `${'Received: from a by b\n'.repeat(101)}${dsn()}`)).toMatch(/^554 5\.4\.6 /);
    expect((await email(project, id)).status).toBe('SENT');
  });

  test('a feedback report is a complaint about its mail', async () => {
    const project = await receiving();
    const { id, mail } = await mailed(project);
    expect(await deliver('fbl@isp.test', mail.from, arf())).toBe(ACCEPTED);
    expect(await email(project, id)).toMatchObject({ status: 'COMPLAINED' });
    expect(await contact(project, mail.to)).toMatchObject({ subscribed: false });
  });
});

describe('a feedback report to an inbound domain', () => {
  test('finds the mail by its Message-ID, its return path, or its unsubscribe link', async () => {
    const project = await receiving();
    const template = await inbound.as(project, 'POST', '/templates', {
      name: 'n',
      subject: 's',
      body: '<p>Hi</p>',
      from: `team@${project.domain}`,
    });
    const ways: Array<(raw: string, from: string) => string> = [
      (raw) => arf({ original: raw }),
      (raw) => arf({ original: /^message-id:.*$/im.exec(raw)?.[0] ?? '', as: 'text/rfc822-headers' }),
      (_raw, from) => arf({ original: `Return-Path: <${from}>\nMessage-ID: <redacted@isp.test>` }),
      (_raw, from) => arf({ fields: `Original-Mail-From: <${from}>\n`, original: 'Subject: redacted' }),
      (raw) => arf({ original: /^list-unsubscribe:.*(?:\r?\n[ \t].*)*/im.exec(raw)?.[0] ?? '' }),
    ];
    for (const way of ways) {
      const { id, mail } = await mailed(project, {
        template: template.json<{ id: string }>().id,
        subject: undefined,
        body: undefined,
      });
      expect(await deliver('fbl@isp.test', `abuse@${project.domain}`, way(mail.raw.toString(), mail.from))).toBe(
        ACCEPTED,
      );
      expect(await email(project, id), way.toString()).toMatchObject({ status: 'COMPLAINED' });
      expect(await contact(project, mail.to)).toMatchObject({ subscribed: false });
    }
    expect(await eventsOf(project)).toEqual([]);
  });

  test('has no effect on mails of other projects, and "not spam" is not a complaint', async () => {
    const [project, other] = [await receiving(), await receiving()];
    const { id, mail } = await mailed(project);
    expect(await deliver('fbl@isp.test', `abuse@${other.domain}`, arf({ original: mail.raw.toString() }))).toBe(
      ACCEPTED,
    );
    expect(
      await deliver(
        'fbl@isp.test',
        `abuse@${project.domain}`,
        arf({ original: mail.raw.toString(), type: 'not-spam' }),
      ),
    ).toBe(ACCEPTED);
    expect((await email(project, id)).status).toBe('SENT');
  });
});

test('one connection delivers several reports with several recipients each', async () => {
  const project = await receiving();
  const mails = await Promise.all([mailed(project), mailed(project), mailed(project)]);
  const client = await eventually(() => connectSmtp(inbound.port));
  const [first, second, third] = mails;
  if (!first || !second || !third) throw new Error('unreachable');
  expect(await client.mail('', [first.mail.from, second.mail.from], dsn())).toBe(ACCEPTED);
  expect(await client.mail('', third.mail.from, dsn({ status: '4.0.0' }))).toBe(ACCEPTED);
  client.close();
  expect(await Promise.all(mails.map(async ({ id }) => (await email(project, id)).status))).toEqual([
    'BOUNCED',
    'BOUNCED',
    'BOUNCED',
  ]);
});
