/** Unsubscribing by the headers of a real email: signed, by one click, and by a mail to the listener. */
import { describe, expect, test } from 'vitest';
import { insertEmail, insertMessage } from '../../src/domain/emails/sql/emails.js';
import { newId } from '../../src/ids.js';
import type { TestProject } from '../helpers/api.js';
import { dkimVerdict, rawHeader, type ReceivedMail } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';
import { MAIL_HOST, useInbound } from '../helpers/inbound.js';
import { dsn } from '../helpers/reports.js';

const inbound = await useInbound();
const { deliver, mailed, receiving, contact, eventsOf } = inbound;

const ACCEPTED = '250 Accepted';
const NONE = /^550 5\.1\.1 /;
const MAIL = 'From: Ann <ann@x.test>\nSubject: unsubscribe\n\n\n';

/** A project and one marketing email, as the mail server gets it. */
async function newsletter() {
  const project = await inbound.project();
  const id = newId();
  const from = `team@${project.domain}`;
  await inbound.ctx.prisma.template.create({
    data: { id, projectId: project.id, name: 't', subject: 's', body: '<p>Hello</p>', from, type: 'MARKETING' },
  });
  return { project, ...(await mailed(project, { template: id, from: undefined })) };
}

/** Sends a marketing email of a workflow to an address. @returns the email, as the mail server gets it */
async function mailCustom(project: TestProject, toEmail: string): Promise<{ id: string; mail: ReceivedMail }> {
  const [id, messageId] = [newId(), newId()];
  const message = { type: 'MARKETING' as const, subject: 's', body: '<p>Hello</p>', from: `team@${project.domain}` };
  await insertMessage(inbound.ctx.pool, { id: messageId, projectId: project.id, ...message });
  const about = { contact: { id: newId(), email: 'lead@x.test', data: {} }, event: {} };
  const email = { id, projectId: project.id, messageId, contactId: null, toEmail, variables: about };
  await insertEmail(inbound.ctx.pool, { ...email, source: 'WORKFLOW', type: 'MARKETING' });
  inbound.ctx.wake('emails');
  return eventually(() => {
    const mail = inbound.sink.to(toEmail).find(({ raw }) => raw.includes(`<${id}@`));
    if (!mail) throw new Error('Nothing has arrived');
    return { id, mail };
  });
}

function targetsOf(mail: ReceivedMail): { url: string; address: string } {
  const [, url = '', address = ''] =
    /^<(https?:[^>]+)>, <mailto:([^>?]+)\?subject=unsubscribe>$/.exec(rawHeader(mail, 'List-Unsubscribe') ?? '') ?? [];
  return { url, address };
}

const oneClick = (url: string) =>
  inbound.app.inject({
    method: 'POST',
    url: new URL(url).pathname,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'List-Unsubscribe=One-Click',
  });

const unsubscriptions = (project: TestProject) => eventsOf(project, 'contact.unsubscribed');
const suppressions = (project: TestProject) =>
  inbound.ctx.prisma.suppression.findMany({
    where: { projectId: project.id },
    select: { email: true, reason: true, emailId: true },
  });
const countedUnsubscribes = (emailId: string) => inbound.ctx.prisma.emailUnsubscribe.count({ where: { emailId } });

describe('a marketing email', () => {
  test('has two ways to unsubscribe, Feedback-ID, and List-ID, and all of them are signed', async () => {
    const { project, mail } = await newsletter();
    const { url, address } = targetsOf(mail);
    expect(url).toMatch(new RegExp(`^${inbound.config.PUBLIC_URL}/unsubscribe/[\\w-]{64}$`));
    expect(address).toMatch(new RegExp(`^u-[a-z2-7]{61}@${MAIL_HOST}$`));
    expect(rawHeader(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    const signed = /;\s*h=([^;]+);/
      .exec(rawHeader(mail, 'DKIM-Signature') ?? '')?.[1]
      ?.replaceAll(' ', '')
      .split(':');
    expect(signed).toEqual(
      expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post', 'list-id', 'feedback-id']),
    );
    expect(await dkimVerdict(mail)).toEqual({ result: 'pass', domain: project.domain });
    const text = mail.raw.toString('latin1');
    for (const [from, to] of [
      ['<mailto:u-', '<mailto:v-'],
      ['=One-Click', '=Two-Clicks'],
      [':marketing:', ':headless:'],
      ['<templates.', '<campaigns.'],
    ] as const) {
      expect(text.split(from)).toHaveLength(2);
      const changed = Buffer.from(text.replace(from, to), 'latin1');
      expect((await dkimVerdict({ ...mail, raw: changed })).result).not.toBe('pass');
    }
  });
});

test('the footer of a marketing email shows the postal address of the project', async () => {
  const project = await inbound.project();
  await inbound.ctx.prisma.project.update({
    where: { id: project.id },
    data: { postalAddress: '1 Main St\nSpringfield' },
  });
  const { mail } = await mailCustom(project, `footer-${newId()}@x.test`);
  expect(mail.raw.toString().replaceAll('=\r\n', '')).toMatch(/Unsubscribe<\/a><br>1 Main St<br>Springfield<\/div>/);
});

describe('a mail to the address of List-Unsubscribe', () => {
  test('unsubscribes exactly the recipient, with the event of one click', async () => {
    const first = await newsletter();
    const other = await mailed(first.project);
    expect(await deliver('someone@else.test', targetsOf(first.mail).address, MAIL)).toBe(ACCEPTED);
    const byMail = await unsubscriptions(first.project);
    expect(byMail).toEqual([
      { contactId: expect.any(String), emailId: first.id, data: { source: 'mailto', emailId: first.id } },
    ]);
    expect(await contact(first.project, first.mail.to)).toEqual({ id: byMail[0]?.contactId, subscribed: false });
    expect(await contact(first.project, other.mail.to)).toMatchObject({ subscribed: true });
    expect(await countedUnsubscribes(first.id)).toBe(1);
    expect(await eventsOf(first.project)).toEqual([]);

    const second = await newsletter();
    expect((await oneClick(targetsOf(second.mail).url)).statusCode).toBe(200);
    expect(await unsubscriptions(second.project)).toEqual([
      { contactId: expect.any(String), emailId: second.id, data: { source: 'one_click', emailId: second.id } },
    ]);
  });

  test.each([
    ['without a sender', '', MAIL],
    ['written by a machine', 'robot@x.test', `Auto-Submitted: auto-generated\nPrecedence: bulk\n${MAIL}`],
    ['without a subject', 'ann@x.test', 'From: ann@x.test\n\n'],
    ['without any header', 'ann@x.test', '\n'],
    ['that is a bounce', '', dsn({})],
  ])('unsubscribes %s', async (_, from, mail) => {
    const { project, id, mail: sent } = await newsletter();
    await eventually(async () => expect((await inbound.email(project, id)).status).toBe('SENT'));
    expect(await deliver(from, targetsOf(sent).address.toUpperCase(), mail)).toBe(ACCEPTED);
    expect(await contact(project, sent.to)).toMatchObject({ subscribed: false });
    expect(await inbound.events(id)).toEqual(['email.sent', 'contact.unsubscribed']);
    expect(await suppressions(project)).toEqual([]);
  });

  test('changes nothing when it is repeated, or after the contact was deleted', async () => {
    const { project, id, mail } = await newsletter();
    const { address } = targetsOf(mail);
    for (let times = 0; times < 3; times += 1) expect(await deliver('ann@x.test', address, MAIL)).toBe(ACCEPTED);
    expect(await unsubscriptions(project)).toHaveLength(1);
    expect(await countedUnsubscribes(id)).toBe(1);
    await inbound.ctx.prisma.contact.deleteMany({ where: { projectId: project.id } });
    expect(await deliver('ann@x.test', address, MAIL)).toBe(ACCEPTED);
    expect(await suppressions(project)).toEqual([]);
  });

  test('is rejected if the token is broken, or the host is not ours, and changes nothing', async () => {
    const project = await receiving();
    const { id, mail } = await mailed(project);
    const { contactId } = await inbound.ctx.prisma.email.findUniqueOrThrow({ where: { id } });
    const target = { contactId: contactId ?? '', emailId: id };
    const address = inbound.ctx.links.unsubscribeTargets(target).mailto ?? '';
    const broken = `u-${address.charAt(2) === 'a' ? 'b' : 'a'}${address.slice(3)}`;
    for (const wrong of [broken, address.replace(MAIL_HOST, 'elsewhere.test'), `u-@${MAIL_HOST}`])
      expect(await deliver('ann@x.test', wrong, MAIL)).toMatch(NONE);
    expect(await deliver('', broken, dsn({}))).toMatch(NONE);
    expect(await contact(project, mail.to)).toMatchObject({ subscribed: true });
    expect(await unsubscriptions(project)).toEqual([]);
    // At an inbound domain, an address that only looks like it is a mailbox.
    expect(await deliver('ann@x.test', broken.replace(MAIL_HOST, project.domain), MAIL)).toBe(ACCEPTED);
    expect(await unsubscriptions(project)).toEqual([]);
    expect(await eventsOf(project)).toHaveLength(1);
  });
});

describe('a marketing email of a workflow to an address that is not a contact', () => {
  test('has both ways to unsubscribe and a link, and each suppresses the address in its project only', async () => {
    const other = await inbound.project();
    for (const way of ['mailto', 'one-click', 'page'] as const) {
      const project = await inbound.project();
      const to = `sales-${newId()}@x.test`;
      const { id, mail } = await mailCustom(project, to);
      const { url, address } = targetsOf(mail);
      expect(await dkimVerdict(mail)).toMatchObject({ result: 'pass' });
      expect(mail.raw.toString().replaceAll('=\r\n', '')).toContain(`href=3D"${url}"`);
      expect(url).not.toContain('sales');
      const page = { method: 'GET' as const, url: new URL(url).pathname };
      expect((await inbound.app.inject(page)).body).toContain(to);
      expect(await suppressions(project)).toEqual([]);

      for (let times = 0; times < 2; times += 1) {
        if (way === 'mailto') expect(await deliver('any@x.test', address, MAIL)).toBe(ACCEPTED);
        else if (way === 'one-click') expect((await oneClick(url)).statusCode).toBe(200);
        else expect((await inbound.app.inject({ ...page, method: 'POST' })).statusCode).toBe(200);
      }
      expect(await suppressions(project)).toEqual([{ email: to, reason: 'manual', emailId: id }]);
      expect(await countedUnsubscribes(id)).toBe(1);
      expect(await contact(project, to)).toBeNull();
    }
    expect(await suppressions(other)).toEqual([]);
  });

  test('unsubscribes the contact with this address if there is one by then', async () => {
    const project = await inbound.project();
    const to = `sales-${newId()}@x.test`;
    const { id, mail } = await mailCustom(project, to);
    const data = { projectId: project.id, email: to, subscribed: true };
    const contactId = newId();
    await inbound.ctx.prisma.contact.create({ data: { id: contactId, ...data } });
    expect(await deliver('any@x.test', targetsOf(mail).address, MAIL)).toBe(ACCEPTED);
    expect(await contact(project, to)).toEqual({ id: contactId, subscribed: false });
    expect(await unsubscriptions(project)).toEqual([
      { contactId, emailId: id, data: { source: 'mailto', emailId: id } },
    ]);
    expect(await suppressions(project)).toEqual([]);
  });

  test('whose email was deleted is an unknown address of the listener, but its link still works', async () => {
    const project = await inbound.project();
    const to = `sales-${newId()}@x.test`;
    const { id, mail } = await mailCustom(project, to);
    await eventually(async () => expect((await inbound.email(project, id)).status).toBe('SENT'));
    await inbound.ctx.prisma.email.delete({ where: { id } });
    const { url, address } = targetsOf(mail);
    expect(await deliver('any@x.test', address, MAIL)).toMatch(NONE);
    expect((await oneClick(url)).statusCode).toBe(200);
    expect(await suppressions(project)).toMatchObject([{ email: to }]);
  });
});
