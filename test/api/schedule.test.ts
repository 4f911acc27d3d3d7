/** Scheduled transactional email, without the process that sends it (research, ahead.md, section 3.5). */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { claimDue, selectDueProjects } from '../../src/domain/emails/sql/claim.js';
import { settle, type ClaimedEmail } from '../../src/domain/emails/sql/delivery.js';
import { applyRetention } from '../../src/domain/maintenance/retention.js';
import { watchReputation } from '../../src/domain/reputation/watch.js';
import { momentOf } from '../../src/domain/timezone.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { newUser } from '../helpers/session.js';

const api = useApi();
const workerId = newId();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

const post = (project: TestProject, body: Record<string, unknown> = {}) =>
  api.as(project, 'POST', '/v1/send', {
    to: 'ada@x.test',
    from: `team@${project.domain}`,
    subject: 'Hello',
    body: '<p>Hi</p>',
    ...body,
  });

/** Schedules an email. @returns its id */
async function schedule(project: TestProject, body: Record<string, unknown> = {}): Promise<string> {
  const response = await post(project, { scheduledFor: inMs(HOUR), ...body });
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ data: { emails: Array<{ email: string }> } }>().data.emails[0]?.email ?? '';
}

/** Its time has come. */
const makeDue = (id: string, ms = 1000) =>
  api.ctx.prisma.email.update({
    where: { id },
    data: { nextAttemptAt: new Date(Date.now() - ms), scheduledFor: new Date(Date.now() - ms) },
  });
const claim = async (project: TestProject): Promise<ClaimedEmail[]> => {
  const dueProjects = await selectDueProjects(api.ctx.pool);
  const claimed = await claimDue(api.ctx.pool, { workerId, limit: 1000, results: [], dueProjects });
  return claimed.filter(({ projectId }) => projectId === project.id);
};
const show = async (project: TestProject, id: string) => (await api.as(project, 'GET', `/emails/${id}`)).json();
const statusOf = async (id: string) => (await api.ctx.prisma.email.findUniqueOrThrow({ where: { id } })).status;
const usageOf = async (project: TestProject): Promise<number> =>
  Number(
    (await api.ctx.prisma.projectUsage.aggregate({ where: { projectId: project.id }, _sum: { count: true } }))._sum
      .count,
  );

describe('POST /v1/send with scheduledFor', () => {
  test('accepts the email as SCHEDULED, and nothing sends it before it is due', async () => {
    const project = await api.project();
    const scheduledFor = inMs(HOUR);
    const response = await post(project, { scheduledFor, group: 'order 17' });
    expect(response.json().data).toMatchObject({ status: 'SCHEDULED', scheduledFor });
    const id = response.json().data.emails[0].email;
    expect(await show(project, id)).toMatchObject({
      status: 'SCHEDULED',
      scheduledFor,
      nextAttemptAt: scheduledFor,
      group: 'order 17',
    });
    expect(await claim(project)).toEqual([]);
    const { data } = (await api.as(project, 'GET', '/emails?status=SCHEDULED')).json();
    expect(data).toMatchObject([{ id, status: 'SCHEDULED', scheduledFor, group: 'order 17' }]);
  });

  test('a due email is claimed once, with its time as the header Date', async () => {
    const project = await api.project();
    const id = await schedule(project);
    const { scheduledFor } = await makeDue(id);
    const claims = await Promise.all([claim(project), claim(project)]);
    expect(claims.flat()).toMatchObject([{ id, date: scheduledFor, attempts: 1 }]);
    // A retry sends the same bytes.
    await settle(api.ctx.pool, workerId, [{ id, status: 'PENDING', error: 'x', response: null, retryMs: 0 }]);
    expect(await claim(project)).toMatchObject([{ id, date: scheduledFor, attempts: 2 }]);
  });

  test('the emails of a request are claimed in their order, and those of other requests do not wait for them', async () => {
    const project = await api.project();
    const to = Array.from({ length: 12 }, (_, n) => `list${n}@x.test`);
    await schedule(project, { to });
    const single = await schedule(project, { to: 'single@x.test' });
    await api.ctx.pool.query(`UPDATE emails SET next_attempt_at = now(), scheduled_for = now() WHERE project_id = $1`, [
      project.id,
    ]);
    const first = await claim(project);
    expect(first.map(({ toEmail }) => toEmail)).toEqual([...to.slice(0, 10), 'single@x.test']);
    expect(await claim(project)).toEqual([]);
    await settle(
      api.ctx.pool,
      workerId,
      first.map(({ id }) => ({ id, status: 'SENT', error: null, response: '250 Ok', retryMs: 0 })),
      first.map(({ claimId }) => claimId),
    );
    expect((await claim(project)).map(({ toEmail }) => toEmail)).toEqual(to.slice(10));
    expect(await statusOf(single)).toBe('SENT');
  });

  test('email that is due is claimed for all projects in turn', async () => {
    const [busy, other] = [await api.project(), await api.project()];
    for (let n = 0; n < 8; n++) await makeDue(await schedule(busy, { to: `busy${n}@x.test` }));
    await makeDue(await schedule(other, { to: 'other@x.test' }));
    const dueProjects = await selectDueProjects(api.ctx.pool);
    expect(dueProjects).toEqual(expect.arrayContaining([busy.id, other.id]));
    const claimed = await claimDue(api.ctx.pool, { workerId, limit: 4, results: [], dueProjects: [busy.id, other.id] });
    expect(claimed.map(({ toEmail }) => toEmail)).toContain('other@x.test');
    await claim(busy);
  });

  test('a time of the last minute is now, and other times have limits', async () => {
    const project = await api.project();
    const now = await post(project, { scheduledFor: inMs(-30_000) });
    expect(now.json().data.status).toBeUndefined();
    expect(await claim(project)).toHaveLength(1);
    expect((await post(project, { scheduledFor: inMs(90 * DAY - 60_000) })).statusCode).toBe(200);
    for (const scheduledFor of [inMs(-61_000), inMs(90 * DAY + 60_000), inMs(HOUR).slice(0, 19), 'tomorrow']) {
      const response = await post(project, { scheduledFor });
      expect(response.statusCode).toBe(422);
      expect(response.json().error.errors).toMatchObject([{ field: 'scheduledFor' }]);
    }
    expect(await api.ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(2);
  });
});

describe('a local time with its timezone', () => {
  /** A day ahead, without an offset from UTC. */
  const local = inMs(DAY).slice(0, 16);

  test('is a moment in that zone, also for PATCH', async () => {
    const project = await api.project();
    const scheduled = await post(project, { scheduledFor: local, timezone: 'Asia/Kathmandu' });
    const [moment, tokyo] = ['+05:45', '+09:00'].map((offset) => new Date(`${local}:00${offset}`).toISOString());
    expect(scheduled.json().data).toMatchObject({ status: 'SCHEDULED', scheduledFor: moment });
    const id = scheduled.json().data.emails[0].email;
    const moved = await api.as(project, 'PATCH', `/emails/${id}`, { scheduledFor: local, timezone: 'asia/tokyo' });
    expect(moved.json()).toMatchObject({ scheduledFor: tokyo });
  });

  test.each([
    ['scheduledFor', { scheduledFor: local }],
    ['timezone', { timezone: 'Europe/Berlin' }],
    ['timezone', { scheduledFor: `${local}:00Z`, timezone: 'Europe/Berlin' }],
    ['timezone', { scheduledFor: `${local}:00+02:00`, timezone: 'Europe/Berlin' }],
    ['timezone', { scheduledFor: local, timezone: 'Europe/Bern' }],
    ['timezone', { scheduledFor: local, timezone: 'foo+3' }],
    ['timezone', { scheduledFor: local, timezone: '+02:00' }],
    ['scheduledFor', { scheduledFor: '0000-01-01T09:00', timezone: 'Europe/Berlin' }],
    ['scheduledFor', { scheduledFor: '9999-12-31T09:00', timezone: 'Europe/Berlin' }],
    ['scheduledFor', { scheduledFor: '2027-02-30T09:00', timezone: 'Europe/Berlin' }],
  ])('%s is rejected', async (field, times) => {
    const project = await api.project();
    const response = await post(project, times);
    expect(response.statusCode, response.body).toBe(422);
    expect(response.json().error.errors).toMatchObject([{ field }]);
  });

  test.each([
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T06:30:00.000Z'],
    ['2026-04-05T01:45', 'Australia/Lord_Howe', '2026-04-04T15:15:00.000Z'],
    ['2011-12-30T09:00', 'Pacific/Apia', '2011-12-30T19:00:00.000Z'],
    ['2026-07-01T09:00', 'Pacific/Chatham', '2026-06-30T20:15:00.000Z'],
  ])('%s in %s is %s: a skipped time is moved forward, and the second of two counts', async (time, zone, moment) => {
    expect((await momentOf(api.ctx.pool, time, zone)).toISOString()).toBe(moment);
  });
});

describe('events', () => {
  test('email.scheduled and email.cancelled tell about the email', async () => {
    const project = await api.project();
    const scheduledFor = inMs(HOUR);
    const id = await schedule(project, { scheduledFor, group: 'order 17', tags: ['invoice', 'invoice', 'dunning'] });
    await schedule(project, { scheduledFor: inMs(0) });
    await api.as(project, 'POST', '/emails/cancel', { group: 'order 17' });
    const eventsNamed = async (name: string) => (await api.as(project, 'GET', `/events?eventName=${name}`)).json().data;
    const data = { group: 'order 17', tags: ['invoice', 'dunning'] };
    expect(await eventsNamed('email.scheduled')).toMatchObject([{ emailId: id, data: { ...data, scheduledFor } }]);
    expect(await eventsNamed('email.cancelled')).toMatchObject([{ emailId: id, data }]);
  });
});

describe('PATCH /emails/:id', () => {
  test('moves a scheduled email, and rejects others with their status', async () => {
    const project = await api.project();
    const id = await schedule(project);
    const scheduledFor = inMs(2 * HOUR);
    const move = (body: object) => api.as(project, 'PATCH', `/emails/${id}`, body);
    expect((await move({ scheduledFor })).json()).toMatchObject({ scheduledFor, nextAttemptAt: scheduledFor });
    expect((await move({ scheduledFor: inMs(-HOUR) })).statusCode).toBe(422);
    expect((await move({ scheduledFor: inMs(0) })).json()).toMatchObject({ status: 'SCHEDULED' });
    await claim(project);
    const rejected = await move({ scheduledFor });
    expect(rejected.statusCode).toBe(409);
    expect(rejected.json().error.message).toContain('SENDING');
    expect((await api.as(await api.project(), 'PATCH', `/emails/${id}`, { scheduledFor })).statusCode).toBe(404);
  });
});

describe('POST /emails/:id/cancel', () => {
  test('cancels an email that waits, again without effect, and gives it back to the limit', async () => {
    const project = await api.project();
    const id = await schedule(project);
    expect(await usageOf(project)).toBe(1);
    for (let time = 0; time < 2; time++) {
      const response = await api.as(project, 'POST', `/emails/${id}/cancel`);
      expect(response.statusCode).toBe(200);
      expect(response.json()).toMatchObject({ status: 'CANCELLED', error: 'The email was canceled.' });
    }
    expect(await usageOf(project)).toBe(0);
    await makeDue(id);
    expect(await claim(project)).toEqual([]);
    expect((await api.as(await api.project(), 'POST', `/emails/${id}/cancel`)).statusCode).toBe(404);
  });

  test('rejects an email that is being sent or was sent, with its status', async () => {
    const project = await api.project();
    const id = await schedule(project, { scheduledFor: inMs(-1000) });
    await claim(project);
    const cancel = () => api.as(project, 'POST', `/emails/${id}/cancel`);
    expect((await cancel()).json().error).toMatchObject({
      statusCode: 409,
      message: 'The email can no longer be canceled. It is SENDING.',
    });
    await settle(api.ctx.pool, workerId, [{ id, status: 'SENT', error: null, response: '250 Ok', retryMs: 0 }]);
    expect((await cancel()).json().error).toMatchObject({ statusCode: 409, message: expect.stringMatching(/SENT\.$/) });
  });

  test('never cancels an email that is sent, and no canceled one is sent, however they meet', async () => {
    const project = await api.project();
    for (let round = 0; round < 100; round++) {
      const id = await schedule(project);
      await makeDue(id, round % 2);
      const [canceled, claimed] = await Promise.all([api.as(project, 'POST', `/emails/${id}/cancel`), claim(project)]);
      const later = await claim(project);
      expect([...claimed, ...later].map((email) => email.id)).toEqual(canceled.statusCode === 200 ? [] : [id]);
      expect(await statusOf(id)).toBe(canceled.statusCode === 200 ? 'CANCELLED' : 'SENDING');
    }
  });
});

test('POST /emails/cancel cancels the waiting emails of a group, and says how many', async () => {
  const project = await api.project();
  const group = 'reminders of order 17';
  const ids = [
    await schedule(project, { group }),
    await schedule(project, { group, to: ['a@x.test', 'b@x.test'] }),
    await schedule(project, { group: 'another' }),
  ];
  const others = await api.project();
  await schedule(others, { group });
  expect((await api.as(project, 'GET', `/emails?group=${encodeURIComponent(group)}`)).json().total).toBe(3);
  expect((await api.as(project, 'POST', '/emails/cancel', { group })).json()).toEqual({ count: 3 });
  expect((await api.as(project, 'POST', '/emails/cancel', { group })).json()).toEqual({ count: 0 });
  expect(await statusOf(ids[2] ?? '')).toBe('SCHEDULED');
  expect((await api.as(others, 'GET', '/emails?status=SCHEDULED')).json().total).toBe(1);
});

describe('a scheduled email', () => {
  test('is canceled with its contact if it is marketing, and sent to the address if it is transactional', async () => {
    const project = await api.project();
    const template = await api.as(project, 'POST', '/templates', {
      name: 'T',
      subject: 'S',
      body: '<p>B</p>',
      from: `team@${project.domain}`,
      type: 'MARKETING',
    });
    const { id: contactId } = (
      await api.as(project, 'POST', '/contacts', { email: 'ada@x.test', subscribed: true })
    ).json();
    const [transactional, marketing] = [
      await schedule(project),
      await schedule(project, { template: template.json().id, subject: undefined, body: undefined }),
    ];
    expect((await api.as(project, 'DELETE', `/contacts/${contactId}`)).statusCode).toBe(204);
    expect(await statusOf(marketing)).toBe('CANCELLED');
    await makeDue(transactional);
    expect(await claim(project)).toMatchObject([{ id: transactional, contactId: null, toEmail: 'ada@x.test' }]);
  });

  test('is canceled when its project is disabled', async () => {
    const project = await api.project();
    const id = await schedule(project);
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    await api.ctx.pool.query('INSERT INTO reputation_suspects (project_id) VALUES ($1)', [project.id]);
    await watchReputation(api.ctx);
    expect(await statusOf(id)).toBe('CANCELLED');
  });

  test.each([
    ['POST', '/reset'],
    ['DELETE', ''],
  ] as const)('is gone after %s /users/@me/projects/:id%s, with its tags', async (method, path) => {
    const [project, owner] = [await api.project(), await newUser(api)];
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: owner.id, role: 'OWNER' } });
    await makeDue(await schedule(project, { tags: ['invoice'] }));
    expect((await owner.call(method, `/users/@me/projects/${project.id}${path}`)).statusCode).toBeLessThan(300);
    expect(await selectDueProjects(api.ctx.pool)).not.toContain(project.id);
    expect(await api.ctx.prisma.emailTag.count({ where: { projectId: project.id } })).toBe(0);
  });

  test('that is due is canceled by the statement for restored backups', async () => {
    const project = await api.project();
    const [due, later] = [await schedule(project), await schedule(project)];
    await makeDue(due);
    const notes = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const [, statement = ''] = /```sql\n(UPDATE emails[^`]+)```/.exec(notes) ?? [];
    await api.ctx.pool.query(statement);
    expect(await statusOf(due)).toBe('CANCELLED');
    expect(await statusOf(later)).toBe('SCHEDULED');
  });

  test('is not deleted by retention, however long ago it was accepted', async () => {
    const project = await api.project();
    const id = await schedule(project);
    await api.ctx.prisma.email.update({ where: { id }, data: { createdAt: new Date(Date.now() - 60 * DAY) } });
    await applyRetention({ ...api.ctx, config: { ...api.ctx.config, RETENTION_DAYS: 30 } });
    expect(await statusOf(id)).toBe('SCHEDULED');
  });
});
