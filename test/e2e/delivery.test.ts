/** The mail of an accepted send at the mail server, checked with a parser and an independent DKIM verifier. */
import libmime from 'libmime';
import type { ParsedMail } from 'mailparser';
import { describe, expect, it } from 'vitest';
import { insertEmail, insertMessage } from '../../src/domain/emails/sql/emails.js';
import { newId } from '../../src/ids.js';
import type { TestProject } from '../helpers/api.js';
import { dkimVerdict, parse, rawHeader, useDelivery, type ReceivedMail } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';

const delivery = useDelivery();
let count = 0;

/** Sends to one new address and waits for the mail. */
async function deliver(
  project: TestProject,
  body: Record<string, unknown> = {},
): Promise<{ id: string; to: string; mail: ReceivedMail; parsed: ParsedMail }> {
  const to = `reader${++count}@x.test`;
  const [id = ''] = await delivery.send(project, { to, ...body });
  const mail = await eventually(() => {
    const [first] = delivery.sink.to(to);
    if (!first) throw new Error(`Nothing has arrived for ${to}`);
    return first;
  });
  return { id, to, mail, parsed: await parse(mail) };
}

async function template(project: TestProject, body: Record<string, unknown>): Promise<string> {
  const response = await delivery.as(project, 'POST', '/templates', {
    name: 'T',
    subject: 'News',
    body: '<p>News</p>',
    from: `team@${project.domain}`,
    ...body,
  });
  expect(response.statusCode, response.body).toBe(201);
  return response.json().id;
}

/** The text of a custom header. The parser does not decode its encoded words. */
function header({ headers }: ParsedMail, name: string): string {
  const value = headers.get(name);
  if (typeof value !== 'string') throw new Error(`There is no header ${name}`);
  return libmime.decodeWords(value);
}

describe('an accepted email', () => {
  it('arrives signed by the key of its domain, is SENT, and emits email.sent', async () => {
    const project = await delivery.project();
    const { id, mail, to } = await deliver(project);
    expect(await dkimVerdict(mail)).toEqual({ result: 'pass', domain: project.domain });
    expect([mail.from, mail.to]).toEqual([`team@${project.domain}`, to]);
    const email = await eventually(async () => {
      const answer = await delivery.email(project, id);
      expect(answer.status).toBe('SENT');
      return answer;
    });
    expect(email).toMatchObject({
      attempts: 1,
      error: null,
      response: expect.stringMatching(/^250 /),
      sentAt: expect.any(String),
      nextAttemptAt: null,
      ambiguous: false,
    });
    expect(await delivery.events(id)).toEqual(['email.sent']);
  });

  it('has the Message-ID that GET /emails/:id returns', async () => {
    const project = await delivery.project();
    const { id, parsed } = await deliver(project);
    expect(parsed.messageId).toBe((await delivery.email(project, id)).messageId);
  });

  it('has a text part and an HTML part, names and subject in any script, reply-to and custom headers', async () => {
    const project = await delivery.project();
    const { parsed, mail, to } = await deliver(project, {
      to: { email: `reader${count + 1}@x.test`, name: 'Müller, "Ada" 🎉' },
      from: { email: `team@${project.domain}`, name: 'Grüße 東京' },
      subject: 'Übersicht für 東京 🎉 '.repeat(8).trim(),
      body: `<h1>Größe</h1><p>${'lange Zeile 東京 '.repeat(200)}</p>`,
      reply: 'help@x.test',
      headers: { 'X-Order': '42', 'X-Greeting': 'Grüße', 'X-Long': 'word '.repeat(190).trim() },
    });
    expect(parsed.from?.value).toEqual([{ name: 'Grüße 東京', address: `team@${project.domain}` }]);
    expect(parsed.to).toMatchObject({ value: [{ name: 'Müller, "Ada" 🎉', address: to }] });
    expect(parsed.subject).toBe('Übersicht für 東京 🎉 '.repeat(8).trim());
    expect(parsed.replyTo?.value).toEqual([{ name: '', address: 'help@x.test' }]);
    expect([header(parsed, 'x-order'), header(parsed, 'x-greeting'), header(parsed, 'x-long')]).toEqual([
      '42',
      'Grüße',
      'word '.repeat(190).trim(),
    ]);
    expect(parsed.html).toContain('<h1>Größe</h1>');
    expect(parsed.text).toContain('lange Zeile 東京');
    expect(
      Math.max(
        ...mail.raw
          .toString('latin1')
          .split('\r\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(998);
    expect(await dkimVerdict(mail)).toMatchObject({ result: 'pass' });
  });

  it('contains its attachments and inline images byte by byte', async () => {
    const project = await delivery.project();
    const bytes = Buffer.from(Array.from({ length: 3000 }, (_, index) => index % 256));
    const { parsed, mail } = await deliver(project, {
      body: '<p><img src="cid:logo"></p>',
      attachments: [
        { filename: 'Übersicht ✓.pdf', content: bytes.toString('base64'), contentType: 'application/pdf' },
        {
          filename: 'logo.png',
          content: bytes.subarray(9).toString('base64'),
          contentType: 'image/png',
          contentId: 'logo',
          disposition: 'inline',
        },
      ],
    });
    const found = parsed.attachments.map(({ filename, contentType, contentDisposition, cid, content }) => ({
      filename,
      contentType,
      contentDisposition,
      cid,
      content: content.toString('hex'),
    }));
    expect(found.sort((a, b) => String(a.filename).localeCompare(String(b.filename)))).toEqual([
      {
        filename: 'logo.png',
        contentType: 'image/png',
        contentDisposition: 'inline',
        cid: 'logo',
        content: bytes.subarray(9).toString('hex'),
      },
      {
        filename: 'Übersicht ✓.pdf',
        contentType: 'application/pdf',
        contentDisposition: 'attachment',
        cid: undefined,
        content: bytes.toString('hex'),
      },
    ]);
    expect(await dkimVerdict(mail)).toMatchObject({ result: 'pass' });
  });
});

describe('variables', () => {
  /** Mails of this project contain only their bodies. */
  const untracked = async (): Promise<TestProject> => {
    const project = await delivery.project();
    await delivery.ctx.prisma.project.update({ where: { id: project.id }, data: { tracking: 'DISABLED' } });
    return project;
  };

  it("are the contact's stored data over several sends, the request's data, and one-time values", async () => {
    const project = await untracked();
    const to = 'vars@x.test';
    await delivery.send(project, { to, data: { name: 'Ada', plan: 'free', zero: 0, no: false } });
    const body =
      '{{ name }}|{{ data.plan }}|{{ code }}|{{ data.code }}|{{ zero }}|{{ no }}|{{ missing ?? none }}|{{ missing }}|{{ email }}|{{ svc_email }}';
    await eventually(() => expect(delivery.sink.to(to)).toHaveLength(1));
    await delivery.send(project, {
      to,
      subject: 'For {{ name }}',
      body,
      data: { plan: 'pro', code: { value: '1234', persistent: false } },
    });
    const second = await eventually(() => {
      const [, mail] = delivery.sink.to(to);
      if (!mail) throw new Error('The second mail has not arrived');
      return mail;
    });
    const parsed = await parse(second);
    expect(parsed.subject).toBe('For Ada');
    expect(String(parsed.html).trim()).toBe(`Ada|pro|1234|1234|0|false|none||${to}|${to}`);
    await delivery.send(project, { to, body });
    const third = await eventually(() => {
      const [, , mail] = delivery.sink.to(to);
      if (!mail) throw new Error('The third mail has not arrived');
      return mail;
    });
    expect(String((await parse(third)).html).trim()).toBe(`Ada|pro|||0|false|none||${to}|${to}`);
  });

  it('are escaped in the body and not in the subject, and are never templates or headers themselves', async () => {
    const project = await delivery.project();
    const { parsed, mail } = await deliver(project, {
      subject: '{{ name }}',
      body: '<p>{{ name }}</p>{{{ html }}}',
      data: { name: 'A & <b>B</b> {{ email }}\r\nBcc: evil@x.test', html: '<i>raw</i>' },
    });
    expect(parsed.subject).toBe('A & <b>B</b> {{ email }} Bcc: evil@x.test');
    expect(rawHeader(mail, 'Bcc')).toBeNull();
    expect(parsed.html).toContain('<p>A &amp; &lt;b&gt;B&lt;/b&gt; {{ email }}');
    expect(parsed.html).toContain('<i>raw</i>');
  });

  it('contain ids and links of the recipient that the request cannot override', async () => {
    const project = await untracked();
    const { parsed, id } = await deliver(project, {
      body: '{{ id }}|{{ svc_id }}|{{{ unsubscribeUrl }}}|{{{ subscribeUrl }}}|{{{ manageUrl }}}',
      data: { id: 'x', svc_id: 'x', unsubscribeUrl: 'https://evil.test', email: 'x' },
    });
    const [contactId, svcId, unsubscribe = '', ...others] = String(parsed.html).trim().split('|');
    const email = await delivery.ctx.prisma.email.findUniqueOrThrow({ where: { id } });
    expect([contactId, svcId]).toEqual([email.contactId, email.contactId]);
    expect([unsubscribe, ...others].map((url) => url.slice(0, url.lastIndexOf('/')))).toEqual(
      ['unsubscribe', 'subscribe', 'manage'].map((page) => `${delivery.config.PUBLIC_URL}/${page}`),
    );
    expect(delivery.ctx.links.verify(unsubscribe.slice(unsubscribe.lastIndexOf('/') + 1), 'unsubscribe')).toEqual({
      contactId: email.contactId,
      emailId: id,
    });
  });
});

describe('the unsubscribe link', () => {
  it('is in the List-Unsubscribe headers of MARKETING and HEADLESS, never of TRANSACTIONAL mail', async () => {
    const project = await delivery.project();
    for (const type of ['MARKETING', 'HEADLESS']) {
      const { mail, id } = await deliver(project, { template: await template(project, { type }), subscribed: true });
      const { contactId } = await delivery.ctx.prisma.email.findUniqueOrThrow({ where: { id } });
      expect(rawHeader(mail, 'List-Unsubscribe')).toBe(`<${delivery.ctx.links.oneClickUrl(contactId ?? '', id)}>`);
      expect(rawHeader(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
      expect(rawHeader(mail, 'Precedence')).toBe('bulk');
      expect(rawHeader(mail, 'DKIM-Signature')).toMatch(/list-unsubscribe:\s*list-unsubscribe-post/);
    }
    const { mail } = await deliver(project, { template: await template(project, { type: 'TRANSACTIONAL' }) });
    expect([
      rawHeader(mail, 'List-Unsubscribe'),
      rawHeader(mail, 'List-Unsubscribe-Post'),
      rawHeader(mail, 'Precedence'),
    ]).toEqual([null, null, null]);
  });

  it('is in a footer only of MARKETING mail without its own link', async () => {
    const project = await delivery.project();
    const footer = /You receive this email because you subscribed/;
    const text = async (type: string, body: string) =>
      String(
        (
          await deliver(project, {
            template: await template(project, { type, body }),
            body: undefined,
            subscribed: true,
          })
        ).parsed.html,
      );
    expect(await text('MARKETING', '<p>News</p>')).toMatch(footer);
    expect(await text('MARKETING', '<a href="{{ unsubscribeUrl }}">out</a>')).not.toMatch(footer);
    expect(await text('HEADLESS', '<p>News</p>')).not.toMatch(footer);
    expect(await text('TRANSACTIONAL', '<p>News</p>')).not.toMatch(footer);
  });
});

describe('an email of source TEST', () => {
  it('is delivered and is not counted anywhere', async () => {
    const project = await delivery.project();
    const { pool, prisma } = delivery.ctx;
    const message = {
      id: newId(),
      projectId: project.id,
      type: 'TRANSACTIONAL' as const,
      subject: 'Draft',
      body: 'b',
      from: `team@${project.domain}`,
    };
    const id = newId();
    await insertMessage(pool, message);
    await insertEmail(pool, {
      id,
      projectId: project.id,
      messageId: message.id,
      contactId: null,
      source: 'TEST',
      type: 'TRANSACTIONAL',
      toEmail: 'tester@x.test',
    });
    delivery.ctx.wake('emails');
    await eventually(async () => expect((await delivery.email(project, id)).status).toBe('SENT'));
    expect(await prisma.event.count({ where: { projectId: project.id } })).toBe(0);
    expect(await prisma.contact.count({ where: { projectId: project.id } })).toBe(0);
  });
});
