/** Inbound mail: a mail to a project's domain becomes the event `email.received`. */
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import type { TestProject } from '../helpers/api.js';
import { useInbound } from '../helpers/inbound.js';
import { connectSmtp } from '../helpers/smtp-client.js';

const inbound = await useInbound();
const { deliver, receiving, eventsOf, contact, zone } = inbound;

const ACCEPTED = '250 Accepted';
const NONE = /^550 5\.1\.1 /;

const text = (headers: string, body = 'Hello\n'): string => `${headers}\n\n${body}`;
const plain = (from = 'Ann <ann@x.test>', more = ''): string =>
  text(`From: ${from}\nTo: help@y.test\nSubject: A question\nMessage-ID: <${newId()}@x.test>${more}`);

async function received(project: TestProject) {
  const [first, ...more] = await eventsOf(project);
  expect(more).toEqual([]);
  if (!first) throw new Error('Nothing was received');
  return first;
}

/** Creates a workflow that starts with `email.received`. @returns a function that counts its executions */
async function workflow(project: TestProject): Promise<() => Promise<number>> {
  const created = await inbound.as(project, 'POST', '/workflows', {
    name: 'w',
    eventName: 'email.received',
    allowReentry: true,
  });
  expect(created.statusCode, created.body).toBe(201);
  const { id } = created.json<{ id: string }>();
  expect((await inbound.as(project, 'PATCH', `/workflows/${id}`, { enabled: true })).statusCode).toBe(200);
  return () => inbound.ctx.prisma.workflowExecution.count({ where: { workflowId: id } });
}

describe("a mail to a project's domain", () => {
  test('is an event of its sender, who becomes an unsubscribed contact', async () => {
    const project = await receiving();
    const executions = await workflow(project);
    const mail = text(
      `From: =?utf-8?q?J=C3=BCrgen?= <Ann@X.test>\nTo: help@${project.domain}\nSubject: =?utf-8?b?${Buffer.from('Größe?').toString('base64')}?=\nMessage-ID: <q1@x.test>\nDate: Sat, 1 Nov 2026 10:00:00 +0100\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b`,
      '--b\nContent-Type: text/plain; charset=utf-8\n\nWelche Größe?\nGrüße\n' +
        '--b\nContent-Type: image/png; name="a.png"\nContent-Disposition: attachment; filename="a.png"\n' +
        'Content-Transfer-Encoding: base64\n\nAAAA\n--b--\n',
    );
    expect(await deliver('ann@x.test', `Help@${project.domain.toUpperCase()}`, mail)).toBe(ACCEPTED);
    const sender = await contact(project, 'ann@x.test');
    expect(sender).toMatchObject({ subscribed: false });
    expect(await received(project)).toEqual({
      contactId: sender?.id,
      emailId: null,
      data: {
        from: 'ann@x.test',
        fromName: 'Jürgen',
        to: `help@${project.domain}`,
        subject: 'Größe?',
        text: expect.stringMatching(/^Welche Größe\?\nGrüße\n*$/),
        textTruncated: false,
        messageId: '<q1@x.test>',
        inReplyTo: null,
        date: '2026-11-01T09:00:00.000Z',
        attachments: [{ filename: 'a.png', contentType: 'image/png', size: 3 }],
        automatic: false,
        // The zone has no records of the sender's domain.
        authentication: { spf: 'none', dkim: 'none', dmarc: 'none' },
      },
    });
    expect(await executions()).toBe(1);
    const list = await inbound.as(project, 'GET', '/events?eventName=email.received');
    expect(list.json<{ data: Array<{ data: unknown }> }>().data[0]?.data).toMatchObject({ subject: 'Größe?' });
  });

  test('does not change a known contact', async () => {
    const project = await receiving();
    await inbound.as(project, 'POST', '/contacts', { email: 'ann@x.test', subscribed: true, data: { plan: 'pro' } });
    expect(await deliver('bounce-1@lists.x.test', `help@${project.domain}`, plain())).toBe(ACCEPTED);
    const known = await contact(project, 'ann@x.test');
    expect(known).toMatchObject({ subscribed: true });
    expect((await received(project)).contactId).toBe(known?.id);
    expect(await eventsOf(project, 'contact.unsubscribed')).toEqual([]);
  });

  test('wakes an execution that waits for it', async () => {
    const project = await receiving();
    const created = await inbound.as(project, 'POST', '/contacts', { email: 'ann@x.test' });
    const { id } = created.json<{ id: string }>();
    const { id: workflowId } = await inbound.ctx.prisma.workflow.create({
      data: { id: newId(), projectId: project.id, name: 'n', eventName: 'e' },
    });
    const executionId = newId();
    await inbound.ctx.prisma.workflowExecution.create({
      data: {
        id: executionId,
        projectId: project.id,
        workflowId,
        contactId: id,
        status: 'WAITING',
        waitingFor: 'email.received',
      },
    });
    expect(await deliver('ann@x.test', `help@${project.domain}`, plain())).toBe(ACCEPTED);
    const { rows } = await inbound.ctx.pool.query(`SELECT action FROM outbox WHERE workflow_id = $1`, [
      `execution:${executionId}`,
    ]);
    expect(rows).toEqual([{ action: 'signal' }]);
  });

  test('that is repeated, also concurrently, is one event per recipient', async () => {
    const project = await receiving();
    const executions = await workflow(project);
    const to = [`help@${project.domain}`, `sales@${project.domain}`, `HELP@${project.domain}`];
    const mail = plain();
    expect(await Promise.all(Array.from({ length: 6 }, () => deliver('ann@x.test', to, mail)))).toEqual(
      Array.from({ length: 6 }, () => ACCEPTED),
    );
    // Its path may differ, its Message-ID does not.
    expect(await deliver('ann@x.test', to, `Received: from elsewhere by here\n${mail}`)).toBe(ACCEPTED);
    expect((await eventsOf(project)).map(({ data }) => String(data.to)).sort()).toEqual([
      `help@${project.domain}`,
      `sales@${project.domain}`,
    ]);
    expect(await executions()).toBe(1);
    expect(await deliver('ann@x.test', to, plain())).toBe(ACCEPTED);
    expect(await eventsOf(project)).toHaveLength(4);
  });

  test('without a Message-ID is identified by its bytes', async () => {
    const project = await receiving();
    for (const body of ['one', 'one', 'two'])
      expect(await deliver('ann@x.test', `help@${project.domain}`, text('From: ann@x.test\nSubject: s', body))).toBe(
        ACCEPTED,
      );
    expect((await eventsOf(project)).map(({ data }) => String(data.text).trim())).toEqual(['one', 'two']);
  });

  test('that replies to one of ours has its id', async () => {
    const project = await receiving();
    const { id, mail } = await inbound.mailed(project);
    expect(
      await deliver(mail.to, `team@${project.domain}`, plain(mail.to, `\nIn-Reply-To: <${id}@${project.domain}>`)),
    ).toBe(ACCEPTED);
    expect(await received(project)).toMatchObject({ emailId: id, data: { inReplyTo: `<${id}@${project.domain}>` } });
    // A reply to another project's mail has no email id.
    const other = await receiving();
    expect(
      await deliver(
        mail.to,
        `team@${other.domain}`,
        plain(mail.to, `\nReferences: <a@b.test>\n <${id}@${project.domain}>`),
      ),
    ).toBe(ACCEPTED);
    expect((await received(other)).emailId).toBeNull();
  });

  test('goes to the project that has verified the domain', async () => {
    const [project, other] = [await receiving(), await receiving()];
    expect(await deliver('ann@x.test', [`a@${project.domain}`, `b@${other.domain}`], plain())).toBe(ACCEPTED);
    expect((await received(project)).data.to).toBe(`a@${project.domain}`);
    expect((await received(other)).data.to).toBe(`b@${other.domain}`);
  });
});

describe('an unusual mail', () => {
  test.each([
    ['without From: the sender of the envelope counts', text('Subject: s'), 'ann@x.test'],
    ['with an empty From', text('From:\nSubject: s'), 'ann@x.test'],
    ['with nothing at all', '', 'ann@x.test'],
  ])('%s', async (_what, mail, from) => {
    const project = await receiving();
    expect(await deliver(from, `help@${project.domain}`, mail)).toBe(ACCEPTED);
    expect((await received(project)).contactId).toBe((await contact(project, from))?.id);
  });

  test('from an address that is invalid for contacts is stored without a contact', async () => {
    const project = await receiving();
    expect(await deliver('', `help@${project.domain}`, text('From: "odd one"@x.test\nSubject: s'))).toBe(ACCEPTED);
    expect(await received(project)).toMatchObject({ contactId: null });
  });

  test('with 8-bit bytes, NUL, and malformed characters is stored as far as possible', async () => {
    const project = await receiving();
    const mail = Buffer.from(
      'From: J\xfcrgen\0 <ann@x.test>\r\nSubject: Gr\xfc\xdfe \xff\0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nbad \xff\xfe \0 bytes\r\n',
      'latin1',
    );
    expect(await deliver('ann@x.test', `help@${project.domain}`, mail)).toBe(ACCEPTED);
    const { data } = await received(project);
    expect(JSON.stringify(data)).not.toContain('\\u0000');
    expect(data.text).toContain('bytes');
  });

  test('of HTML alone is stored as text, and of a long text 20,000 characters', async () => {
    const project = await receiving();
    expect(
      await deliver(
        'ann@x.test',
        `help@${project.domain}`,
        text(
          'From: ann@x.test\nContent-Type: text/html; charset=utf-8',
          '<html><style>x{}</style><p>One</p><p>T&uuml;r</p><script>alert(1)</script></html>',
        ),
      ),
    ).toBe(ACCEPTED);
    expect(
      await deliver(
        'ann@x.test',
        `help@${project.domain}`,
        text('From: ann@x.test\nSubject: long', `${'x'.repeat(70)}\n`.repeat(1000)),
      ),
    ).toBe(ACCEPTED);
    const [html, long] = (await eventsOf(project)).map(({ data }) => data);
    expect(html?.text).toBe('One\n\nTür');
    expect([String(long?.text).length, long?.textTruncated]).toEqual([20_000, true]);
  });
});

describe('a mail written by a machine', () => {
  test.each([
    ['an automatic reply', 'ann@x.test', '\nAuto-Submitted: auto-replied'],
    ['a newsletter', 'ann@x.test', '\nList-Id: <l.x.test>\nPrecedence: bulk'],
    ['without an envelope sender', '', ''],
  ])('%s is stored without a contact and starts nothing', async (_what, from, headers) => {
    const project = await receiving();
    const executions = await workflow(project);
    expect(await deliver(from, `help@${project.domain}`, plain(undefined, headers))).toBe(ACCEPTED);
    expect(await received(project)).toMatchObject({ contactId: null, data: { from: 'ann@x.test', automatic: true } });
    expect(await executions()).toBe(0);
    expect(await contact(project, 'ann@x.test')).toBeNull();
  });

  test('sent by this installation starts nothing: two projects cannot loop', async () => {
    const [project, other] = [await receiving(), await receiving()];
    const executions = await workflow(other);
    const { mail } = await inbound.mailed(project);
    expect(await deliver(mail.from, `help@${other.domain}`, mail.raw)).toBe(ACCEPTED);
    expect(await received(other)).toMatchObject({ contactId: null, data: { automatic: true } });
    expect(await executions()).toBe(0);
  });

  test('that does not identify itself starts nothing after 30 mails in an hour', async () => {
    const project = await receiving();
    const executions = await workflow(project);
    const client = await connectSmtp(inbound.port);
    for (let i = 0; i < 33; i++)
      expect(await client.mail('ann@x.test', `help@${project.domain}`, plain())).toBe(ACCEPTED);
    client.close();
    const all = await eventsOf(project);
    expect([
      all.filter(({ contactId }) => contactId !== null).length,
      all.filter(({ data }) => data.automatic === true).length,
    ]).toEqual([30, 3]);
    // One execution at a time, and the first one never runs here.
    expect(await executions()).toBe(1);
  });
});

describe('an address is rejected with 550', () => {
  test('at an unknown or unverified domain', async () => {
    const pending = await inbound.project({ verified: false });
    zone.publish([{ name: pending.domain, type: 'MX', value: 'mail.sendloom.test', priority: 10 }]);
    for (const to of [
      'ann@example.com',
      'ann@gmail.com',
      `ann@${pending.domain}`,
      `ann@sub.${(await receiving()).domain}`,
      'ann@localhost',
    ])
      expect(await deliver('ann@x.test', to, plain()), to).toMatch(NONE);
  });

  test('at a verified domain whose MX record names another host', async () => {
    for (const mx of [null, 'mx.google.test', 'notmail.sendloom.test']) {
      const project = await receiving({ mx });
      expect(await deliver('ann@x.test', `team@${project.domain}`, plain()), String(mx)).toMatch(NONE);
      expect(await eventsOf(project)).toEqual([]);
    }
  });

  test('of a disabled project', async () => {
    const project = await receiving();
    await inbound.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    expect(await deliver('ann@x.test', `team@${project.domain}`, plain())).toMatch(/^550 5\.2\.1 /);
  });

  test('for each recipient separately, and the others get the mail', async () => {
    const project = await receiving();
    const client = await connectSmtp(inbound.port);
    expect(await client.say('MAIL FROM:<ann@x.test>')).toMatch(/^250/);
    expect(await client.say(`RCPT TO:<ann@example.com>`)).toMatch(NONE);
    expect(await client.say(`RCPT TO:<team@${project.domain}>`)).toMatch(/^250/);
    expect(await client.say('DATA')).toMatch(/^354/);
    expect(await client.content(plain())).toBe(ACCEPTED);
    client.close();
    expect((await received(project)).data.to).toBe(`team@${project.domain}`);
  });
});

test('while the MX lookup of a domain fails, its mail gets 451', async () => {
  const project = await receiving();
  zone.become('failing', project.domain);
  expect(await deliver('ann@x.test', `team@${project.domain}`, plain())).toMatch(/^451 4\.4\.3 /);
  zone.become('normal', project.domain);
  expect(await deliver('ann@x.test', `team@${project.domain}`, plain())).toBe(ACCEPTED);
});
