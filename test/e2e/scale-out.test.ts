/** Two APIs and two workers on one PostgreSQL and one Temporal share their state. */
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { newId } from '../../src/ids.js';
import { insertProject, type TestProject } from '../helpers/api.js';
import { useCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

async function call(
  url: string,
  project: TestProject,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${project.secret}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const mail = (project: TestProject, to: string) => ({
  to,
  from: `us@${project.domain}`,
  subject: 'Hello',
  body: '<p>Hello</p>',
});

const running = useCluster();
let urls: string[];

beforeAll(async () => {
  urls = [running().api.url, (await running().another('api')).url];
});

test("two APIs share a project's rate limit", async () => {
  const cluster = running();
  const limit = { RATE_LIMIT_PER_MINUTE: '40' };
  const limited = [await cluster.another('api', limit), await cluster.another('api', limit)];
  const project = await insertProject(cluster.ctx);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => call(limited[index % 2]?.url ?? '', project, 'GET', '/contacts')),
  );
  const of = (status: number): Answer[] => answers.filter((answer) => answer.status === status);
  expect([of(200).length, of(429).length]).toEqual([40, 20]);
  expect(
    of(200)
      .map(({ headers }) => Number(headers.get('ratelimit-remaining')))
      .sort((a, b) => a - b),
  ).toEqual(Array.from({ length: 40 }, (_, index) => index));
});

test('two APIs accept an idempotency key once, and a rotated key is invalid on both', async () => {
  const cluster = running();
  const project = await insertProject(cluster.ctx);
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        call(urls[index % 2] ?? '', project, 'POST', '/v1/send', mail(project, `one${round}@x.test`), {
          'idempotency-key': `order ${round}`,
        }),
      ),
    );
    const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length;
    expect([count(200), count(409)]).toEqual([1, 7]);
  }
  expect(await cluster.ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(5);
  await cluster.ctx.prisma.project.update({ where: { id: project.id }, data: { secretHash: Buffer.alloc(32) } });
  expect(await Promise.all(urls.map(async (url) => (await call(url, project, 'GET', '/contacts')).status))).toEqual([
    401, 401,
  ]);
});

test('two workers send each mail once, both send some, and one continues the work of the other', async () => {
  const recipients = 3000;
  const cluster = running();
  const second = await cluster.another('worker');
  const project = await insertProject(cluster.ctx);
  await cluster.ctx.prisma.contact.createMany({
    data: Array.from({ length: recipients }, (_, index) => ({
      id: newId(),
      projectId: project.id,
      email: `c${index}@x.test`,
      subscribed: true,
    })),
  });

  const direct = Array.from({ length: 100 }, (_, index) => `d${index}@x.test`);
  // While the mail server does not reply, each worker has one mail in flight per connection.
  const release = cluster.sink.hold();
  const sends = await Promise.all(
    direct.map((to, index) => call(urls[index % 2] ?? '', project, 'POST', '/v1/send', mail(project, to))),
  );
  expect(new Set(sends.map(({ status }) => status))).toEqual(new Set([200]));
  await eventually(async () => {
    const claims = await cluster.ctx.prisma.email.groupBy({
      by: ['claimedBy'],
      where: { projectId: project.id, status: 'SENDING' },
      _count: true,
    });
    expect(claims.map(({ _count }) => _count)).toEqual([cluster.connections, cluster.connections]);
  });
  release();

  const created = await call(urls[0] ?? '', project, 'POST', '/campaigns', {
    name: 'n',
    subject: 's',
    body: '<p>b</p>',
    from: `us@${project.domain}`,
    audienceType: 'ALL',
  });
  const { data } = z.object({ data: z.object({ id: z.string() }) }).parse(created.body);
  expect((await call(urls[1] ?? '', project, 'POST', `/campaigns/${data.id}/send`, {})).status).toBe(200);

  const workersOf = async (): Promise<string[]> =>
    (await cluster.ctx.pool.query<{ id: string }>(`SELECT id FROM worker_instances`)).rows.map(({ id }) => id);
  expect(await workersOf()).toHaveLength(2);
  // During the campaign.
  await eventually(
    async () =>
      expect(await cluster.ctx.prisma.email.count({ where: { campaignId: data.id, status: 'SENT' } })).toBeGreaterThan(
        recipients / 10,
      ),
    { every: 10 },
  );
  await second.kill('SIGTERM');
  await eventually(
    async () =>
      expect((await call(urls[0] ?? '', project, 'GET', `/campaigns/${data.id}`)).body).toMatchObject({
        status: 'SENT',
        totalRecipients: recipients,
        sentCount: recipients,
      }),
    { within: 90_000 },
  );
  await eventually(async () =>
    expect(await cluster.ctx.prisma.email.count({ where: { projectId: project.id, status: 'SENT' } })).toBe(
      recipients + direct.length,
    ),
  );

  const counts = cluster.sink.counts();
  // Those of the idempotency keys are also sent once.
  const addressees = [...counts.keys()].filter((to) => !to.startsWith('one'));
  expect([addressees.length, [...counts.values()].filter((count) => count !== 1)]).toEqual([
    recipients + direct.length,
    [],
  ]);
  expect(await workersOf()).toHaveLength(1);
});
