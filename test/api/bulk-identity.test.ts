/** Feedback-ID and List-ID of marketing and headless email, as the mail server gets them. */
import { expect, test } from 'vitest';
import { begin, snapshot } from '../../src/domain/campaigns/run.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers } from '../helpers/campaign-api.js';
import { createCaptureTransport, type CapturedMail } from '../helpers/capture-transport.js';
import { dkimVerdict, rawHeader } from '../helpers/delivery.js';
import { sendDue } from '../helpers/send-due.js';
import { sendLane } from '../helpers/send-lane.js';

const HOST = 'mail.sendloom.test';

const api = useApi();
const { contact, draft } = campaignHelpers(api);

const identityOf = (mail: CapturedMail | undefined) => {
  if (!mail) throw new Error('The mail is missing');
  const received = { ...mail, at: 0 };
  return [rawHeader(received, 'Feedback-ID'), rawHeader(received, 'List-ID')];
};

async function template(project: TestProject, type: 'MARKETING' | 'HEADLESS' | 'TRANSACTIONAL'): Promise<string> {
  const id = newId();
  const from = `team@${project.domain}`;
  const content = { name: 't', subject: 's', body: '<p>Hello</p>', from, type };
  await api.ctx.prisma.template.create({ data: { id, projectId: project.id, ...content } });
  return id;
}

/** Sends a template by the API. @returns the email */
async function sendTemplate(project: TestProject, templateId: string, headers?: Record<string, string>) {
  const to = `${newId()}@x.test`;
  const body = { to, template: templateId, subscribed: true, headers };
  const response = await api.as(project, 'POST', '/v1/send', body);
  expect(response.statusCode, response.body).toBe(200);
  return (await sendDue(api.ctx)).find((mail) => mail.to === to);
}

test('the emails of a campaign have its id and the list of campaigns, and a valid signature of both', async () => {
  const project = await api.project();
  await api.ctx.prisma.project.update({ where: { id: project.id }, data: { name: 'Grüße & Co' } });
  for (const name of ['a', 'b']) await contact(project, `${name}@x.test`);
  const id = await draft(project);
  expect((await api.as(project, 'POST', `/campaigns/${id}/send`, {})).statusCode).toBe(200);
  const run = { campaignId: id, projectId: project.id, attempt: 1 };
  await begin(api.ctx, run);
  while (!(await snapshot(api.ctx, run)).done);
  const client = createCaptureTransport();
  client.failNext({ kind: 'transient', stage: 'after-data', response: '451 4.3.0 later', to: 'a@x.test' });
  await sendLane(api.ctx, run, client);
  expect(client.mails).toHaveLength(1);

  await api.ctx.pool.query(`UPDATE campaign_retries SET due_at = now() - interval '1 second'`);
  await sendLane(api.ctx, run, client);
  expect(client.mails).toHaveLength(2);
  for (const mail of client.mails) {
    expect(identityOf(mail)).toEqual([
      `${id}:${project.id}:marketing:sendloom`,
      `=?utf-8?B?R3LDvMOfZSAmIENv?= <campaigns.${project.id}.${HOST}>`,
    ]);
    expect(await dkimVerdict({ ...mail, at: 0 })).toMatchObject({ result: 'pass' });
    const signed = rawHeader({ ...mail, at: 0 }, 'DKIM-Signature')?.replaceAll(' ', '');
    expect(signed).toMatch(/;h=[^;]*:list-id:feedback-id;/);
  }
  const attempts = client.attempts.filter(({ to }) => to === 'a@x.test');
  expect(attempts).toHaveLength(2);
  expect(attempts[0]?.raw.equals(attempts[1]?.raw ?? Buffer.alloc(0))).toBe(true);
});

test.each(['MARKETING', 'HEADLESS'] as const)('a %s template has its id and the list of templates', async (type) => {
  const project = await api.project();
  const templateId = await template(project, type);
  expect(identityOf(await sendTemplate(project, templateId))).toEqual([
    `${templateId}:${project.id}:${type.toLowerCase()}:sendloom`,
    expect.stringMatching(new RegExp(` <templates\\.${project.id}\\.${HOST}>$`)),
  ]);
});

test('transactional email has neither header', async () => {
  const project = await api.project();
  expect(identityOf(await sendTemplate(project, await template(project, 'TRANSACTIONAL')))).toEqual([null, null]);
});

test('a test of a marketing template has both headers, but no id of a template', async () => {
  const project = await api.project();
  const templateId = await template(project, 'MARKETING');
  const response = await api.as(project, 'POST', `/templates/${templateId}/test`, { email: 'me@x.test' });
  expect(response.statusCode, response.body).toBeLessThan(300);
  const mail = (await sendDue(api.ctx)).find(({ to }) => to === 'me@x.test');
  expect(identityOf(mail)).toEqual([
    `test:${project.id}:marketing:sendloom`,
    expect.stringContaining(`<tests.${project.id}.${HOST}>`),
  ]);
});

test("the caller's Feedback-ID is kept, is the only one, and is signed", async () => {
  const project = await api.project();
  const own = { 'Feedback-Id': 'spring:eu:news:shop01' };
  const mail = await sendTemplate(project, await template(project, 'MARKETING'), own);
  expect(mail?.raw.toString().match(/^feedback-id:.*$/gim)).toEqual(['Feedback-Id: spring:eu:news:shop01']);
  expect(mail?.raw.toString().match(/^list-id:/gim)).toHaveLength(1);
  if (!mail) throw new Error('The mail is missing');
  expect(await dkimVerdict({ ...mail, at: 0 })).toMatchObject({ result: 'pass' });
  const changed = Buffer.from(mail.raw.toString('latin1').replace('spring:eu', 'autumn:eu'), 'latin1');
  expect((await dkimVerdict({ ...mail, raw: changed, at: 0 })).result).not.toBe('pass');
});
