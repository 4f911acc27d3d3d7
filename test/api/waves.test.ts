/** Campaigns in the time zone of the recipient, without Temporal (research, ahead.md, section 3.2). */
import { describe, expect, test } from 'vitest';
import { foldFigures } from '../../src/domain/analytics/sql/figures.js';
import type { CampaignRun } from '../../src/domain/campaigns/intents.js';
import { begin, finish, snapshot } from '../../src/domain/campaigns/run.js';
import { selectDues } from '../../src/domain/campaigns/sql/timing.js';
import { startDelivery } from '../../src/domain/delivery/delivery.js';
import { createComposer } from '../../src/domain/emails/compose.js';
import { selectCampaignProgress } from '../../src/domain/live/sql.js';
import { applyRetention } from '../../src/domain/maintenance/retention.js';
import { knownTimezones } from '../../src/domain/timezone.js';
import { Prisma } from '../../src/generated/prisma/client.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers } from '../helpers/campaign-api.js';
import { about, feedbackHelpers } from '../helpers/feedback.js';
import { createCaptureTransport } from '../helpers/capture-transport.js';

const api = useApi();
const { draft, intents } = campaignHelpers(api);
const { apply } = feedbackHelpers(api);

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The local time in a zone whose distance from UTC never changes, `ms` from now, to the second. */
const localIn = (ms: number, offsetHours = 0): string =>
  new Date(Date.now() + ms + offsetHours * HOUR).toISOString().slice(0, 19);

const send = (project: TestProject, id: string, body: object) => api.as(project, 'POST', `/campaigns/${id}/send`, body);
const waves = async (project: TestProject, id: string) =>
  (await api.as(project, 'GET', `/campaigns/${id}/waves`)).json<{
    data: Array<{ at: string; zones: string[]; total: number; fallback: number; sent: number }>;
    isForecast: boolean;
  }>();
const row = (id: string) => api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id } });
const emailsOf = (campaignId: string) =>
  api.ctx.prisma.email.findMany({ where: { campaignId }, orderBy: { toEmail: 'asc' } });

async function contactIn(project: TestProject, name: string, timezone?: unknown): Promise<void> {
  await api.ctx.prisma.contact.create({
    data: {
      id: newId(),
      projectId: project.id,
      email: `${name}@x.test`,
      subscribed: true,
      data: timezone === undefined ? {} : { timezone: timezone as string },
    },
  });
}

/** A campaign to a reader in Tokyo, one in New York, and one without a time zone, whose snapshot is taken. */
async function started(body: object): Promise<{ project: TestProject; id: string; run: CampaignRun }> {
  const project = await api.project();
  await contactIn(project, 'tokyo', 'Asia/Tokyo');
  await contactIn(project, 'york', 'america/NEW_york');
  await contactIn(project, 'zoneless');
  const id = await draft(project);
  const response = await send(project, id, { timezone: 'recipient', fallbackTimezone: 'UTC', ...body });
  expect(response.statusCode, response.body).toBe(200);
  const run = { campaignId: id, projectId: project.id, attempt: 1 };
  await begin(api.ctx, run);
  while (!(await snapshot(api.ctx, run)).done);
  return { project, id, run };
}

/** Sends what is due at `until`. @returns the recipients */
async function sendUntil(run: CampaignRun, until: number, client = createCaptureTransport()): Promise<string[]> {
  const delivery = startDelivery(api.ctx, { client, composer: createComposer(api.ctx), workerId: newId() });
  try {
    await delivery.sendCampaign(run, new AbortController().signal, new Date(until));
  } finally {
    await delivery.stop();
  }
  return client.mails.map(({ to }) => to).sort();
}

describe('POST /campaigns/:id/send', () => {
  test('with a time zone, a local time becomes the moment at which the campaign is due', async () => {
    const project = await api.project();
    const id = await draft(project);
    const response = await send(project, id, { scheduledFor: '2099-07-01T09:00', timezone: 'Europe/Berlin' });
    expect(response.json().data).toMatchObject({ status: 'SCHEDULED', scheduledFor: '2099-07-01T07:00:00.000Z' });
    const localSchedule = { time: '2099-07-01T09:00', timezone: 'Europe/Berlin' };
    expect((await api.as(project, 'GET', `/campaigns/${id}`)).json()).toMatchObject({ localSchedule });
    expect(await waves(project, id)).toEqual({ data: [], isForecast: false });

    await send(project, id, { scheduledFor: '2099-07-01T09:00:00Z' });
    expect((await api.as(project, 'GET', `/campaigns/${id}`)).json()).toMatchObject({ localSchedule: null });
  });

  test('in the time zone of the recipient, sending begins where the local time comes first', async () => {
    const project = await api.project();
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { timezone: 'Asia/Kolkata' } });
    const id = await draft(project);
    const response = await send(project, id, { scheduledFor: '2099-07-01T09:00', timezone: 'recipient' });
    expect(response.json().data).toMatchObject({ status: 'SCHEDULED', scheduledFor: '2099-06-30T19:00:00.000Z' });
    expect((await row(id)).localSchedule).toEqual({
      time: '2099-07-01T09:00',
      timezone: 'recipient',
      fallbackTimezone: 'Asia/Kolkata',
      past: 'next_day',
      maxLateness: 6,
    });
    expect(await intents(project)).toMatchObject([
      { action: 'start', payload: { startAt: '2099-06-30T19:00:00.000Z' } },
    ]);
  });

  test.each([
    [{ scheduledFor: '2099-01-31T09:00Z', timezone: 'recipient' }, 422, 'timezone'],
    [{ scheduledFor: '2099-01-31T09:00+01:00', timezone: 'Europe/Berlin' }, 422, 'timezone'],
    [{ scheduledFor: '2099-01-31T09:00', timezone: 'Europe/Atlantis' }, 422, 'timezone'],
    [{ scheduledFor: '2099-01-31T09:00', timezone: '+02:00' }, 422, 'timezone'],
    [{ scheduledFor: '2099-02-30T09:00', timezone: 'recipient' }, 422, 'scheduledFor'],
    [{ scheduledFor: 'tomorrow', timezone: 'recipient' }, 422, 'scheduledFor'],
    [{ timezone: 'recipient' }, 422, 'timezone'],
    [{ scheduledFor: '2099-01-31T09:00', timezone: 'recipient', fallbackTimezone: 'Here' }, 422, 'fallbackTimezone'],
    [{ scheduledFor: '2099-01-31T09:00', timezone: 'recipient', past: 'later' }, 422, 'past'],
    [{ scheduledFor: '2099-01-31T09:00', timezone: 'recipient', maxLateness: 0 }, 422, 'maxLateness'],
    [{ scheduledFor: '2099-01-31T09:00', timezone: 'UTC', past: 'now' }, 422, 'past'],
    [{ scheduledFor: '2099-01-31T09:00:00Z', fallbackTimezone: 'UTC' }, 422, 'fallbackTimezone'],
    [{ scheduledFor: '0000-01-31T09:00', timezone: 'recipient' }, 400, null],
    [{ scheduledFor: localIn(-13 * HOUR), timezone: 'recipient' }, 400, null],
    [{ scheduledFor: localIn(-60_000), timezone: 'UTC' }, 400, null],
  ])('rejects %j and changes nothing', async (body, status, field) => {
    const project = await api.project();
    const id = await draft(project);
    const response = await send(project, id, body);
    expect(response.statusCode, response.body).toBe(status);
    if (field !== null) expect(response.json().error.errors).toMatchObject([{ field }]);
    expect(await row(id)).toMatchObject({ status: 'DRAFT', localSchedule: null });
  });
});

describe('the moment of a local time in each zone', () => {
  const BEFORE = new Date('2000-01-01T00:00:00Z');
  const dueIn = async (zone: string, time: string, past: 'next_day' | 'now' | 'skip' = 'next_day', begunAt = BEFORE) =>
    (await selectDues(api.ctx.pool, { time, past, begunAt, sendWindow: null }, [zone]))[0]?.due?.toISOString() ?? null;

  test.each([
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T06:30:00.000Z'],
    ['2026-04-05T01:45', 'Australia/Lord_Howe', '2026-04-04T15:15:00.000Z'],
    ['2026-10-04T09:00', 'Australia/Lord_Howe', '2026-10-03T22:00:00.000Z'],
    ['2011-12-30T09:00', 'Pacific/Apia', '2011-12-30T19:00:00.000Z'],
    ['2026-06-01T09:00', 'CET', '2026-06-01T07:00:00.000Z'],
    ['2026-06-01T09:00', 'Asia/Kathmandu', '2026-06-01T03:15:00.000Z'],
    ['2026-06-01T09:00', 'Pacific/Chatham', '2026-05-31T20:15:00.000Z'],
  ])('%s in %s is %s', async (time, zone, due) => {
    expect(await dueIn(zone, time)).toBe(due);
  });

  test('is on the next day, now, or never where it has passed', async () => {
    const begunAt = new Date('2026-10-24T12:00:00Z');
    // The night between has 25 hours.
    expect(await dueIn('Europe/Berlin', '2026-10-24T09:00', 'next_day', begunAt)).toBe('2026-10-25T08:00:00.000Z');
    expect(await dueIn('Europe/Berlin', '2026-10-24T09:00', 'now', begunAt)).toBe(begunAt.toISOString());
    expect(await dueIn('Europe/Berlin', '2026-10-24T09:00', 'skip', begunAt)).toBeNull();
    expect(await dueIn('Pacific/Kiritimati', '2026-10-23T13:00', 'next_day', begunAt)).toBe('2026-10-24T23:00:00.000Z');
    expect(await dueIn('America/New_York', '2026-10-24T09:00', 'skip', begunAt)).toBe('2026-10-24T13:00:00.000Z');
  });

  test('is known for every zone that PostgreSQL and JavaScript share, and the wall clock there shows it', async () => {
    const zones = await knownTimezones(api.ctx.pool);
    expect(zones.length).toBeGreaterThan(400);
    const dues = await selectDues(
      api.ctx.pool,
      { time: '2026-06-15T09:00', past: 'skip', begunAt: BEFORE, sendWindow: null },
      zones,
    );
    expect(dues).toHaveLength(zones.length);
    const wrong = dues.filter(
      ({ zone, due }) =>
        new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(
          due ?? undefined,
        ) !== '2026-06-15 09:00',
    );
    expect(wrong).toEqual([]);
  });
});

describe('waves', () => {
  test('each reader gets the email when it is due in the zone of the contact', async () => {
    const day = new Date(Date.now() + 3 * DAY).toISOString().slice(0, 10);
    const { project, id, run } = await started({ scheduledFor: `${day}T09:00` });
    expect((await emailsOf(id)).map(({ status, scheduledFor }) => [status, scheduledFor?.toISOString()])).toEqual([
      ['SCHEDULED', `${day}T00:00:00.000Z`],
      ['SCHEDULED', expect.stringMatching(new RegExp(`^${day}T1[34]:00`))],
      ['SCHEDULED', `${day}T09:00:00.000Z`],
    ]);
    expect(await waves(project, id)).toMatchObject({
      isForecast: false,
      data: [
        { zones: ['Asia/Tokyo'], total: 1, fallback: 0, sent: 0 },
        { zones: ['UTC'], total: 1, fallback: 1, sent: 0 },
        { zones: ['America/New_York'], total: 1, fallback: 0, sent: 0 },
      ],
    });
    expect((await api.as(project, 'GET', `/campaigns/${id}/recipients?status=SCHEDULED`)).json()).toMatchObject({
      total: 3,
    });
    const [tokyo] = await emailsOf(id);
    const own = `/emails/${tokyo?.id}`;
    expect((await api.as(project, 'GET', own)).json()).toMatchObject({ nextAttemptAt: `${day}T00:00:00.000Z` });
    expect((await api.as(project, 'PATCH', own, { scheduledFor: `${day}T01:00:00Z` })).statusCode).toBe(409);
    expect((await api.as(project, 'POST', `${own}/cancel`)).statusCode).toBe(409);
    expect(await sendUntil(run, Date.parse(`${day}T00:00:00Z`) - 10_000)).toEqual([]);
    expect(await sendUntil(run, Date.parse(`${day}T00:00:00Z`))).toEqual(['tokyo@x.test']);
    expect(await finish(api.ctx, run)).toMatchObject({
      finished: false,
      next: { at: Date.parse(`${day}T09:00:00Z`), summary: 'wave 2 of 3: 09:00 UTC, 1' },
    });
    expect((await api.as(project, 'GET', `/campaigns/${id}/stats`)).json()).toMatchObject({
      totalRecipients: 3,
      sentCount: 1,
      pendingCount: 2,
    });
    expect(await selectCampaignProgress(api.ctx.pool, project.id, [], new Date())).toMatchObject([
      { id, sentCount: 1, pendingCount: 2, failedCount: 0, nextRetryAt: null },
    ]);
    expect(await sendUntil(run, Date.parse(`${day}T14:30:00Z`))).toEqual(['york@x.test', 'zoneless@x.test']);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    expect((await waves(project, id)).data.map(({ sent }) => sent)).toEqual([1, 1, 1]);
  });

  test('waves count their sent emails, folded or not, and a report counts that proves an email sent', async () => {
    const day = new Date(Date.now() + 3 * DAY).toISOString().slice(0, 10);
    const { project, id, run } = await started({ scheduledFor: `${day}T09:00` });
    const client = createCaptureTransport();
    client.failNext({ kind: 'connection', stage: 'after-data', to: 'zoneless@x.test' });
    for (const time of ['00:00', '09:00']) await sendUntil(run, Date.parse(`${day}T${time}:00Z`), client);
    const shown = async () => (await waves(project, id)).data.map(({ sent }) => sent);
    expect(await shown()).toEqual([1, 0, 0]);
    const unknown = (await emailsOf(id)).find(({ toEmail }) => toEmail === 'zoneless@x.test');
    expect(unknown).toMatchObject({ status: 'PENDING', ambiguous: true });
    await apply(about(unknown?.id ?? '', { kind: 'opened', at: new Date() }));
    await apply(about(unknown?.id ?? '', { kind: 'delivered', at: new Date() }));
    expect(await shown()).toEqual([1, 1, 0]);
    while ((await foldFigures(api.ctx.pool, 1)) > 0);
    expect(await shown()).toEqual([1, 1, 0]);
    await api.ctx.pool.query(`DELETE FROM emails WHERE campaign_id = $1 AND status <> 'SCHEDULED'`, [id]);
    expect(await shown()).toEqual([1, 1, 0]);
  });

  test('a canceled campaign counts its emails, and has none that are pending', async () => {
    const day = new Date(Date.now() + 3 * DAY).toISOString().slice(0, 10);
    const { project, id, run } = await started({ scheduledFor: `${day}T09:00` });
    const client = createCaptureTransport();
    client.failNext({ kind: 'permanent', stage: 'envelope' });
    for (const time of ['00:00', '09:00']) await sendUntil(run, Date.parse(`${day}T${time}:00Z`), client);
    const stats = async () => (await api.as(project, 'GET', `/campaigns/${id}/stats`)).json();
    const counts = { totalRecipients: 3, sentCount: 1, failedCount: 1, unknownCount: 0 };
    expect(await stats()).toMatchObject({ ...counts, pendingCount: 1, cancelledCount: 0 });
    expect((await api.as(project, 'POST', `/campaigns/${id}/cancel`)).statusCode).toBe(200);
    expect(await stats()).toMatchObject({ ...counts, pendingCount: 0, cancelledCount: 1 });
  });

  test('the forecast counts the audience as it is now', async () => {
    const project = await api.project();
    await contactIn(project, 'a', 'Europe/Paris');
    await contactIn(project, 'b', 'europe/berlin');
    await contactIn(project, 'c', 'EST5EDT+3');
    await contactIn(project, 'd', 7);
    const id = await draft(project);
    await send(project, id, {
      scheduledFor: '2099-07-01T09:00',
      timezone: 'recipient',
      fallbackTimezone: 'Asia/Tokyo',
    });
    expect(await waves(project, id)).toEqual({
      isForecast: true,
      data: [
        { at: '2099-07-01T00:00:00.000Z', zones: ['Asia/Tokyo'], total: 2, fallback: 2, sent: 0 },
        { at: '2099-07-01T07:00:00.000Z', zones: ['Europe/Berlin', 'Europe/Paris'], total: 2, fallback: 0, sent: 0 },
      ],
    });
    await contactIn(project, 'e', 'Asia/Tokyo');
    expect((await waves(project, id)).data[0]).toMatchObject({ total: 3, fallback: 2 });
  });

  test('recipients whose local time has passed are left out under skip', async () => {
    // 12:00 in Tokyo has passed, and in New York it comes in more than ten hours.
    const noon = localIn(-HOUR, 9);
    const { id } = await started({ scheduledFor: noon, past: 'skip', fallbackTimezone: 'Etc/GMT-14' });
    expect((await emailsOf(id)).map(({ toEmail }) => toEmail)).toEqual(['york@x.test']);
    expect(await row(id)).toMatchObject({ totalRecipients: 1, snapshotDone: true });
  });

  test('emails that are too late fail as LATE, and can be sent again', async () => {
    const day = new Date(Date.now() + 3 * DAY).toISOString().slice(0, 10);
    const { project, id, run } = await started({ scheduledFor: `${day}T09:00`, maxLateness: 2 });
    // The worker comes back after eleven hours, and in UTC less than two hours late.
    expect(await sendUntil(run, Date.parse(`${day}T10:59:00Z`))).toEqual(['zoneless@x.test']);
    const [tokyo] = await emailsOf(id);
    expect(tokyo).toMatchObject({ status: 'FAILED', error: expect.stringContaining('LATE') });
    expect(await api.ctx.prisma.event.count({ where: { emailId: tokyo?.id, name: 'email.failed' } })).toBe(1);
    expect(await sendUntil(run, Date.parse(`${day}T14:00:00Z`))).toEqual(['york@x.test']);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    expect((await waves(project, id)).data.map(({ sent }) => sent)).toEqual([0, 1, 1]);

    const again = { ...run, attempt: 2 };
    expect((await api.as(project, 'POST', `/campaigns/${id}/retry-failed`)).json()).toEqual({ retried: 1 });
    await begin(api.ctx, again);
    while (!(await snapshot(api.ctx, again)).done);
    expect(await sendUntil(again, Date.now())).toEqual(['tokyo@x.test']);
    expect(await finish(api.ctx, again)).toMatchObject({ finished: true });
    expect((await waves(project, id)).data.map(({ sent }) => sent)).toEqual([1, 1, 1]);
  });

  test('everything that ends pending emails ends those of waves', async () => {
    const body = { scheduledFor: localIn(3 * DAY) };
    const statuses = async (id: string) => [...new Set((await emailsOf(id)).map(({ status }) => status))];

    const canceled = await started(body);
    expect((await api.as(canceled.project, 'POST', `/campaigns/${canceled.id}/cancel`)).statusCode).toBe(200);
    expect(await statuses(canceled.id)).toEqual(['CANCELLED']);
    expect((await waves(canceled.project, canceled.id)).data.map(({ sent }) => sent)).toEqual([0, 0, 0]);

    const deleted = await started(body);
    await api.as(deleted.project, 'POST', `/campaigns/${deleted.id}/cancel`);
    expect((await api.as(deleted.project, 'DELETE', `/campaigns/${deleted.id}`)).statusCode).toBe(204);

    const erased = await started(body);
    const contact = await api.ctx.prisma.contact.findFirstOrThrow({
      where: { projectId: erased.project.id, email: 'tokyo@x.test' },
    });
    expect((await api.as(erased.project, 'DELETE', `/contacts/${contact.id}`)).statusCode).toBe(204);
    expect((await emailsOf(erased.id)).map(({ status }) => status)).toEqual(['CANCELLED', 'SCHEDULED', 'SCHEDULED']);

    const kept = await started(body);
    await api.ctx.pool.query(`UPDATE emails SET created_at = now() - interval '500 days' WHERE campaign_id = $1`, [
      kept.id,
    ]);
    await applyRetention({ ...api.ctx, config: { ...api.ctx.config, RETENTION_DAYS: 30 } });
    expect(await statuses(kept.id)).toEqual(['SCHEDULED']);

    const disabled = await started(body);
    await api.ctx.prisma.project.update({ where: { id: disabled.project.id }, data: { disabled: true } });
    expect(await sendUntil(disabled.run, Date.now() + 5 * DAY)).toEqual([]);
    await finish(api.ctx, disabled.run);
    expect(await statuses(disabled.id)).toEqual(['CANCELLED']);
  });
});

describe('send windows', () => {
  const HOURS_AHEAD = 3;
  /** Opens in three hours for an hour, every day, in UTC. */
  const opensAt = Math.floor((Date.now() + HOURS_AHEAD * HOUR) / 60_000) * 60_000;
  const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 16);
  const window = (timezone = 'UTC') => ({
    timezone,
    days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
    from: timeOf(opensAt),
    until: timeOf(opensAt + HOUR),
  });

  async function startedWith(content: Record<string, unknown>, projectData: object = {}) {
    const project = await api.project();
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: projectData });
    for (const name of ['a', 'b', 'c']) await contactIn(project, name);
    const id = await draft(project, content);
    expect((await send(project, id, {})).statusCode).toBe(200);
    const run = { campaignId: id, projectId: project.id, attempt: 1 };
    await begin(api.ctx, run);
    while (!(await snapshot(api.ctx, run)).done);
    return { project, id, run };
  }
  const everyone = ['a@x.test', 'b@x.test', 'c@x.test'];

  test('a campaign outside of its window waits until it opens', async () => {
    const { project, id, run } = await startedWith({ sendWindow: window() });
    expect((await waves(project, id)).data).toMatchObject([
      { at: new Date(opensAt).toISOString(), zones: ['UTC'], total: 3, fallback: 0 },
    ]);
    expect(await sendUntil(run, opensAt - 60_000)).toEqual([]);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: false, next: { at: opensAt } });
    expect(await sendUntil(run, opensAt)).toEqual(everyone);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    expect((await waves(project, id)).data).toMatchObject([{ total: 3, sent: 3 }]);
  });

  test('what is left when a window closes waits for the next opening', async () => {
    const { project, id, run } = await startedWith({ sendWindow: window() });
    expect(await sendUntil(run, opensAt + HOUR)).toEqual([]);
    const next = new Date(opensAt + DAY);
    expect((await waves(project, id)).data).toMatchObject([{ at: next.toISOString(), total: 3, sent: 0 }]);
    expect((await emailsOf(id)).map(({ status, scheduledFor }) => [status, scheduledFor])).toEqual(
      everyone.map(() => ['SCHEDULED', next]),
    );
    expect(await sendUntil(run, next.getTime())).toEqual(everyone);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
  });

  test('the window of the project is for bulk email, and that of the campaign comes first', async () => {
    const bulk = await startedWith({}, { sendWindow: window() });
    expect(await sendUntil(bulk.run, Date.now())).toEqual([]);
    const transactional = await startedWith({ type: 'TRANSACTIONAL' }, { sendWindow: window() });
    expect(await sendUntil(transactional.run, Date.now())).toEqual(everyone);
    const always = { ...window(), from: '00:00', until: '00:00' };
    const own = await startedWith({ sendWindow: always }, { sendWindow: window() });
    expect(await sendUntil(own.run, Date.now())).toEqual(everyone);
    // A window that is removed while emails wait for it.
    await api.ctx.prisma.project.update({ where: { id: bulk.project.id }, data: { sendWindow: Prisma.DbNull } });
    expect(await sendUntil(bulk.run, opensAt)).toEqual(everyone);
  });

  test('is that of each recipient with `recipient`, also together with a local time', async () => {
    const project = await api.project();
    await contactIn(project, 'tokyo', 'Asia/Tokyo');
    await contactIn(project, 'zoneless');
    const sendWindow = { ...window('recipient'), from: '10:00', until: '11:00' };
    const id = await draft(project, { sendWindow });
    const day = new Date(Date.now() + 3 * DAY).toISOString().slice(0, 10);
    await send(project, id, { scheduledFor: `${day}T09:00`, timezone: 'recipient', fallbackTimezone: 'UTC' });
    expect((await waves(project, id)).data).toMatchObject([
      { at: `${day}T01:00:00.000Z`, zones: ['Asia/Tokyo'] },
      { at: `${day}T10:00:00.000Z`, zones: ['UTC'], fallback: 1 },
    ]);
  });

  test('a retry waits for the window, and sends the same bytes', async () => {
    const always = { ...window(), from: '00:00', until: '00:00' };
    const { id, run } = await startedWith({ sendWindow: always });
    const client = createCaptureTransport();
    client.failNext({ kind: 'transient', stage: 'envelope', response: '451 later', to: 'b@x.test' });
    expect(await sendUntil(run, Date.now(), client)).toEqual(['a@x.test', 'c@x.test']);
    await api.ctx.pool.query(`UPDATE campaign_retries SET due_at = now() WHERE campaign_id = $1`, [id]);
    await api.ctx.prisma.campaign.update({ where: { id }, data: { sendWindow: window() } });
    expect(await sendUntil(run, Date.now(), client)).toEqual(['a@x.test', 'c@x.test']);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: false, next: { at: opensAt } });
    expect(await sendUntil(run, opensAt, client)).toEqual(everyone);
    const bytes = client.attempts.filter(({ to }) => to === 'b@x.test').map(({ raw }) => raw.toString());
    expect(bytes).toHaveLength(2);
    expect(bytes[1]).toBe(bytes[0]);
  });
});
