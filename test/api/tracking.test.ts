/** The pixel and the redirects of tracked emails, and how their hits are counted. */
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildApp } from '../../src/api/app.js';
import { createContext } from '../../src/context.js';
import { createPool } from '../../src/db/pool.js';
import { enqueueHits } from '../../src/domain/tracking/sql.js';
import { drainHits } from '../../src/domain/tracking/drain.js';
import { createHitRecorder, type RecordedHit } from '../../src/domain/tracking/record.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { feedbackHelpers, type SentEmail, type SentOptions } from '../helpers/feedback.js';
import { openFlakyDatabase } from '../helpers/flaky-database.js';

const api = useApi({ PUBLIC_URL: 'https://mail.example.test' });
const { sent, fate } = feedbackHelpers(api);

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const SHOP = 'https://shop.test/a?b=1&c=ü';

const pixelOf = ({ id }: SentEmail): string => new URL(api.ctx.links.tracking.of(id).pixelUrl()).pathname;
const linkOf = ({ id }: SentEmail, url = SHOP): string =>
  new URL(api.ctx.links.tracking.of(id).clickUrl(url) ?? 'about:none').pathname;

interface RequestOptions {
  method?: 'GET' | 'HEAD';
  agent?: string;
  ip?: string;
  headers?: Record<string, string>;
}
const hit = (url: string, { method = 'GET', agent = BROWSER, ip = '192.0.2.1', headers = {} }: RequestOptions = {}) =>
  api.app.inject({ method, url, remoteAddress: ip, headers: { 'user-agent': agent, ...headers } });

const one = async (project: TestProject, options?: SentOptions): Promise<SentEmail> => {
  const [email] = await sent(project, 1, options);
  if (!email) throw new Error('unreachable');
  return email;
};

/** Classifies all waiting hits, as if clicks had waited long enough. */
async function judgeAll(): Promise<void> {
  await api.ctx.pool.query(`UPDATE tracking_queue SET due_at = now() - interval '1 second'`);
  while ((await drainHits(api.ctx)) > 0);
}

const hitsOf = (email: SentEmail) =>
  api.ctx.prisma.trackingHit.findMany({ where: { emailId: email.id }, orderBy: { at: 'asc' } });
const shown = async (project: TestProject, email: SentEmail) =>
  (await api.as(project, 'GET', `/emails/${email.id}`)).json<Record<string, unknown>>();

describe('GET /o/:token.gif', () => {
  test('is a transparent GIF without caching, and an open of the email', async () => {
    const project = await api.project();
    const email = await one(project);
    const response = await hit(pixelOf(email));
    expect([response.statusCode, response.headers['content-type'], response.headers['cache-control']]).toEqual([
      200,
      'image/gif',
      'no-store, no-cache, must-revalidate, private, max-age=0',
    ]);
    expect(response.rawPayload.subarray(0, 6).toString()).toBe('GIF89a');
    expect(response.rawPayload.length).toBe(42);
    expect(response.headers).not.toHaveProperty('ratelimit-limit');

    await judgeAll();
    expect(await shown(project, email)).toMatchObject({
      status: 'OPENED',
      opens: 1,
      clicks: 0,
      machineOpens: 0,
      openedAt: expect.any(String),
    });
    const { events, figures } = await fate(email);
    expect(events).toEqual([
      expect.stringMatching(/^email\.opened \{"timestamp":"[^"]+Z","campaignId":"<campaign>"\}$/),
    ]);
    expect(figures).toMatchObject([{ opened: 1 }]);
    expect(await hitsOf(email)).toMatchObject([
      {
        projectId: project.id,
        kind: 'open',
        url: null,
        machine: false,
        reason: null,
        userAgent: BROWSER,
        ip: '192.0.2.1',
      },
    ]);
  });

  test('counts each open by a person, with one event and one figure for the first', async () => {
    const project = await api.project();
    const email = await one(project);
    await Promise.all(Array.from({ length: 40 }, () => hit(pixelOf(email))));
    await judgeAll();
    await hit(pixelOf(email));
    await judgeAll();
    expect(await fate(email)).toMatchObject({
      row: { opens: 41 },
      figures: [{ opened: 1 }],
      events: [expect.stringContaining('email.opened')],
    });
    expect(await hitsOf(email)).toHaveLength(41);
  });
});

describe('GET /c/:token', () => {
  test('redirects to the target of the link, and records a click of the email', async () => {
    const project = await api.project();
    const email = await one(project);
    const response = await hit(linkOf(email));
    expect([response.statusCode, response.headers.location, response.body]).toEqual([
      302,
      'https://shop.test/a?b=1&c=%C3%BC',
      '',
    ]);
    expect(response.headers).toMatchObject({
      'cache-control': expect.stringContaining('no-store'),
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    });

    await judgeAll();
    expect(await shown(project, email)).toMatchObject({
      status: 'CLICKED',
      opens: 0,
      clicks: 1,
      machineClicks: 0,
      clickedAt: expect.any(String),
    });
    expect(await hitsOf(email)).toMatchObject([
      { kind: 'click', url: 'https://shop.test/a?b=1&c=%C3%BC', machine: false },
    ]);
  });

  test('has one event for each link of the email, and one figure for all of them', async () => {
    const project = await api.project();
    const email = await one(project);
    for (const url of ['https://shop.test/1', 'https://shop.test/2', 'https://shop.test/1']) {
      await hit(linkOf(email, url));
      await judgeAll();
    }
    const { row, events, figures } = await fate(email);
    expect(row.clicks).toBe(3);
    expect(events.map((event) => /"url":"([^"]+)"/.exec(event)?.[1])).toEqual([
      'https://shop.test/1',
      'https://shop.test/2',
    ]);
    expect(figures).toMatchObject([{ clicked: 1 }]);
  });

  test('still redirects after the email is deleted, and its hit is dropped', async () => {
    const project = await api.project();
    const email = await one(project);
    await api.ctx.prisma.email.delete({ where: { id: email.id } });
    expect((await hit(linkOf(email))).statusCode).toBe(302);
    expect((await hit(pixelOf(email))).statusCode).toBe(200);
    await judgeAll();
    expect(await hitsOf(email)).toEqual([]);
    expect(await api.ctx.prisma.trackingQueue.count()).toBe(0);
  });

  test('waits for nearby clicks before its classification; an open does not', async () => {
    const project = await api.project();
    const email = await one(project);
    await hit(linkOf(email));
    await hit(pixelOf(email));
    await drainHits(api.ctx);
    expect(await shown(project, email)).toMatchObject({ opens: 1, clicks: 0 });
    await eventually(async () => {
      await drainHits(api.ctx);
      expect(await shown(project, email)).toMatchObject({ opens: 1, clicks: 1 });
    });
    const [click] = (await hitsOf(email)).filter(({ kind }) => kind === 'click');
    // The time of the request, not of the classification.
    expect(Math.abs((click?.at.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
  });
});

describe('an invalid token', () => {
  test('returns 404, redirects nowhere, and records nothing', async () => {
    const project = await api.project();
    const email = await one(project);
    const link = linkOf(email);
    const target = Buffer.from('https://evil.test/').toString('base64url');
    const foreign = createContext(
      { ...api.config, SECRET_KEY: 'another-secret-key-another-secret-key' },
      createLog('silent'),
      { name: 'test' },
    );
    onTestFinished(() => foreign.close());
    const elsewhere = new URL(foreign.links.tracking.of(email.id).clickUrl(SHOP) ?? '').pathname;
    for (const url of [
      `${link}A`,
      link.slice(0, -1),
      `${link.slice(0, 47)}${target}`,
      elsewhere,
      `/c/${target}`,
      '/c/https:%2F%2Fevil.test',
      '/c/?url=https://evil.test',
      '/c/x?url=https://evil.test',
      pixelOf(email).replace('/o/', '/c/'),
      '/o/x.gif',
      '/o/.gif',
      linkOf(email).replace('/c/', '/o/'),
      `/o/${'A'.repeat(44)}.gif`,
      '/c/%00',
      `/c/${'A'.repeat(2000)}`,
    ]) {
      const response = await hit(url);
      expect([response.statusCode, response.headers.location], url).toEqual([404, undefined]);
    }
    await judgeAll();
    expect(await hitsOf(email)).toEqual([]);
  });
});

describe('hits of machines', () => {
  test('are distinguished from those of people, and both are shown', async () => {
    const project = await api.project();
    const email = await one(project);
    await hit(pixelOf(email), { agent: 'Mozilla/5.0' });
    await hit(pixelOf(email), { agent: '' });
    await hit(linkOf(email), { agent: 'Barracuda Sentinel (EE)' });
    await judgeAll();
    expect(await shown(project, email)).toMatchObject({
      status: 'SENT',
      opens: 0,
      clicks: 0,
      machineOpens: 2,
      machineClicks: 1,
      openedAt: null,
      clickedAt: null,
    });
    expect(await fate(email)).toMatchObject({ events: [], figures: [] });

    await hit(pixelOf(email), {
      agent: 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    });
    await judgeAll();
    expect(await shown(project, email)).toMatchObject({ status: 'OPENED', opens: 1, machineOpens: 2 });
    expect((await hitsOf(email)).map(({ kind, machine, reason }) => `${kind} ${machine} ${reason}`).sort()).toEqual([
      'click true scanner',
      'open false google_proxy',
      'open true apple_privacy',
      'open true no_user_agent',
    ]);
  });

  test('with HEAD and with prefetch get the same response', async () => {
    const project = await api.project();
    const email = await one(project);
    const head = await hit(linkOf(email), { method: 'HEAD' });
    expect([head.statusCode, head.headers.location, head.body]).toEqual([302, 'https://shop.test/a?b=1&c=%C3%BC', '']);
    expect([
      (await hit(pixelOf(email), { method: 'HEAD' })).statusCode,
      (await hit(pixelOf(email), { headers: { 'sec-purpose': 'prefetch' } })).statusCode,
    ]).toEqual([200, 200]);
    await judgeAll();
    expect(await shown(project, email)).toMatchObject({ opens: 0, clicks: 0, machineOpens: 2, machineClicks: 1 });
  });

  test('that follow many links of an email within a second are all detected, including the first ones', async () => {
    const project = await api.project();
    const email = await one(project);
    for (const n of [1, 2, 3, 4, 5]) await hit(linkOf(email, `https://shop.test/${n}`));
    // The first and the last hits in different transactions: the first with the queue, the last with
    // the stored hits.
    await api.ctx.pool.query(
      `UPDATE tracking_queue SET due_at = now() - interval '1 second' WHERE url IN ('https://shop.test/1', 'https://shop.test/2')`,
    );
    expect(await drainHits(api.ctx)).toBe(2);
    await judgeAll();
    expect(await shown(project, email)).toMatchObject({ status: 'SENT', clicks: 0, machineClicks: 5 });
    expect(new Set((await hitsOf(email)).map(({ reason }) => reason))).toEqual(new Set(['burst']));
  });

  test("before the mail server's reply, or faster than people, are detected by their time", async () => {
    const project = await api.project();
    const early = await one(project, { status: 'SENDING', claimedBy: newId() });
    const fast = await one(project);
    await api.ctx.pool.query(`UPDATE emails SET sent_at = now() WHERE id = $1`, [fast.id]);
    await hit(pixelOf(early));
    await hit(linkOf(fast));
    await judgeAll();
    expect([...(await hitsOf(early)), ...(await hitsOf(fast))].map(({ reason }) => reason)).toEqual([
      'before_sent',
      'too_fast',
    ]);
  });
});

describe('a hit', () => {
  test('is counted once, even if it is queued repeatedly and drained by several workers', async () => {
    const project = await api.project();
    const email = await one(project);
    const queued = {
      id: newId(),
      emailId: email.id,
      kind: 'open' as const,
      url: null,
      userAgent: BROWSER,
      ip: '192.0.2.1',
      machine: false,
      reason: null,
      ageMs: 0,
      delayMs: 0,
    };
    await enqueueHits(api.ctx.pool, [queued]);
    await enqueueHits(api.ctx.pool, [queued, { ...queued, id: newId() }]);
    expect(
      (await Promise.all([drainHits(api.ctx), drainHits(api.ctx), drainHits(api.ctx)])).reduce(
        (sum, count) => sum + count,
        0,
      ),
    ).toBe(2);
    // The response to the first insert was lost, and the hit is already classified when it is repeated.
    await enqueueHits(api.ctx.pool, [queued]);
    await judgeAll();
    expect(await fate(email)).toMatchObject({ row: { opens: 2 } });
    expect(await hitsOf(email)).toHaveLength(2);
  });

  test('stays in the queue when its transaction fails', async () => {
    const project = await api.project();
    const email = await one(project);
    await hit(pixelOf(email));
    await api.ctx.pool.query(`ALTER TABLE stat_deltas ADD CONSTRAINT no_opens CHECK (opened = 0) NOT VALID`);
    await expect(drainHits(api.ctx)).rejects.toThrow(/no_opens/);
    await api.ctx.pool.query(`ALTER TABLE stat_deltas DROP CONSTRAINT no_opens`);
    expect(await hitsOf(email)).toEqual([]);
    await judgeAll();
    expect(await fate(email)).toMatchObject({ row: { opens: 1 } });
  });
});

describe('without the database', () => {
  const record = (emailId: string): RecordedHit => ({
    id: newId(),
    emailId,
    kind: 'open',
    url: null,
    userAgent: BROWSER,
    ip: null,
    machine: false,
    reason: null,
    delayMs: 0,
  });

  test('the pixel and the redirect respond immediately, and their hits are counted later', async () => {
    const project = await api.project();
    const email = await one(project);
    const flaky = await openFlakyDatabase(api.config.DATABASE_URL);
    onTestFinished(() => flaky.close());
    const ctx = createContext({ ...api.config, DATABASE_URL: flaky.url }, createLog('silent'), { name: 'test' });
    const app = await buildApp(ctx);
    onTestFinished(async () => {
      await app.close();
      await ctx.close();
    });
    await flaky.cut();
    const ask = (url: string) => app.inject({ method: 'GET', url, headers: { 'user-agent': BROWSER } });
    expect((await ask(pixelOf(email))).statusCode).toBe(200);
    const started = performance.now();
    for (let n = 0; n < 20; n++)
      expect([(await ask(pixelOf(email))).statusCode, (await ask(linkOf(email))).statusCode]).toEqual([200, 302]);
    // Far less than 300 ms for each.
    expect(performance.now() - started).toBeLessThan(5000);
    await flaky.restore();
    await eventually(async () =>
      expect(await api.ctx.prisma.trackingQueue.count({ where: { emailId: email.id } })).toBe(41),
    );
    await judgeAll();
    expect(await fate(email)).toMatchObject({ row: { opens: 21, clicks: 20 } });
  });

  test('as many hits wait in memory as allowed, and the log has the number of the others', async () => {
    const project = await api.project();
    const email = await one(project);
    const flaky = await openFlakyDatabase(api.config.DATABASE_URL);
    onTestFinished(() => flaky.close());
    const pool = createPool({ databaseUrl: flaky.url, max: 2, name: 'test', onError: () => undefined });
    onTestFinished(() => pool.end());
    const lines: string[] = [];
    const recorder = createHitRecorder({
      pool,
      log: pino({}, { write: (line: string) => void lines.push(line) }),
      wake: () => undefined,
      maxHits: 3,
    });
    await flaky.cut();
    await Promise.all(Array.from({ length: 5 }, () => recorder.record(record(email.id))));
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining({ level: 50, lost: 1 }));
    await flaky.restore();
    await recorder.close();
    expect(await api.ctx.prisma.trackingQueue.count({ where: { emailId: email.id } })).toBe(3);
    const lost = lines
      .map((line): { lost?: number } => JSON.parse(line))
      .reduce((sum, line) => sum + (line.lost ?? 0), 0);
    expect(lost).toBe(2);
  });

  test('hits wait in memory while the disk of the database is full', async () => {
    const project = await api.project();
    const email = await one(project);
    const { pool } = api.ctx;
    await pool.query(
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`,
    );
    await pool.query(
      'CREATE TRIGGER full_disk BEFORE INSERT ON tracking_queue FOR EACH STATEMENT EXECUTE FUNCTION full_disk()',
    );
    const lines: string[] = [];
    const recorder = createHitRecorder({
      pool,
      log: pino({}, { write: (line: string) => void lines.push(line) }),
      wake: () => undefined,
    });
    await recorder.record(record(email.id));
    await pool.query('DROP FUNCTION full_disk CASCADE');
    await recorder.close();
    expect(await api.ctx.prisma.trackingQueue.count({ where: { emailId: email.id } })).toBe(1);
    expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ level: 40 })]);
    await judgeAll();
  });

  test('a hit that the database rejects does not affect others', async () => {
    const project = await api.project();
    const email = await one(project);
    const lines: string[] = [];
    const recorder = createHitRecorder({
      pool: api.ctx.pool,
      log: pino({}, { write: (line: string) => void lines.push(line) }),
      wake: () => undefined,
    });
    await Promise.all([
      recorder.record(record(email.id)),
      recorder.record({ ...record(email.id), userAgent: 'a\u0000b' }),
      recorder.record(record(email.id)),
    ]);
    await recorder.close();
    expect(await api.ctx.prisma.trackingQueue.count({ where: { emailId: email.id } })).toBe(2);
    expect(lines).toHaveLength(1);
    await judgeAll();
  });
});
