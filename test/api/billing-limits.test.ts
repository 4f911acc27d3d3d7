/** Billing limits: setting and reading them, and how `/v1/send` enforces them (contract, section 8). */
import type { PoolClient } from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { buildApp } from '../../src/api/app.js';
import { monthOf } from '../../src/domain/billing/limits.js';
import { newId } from '../../src/ids.js';
import { insertProject, useApi, type TestApi, type TestProject } from '../helpers/api.js';
import { errorOf, newUser, refusal, type TestUser } from '../helpers/session.js';
import { send, setLimits, usageOf } from '../helpers/usage.js';

const api = useApi();

let project: TestProject;
let owner: TestUser;

beforeEach(async () => {
  project = await api.project();
  owner = await newUser(api);
  await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: owner.id, role: 'OWNER' } });
});

const path = (name: string): string => `/users/@me/projects/${project.id}/${name}`;
const limits = async () => (await owner.call('GET', path('billing-limits'))).json();
const put = (body: unknown) => owner.call('PUT', path('billing-limits'), body);
const FREE = { limit: null, usage: 0, percentage: 0, isWarning: false, isBlocked: false };
const BLOCKED = [429, 'BILLING_LIMIT_EXCEEDED'];
const statuses = (responses: Array<{ statusCode: number }>): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { statusCode } of responses) counts[statusCode] = (counts[statusCode] ?? 0) + 1;
  return counts;
};

describe('limits', () => {
  test('do not exist at first, and usage is counted anyway', async () => {
    await send(api, project, { recipients: 2 });
    expect(await limits()).toEqual({ workflows: FREE, campaigns: FREE, transactional: { ...FREE, usage: 2 } });
  });

  test('are set, stay when omitted, and are removed with null; the project shows them', async () => {
    await send(api, project, { recipients: 4 });
    const transactional = { limit: 5, usage: 4, percentage: 80, isWarning: true, isBlocked: false };
    expect((await put({ workflows: 10, transactional: 5 })).json()).toEqual({
      workflows: { ...FREE, limit: 10 },
      campaigns: FREE,
      transactional,
    });
    expect((await put({ workflows: null, campaigns: 0 })).json()).toEqual({
      workflows: FREE,
      campaigns: { limit: 0, usage: 0, percentage: 100, isWarning: true, isBlocked: true },
      transactional,
    });
    expect(await limits()).toMatchObject({ workflows: FREE, transactional });
    const [shown] = (await owner.call('GET', '/users/@me/projects')).json<unknown[]>();
    expect(shown).toMatchObject({
      billingLimitWorkflows: null,
      billingLimitCampaigns: 0,
      billingLimitTransactional: 5,
    });
  });

  test.each([[-1], [1.5], ['5'], [2_147_483_648], [true], [{}], [Number.MAX_SAFE_INTEGER]])(
    'are whole numbers of emails: %j is rejected',
    async (limit) => {
      for (const name of ['workflows', 'campaigns', 'transactional'])
        expect(refusal(await put({ [name]: limit }))).toEqual([422, 'VALIDATION_ERROR', name]);
      expect(await limits()).toEqual({ workflows: FREE, campaigns: FREE, transactional: FREE });
    },
  );

  test('accept the largest integer of the database', async () => {
    expect((await put({ transactional: 2_147_483_647 })).json()).toMatchObject({
      transactional: { limit: 2_147_483_647, percentage: 0 },
    });
    expect((await send(api, project)).statusCode).toBe(200);
  });

  test('of a disabled project are shown, and cannot be set', async () => {
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    expect(refusal(await put({ transactional: 5 }))).toEqual([403, 'PROJECT_DISABLED']);
    expect(await limits()).toMatchObject({ transactional: FREE });
  });

  test('apply to this calendar month: usage of the month before is not counted', async () => {
    await api.ctx.pool.query(
      `INSERT INTO project_usage (project_id, month, source, slot, count) VALUES ($1, usage_month(now()) - 1, 'TRANSACTIONAL', 0, 100), ($1, (usage_month(now()) - interval '1 month')::date, 'TRANSACTIONAL', 1, 100)`,
      [project.id],
    );
    await put({ transactional: 1 });
    expect((await send(api, project)).statusCode).toBe(200);
    expect(await limits()).toMatchObject({ transactional: { usage: 1, isBlocked: true } });
  });
});

describe('consumption', () => {
  test('is the number of accepted emails of this month, by category and in total', async () => {
    await send(api, project, { recipients: 3 });
    const { start, end } = monthOf(new Date());
    expect((await owner.call('GET', path('billing-consumption'))).json()).toEqual({
      periodStart: start.toISOString(),
      periodEnd: end.toISOString(),
      workflows: 0,
      campaigns: 0,
      transactional: 3,
      total: 3,
      subscription: null,
    });
  });

  test('stays the same when the project is reset', async () => {
    await send(api, project, { recipients: 3 });
    expect((await owner.call('POST', path('reset'))).statusCode).toBe(200);
    expect(await limits()).toMatchObject({ transactional: { usage: 3 } });
  });
});

describe('POST /v1/send', () => {
  test('returns 429 BILLING_LIMIT_EXCEEDED at the limit with the usage and its end, and writes nothing', async () => {
    await put({ transactional: 2 });
    expect(statuses([await send(api, project), await send(api, project)])).toEqual({ 200: 2 });
    const before = await api.ctx.prisma.contact.count({ where: { projectId: project.id } });
    const response = await send(api, project);
    expect(refusal(response)).toEqual(BLOCKED);
    expect(errorOf(response).details).toEqual({
      category: 'transactional',
      limit: 2,
      usage: 2,
      wanted: 1,
      resetsAt: monthOf(new Date()).end.toISOString(),
    });
    expect(
      Math.abs(Date.now() + Number(response.headers['retry-after']) * 1000 - monthOf(new Date()).end.getTime()),
    ).toBeLessThan(60_000);
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(before);
    expect(await usageOf(api.ctx, project)).toMatchObject({ TRANSACTIONAL: 2 });
    expect(await limits()).toMatchObject({
      transactional: { limit: 2, usage: 2, percentage: 100, isWarning: true, isBlocked: true },
    });
  });

  test('rejects a request that exceeds the limit as a whole, and accepts one that fits', async () => {
    await put({ transactional: 5 });
    expect((await send(api, project, { recipients: 3 })).statusCode).toBe(200);
    expect(refusal(await send(api, project, { recipients: 3 }))).toEqual(BLOCKED);
    expect((await send(api, project, { recipients: 2 })).statusCode).toBe(200);
    expect(refusal(await send(api, project))).toEqual(BLOCKED);
    expect(await usageOf(api.ctx, project)).toMatchObject({ TRANSACTIONAL: 5 });
  });

  test('counts a repeated address twice', async () => {
    await put({ transactional: 1 });
    expect(refusal(await send(api, project, { to: ['a@inbox.test', 'a@inbox.test'] }))).toEqual(BLOCKED);
  });

  test('sends nothing with a limit of 0', async () => {
    await put({ transactional: 0 });
    expect(refusal(await send(api, project))).toEqual(BLOCKED);
  });

  test('ignores the limits of the other categories', async () => {
    await put({ workflows: 0, campaigns: 0 });
    expect((await send(api, project)).statusCode).toBe(200);
  });

  test('applies a raised, removed, or lowered limit immediately', async () => {
    await put({ transactional: 1 });
    await send(api, project);
    expect(refusal(await send(api, project))).toEqual(BLOCKED);
    await put({ transactional: 2 });
    expect((await send(api, project)).statusCode).toBe(200);
    await put({ transactional: null });
    expect((await send(api, project)).statusCode).toBe(200);
    await put({ transactional: 1 });
    expect(refusal(await send(api, project))).toEqual(BLOCKED);
    expect(await limits()).toMatchObject({ transactional: { limit: 1, usage: 3, percentage: 300, isBlocked: true } });
  });

  test('enforces the limit with attachments too', async () => {
    await put({ transactional: 1 });
    const attachments = [{ filename: 'a.txt', content: 'aGk=', contentType: 'text/plain' }];
    const responses = await Promise.all(Array.from({ length: 6 }, () => send(api, project, { attachments })));
    expect(statuses(responses)).toEqual({ 200: 1, 429: 5 });
    expect(await usageOf(api.ctx, project)).toMatchObject({ TRANSACTIONAL: 1 });
  });

  test('does not claim the key of a rejected request, and returns 409 for a repeat at the limit', async () => {
    await put({ transactional: 1 });
    const [first, second] = [newId(), newId()];
    const accepted = await send(api, project, { headers: { 'idempotency-key': first } });
    expect(refusal(await send(api, project, { headers: { 'idempotency-key': second } }))).toEqual(BLOCKED);
    const repeated = await send(api, project, { headers: { 'idempotency-key': first } });
    expect(refusal(repeated)).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(errorOf(repeated).details).toMatchObject({
      originalResponse: { emails: accepted.json<{ data: { emails: unknown } }>().data.emails },
    });
    await put({ transactional: 2 });
    expect((await send(api, project, { headers: { 'idempotency-key': second } })).statusCode).toBe(200);
  });

  test('uses nothing up if it is rejected for another reason', async () => {
    await put({ transactional: 1 });
    expect((await send(api, project, { from: 'a@unverified.test' })).statusCode).toBe(403);
    expect((await send(api, project, { subject: '' })).statusCode).toBe(422);
    expect(await limits()).toMatchObject({ transactional: { usage: 0 } });
    expect((await send(api, project)).statusCode).toBe(200);
  });
});

describe('concurrent sends', () => {
  test('of 200 requests through two instances accept exactly as many as the limit allows', async () => {
    await put({ transactional: 50 });
    const second = await buildApp(api.ctx);
    await second.ready();
    const other: Pick<TestApi, 'as'> = {
      as: ({ secret }, method, url, body) =>
        second.inject({
          method,
          url,
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          payload: JSON.stringify(body),
        }),
    };
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, n) => send(n % 2 === 0 ? api : other, project)),
    );
    await second.close();
    expect(statuses(responses)).toEqual({ 200: 50, 429: 150 });
    expect(await usageOf(api.ctx, project)).toMatchObject({ TRANSACTIONAL: 50 });
  });

  test('of many sizes never exceed the limit, and only requests that would not fit are rejected', async () => {
    await put({ transactional: 100 });
    const sizes = Array.from({ length: 80 }, (_, n) => 1 + (n % 7));
    const responses = await Promise.all(sizes.map((recipients) => send(api, project, { recipients })));
    const { TRANSACTIONAL: used } = await usageOf(api.ctx, project);
    const smallest = Math.min(...sizes.filter((_, index) => responses[index]?.statusCode === 429));
    expect(used).toBeLessThanOrEqual(100);
    expect(100 - used).toBeLessThan(smallest);
  });

  test('continue while another project is blocked', async () => {
    await setLimits(api.ctx, project, { transactional: 0 });
    const neighbour = await insertProject(api.ctx);
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, n) => send(api, n % 2 === 0 ? project : neighbour)),
    );
    expect(statuses(responses.filter((_, n) => n % 2 === 0))).toEqual({ 429: 30 });
    expect(statuses(responses.filter((_, n) => n % 2 === 1))).toEqual({ 200: 30 });
  });

  test('of several projects, with and without limits, to the same people do not deadlock', async () => {
    const second = await buildApp(api.ctx);
    await second.ready();
    const projects = await Promise.all(Array.from({ length: 6 }, () => insertProject(api.ctx)));
    for (const [n, of] of projects.entries()) if (n % 2 === 0) await setLimits(api.ctx, of, { transactional: 25 });
    const responses = await Promise.all(
      Array.from({ length: 300 }, async (_, n) => {
        const of = projects[(n * 7) % 6] ?? project;
        const payload = {
          to: [`a${n % 5}@inbox.test`, `b${n % 3}@inbox.test`],
          subject: 'Hi',
          body: 'Hi',
          from: `news@${of.domain}`,
        };
        const { statusCode } = await (n % 2 === 0 ? api.app : second).inject({
          method: 'POST',
          url: '/v1/send',
          headers: { authorization: `Bearer ${of.secret}` },
          payload,
        });
        return { of, statusCode };
      }),
    );
    await second.close();
    for (const [n, of] of projects.entries()) {
      const own = statuses(responses.filter((response) => response.of === of));
      expect([n, own, (await usageOf(api.ctx, of)).TRANSACTIONAL]).toEqual(
        n % 2 === 0 ? [n, { 200: 12, 429: 38 }, 24] : [n, { 200: 50 }, 100],
      );
    }
  });

  test('continue while another project stops, whose limit was lowered below its cached usage', async () => {
    const neighbour = await insertProject(api.ctx);
    await put({ transactional: 1_000_000 });
    // From here on, this instance assumes for a second that the limit is far away.
    expect((await send(api, project)).statusCode).toBe(200);
    await put({ transactional: 6 });
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, n) => send(api, n % 2 === 0 ? project : neighbour)),
    );
    expect(statuses(responses.filter((_, n) => n % 2 === 0))).toEqual({ 200: 5, 429: 25 });
    expect(statuses(responses.filter((_, n) => n % 2 === 1))).toEqual({ 200: 30 });
    expect(await usageOf(api.ctx, project)).toMatchObject({ TRANSACTIONAL: 6 });
  });

  test('of one with a used key and one without: the last email of the month goes to the second', async () => {
    const key = newId();
    await send(api, project, { headers: { 'idempotency-key': key } });
    await put({ transactional: 2 });
    const responses = await Promise.all([
      send(api, project, { headers: { 'idempotency-key': key } }),
      send(api, project),
    ]);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([409, 200]);
  });

  test('while a limit is set: earlier requests are counted, and the limit is not exceeded afterwards', async () => {
    const early = Array.from({ length: 30 }, () => send(api, project));
    await put({ transactional: 40 });
    await Promise.all(early);
    const late = await Promise.all(Array.from({ length: 30 }, () => send(api, project)));
    expect(statuses(late)).toEqual({ 200: 10, 429: 20 });
    expect(await usageOf(api.ctx, project)).toMatchObject({ TRANSACTIONAL: 40 });
  });

  test('do not wait for uncommitted ones without a limit; with a limit they do', async () => {
    const [first, second] = await neighbours();
    try {
      await first.query('BEGIN');
      await insertEmailBy(first);
      await second.query(`SET lock_timeout = '500ms'`);
      await insertEmailBy(second);
      await first.query('COMMIT');
      await setLimits(api.ctx, project, { transactional: 100 });
      await first.query('BEGIN');
      await insertEmailBy(first);
      await expect(insertEmailBy(second)).rejects.toMatchObject({ code: '55P03' });
      await first.query('COMMIT');
      await insertEmailBy(second);
    } finally {
      first.release(true);
      second.release(true);
    }
    expect(await usageOf(api.ctx, project)).toMatchObject({ TRANSACTIONAL: 4 });
  });
});

/** Two connections with their own slots. */
async function neighbours(): Promise<[PoolClient, PoolClient]> {
  const slotOf = async (client: PoolClient): Promise<number> =>
    (await client.query<{ slot: number }>(`SELECT pg_backend_pid() % 15 AS slot`)).rows[0]?.slot ?? -1;
  const first = await api.ctx.pool.connect();
  const slot = await slotOf(first);
  for (;;) {
    const second = await api.ctx.pool.connect();
    if ((await slotOf(second)) !== slot) return [first, second];
    second.release(true);
  }
}

async function insertEmailBy(client: PoolClient): Promise<void> {
  await client.query(
    `WITH message AS (INSERT INTO messages (id, project_id, type, subject, body, from_email) VALUES (uuid_v7(), $1, 'TRANSACTIONAL', 's', 'b', 'a@b.test') RETURNING id)
     INSERT INTO emails (id, project_id, message_id, source, type, to_email) SELECT uuid_v7(), $1, id, 'TRANSACTIONAL', 'TRANSACTIONAL', 'x@inbox.test' FROM message`,
    [project.id],
  );
}
