/** The topic `activity` of live streams: no entry is missing and none is repeated (additions, section 1). */
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createLive, type Live } from '../../src/domain/live/live.js';
import { newId } from '../../src/ids.js';
import { activityHelpers } from '../helpers/activity.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { listenDirectly } from '../helpers/stream.js';

const api = useApi();
const { contact, workflow, execution, campaign } = activityHelpers(api);
let live: Live;
let project: TestProject;
/** A second connection, for a transaction that the test keeps open. */
let slow: Client;

beforeAll(async () => {
  live = createLive(api.ctx, { activityMs: 20, figuresMs: 20, commentMs: 20 });
  project = await api.project();
  slow = new Client({ connectionString: api.config.DATABASE_URL, application_name: 'sendloom-test-slow' });
  await slow.connect();
});
afterAll(async () => {
  live.end();
  await slow.end();
});

const WithSummary = z.object({ metadata: z.object({ summary: z.object({ count: z.number() }) }) });

const INSERT = `INSERT INTO events (id, project_id, name, data, created_at) VALUES ($1, $2, $3, '{}', clock_timestamp())`;

async function track(name = 'tested'): Promise<string> {
  const id = newId();
  await api.ctx.pool.query(INSERT, [id, project.id, name]);
  return id;
}

const listen = (lastEventId?: string) =>
  listenDirectly(live, { projectId: project.id, topics: ['activity'], lastEventId });

test('a message is the entry of GET /activity, and its id is a cursor of that list', async () => {
  const { messages, close } = await listen();
  const before = await track();
  const { data, lastEventId } = await messages.findId(await track());
  const feed = (await api.as(project, 'GET', '/activity?limit=1')).json();
  expect(feed.data).toEqual([data]);
  const older = await api.as(project, 'GET', `/activity?limit=1&cursor=${lastEventId}`);
  expect(older.json().data).toEqual([expect.objectContaining({ id: before })]);
  close();
});

test('a listener receives what was committed after it connected, and nothing from before', async () => {
  const old = await track();
  const { messages, close } = await listen();
  const id = await track();
  await messages.findId(id);
  expect(messages.ids).toEqual([id]);
  expect(messages.ids).not.toContain(old);
  close();
});

describe('an entry of a transaction that commits late', () => {
  test('reaches a listener that has received later entries', async () => {
    const { messages, close } = await listen();
    // The older id and time are written first and committed last.
    await slow.query('BEGIN');
    const late = newId();
    await slow.query(INSERT, [late, project.id, 'late']);
    const early = await track('early');
    await messages.findId(early);
    await slow.query('COMMIT');
    await messages.findId(late);
    const next = await track();
    await messages.findId(next);
    expect(messages.ids).toEqual([early, late, next]);
    close();
  });

  test('reaches a listener that resumes after a later entry', async () => {
    const first = await listen();
    await slow.query('BEGIN');
    const late = newId();
    await slow.query(INSERT, [late, project.id, 'late']);
    const { lastEventId } = await first.messages.findId(await track('early'));
    first.close();
    await slow.query('COMMIT');
    const resumed = await listen(lastEventId);
    await resumed.messages.findId(late);
    expect(resumed.messages.ids).toEqual([late]);
    resumed.close();
  });

  test('is found although its transaction wrote nothing before others had committed', async () => {
    const { messages, close } = await listen();
    await slow.query('BEGIN');
    // now() is the start of this transaction, which has no id yet.
    await slow.query('SELECT now()');
    await messages.findId(await track());
    await eventually(async () => {
      const { rows } = await api.ctx.pool.query<{ old: boolean }>(
        `SELECT xact_start < now() - interval '400 milliseconds' AS old FROM pg_stat_activity
          WHERE application_name = 'sendloom-test-slow'`,
      );
      expect(rows[0]?.old).toBe(true);
    });
    const id = newId();
    await slow.query(`INSERT INTO events (id, project_id, name, created_at) VALUES ($1, $2, 'late', now())`, [
      id,
      project.id,
    ]);
    await messages.findId(await track());
    await slow.query('COMMIT');
    await messages.findId(id);
    close();
  });

  test('is not sent if the transaction is rolled back', async () => {
    const { messages, close } = await listen();
    await slow.query('BEGIN');
    const lost = newId();
    await slow.query(INSERT, [lost, project.id, 'lost']);
    await messages.findId(await track());
    await slow.query('ROLLBACK');
    await messages.findId(await track());
    expect(messages.ids).not.toContain(lost);
    close();
  });
});

test('a listener that disconnects after any message of a page resumes after it', async () => {
  const first = await listen();
  const { rows } = await api.ctx.pool.query<{ id: string }>(
    `INSERT INTO events (id, project_id, name) SELECT uuid_v7(), $1, 'page' FROM generate_series(1, 6) RETURNING id`,
    [project.id],
  );
  await eventually(() => expect(first.messages.all).toHaveLength(6));
  first.close();
  expect(new Set(first.messages.ids)).toEqual(new Set(rows.map(({ id }) => id)));
  const after = await track();
  for (const [index, { lastEventId }] of first.messages.all.entries()) {
    const resumed = await listen(lastEventId);
    await resumed.messages.findId(after);
    expect(resumed.messages.ids).toEqual([...first.messages.ids.slice(index + 1), after]);
    resumed.close();
  }
});

test('a listener that connects again and again while entries are written receives each one once', async () => {
  const written: string[] = [];
  const stop = new AbortController();
  // Four writers, each with several events per transaction, commit in any order.
  const write = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const { rows } = await api.ctx.pool.query<{ id: string }>(
        `INSERT INTO events (id, project_id, name, created_at)
         SELECT uuid_v7(), $1, 'written', now() FROM generate_series(1, 5) RETURNING id, pg_sleep(random() * 0.02)`,
        [project.id],
      );
      written.push(...rows.map(({ id }) => id));
    }
  };
  const received: unknown[] = [];
  let { messages, close } = await listen();
  const writers = [write(), write(), write(), write()];
  for (let round = 0; round < 25; round++) {
    const before = messages;
    await eventually(() => expect(before.all.length).toBeGreaterThan(0), { every: 2 });
    close();
    received.push(...messages.ids);
    ({ messages, close } = await listen(messages.lastEventId));
  }
  stop.abort();
  await Promise.all(writers);
  await eventually(() => expect(received.length + messages.ids.length).toBeGreaterThanOrEqual(written.length));
  await messages.findId(await track());
  received.push(...messages.ids.slice(0, -1));
  expect(received.length).toBe(written.length);
  expect(new Set(received)).toEqual(new Set(written));
  close();
});

test('executions and sent campaigns are sent once, although their rows change later', async () => {
  const { messages, close } = await listen();
  const flow = await workflow(project);
  const started = await execution(project, flow, await contact(project), new Date());
  const sent = await campaign(project, { status: 'SENT', sentAt: new Date() });
  const [first, second] = [await messages.findId(started), await messages.findId(sent)];
  expect([first.data.type, second.data.type]).toEqual(['workflow.started', 'campaign.sent']);
  await api.ctx.pool.query(`UPDATE workflow_executions SET status = 'CANCELLED' WHERE id = $1`, [started]);
  await api.ctx.pool.query(`UPDATE campaigns SET opened_count = 1 WHERE id = $1`, [sent]);
  const resumed = await listen(second.lastEventId);
  const last = await track();
  await Promise.all([messages.findId(last), resumed.messages.findId(last)]);
  expect(messages.ids).toHaveLength(3);
  expect(resumed.messages.ids).toEqual([last]);
  resumed.close();
  close();
});

describe('more than 100 sends of campaigns at a time', () => {
  const BURST = `
    INSERT INTO events (id, project_id, name, data, created_at)
    SELECT uuid_v7(), $1, CASE WHEN n IN (5, 90) THEN 'tested' ELSE 'email.sent' END,
           CASE WHEN n IN (5, 90) THEN '{}' ELSE '{"campaignId":"01890000-0000-7000-8000-000000000000"}' END::jsonb,
           clock_timestamp() FROM generate_series(1, $2::int) n`;

  test('are one entry with their number, and all other entries are sent', async () => {
    const { messages, close } = await listen();
    await api.ctx.pool.query(BURST, [project.id, 1502]);
    await messages.find(({ data }) => data.type === 'email.sent');
    const after = await track();
    await messages.findId(after);
    expect(messages.all.map(({ data }) => data.type)).toEqual([
      'event.tracked',
      'event.tracked',
      'email.sent',
      'event.tracked',
    ]);
    expect(messages.all[2]?.data.metadata).toMatchObject({
      summary: { count: 1500, from: expect.any(String), until: messages.all[2]?.data.timestamp },
    });
    // A listener that was disconnected before the summary receives it later.
    for (const index of [0, 1]) {
      const resumed = await listen(messages.all[index]?.lastEventId);
      await resumed.messages.findId(after);
      expect(resumed.messages.all.map(({ data }) => data.id)).toEqual(messages.ids.slice(index + 1));
      expect(resumed.messages.all.at(-2)?.data.metadata).toMatchObject({ summary: { count: 1500 } });
      resumed.close();
    }
    const resumed = await listen(messages.all[2]?.lastEventId);
    await resumed.messages.findId(after);
    expect(resumed.messages.ids).toEqual([after]);
    resumed.close();
    close();
  });

  test('are several entries if one statement cannot read all of them', async () => {
    const { messages, close } = await listen();
    await api.ctx.pool.query(BURST, [project.id, 20_502]);
    const summaries = () => messages.all.filter(({ data }) => data.type === 'email.sent');
    const countOf = ({ data }: { data: unknown }): number => WithSummary.parse(data).metadata.summary.count;
    await eventually(() => expect(summaries().map(countOf)).toEqual([19_998, 502]));
    const resumed = await listen(summaries()[0]?.lastEventId);
    await resumed.messages.find(() => true);
    expect(resumed.messages.all.map(countOf)).toEqual([502]);
    resumed.close();
    close();
  });

  test('are sent one by one if there are at most 100', async () => {
    const { messages, close } = await listen();
    await api.ctx.pool.query(BURST, [project.id, 102]);
    await eventually(() => expect(messages.all.length).toBe(102));
    expect(new Set(messages.ids).size).toBe(102);
    close();
  });
});

test('a backlog of several pages arrives in order, also while a listener joins', async () => {
  const first = await listen();
  await api.ctx.pool.query(
    `INSERT INTO events (id, project_id, name, created_at)
     SELECT uuid_v7(), $1, 'backlog', now() + n * interval '1 microsecond' FROM generate_series(1, 2500) n`,
    [project.id],
  );
  await eventually(() => expect(first.messages.all.length).toBeGreaterThanOrEqual(1), { every: 1 });
  const { lastEventId } = first.messages.all[0] ?? {};
  const second = await listen(lastEventId);
  await eventually(() => expect([first, second].map(({ messages }) => messages.all.length)).toEqual([2500, 2499]));
  expect(second.messages.ids).toEqual(first.messages.ids.slice(1));
  const place = ({ data }: { data: Record<string, unknown> }): string => `${String(data.timestamp)}${String(data.id)}`;
  expect(first.messages.all.map(place)).toEqual(first.messages.all.map(place).sort());
  first.close();
  second.close();
});

test('nothing is polled without listeners', async () => {
  const { messages, close } = await listen();
  await messages.findId(await track());
  close();
  const statements = async (): Promise<number> => {
    const { rows } = await api.ctx.pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_stat_activity a%' AND query_start > now() - interval '100 milliseconds' AND pid <> pg_backend_pid()`,
    );
    return rows[0]?.count ?? 0;
  };
  await eventually(async () => expect(await statements()).toBe(0));
});
