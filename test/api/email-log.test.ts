/** The log of emails: the list with its filters, the content, and the attempts and hits of an email. */
import { beforeAll, describe, expect, test } from 'vitest';
import { v7 } from 'uuid';
import { claimDue } from '../../src/domain/emails/sql/claim.js';
import { settle } from '../../src/domain/emails/sql/delivery.js';
import type { Prisma } from '../../src/generated/prisma/client.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, refused } from '../helpers/campaign-api.js';

const api = useApi();
const { contact, draft, email } = campaignHelpers(api);

interface Item {
  id: string;
  status: string;
  statusDetail: string | null;
  subject: string;
  to: string;
}
interface Page {
  data: Item[];
  cursor: string | null;
  hasMore: boolean;
  total: number;
}

const get = async <T>(project: TestProject, url: string): Promise<T> => {
  const response = await api.as(project, 'GET', url);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<T>();
};

describe('GET /emails', () => {
  let project: TestProject;
  let campaign: string;
  let ada: string;
  const [template, workflow] = [newId(), newId()];
  const named: Record<string, string> = {};

  beforeAll(async () => {
    project = await api.project();
    campaign = await draft(project);
    const second = await draft(project, { type: 'HEADLESS' });
    ada = await contact(project, 'ada@x.test');
    const messageId = newId();
    await api.ctx.prisma.message.create({
      data: {
        id: messageId,
        projectId: project.id,
        type: 'MARKETING',
        subject: 'Receipt',
        body: 'b',
        from: `shop@${project.domain}`,
      },
    });
    let minute = 0;
    const at = (): Date => new Date(Date.UTC(2026, 2, 10, 12, minute++));
    const single = async (name: string, fields: Partial<Prisma.EmailUncheckedCreateInput>): Promise<void> => {
      const createdAt = at();
      const id = v7({ msecs: createdAt.getTime() });
      await api.ctx.prisma.email.create({
        data: {
          id,
          projectId: project.id,
          messageId,
          source: 'TRANSACTIONAL',
          type: 'TRANSACTIONAL',
          toEmail: `${name}@x.test`,
          status: 'SENT',
          createdAt,
          ...fields,
        },
      });
      named[id] = name;
    };
    const ofCampaign = async (name: string, id: string, fields: Partial<Prisma.EmailUncheckedCreateInput>) => {
      const createdAt = at();
      const emailId = v7({ msecs: createdAt.getTime() });
      named[await email(project, id, { id: emailId, toEmail: `${name}@x.test`, createdAt, ...fields })] = name;
    };
    await single('receipt', { contactId: ada, toEmail: 'ada@x.test', templateId: template, tags: ['a', 'b'] });
    await single('waiting', { status: 'PENDING', tags: ['a'] });
    await single('lost', { status: 'FAILED', ambiguous: true });
    await single('step', {
      source: 'WORKFLOW',
      type: 'MARKETING',
      workflowId: workflow,
      templateId: template,
      status: 'OPENED',
    });
    await single('test', { source: 'TEST', type: 'MARKETING' });
    await ofCampaign('news', campaign, { contactId: ada, toEmail: 'ada@x.test', status: 'SENT' });
    await ofCampaign('bounced', campaign, { status: 'BOUNCED' });
    await ofCampaign('unsent', campaign, { status: 'PENDING', nextAttemptAt: new Date('9999-12-31T00:00:00Z') });
    await ofCampaign('headless', second, { status: 'CLICKED', type: 'HEADLESS' });
    await single('orphan', { source: 'CAMPAIGN', type: 'MARKETING', status: 'DELIVERED' });
    await api.ctx.prisma.campaign.update({ where: { id: campaign }, data: { status: 'SENDING' } });
    await api.ctx.prisma.campaign.update({ where: { id: second }, data: { status: 'SENT', type: 'HEADLESS' } });
    const [unsent = ''] = Object.keys(named).filter((id) => named[id] === 'unsent');
    await api.ctx.prisma.campaignChunk.create({
      data: { projectId: project.id, campaignId: campaign, chunk: 1, firstId: unsent, lastId: unsent, size: 1 },
    });
    await api.ctx.pool.query(
      `INSERT INTO email_tags (project_id, tag, email_id) SELECT project_id, unnest(tags), id FROM emails WHERE project_id = $1`,
      [project.id],
    );
    // Another project has the same.
    const other = await api.project();
    await email(other, await draft(other), { toEmail: 'ada@x.test', status: 'SENT' });
  });

  /** The names on all pages of two emails, and the total of the first page. */
  async function listed(query: string): Promise<string[]> {
    const names: string[] = [];
    let total = 0;
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await get<Page>(project, `/emails?limit=2&${query}${cursor && `&cursor=${cursor}`}`);
      if (cursor === '') total = page.total;
      names.push(...page.data.map(({ id }) => named[id] ?? '?'));
      cursor = page.cursor;
    }
    expect(total).toBe(names.length);
    return names;
  }

  const ALL = ['orphan', 'headless', 'unsent', 'bounced', 'news', 'test', 'step', 'lost', 'waiting', 'receipt'];

  test.each([
    ['', ALL],
    ['since=2026-03-10T12:07:00Z', ['orphan', 'headless', 'unsent']],
    ['until=2026-03-10T12:01:00Z', ['waiting', 'receipt']],
    ['since=2026-03-10&until=2026-03-10', ALL],
    ['since=1000-01-01&until=2999-12-31', ALL],
    ['since=2026-03-11', []],
    ['status=SENT', ['news', 'test', 'receipt']],
    ['status=PENDING', ['unsent', 'waiting']],
    ['status=BOUNCED', ['bounced']],
    ['status=FAILED', ['lost']],
    ['status=CANCELLED', []],
    ['source=TRANSACTIONAL', ['lost', 'waiting', 'receipt']],
    ['source=CAMPAIGN', ['orphan', 'headless', 'unsent', 'bounced', 'news']],
    ['source=PLATFORM', []],
    ['type=MARKETING', ['orphan', 'unsent', 'bounced', 'news', 'test', 'step']],
    ['type=HEADLESS', ['headless']],
    ['source=CAMPAIGN&status=DELIVERED', ['orphan']],
    ['type=TRANSACTIONAL&status=PENDING', ['waiting']],
    ['to=ADA@x.test', ['news', 'receipt']],
    ['to=lost@x.test', ['lost']],
    ['to=ada@x.test&source=CAMPAIGN', ['news']],
    ['tag=a', ['waiting', 'receipt']],
    ['tag=b', ['receipt']],
    ['tag=c', []],
    ['tag=a&status=PENDING', ['waiting']],
    ['tag=a&until=2026-03-10T12:00:00Z', ['receipt']],
    ['tag=a&to=ada@x.test', ['receipt']],
    ['group=a', []],
    ['status=SENT&since=2026-03-10T12:04:00Z&until=2026-03-10T12:04:00Z', ['test']],
  ])('%s lists them newest first', async (query, names) => {
    expect(await listed(query)).toEqual(names);
  });

  test('lists the emails of a campaign, a template, a workflow, and a contact', async () => {
    expect(await listed(`campaignId=${campaign}`)).toEqual(['unsent', 'bounced', 'news']);
    expect(await listed(`campaignId=${campaign}&status=BOUNCED`)).toEqual(['bounced']);
    expect(await listed(`templateId=${template}`)).toEqual(['step', 'receipt']);
    expect(await listed(`workflowId=${workflow}`)).toEqual(['step']);
    expect(await listed(`contactId=${ada}`)).toEqual(['news', 'receipt']);
    expect(await listed(`contactId=${ada}&status=FAILED`)).toEqual([]);
    expect(await listed(`campaignId=${newId()}`)).toEqual([]);
    expect(await listed(`campaignId=${campaign}&contactId=${ada}`)).toEqual(['news']);
    expect(await listed(`campaignId=${campaign}&status=PENDING`)).toEqual(['unsent']);
    expect(await listed(`campaignId=${campaign}&templateId=${template}`)).toEqual([]);
  });

  test('lists the emails of a template and of a workflow with a status', async () => {
    expect(await listed(`templateId=${template}&status=OPENED`)).toEqual(['step']);
    expect(await listed(`templateId=${template}&status=SENT`)).toEqual(['receipt']);
    expect(await listed(`workflowId=${workflow}&status=OPENED&type=MARKETING`)).toEqual(['step']);
    expect(await listed(`templateId=${template}&status=BOUNCED`)).toEqual([]);
  });

  test('lists the emails of a template with a status that very many emails have', async () => {
    const own = await api.project();
    const ownTemplate = newId();
    await api.ctx.pool.query(
      `INSERT INTO emails (id, project_id, message_id, template_id, source, type, to_email, status)
       SELECT uuid_v7(), $1, $2, CASE WHEN n % 1000 = 0 THEN $3::uuid END, 'TRANSACTIONAL', 'TRANSACTIONAL',
              'e' || n || '@x.test', 'OPENED' FROM generate_series(1, 2001) n`,
      [own.id, newId(), ownTemplate],
    );
    const { data, total } = await get<Page>(own, `/emails?templateId=${ownTemplate}&status=OPENED`);
    expect(data.map(({ to }) => to)).toEqual(['e2000@x.test', 'e1000@x.test']);
    expect(total).toBe(2);
  });

  test('finds emails to an earlier address of a contact', async () => {
    const own = await api.project();
    const id = await contact(own, 'old@x.test');
    const emailId = await email(own, await draft(own), { contactId: id, toEmail: 'old@x.test', status: 'SENT' });
    expect((await api.as(own, 'PATCH', `/contacts/${id}`, { email: 'new@x.test' })).statusCode).toBe(200);
    expect((await get<Page>(own, '/emails?to=old@x.test')).data.map((one) => one.id)).toEqual([emailId]);
    expect((await get<Page>(own, '/emails?to=new@x.test')).data).toEqual([]);
  });

  test('an entry has the status detail and the subject', async () => {
    const { data } = await get<Page>(project, '/emails?status=FAILED');
    expect(data).toEqual([expect.objectContaining({ statusDetail: 'unknown', subject: 'Receipt', to: 'lost@x.test' })]);
  });

  test.each([
    ['status=LOST', 'status'],
    ['source=PIGEON', 'source'],
    ['campaignId=1', 'campaignId'],
    ['since=yesterday', 'since'],
    ['limit=0', 'limit'],
    ['cursor=abc', 'cursor'],
  ])('%s returns 422', async (query, field) => {
    expect(refused(await api.as(project, 'GET', `/emails?${query}`))).toMatchObject({
      status: 422,
      errors: [expect.stringContaining(`${field} `)],
    });
  });

  test('rejects the cursor of another order', async () => {
    const { cursor } = await get<Page>(project, '/emails?limit=1');
    const answer = await api.as(project, 'GET', `/emails?limit=1&status=SENT&cursor=${cursor}`);
    expect(refused(answer)).toMatchObject({ status: 422, errors: ['cursor invalid_string'] });
  });
});

interface Content {
  subject: string;
  html: string;
  text: string;
  headers: Array<{ name: string; value: string }>;
  exact: boolean;
}

async function send(body: Record<string, unknown>): Promise<{ project: TestProject; id: string; contactId: string }> {
  const project = await api.project();
  const response = await api.as(project, 'POST', '/v1/send', {
    to: 'ada@x.test',
    from: `team@${project.domain}`,
    subject: 'Hello {{ name }}',
    body: '<p>Welcome, {{ name }}, <a href="https://x.test/">read</a></p>',
    data: { name: 'Ada' },
    ...body,
  });
  const [entry] = response.json<{ data: { emails: Array<{ email: string; contact: { id: string } }> } }>().data.emails;
  if (!entry) throw new Error('Nothing was sent');
  return { project, id: entry.email, contactId: entry.contact.id };
}

describe('the subject of an email in lists', () => {
  test('is rendered with its variables and the data of its contact', async () => {
    const { project, id } = await send({ subject: 'Hello {{ name }} in {{ city ?? "town" }}' });
    const plain = await send({ subject: 'No {tags}' });
    await api.ctx.pool.query(
      `SELECT FROM insert_events(ARRAY(SELECT ROW(uuid_v7(), project_id, contact_id, id, 'email.sent', '{}', now(), NULL)::new_event
                                         FROM emails WHERE id = $1))`,
      [id],
    );
    const { data } = await get<Page>(project, '/emails');
    expect(data).toMatchObject([{ id, subject: 'Hello Ada in town' }]);
    expect((await get<Item>(project, `/emails/${id}`)).subject).toBe('Hello Ada in town');
    const activity = await get<{ data: unknown[] }>(project, '/activity?types=email.sent');
    expect(activity.data).toMatchObject([{ metadata: { emailId: id, subject: 'Hello Ada in town' } }]);
    expect((await get<Page>(plain.project, '/emails')).data).toMatchObject([{ subject: 'No {tags}' }]);
  });

  test('is the template if it fails', async () => {
    const { project, id } = await send({});
    const { messageId } = await api.ctx.prisma.email.findUniqueOrThrow({ where: { id } });
    await api.ctx.prisma.message.update({ where: { id: messageId }, data: { subject: 'Hello {% for %}' } });
    expect((await get<Page>(project, '/emails')).data).toMatchObject([{ subject: 'Hello {% for %}' }]);
  });
});

describe('GET /emails/:id/content', () => {
  const handOver = (id: string) =>
    api.ctx.pool.query(
      `UPDATE emails SET status = 'SENT', attempts = 1, claimed_at = clock_timestamp(), sent_at = clock_timestamp() WHERE id = $1`,
      [id],
    );

  test('is rendered for the recipient, without tracking, and with all headers', async () => {
    const { project, id } = await send({ headers: { 'X-Campaign': 'spring' } });
    const content = await get<Content>(project, `/emails/${id}/content`);
    expect(content).toMatchObject({
      subject: 'Hello Ada',
      html: '<p>Welcome, Ada, <a href="https://x.test/">read</a></p>',
      text: expect.stringContaining('Welcome, Ada'),
      exact: true,
    });
    expect(content.headers).toEqual(
      expect.arrayContaining([
        { name: 'To', value: 'ada@x.test' },
        { name: 'Subject', value: 'Hello Ada' },
        { name: 'X-Campaign', value: 'spring' },
        { name: 'Message-ID', value: `<${id}@${project.domain}>` },
      ]),
    );
  });

  test('is exact until the data of the contact changes', async () => {
    const { project, id, contactId } = await send({});
    await handOver(id);
    expect((await get<Content>(project, `/emails/${id}/content`)).exact).toBe(true);
    await api.as(project, 'PATCH', `/contacts/${contactId}`, { data: { name: 'Grace' } });
    expect((await get<Content>(project, `/emails/${id}/content`)).exact).toBe(false);
  });

  test('is not exact after the contact was deleted, unless it uses no data', async () => {
    const [used, fixed] = [await send({}), await send({ subject: 'Hello', body: '<p>Hello</p>' })];
    for (const { project, id, contactId } of [used, fixed]) {
      await handOver(id);
      expect((await api.as(project, 'DELETE', `/contacts/${contactId}`)).statusCode).toBe(204);
    }
    expect((await get<Content>(used.project, `/emails/${used.id}/content`)).exact).toBe(false);
    expect((await get<Content>(fixed.project, `/emails/${fixed.id}/content`)).exact).toBe(true);
  });

  test('returns 404 without its message, and 409 if it cannot be rendered', async () => {
    const { project, id } = await send({});
    const { messageId } = await api.ctx.prisma.email.findUniqueOrThrow({ where: { id } });
    await api.ctx.prisma.email.update({ where: { id }, data: { messageId: newId() } });
    expect(refused(await api.as(project, 'GET', `/emails/${id}/content`))).toMatchObject({
      status: 404,
      code: 'EMAIL_NOT_FOUND',
    });
    await api.ctx.prisma.email.update({ where: { id }, data: { messageId } });
    await api.ctx.prisma.message.update({ where: { id: messageId }, data: { body: '{% for %}' } });
    const broken = await send({});
    const email = await api.ctx.prisma.email.findUniqueOrThrow({ where: { id: broken.id } });
    await api.ctx.prisma.message.update({ where: { id: email.messageId }, data: { body: '{% for %}' } });
    expect(refused(await api.as(broken.project, 'GET', `/emails/${broken.id}/content`))).toMatchObject({ status: 409 });
  });
});

describe('GET /emails/:id/events', () => {
  interface Events {
    attempts: Array<Record<string, unknown>>;
    hits: Array<Record<string, unknown>>;
  }

  test('has each attempt with the reply of the mail server', async () => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/v1/send', {
      to: 'ada@x.test',
      from: `team@${project.domain}`,
      subject: 's',
      body: 'b',
    });
    const id = response.json<{ data: { emails: Array<{ email: string }> } }>().data.emails[0]?.email ?? '';
    const workerId = newId();
    const attempt = async (result: { status: 'PENDING' | 'SENT'; response: string; error: string | null }) => {
      await claimDue(api.ctx.pool, { workerId, limit: 10, results: [] });
      expect(await settle(api.ctx.pool, workerId, [{ id, retryMs: 0, ...result }])).toEqual([id]);
    };
    await attempt({ status: 'PENDING', response: '451 later', error: 'try later' });
    await attempt({ status: 'SENT', response: '250 Ok', error: null });
    expect(await get<Events>(project, `/emails/${id}/events`)).toEqual({
      attempts: [
        { number: 1, at: expect.any(String), outcome: 'DEFERRED', response: '451 later', error: 'try later' },
        { number: 2, at: expect.any(String), outcome: 'SENT', response: '250 Ok', error: null },
      ],
      hits: [],
    });
  });

  test('numbers the attempts of a retried campaign in their order', async () => {
    const project = await api.project();
    const id = await email(project, await draft(project), { status: 'SENT', attempts: 1, sentAt: new Date() });
    const failed = { projectId: project.id, emailId: id, outcome: 'FAILED', response: '550', error: '550' };
    await api.ctx.prisma.emailAttempt.createMany({
      data: [
        { ...failed, number: 1, outcome: 'DEFERRED', at: new Date('2026-03-10T12:00:00Z') },
        { ...failed, number: 2, at: new Date('2026-03-10T12:01:00Z') },
        { ...failed, number: 1, at: new Date('2026-03-10T12:02:00Z') },
      ],
    });
    const { attempts } = await get<Events>(project, `/emails/${id}/events`);
    expect(attempts.map(({ number, outcome }) => `${String(number)} ${String(outcome)}`)).toEqual([
      '1 DEFERRED',
      '2 FAILED',
      '3 FAILED',
      '4 SENT',
    ]);
  });

  test('has the hits, with the reason of a machine, and a failed attempt of an earlier version', async () => {
    const project = await api.project();
    const id = await email(project, await draft(project), {
      status: 'FAILED',
      attempts: 1,
      error: 'no such user',
      response: '550',
    });
    const hit = { projectId: project.id, emailId: id, userAgent: 'Agent' };
    await api.ctx.prisma.trackingHit.createMany({
      data: [
        { ...hit, id: newId(), kind: 'open', machine: true, reason: 'scanner', at: new Date('2026-03-10T12:00:00Z') },
        {
          ...hit,
          id: newId(),
          kind: 'click',
          machine: false,
          url: 'https://x.test/',
          label: 'cta',
          at: new Date('2026-03-10T12:01:00Z'),
        },
      ],
    });
    expect(await get<Events>(project, `/emails/${id}/events`)).toEqual({
      attempts: [{ number: 1, at: null, outcome: 'FAILED', response: '550', error: 'no such user' }],
      hits: [
        expect.objectContaining({ kind: 'open', machine: true, reason: 'scanner' }),
        expect.objectContaining({ kind: 'click', machine: false, reason: null, url: 'https://x.test/', label: 'cta' }),
      ],
    });
  });
});
