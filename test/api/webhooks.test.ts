/** Webhook endpoints and their deliveries, without Temporal (research, ahead.md, section 3.1). */
import type { LightMyRequestResponse } from 'fastify';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { transaction } from '../../src/db/pool.js';
import { settle } from '../../src/domain/emails/sql/delivery.js';
import { insertEvents } from '../../src/domain/events/insert.js';
import { NOTICE_TYPES } from '../../src/domain/events/name.js';
import { announce } from '../../src/domain/webhooks/announce.js';
import { deliverDue } from '../../src/domain/webhooks/deliver.js';
import { runReplay } from '../../src/domain/webhooks/replay.js';
import { WEBHOOK_TYPES } from '../../src/domain/webhooks/types.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { about, feedbackHelpers } from '../helpers/feedback.js';
import { fillProject } from '../helpers/project-content.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

const api = useApi({ WEBHOOK_ALLOW_PRIVATE: 'true' });
const WORKER = newId();
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  return () => receiver.stop();
});
afterEach(() => {
  receiver.requests.length = 0;
  receiver.answer((response) => response.end('ok'));
});

interface Endpoint {
  id: string;
  secret: string;
}

async function addEndpoint(project: TestProject, events: string[] = ['*'], path = '/hook'): Promise<Endpoint> {
  const response = await api.as(project, 'POST', '/webhooks', { url: `${receiver.origin}${path}`, events });
  expect(response.statusCode, response.body).toBe(201);
  return response.json();
}

/** Stores an event of a new contact. @returns its id */
async function track(project: TestProject, name: string, data: Record<string, unknown> = {}): Promise<string> {
  const [id, contactId] = [newId(), newId()];
  await api.ctx.prisma.contact.create({
    data: { id: contactId, projectId: project.id, email: `${contactId}@inbox.test`, subscribed: true },
  });
  await insertEvents(api.ctx.pool, [{ id, projectId: project.id, contactId, name, data }]);
  return id;
}

/** A moment later: a delivery is due from the rounded time of its insertion on. */
const deliver = (id: string, now = Date.now() + 100, signal = new AbortController().signal) =>
  deliverDue(api.ctx, id, now, signal);
/** Runs the job of a replay. @returns its result */
async function finish(project: TestProject, accepted: LightMyRequestResponse): Promise<unknown> {
  expect(accepted.statusCode, accepted.body).toBe(202);
  const { jobId } = accepted.json<{ jobId: string }>();
  await runReplay(api.ctx, { jobId, projectId: project.id });
  const { state, result } = (await api.as(project, 'GET', `/jobs/${jobId}`)).json();
  expect(state).toBe('completed');
  return result;
}
const deliveries = async (project: TestProject, id: string, query = '') =>
  (await api.as(project, 'GET', `/webhooks/${id}/deliveries${query}`)).json().data;
const details = async (project: TestProject, id: string, deliveryId: string) =>
  (await api.as(project, 'GET', `/webhooks/${id}/deliveries/${deliveryId}`)).json();
const show = async (project: TestProject, id: string) => (await api.as(project, 'GET', `/webhooks/${id}`)).json();

const PATTERN_RULE = 'A pattern is `*`, or one word and `.*`, such as `email.*`.';

describe('POST /webhooks', () => {
  test('returns the endpoint with its secret, which is not shown again and is stored encrypted', async () => {
    const project = await api.project();
    const { secret, ...endpoint } = await addEndpoint(project);
    expect(secret).toMatch(/^whsec_[A-Za-z\d+/]{43}=$/);
    expect(await show(project, endpoint.id)).toEqual(endpoint);
    const row = await api.ctx.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: endpoint.id } });
    expect(row.secret).not.toContain(secret.slice(6));
  });

  test.each([
    ['an unknown type', { events: ['email.bounce'] }, 'events.0', 'Unknown type. Did you mean "email.bounced"?'],
    ['a mistyped type', { events: ['campaing.sent'] }, 'events.0', 'Unknown type. Did you mean "campaign.sent"?'],
    ['a mistyped pattern', { events: ['*', 'emial.*'] }, 'events.1', 'Unknown type. Did you mean "email.*"?'],
    ['a pattern of two words', { events: ['order.item.*'] }, 'events.0', PATTERN_RULE],
    ['a pattern of ends', { events: ['*.created'] }, 'events.0', PATTERN_RULE],
    ['no type', { events: [] }, 'events', expect.any(String)],
    ['101 types', { events: Array.from({ length: 101 }, (_, n) => `own ${n}`) }, 'events', expect.any(String)],
    ['another scheme', { url: 'ftp://example.com/' }, 'url', 'must begin with https:// or http://'],
    ['no URL', { url: 'example.com' }, 'url', 'must be a URL'],
    ['a password', { url: 'https://me:secret@example.com/' }, 'url', expect.stringContaining('password')],
  ])('rejects %s, and changes nothing', async (_rule, change, field, message) => {
    const project = await api.project();
    const body = { url: 'https://example.com/', events: ['*'], ...change };
    const response = await api.as(project, 'POST', '/webhooks', body);
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toContainEqual(expect.objectContaining({ field, message }));
    expect((await api.as(project, 'GET', '/webhooks')).json()).toEqual({ data: [] });
  });

  test('accepts types, patterns, and names of own events', async () => {
    const project = await api.project();
    await track(project, 'domain.renewed');
    const events = ['email.sent', 'contact.*', 'segment.vip.entry', 'custom.*', 'order placed', 'domain.renewed'];
    expect(await addEndpoint(project, events)).toMatchObject({ events });
  });

  test('returns 409 for the 21st endpoint', async () => {
    const project = await api.project();
    await Promise.all(Array.from({ length: 20 }, () => addEndpoint(project)));
    const body = { url: 'https://example.com/', events: ['*'] };
    expect((await api.as(project, 'POST', '/webhooks', body)).statusCode).toBe(409);
  });
});

describe('an event', () => {
  test('is delivered to each endpoint that wants it, under its id and signed', async () => {
    const project = await api.project();
    const [all, own, other, late] = [
      await addEndpoint(project, ['*'], '/all'),
      await addEndpoint(project, ['custom.*'], '/own'),
      await addEndpoint(project, ['email.*'], '/email'),
      await addEndpoint(await api.project(), ['*'], '/foreign'),
    ];
    const id = await track(project, 'order.placed', { total: 5 });
    for (const endpoint of [all, own, other, late]) await deliver(endpoint.id);
    expect(receiver.requests.map(({ url }) => url).sort()).toEqual(['/all', '/own']);
    const { body, headers } = receiver.requests.find(({ url }) => url === '/own') ?? expect.unreachable();
    expect(headers['webhook-id']).toBe(id);
    expect(new Webhook(own.secret).verify(body, headers)).toEqual({
      type: 'order.placed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        projectId: project.id,
        contactId: expect.any(String),
        email: expect.stringMatching(/@inbox\.test$/),
        emailId: null,
        properties: { total: 5 },
      },
    });
    expect(() => new Webhook(all.secret).verify(body, headers)).toThrow();
    expect(await deliveries(project, own.id)).toEqual([
      expect.objectContaining({ id, status: 'DELIVERED', attempts: 1, lastStatusCode: 200, lastError: null }),
    ]);
  });

  test('of which a statement is rolled back leaves no delivery', async () => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    await expect(
      transaction(api.ctx.pool, async (tx) => {
        await insertEvents(tx, [{ projectId: project.id, contactId: null, name: 'order.placed' }]);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(await deliveries(project, id)).toEqual([]);
  });

  test('pokes an idle endpoint once, however many follow', async () => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    expect(await deliver(id)).toMatchObject({ nextAt: null, waiting: 0 });
    await api.ctx.pool.query(`DELETE FROM outbox WHERE workflow_id = $1`, [`webhook:${id}`]);
    for (let index = 0; index < 5; index++) await track(project, 'order.placed');
    const { rows } = await api.ctx.pool.query(`SELECT action, fairness_key FROM outbox WHERE workflow_id = $1`, [
      `webhook:${id}`,
    ]);
    expect(rows).toEqual([{ action: 'signal', fairness_key: `webhook/${project.id}` }]);
  });

  test('that is being inserted keeps the endpoint from becoming idle', async () => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    const client = await api.ctx.pool.connect();
    await client.query('BEGIN');
    await insertEvents(client, [{ projectId: project.id, contactId: null, name: 'order.placed' }]);
    const turn = deliver(id);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await client.query('COMMIT');
    client.release();
    await turn;
    expect(receiver.requests).toHaveLength(1);
  });

  test('of more than 20 KB is delivered without its properties', async () => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    await track(project, 'order.placed', { text: 'ä'.repeat(11_000) });
    await deliver(id);
    const [request] = receiver.requests;
    expect(Buffer.byteLength(request?.body ?? '')).toBeLessThan(20 * 1024);
    expect(JSON.parse(request?.body ?? '').data).toMatchObject({ truncated: true, properties: {} });
  });

  test('of a contact that was deleted meanwhile is discarded, also by a replay', async () => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    const deliveryId = await track(project, 'order.placed');
    await api.ctx.prisma.contact.deleteMany({ where: { projectId: project.id } });
    await deliver(id);
    expect(receiver.requests).toEqual([]);
    expect(await details(project, id, deliveryId)).toMatchObject({ status: 'DISCARDED', request: null, log: [] });
    const since = new Date(Date.now() - 60_000).toISOString();
    const response = await api.as(project, 'POST', `/webhooks/${id}/replay`, { since, status: 'ALL' });
    expect(await finish(project, response)).toMatchObject({ count: 0 });
  });
});

test('a notice is delivered like an event, but not as an own event', async () => {
  const project = await api.project();
  const [own, all] = [
    await addEndpoint(project, ['custom.*'], '/own'),
    await addEndpoint(project, ['campaign.*'], '/all'),
  ];
  await announce(api.ctx.pool, {
    projectId: project.id,
    type: 'campaign.sent',
    data: { campaignId: 'c', name: 'News' },
  });
  await deliver(own.id);
  await deliver(all.id);
  expect(receiver.requests.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
    [
      '/all',
      {
        type: 'campaign.sent',
        timestamp: expect.any(String),
        data: { projectId: project.id, campaignId: 'c', name: 'News' },
      },
    ],
  ]);
});

interface Body {
  type: string;
  data: Record<string, unknown>;
}

const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value);
const typesOf = (data: Body['data']) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, typeOf(value)]));

/** Returns the properties of the documented schema, with the types of `data` where several are allowed. */
function schemaOf(type: string, data: Body['data']): Record<string, string> {
  const { schema } = WEBHOOK_TYPES.find((known) => known.type === type) ?? expect.unreachable();
  const { properties } = z.object({ properties: z.record(z.string(), z.object({ type: JsonTypes })) }).parse(schema);
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type: allowed }]) => [
      name,
      allowed.find((one) => one === typeOf(data[name])) ?? allowed.join(),
    ]),
  );
}
const JsonTypes = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

test('the properties of real events are those of their types', async () => {
  const project = await api.project();
  const { id } = await addEndpoint(project);
  const { sent, apply } = feedbackHelpers(api);
  const [good, bad] = await sent(project, 2, { status: 'SENDING', claimedBy: WORKER });
  if (!good || !bad) throw expect.unreachable();
  const result = { error: null, response: '250 OK', retryMs: 0 };
  await settle(api.ctx.pool, WORKER, [
    { ...result, id: good.id, status: 'SENT' },
    { ...result, id: bad.id, status: 'FAILED', error: '550 5.1.1 No such user' },
  ]);
  const at = new Date();
  await apply(
    about(good.id, { kind: 'delivered', at }),
    about(good.id, { kind: 'opened', at }),
    about(good.id, { kind: 'clicked', at, url: 'https://shop.test/' }),
    about(good.id, { kind: 'complained', at, reason: 'abuse' }),
    about(good.id, { kind: 'bounced', at, bounceType: 'permanent', reason: '550 5.1.1 No such user' }),
  );
  await api.as(project, 'PATCH', `/contacts/${good.contactId}`, { subscribed: true });
  const parts = { scheduledFor: new Date(Date.now() + 3_600_000).toISOString(), group: 'order 17', tags: ['receipt'] };
  const content = { from: `shop@${project.domain}`, subject: 'Hello', body: '<p>Hello</p>' };
  await api.as(project, 'POST', '/v1/send', { to: 'ada@x.test', ...content, ...parts });
  await api.as(project, 'POST', '/emails/cancel', { group: 'order 17' });
  await deliver(id);
  const bodies = receiver.requests.map(({ body }): Body => JSON.parse(body));
  expect(new Set(bodies.map(({ type }) => type))).toEqual(
    new Set([
      ...['sent', 'failed', 'delivered', 'opened', 'clicked', 'complained', 'bounced', 'scheduled', 'cancelled'].map(
        (kind) => `email.${kind}`,
      ),
      'contact.unsubscribed',
      'contact.subscribed',
    ]),
  );
  for (const { type, data } of bodies) {
    const real = z.record(z.string(), z.unknown()).parse(data.properties);
    const { example } = WEBHOOK_TYPES.find((known) => known.type === type) ?? expect.unreachable();
    expect(example.data.properties, type).toMatchObject(
      Object.fromEntries(Object.keys(real).map((name) => [name, expect.anything()])),
    );
  }
  expect(bodies.find(({ type }) => type === 'email.failed')?.data.properties).toEqual({
    campaignId: bad.campaignId,
    error: '550 5.1.1 No such user',
  });
});

test('campaigns, executions, imports, domains, and projects announce the changes of their status', async () => {
  const project = await api.project();
  const { prisma } = api.ctx;
  await fillProject(api.ctx, project.id);
  const { id } = await addEndpoint(project, ['campaign.*', 'execution.*', 'import.*', 'domain.*', 'project.*']);
  await deliver(id);
  receiver.requests.length = 0;
  const of = { where: { projectId: project.id } };
  await prisma.campaign.updateMany({ where: { ...of.where, status: 'SCHEDULED' }, data: { status: 'SENDING' } });
  await prisma.campaign.updateMany({ where: { ...of.where, status: 'SENDING' }, data: { status: 'SENT' } });
  await prisma.campaign.updateMany({ where: { ...of.where, status: 'DRAFT' }, data: { status: 'CANCELLED' } });
  // Retried emails: not a start.
  await prisma.campaign.updateMany({ where: { ...of.where, status: 'SENT' }, data: { status: 'SENDING' } });
  await prisma.workflowExecution.updateMany({ ...of, data: { status: 'FAILED' } });
  await prisma.workflowExecution.updateMany({ ...of, data: { status: 'COMPLETED' } });
  await prisma.job.updateMany({ where: { ...of.where, kind: 'IMPORT' }, data: { state: 'active' } });
  await prisma.job.updateMany({ where: { ...of.where, kind: 'IMPORT' }, data: { state: 'completed' } });
  await prisma.domain.updateMany({ ...of, data: { status: 'VERIFIED' } });
  await prisma.domain.updateMany({ ...of, data: { status: 'PENDING' } });
  await prisma.project.update({ where: { id: project.id }, data: { disabled: true, disabledReason: 'Complaints' } });
  await deliver(id);
  const bodies = receiver.requests.map(({ body }): Body => JSON.parse(body));
  const types = new Set(bodies.map(({ type }) => type));
  expect(types).toEqual(new Set(NOTICE_TYPES.filter((type) => type !== 'webhook.disabled')));
  for (const { type, data } of bodies) expect(typesOf(data), type).toEqual(schemaOf(type, data));
});

describe('an attempt', () => {
  test.each([
    ['500', 500, 'The receiver responded with 500 Internal Server Error.'],
    ['a redirect', 302, 'The receiver redirected (302 Found). Redirects are not followed.'],
  ])('that is answered with %s is repeated', async (_name, status, error) => {
    receiver.answer((response) => response.writeHead(status, { location: '/elsewhere' }).end('<b>no</b>'));
    const project = await api.project();
    const { id } = await addEndpoint(project);
    const deliveryId = await track(project, 'order.placed');
    const state = await deliver(id);
    expect(receiver.requests).toHaveLength(1);
    expect(state?.nextAt).toBeGreaterThan(Date.now() + 3000);
    expect(await details(project, id, deliveryId)).toMatchObject({
      status: 'PENDING',
      attempts: 1,
      lastError: error,
      log: [{ statusCode: status, response: '<b>no</b>', error, durationMs: expect.any(Number) }],
    });
    expect(await show(project, id)).toMatchObject({ failingSince: expect.any(String), waiting: 1 });
    receiver.answer((response) => response.end('ok'));
    await deliver(id, Date.now() + 10_000);
    expect(await details(project, id, deliveryId)).toMatchObject({ status: 'DELIVERED', attempts: 2 });
    expect(await show(project, id)).toMatchObject({
      failingSince: null,
      waiting: 0,
      lastSuccessAt: expect.any(String),
    });
  });

  test('that is answered with 410 disables the endpoint, tells the others and the managers, and keeps what waits', async () => {
    receiver.answer((response, { url }) => response.writeHead(url === '/gone' ? 410 : 200).end());
    const project = await api.project();
    const userId = newId();
    await api.ctx.prisma.user.create({ data: { id: userId, email: `${userId}@team.test`, passwordHash: 'x' } });
    await api.ctx.prisma.membership.create({ data: { userId, projectId: project.id, role: 'OWNER' } });
    const [gone, other] = [
      await addEndpoint(project, ['*'], '/gone'),
      await addEndpoint(project, ['webhook.*'], '/other'),
    ];
    await track(project, 'order.placed');
    expect(await deliver(gone.id)).toMatchObject({ enabled: false, waiting: 1, nextAt: null });
    expect(await show(project, gone.id)).toMatchObject({
      enabled: false,
      disabledReason: 'The receiver replied 410 Gone.',
      waiting: 1,
    });
    await deliver(other.id);
    expect(JSON.parse(receiver.requests.at(-1)?.body ?? '')).toMatchObject({
      type: 'webhook.disabled',
      data: { webhookId: gone.id, reason: 'The receiver replied 410 Gone.' },
    });
    expect(await api.ctx.prisma.email.count({ where: { toEmail: `${userId}@team.test` } })).toBe(1);
    receiver.answer((response) => response.end());
    await api.as(project, 'PATCH', `/webhooks/${gone.id}`, { enabled: true });
    await deliver(gone.id, Date.now() + 10_000);
    expect(await show(project, gone.id)).toMatchObject({ enabled: true, disabledReason: null, waiting: 0 });
  });

  test('that is answered with 429 and Retry-After pauses the endpoint', async () => {
    receiver.answer((response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const project = await api.project();
    const { id } = await addEndpoint(project);
    for (let index = 0; index < 20; index++) await track(project, 'order.placed');
    const state = await deliver(id);
    expect(receiver.requests.length).toBeLessThanOrEqual(8);
    expect(Math.abs((state?.nextAt ?? 0) - Date.now() - 3_600_000)).toBeLessThan(10_000);
    expect(await show(project, id)).toMatchObject({ pausedUntil: expect.any(String), waiting: 20 });
  });

  test('after five failures is the only one until it succeeds', async () => {
    receiver.answer((response) => response.writeHead(500).end());
    const project = await api.project();
    const { id } = await addEndpoint(project);
    await api.ctx.prisma.webhookEndpoint.update({ where: { id }, data: { failures: 5, failingSince: new Date() } });
    for (let index = 0; index < 20; index++) await track(project, 'order.placed');
    await deliver(id);
    expect(receiver.requests).toHaveLength(1);
  });

  test('that succeeds after five failures is followed by eight at a time', async () => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    await api.ctx.prisma.webhookEndpoint.update({ where: { id }, data: { failures: 5, failingSince: new Date() } });
    for (let index = 0; index < 20; index++) await track(project, 'order.placed');
    let [open, most] = [0, 0];
    receiver.answer((response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open -= 1;
        response.end();
      }, 100);
    });
    await deliver(id);
    expect(receiver.requests).toHaveLength(20);
    expect(most).toBe(8);
  });

  test.each([
    [410, {}, { enabled: false, disabledReason: 'The receiver replied 410 Gone.' }],
    [429, { 'retry-after': '60' }, { enabled: true, pausedUntil: expect.any(String) }],
  ])('that is answered with %i counts, also if another request succeeds later', async (status, headers, state) => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    receiver.answer((response, { body }) => {
      if (body.includes('"late"')) setTimeout(() => response.end(), 300);
      else response.writeHead(status, headers).end();
    });
    await track(project, 'late');
    await track(project, 'order.placed');
    await deliver(id);
    expect(receiver.requests).toHaveLength(2);
    expect(await show(project, id)).toMatchObject({ ...state, waiting: 1, lastSuccessAt: expect.any(String) });
  });
});

describe('a change during a turn', () => {
  /** An endpoint with many deliveries, of which each takes 400 ms: a turn of five seconds. */
  async function begin() {
    const project = await api.project();
    const endpoint = await addEndpoint(project, ['*'], '/before');
    for (let index = 0; index < 100; index++) await track(project, 'order.placed');
    receiver.answer((response) => setTimeout(() => response.end(), 400));
    const turn = deliver(endpoint.id);
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(8);
    return { project, ...endpoint, turn };
  }

  test('of the secret applies within a second or two', async () => {
    const { project, id, turn } = await begin();
    const { secret } = (
      await api.as(project, 'POST', `/webhooks/${id}/rotate-secret`, { graceHours: 0 })
    ).json<Endpoint>();
    await turn;
    expect(receiver.requests).toHaveLength(100);
    const isNew = receiver.requests.map(({ body, headers }) => {
      try {
        return Boolean(new Webhook(secret).verify(body, headers));
      } catch {
        return false;
      }
    });
    expect(isNew.filter(Boolean).length).toBeGreaterThan(20);
    expect(isNew.slice(isNew.indexOf(true)).filter((one) => !one).length).toBeLessThan(8);
  });

  test('to disabled ends it within a second or two', async () => {
    const { project, id, turn } = await begin();
    await api.as(project, 'PATCH', `/webhooks/${id}`, { enabled: false });
    expect(await turn).toMatchObject({ enabled: false });
    expect(receiver.requests.length).toBeLessThan(80);
  });

  test('of the URL forgets a response of the former one, and what waits goes to the new one', async () => {
    const { project, id, turn } = await begin();
    receiver.answer((response, { url }) =>
      setTimeout(() => response.writeHead(url === '/before' ? 410 : 200).end(), 400),
    );
    await api.as(project, 'PATCH', `/webhooks/${id}`, { url: `${receiver.origin}/after` });
    await turn;
    await deliver(id, Date.now() + 10_000);
    expect(await show(project, id)).toMatchObject({ enabled: true, disabledReason: null, waiting: 0 });
    const paths = receiver.requests.map(({ url }) => url);
    expect(paths.filter((path) => path === '/after').length).toBeGreaterThan(20);
  });
});

test('enabling an endpoint makes all due that waits', async () => {
  receiver.answer((response) => response.writeHead(500).end());
  const project = await api.project();
  const { id } = await addEndpoint(project);
  const waiting = await track(project, 'order.placed');
  await deliver(id);
  await api.ctx.prisma.webhookDelivery.updateMany({
    where: { endpointId: id },
    data: { nextAttemptAt: new Date(Date.now() + 36_000_000) },
  });
  for (const enabled of [false, true]) await api.as(project, 'PATCH', `/webhooks/${id}`, { enabled });
  receiver.answer((response) => response.end());
  await deliver(id);
  expect(await details(project, id, waiting)).toMatchObject({ status: 'DELIVERED', attempts: 2 });
});

test('a delivery that is requested again while it is in flight is sent once more', async () => {
  const project = await api.project();
  const { id } = await addEndpoint(project);
  const event = await track(project, 'order.placed');
  receiver.answer((response) => setTimeout(() => response.end(), 300));
  const turn = deliver(id);
  await expect.poll(() => receiver.requests.length).toBe(1);
  await api.as(project, 'POST', `/webhooks/${id}/deliveries/${event}/retry`);
  await turn;
  await deliver(id, Date.now() + 1000);
  expect(receiver.requests).toHaveLength(2);
  expect(await details(project, id, event)).toMatchObject({ status: 'DELIVERED', attempts: 1 });
});

test('an event with the name of a notice is rejected, and one from before is not delivered', async () => {
  const project = await api.project();
  const { id } = await addEndpoint(project, ['*', 'campaign.*', 'custom.*']);
  for (const event of NOTICE_TYPES) {
    const body = { email: 'ada@inbox.test', event };
    const response = await api.as(project, 'POST', '/events/track', body);
    expect(response.statusCode, event).toBe(422);
    expect(response.json().error.errors).toContainEqual(
      expect.objectContaining({ field: 'event', code: 'reserved_event' }),
    );
    await track(project, event);
  }
  await deliver(id);
  expect(receiver.requests).toEqual([]);
  expect(await deliveries(project, id)).toEqual([]);
});

describe('the secret', () => {
  test('that was replaced signs too until its grace period ends', async () => {
    const project = await api.project();
    const { id, secret } = await addEndpoint(project);
    const rotate = async (graceHours: number): Promise<string> =>
      (await api.as(project, 'POST', `/webhooks/${id}/rotate-secret`, { graceHours })).json().secret;
    const second = await rotate(1);
    await track(project, 'order.placed');
    await deliver(id);
    const { body, headers } = receiver.requests[0] ?? expect.unreachable();
    for (const each of [secret, second]) expect(new Webhook(each).verify(body, headers)).toBeTruthy();
    const third = await rotate(0);
    await track(project, 'order.placed');
    await deliver(id);
    const last = receiver.requests.at(-1) ?? expect.unreachable();
    expect(new Webhook(third).verify(last.body, last.headers)).toBeTruthy();
    expect(() => new Webhook(second).verify(last.body, last.headers)).toThrow();
  });
});

describe('POST /webhooks/:id/test', () => {
  test.each(['email.bounced', 'campaign.sent', 'order.placed'])(
    'sends the example of %s to this endpoint only',
    async (type) => {
      const project = await api.project();
      const [one, other] = [
        await addEndpoint(project, ['email.*'], '/one'),
        await addEndpoint(project, ['*'], '/other'),
      ];
      const response = await api.as(project, 'POST', `/webhooks/${one.id}/test`, { type });
      expect(response.statusCode).toBe(202);
      await deliver(one.id);
      await deliver(other.id);
      expect(
        receiver.requests.map(({ url, headers, body }) => [url, headers['webhook-id'], JSON.parse(body).type]),
      ).toEqual([['/one', response.json().deliveryId, type]]);
    },
  );
});

test.each(['email.bouncd', 'email.*', '*', ' x '])('a test of the type %j returns 422', async (type) => {
  const project = await api.project();
  const { id } = await addEndpoint(project);
  const response = await api.as(project, 'POST', `/webhooks/${id}/test`, { type });
  expect(response.statusCode).toBe(422);
  expect(response.json().error.errors).toEqual([expect.objectContaining({ field: 'type' })]);
});

describe('a replay', () => {
  const since = new Date(Date.now() - 60_000).toISOString();

  test('of all events repeats them under the same ids, also those from before the endpoint', async () => {
    const project = await api.project();
    const ids = [await track(project, 'order.placed'), await track(project, 'order.paid')];
    const { id } = await addEndpoint(project, ['custom.*']);
    const replay = (body: object) =>
      api.as(project, 'POST', `/webhooks/${id}/replay`, { since, status: 'ALL', ...body });
    expect((await replay({ dryRun: true })).json()).toEqual({ count: 2 });
    expect((await replay({ types: ['order.paid'], dryRun: true })).json()).toEqual({ count: 1 });
    await deliver(id);
    expect(receiver.requests).toEqual([]);
    for (let round = 0; round < 2; round++) {
      expect(await finish(project, await replay({}))).toMatchObject({ count: 2 });
      await deliver(id);
    }
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([...ids, ...ids]);
  });

  test('of failed deliveries leaves the others', async () => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    const [failed] = [await track(project, 'order.placed'), await track(project, 'order.placed')];
    await deliver(id);
    receiver.requests.length = 0;
    await api.ctx.prisma.webhookDelivery.updateMany({ where: { eventId: failed }, data: { status: 'FAILED' } });
    expect(await finish(project, await api.as(project, 'POST', `/webhooks/${id}/replay`, { since }))).toEqual({
      webhookId: id,
      status: 'FAILED',
      since,
      until: expect.any(String),
      types: null,
      count: 1,
    });
    await deliver(id);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([failed]);
  });

  test('is a job, of which an endpoint has one at a time, and which can be canceled', async () => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    await track(project, 'order.placed');
    await deliver(id);
    const replay = () => api.as(project, 'POST', `/webhooks/${id}/replay`, { since, status: 'ALL' });
    const accepted = await replay();
    expect(accepted.statusCode).toBe(202);
    const { jobId, count } = accepted.json<{ jobId: string; count: number }>();
    expect(count).toBe(1);
    expect((await replay()).statusCode).toBe(409);
    const other = await addEndpoint(project);
    expect((await api.as(project, 'POST', `/webhooks/${other.id}/replay`, { since })).statusCode).toBe(202);
    expect((await api.as(project, 'DELETE', `/jobs/${jobId}`)).json()).toMatchObject({
      kind: 'replay',
      operation: 'ALL',
      state: 'cancelled',
      result: { webhookId: id, count: 0 },
    });
    expect(await runReplay(api.ctx, { jobId, projectId: project.id })).toBeNull();
    const next = await replay();
    expect((await api.as(project, 'DELETE', `/webhooks/${id}`)).statusCode).toBe(204);
    await expect(finish(project, next)).rejects.toThrow('The webhook endpoint was deleted.');
  });

  test.each([
    ['an empty range', { since, until: since }, 'until', 'must be after `since`'],
    ['a range to come', { since: '2099-01-01T00:00:00Z' }, 'since', 'must be in the past'],
    ['an unknown type', { since, types: ['email.snet'] }, 'types.0', 'Unknown type. Did you mean "email.sent"?'],
  ])('of %s returns 422', async (_name, body, field, message) => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    const response = await api.as(project, 'POST', `/webhooks/${id}/replay`, body);
    expect(response.json().error.errors).toEqual([expect.objectContaining({ field, message })]);
  });

  test('takes patterns, and repeats neither tests of another endpoint nor what others were told about this one', async () => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    const other = await addEndpoint(project);
    await track(project, 'order.placed');
    const { deliveryId } = (
      await api.as(project, 'POST', `/webhooks/${other.id}/test`, { type: 'email.bounced' })
    ).json();
    expect(deliveryId).toEqual(expect.any(String));
    const data = { webhookId: id, url: 'https://example.com', reason: 'Gone' };
    await announce(api.ctx.pool, { projectId: project.id, type: 'webhook.disabled', data });
    const count = async (of: string, types?: string[]) =>
      (await api.as(project, 'POST', `/webhooks/${of}/replay`, { since, status: 'ALL', types, dryRun: true })).json()
        .count;
    expect(await count(id)).toBe(1);
    expect(await count(id, ['order.*'])).toBe(1);
    expect(await count(id, ['custom.*', 'email.*'])).toBe(1);
    expect(await count(id, ['email.*', 'webhook.*'])).toBe(0);
    expect(await count(other.id)).toBe(2);
  });

  test('of failed deliveries counts only events that still exist', async () => {
    const project = await api.project();
    const { id } = await addEndpoint(project);
    for (const name of ['order.placed', 'order.paid']) await track(project, name);
    await api.ctx.prisma.webhookDelivery.updateMany({ where: { endpointId: id }, data: { status: 'FAILED' } });
    await api.ctx.prisma.event.deleteMany({ where: { projectId: project.id, name: 'order.paid' } });
    const response = await api.as(project, 'POST', `/webhooks/${id}/replay`, { since, dryRun: true });
    expect(response.json()).toEqual({ count: 1 });
  });
});

test('a delivery is repeated in any status, under the same id and from its first wait on', async () => {
  const project = await api.project();
  const { id } = await addEndpoint(project);
  const deliveryId = await track(project, 'order.placed');
  await deliver(id);
  const path = `/webhooks/${id}/deliveries/${deliveryId}`;
  const response = await api.as(project, 'POST', `${path}/retry`);
  expect(response.statusCode).toBe(202);
  expect(response.json()).toEqual({
    id: deliveryId,
    type: 'order.placed',
    status: 'PENDING',
    attempts: 0,
    nextAttemptAt: expect.any(String),
    updatedAt: expect.any(String),
    lastStatusCode: 200,
    lastError: null,
  });
  await deliver(id);
  expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId, deliveryId]);
  expect((await api.as(project, 'GET', path)).json().log).toHaveLength(2);
  expect((await api.as(project, 'POST', `/webhooks/${id}/deliveries/${newId()}/retry`)).statusCode).toBe(404);
});

test('deliveries are listed by status, type, and time, newest first, in pages', async () => {
  const project = await api.project();
  const { id } = await addEndpoint(project);
  const ids = [await track(project, 'a'), await track(project, 'b'), await track(project, 'a')].reverse();
  const idsOf = async (query: string) => (await deliveries(project, id, query)).map((one: { id: string }) => one.id);
  expect(await idsOf('')).toEqual(ids);
  expect(await idsOf('?type=b')).toEqual([ids[1]]);
  expect(await idsOf('?status=DELIVERED')).toEqual([]);
  expect(await idsOf(`?since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  expect(await idsOf('?since=1000-01-01')).toEqual(ids);
  const page = (await api.as(project, 'GET', `/webhooks/${id}/deliveries?limit=2`)).json();
  expect(page).toMatchObject({ hasMore: true, cursor: ids[1] });
  expect(await idsOf(`?limit=2&cursor=${page.cursor}`)).toEqual([ids[2]]);
});

test('a deleted endpoint gets nothing more', async () => {
  const project = await api.project();
  const { id } = await addEndpoint(project);
  await track(project, 'order.placed');
  expect((await api.as(project, 'DELETE', `/webhooks/${id}`)).statusCode).toBe(204);
  expect(await deliver(id)).toBeNull();
  expect(receiver.requests).toEqual([]);
});
