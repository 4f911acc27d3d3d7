/** `POST /exports`, the signed URL, and the round trip of contacts through a CSV file. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { EXPORT_LIFETIME_MS, exportUrl } from '../../src/domain/exports/download.js';
import { MAX_OPEN_EXPORTS } from '../../src/domain/exports/request.js';
import { runExport } from '../../src/domain/exports/run.js';
import { deleteExpiredExports } from '../../src/domain/exports/sql.js';
import { CsvReader } from '../../src/domain/imports/csv.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { insertAudience, insertCampaign } from '../helpers/audience.js';
import { refused } from '../helpers/campaign-api.js';
import { losing } from '../helpers/flaky-pool.js';
import { jobHelpers, runImport } from '../helpers/jobs.js';
import { dump } from '../helpers/routes.js';

const api = useApi();
const { queue } = jobHelpers(api);

const Report = z.object({
  url: z.string().nullable(),
  expiresAt: z.string().nullable(),
  rows: z.number(),
  bytes: z.number(),
  format: z.string(),
  mapping: z.record(z.string(), z.object({ to: z.string().nullable(), type: z.string().optional() })).nullable(),
});
const Job = z.object({ kind: z.string(), operation: z.string(), state: z.string(), result: Report.nullable() });

type Owner = Pick<TestProject, 'id' | 'public' | 'secret' | 'domain'>;
const as = (project: Owner, method: 'GET' | 'POST' | 'DELETE', url: string, body?: unknown) =>
  api.as({ ...project }, method, url, body);

async function start(project: Owner, body: Record<string, unknown>): Promise<string> {
  const response = await as(project, 'POST', '/exports', body);
  expect(response.statusCode, response.body).toBe(202);
  return response.json<{ jobId: string }>().jobId;
}

async function finish(project: Owner, jobId: string): Promise<z.infer<typeof Report>> {
  const job = { jobId, projectId: project.id };
  while ((await runExport(api.ctx, job))?.done === false);
  const { state, result } = Job.parse((await as(project, 'GET', `/jobs/${jobId}`)).json());
  expect(state).toBe('completed');
  if (!result) throw new Error('A completed job has a result');
  return result;
}

const pathOf = (url: string | null): string => (url ?? '').replace(api.config.PUBLIC_URL, '');

async function download(url: string | null): Promise<string> {
  const response = await api.app.inject(pathOf(url));
  expect(response.statusCode, response.body).toBe(200);
  return response.body;
}

/** Runs an export. @returns its result and its file */
async function run(project: Owner, body: Record<string, unknown>) {
  const jobId = await start(project, body);
  const result = await finish(project, jobId);
  const file = await download(result.url);
  expect(Buffer.byteLength(file)).toBe(result.bytes);
  return { jobId, result, file };
}

/** Returns the cells of each line. */
function parse(file: string): string[][] {
  const reader = new CsvReader();
  return [...reader.write(file), ...reader.end()].map((record) => ('cells' in record ? record.cells : []));
}

/** Inserts contacts as they can be stored. */
const insertContacts = (
  project: Owner,
  contacts: Array<{ email: string; subscribed?: boolean; snoozed?: string; data?: unknown }>,
) =>
  api.ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, snoozed_until, data)
     SELECT uuid_v7(), $1, email, coalesce(subscribed, true), snoozed, coalesce(data, '{}')
       FROM jsonb_to_recordset($2) AS c(email text, subscribed boolean, snoozed timestamptz, data jsonb)`,
    [project.id, JSON.stringify(contacts)],
  );

const contactsOf = async (project: Owner, columns = '*'): Promise<unknown[]> =>
  (await api.ctx.pool.query(`SELECT ${columns} FROM contacts WHERE project_id = $1 ORDER BY email`, [project.id])).rows;

const EXOTIC = [
  { email: 'plain@x.test', data: { name: 'Ada', age: 36, vip: true, since: '2030-01-31', phone: '007', mixed: 'a' } },
  { email: 'quotes@x.test', data: { name: 'a "b", c\r\nd\ne;f\tg|h', mixed: 1, tags: ['x', { y: [null, 1.5] }] } },
  { email: 'spaces@x.test', data: { name: '  two  ', phone: 'true', note: ' ', mixed: true } },
  { email: 'numbers@x.test', data: { age: -1.5e-7, big: 1e21, phone: '1e5', small: 5e-324, zero: 0 } },
  { email: '+plus@x.test', data: { name: '=1+1', phone: '+49 170', note: "'=quoted", mixed: '-x', big: -5 } },
  { email: "'@x.test", data: { name: "'plain", note: '@at', phone: '\ttab', mixed: null } },
  { email: 'nested@x.test', data: { address: { city: 'Zürich', geo: { lat: 47.3 } }, name: 'null', phone: '{}' } },
  { email: 'keys@x.test', data: { ' spaced ': 1, '=key': 'x', Email: 'y', data: 'z', createdAt: 'w', 'a,"b': 'v' } },
  { email: 'unicode@x.test', data: { name: '日本語 🎉 \ufeff', note: '\u2028', phone: '"' } },
  { email: 'empty@x.test', data: { name: '', vip: false } },
  { email: 'off@x.test', subscribed: false, data: { mixed: { a: 1 } } },
  { email: 'snoozed@x.test', subscribed: false, snoozed: '2999-01-01T00:00:00.123Z' },
];

describe('the round trip of contacts as CSV', () => {
  test('an import with the mapping of the export changes nothing', async () => {
    const project = await api.project();
    await insertContacts(project, EXOTIC);
    const before = await contactsOf(project);
    const { result, file } = await run(project, { kind: 'contacts', format: 'csv' });
    const jobId = await queue(project, file, { mapping: JSON.stringify(result.mapping) });
    await runImport(api.ctx, { jobId, projectId: project.id });
    expect((await as(project, 'GET', `/jobs/${jobId}`)).json()).toMatchObject({
      state: 'completed',
      result: { totalRows: EXOTIC.length, updatedCount: EXOTIC.length, failureCount: 0 },
    });
    expect(await contactsOf(project)).toEqual(before);
    expect(await api.ctx.prisma.event.count({ where: { projectId: project.id } })).toBe(0);
  });

  test('an import into another project creates equal contacts', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const storable = EXOTIC.filter(({ email }) => email !== 'empty@x.test' && email !== "'@x.test");
    await insertContacts(project, storable);
    const { result, file } = await run(project, { kind: 'contacts', format: 'csv' });
    const jobId = await queue(other, file, { mapping: JSON.stringify(result.mapping) });
    await runImport(api.ctx, { jobId, projectId: other.id });
    const columns = 'email, subscribed, snoozed_until, data';
    expect(await contactsOf(other, columns)).toEqual(await contactsOf(project, columns));
  });

  test('the file has a column for each key with its type, and no cell that a spreadsheet evaluates', async () => {
    const project = await api.project();
    await insertContacts(project, EXOTIC);
    const { result, file } = await run(project, { kind: 'contacts', format: 'csv' });
    expect(result.mapping).toMatchObject({
      email: { to: 'email' },
      id: { to: null },
      phone: { to: 'data.phone', type: 'string' },
      age: { to: 'data.age', type: 'number' },
      vip: { to: 'data.vip', type: 'boolean' },
      mixed: { to: 'data.mixed', type: 'json' },
      tags: { to: 'data.tags', type: 'json' },
      data: { to: 'data' },
    });
    const [header = [], ...rows] = parse(file);
    expect(header.slice(0, 6)).toEqual(['id', 'email', 'subscribed', 'snoozedUntil', 'createdAt', 'updatedAt']);
    expect(rows).toHaveLength(EXOTIC.length);
    for (const cell of rows.flat()) expect(cell).not.toMatch(/^[=+@\t\r]|^-(?!\d)/);
    const keys = rows.find((cells) => cells[1] === 'keys@x.test')?.at(-1);
    expect(JSON.parse(keys ?? '')).toEqual({ ' spaced ': 1, '=key': 'x', Email: 'y', data: 'z', createdAt: 'w' });
  });

  test('values that are written during the export and do not fit their column are in the column data', async () => {
    const project = await api.project();
    await insertContacts(project, [{ email: 'a@x.test', data: { n: 1 } }]);
    const jobId = await start(project, { kind: 'contacts', format: 'csv' });
    const job = { jobId, projectId: project.id };
    // The first transaction fixes the columns. The connection is lost in the second one.
    await expect(runExport({ ...api.ctx, ...losing(api.ctx.pool, { at: 10, when: 'before' }) }, job)).rejects.toThrow();
    expect(await api.ctx.prisma.job.findUnique({ where: { id: jobId } })).toMatchObject({ state: 'active', cursor: 0 });
    await api.ctx.pool.query(`UPDATE contacts SET data = '{"n": "text", "new": 2}' WHERE project_id = $1`, [
      project.id,
    ]);
    const [header, row] = parse(await download((await finish(project, jobId)).url));
    expect(header?.slice(6)).toEqual(['n', 'data']);
    expect([row?.[6], JSON.parse(row?.[7] ?? '')]).toEqual(['', { n: 'text', new: 2 }]);
  });
});

describe('an export', () => {
  test('of contacts as JSON has the contacts as the API returns them', async () => {
    const project = await api.project();
    await insertContacts(project, EXOTIC);
    const { file, result } = await run(project, { kind: 'contacts', format: 'json' });
    expect(result).toMatchObject({ rows: EXOTIC.length, format: 'json', mapping: null });
    const list = (await as(project, 'GET', '/contacts?limit=100&sort=email&dir=asc')).json<{ data: unknown[] }>().data;
    const exported = z.array(z.looseObject({ email: z.string() })).parse(JSON.parse(file));
    expect(exported).toHaveLength(list.length);
    expect(exported).toEqual(expect.arrayContaining(list));
  });

  test('of nothing is an empty list, or only a header', async () => {
    const project = await api.project();
    expect(JSON.parse((await run(project, { kind: 'contacts', format: 'json' })).file)).toEqual([]);
    expect(parse((await run(project, { kind: 'suppressions', format: 'csv' })).file)).toEqual([
      ['email', 'reason', 'detail', 'emailId', 'createdAt'],
    ]);
  });

  test('of events has all events of the project before the start, newest first, with their contact', async () => {
    const project = await api.project();
    for (const n of [1, 2]) {
      const body = { email: 'a@x.test', event: '=signup', data: { n, '=x': '=y' } };
      await api.as(project, 'POST', '/v1/track', body, { authorization: `Bearer ${project.public}` });
    }
    const { file } = await run(project, { kind: 'events', format: 'json' });
    const listed = (await as(project, 'GET', '/events')).json<{ data: Array<Record<string, unknown>> }>().data;
    expect(JSON.parse(file)).toEqual(listed.map((event) => ({ ...event, contactEmail: 'a@x.test' })));
    const [header, first] = parse((await run(project, { kind: 'events', format: 'csv' })).file);
    expect(header).toEqual(['id', 'name', 'contactId', 'contactEmail', 'emailId', 'createdAt', 'data']);
    expect(first?.slice(1, 2)).toEqual(["'=signup"]);
    expect(JSON.parse(first?.at(-1) ?? '')).toEqual({ n: 2, '=x': '=y' });
  });

  test('of recipients has the emails of the campaign', async () => {
    const project = await insertAudience(api.ctx, 3);
    const campaignId = await insertCampaign(api.ctx, project);
    await api.ctx.pool.query(
      `INSERT INTO messages (id, project_id, type, subject, body, from_email)
       VALUES ($2, $1, 'MARKETING', 's', 'b', 'a@b.test')`,
      [project.id, campaignId],
    );
    await api.ctx.pool.query(
      `INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email, status)
       SELECT uuid_v7(), $1, $2, id, $2, 'CAMPAIGN', 'MARKETING', email, 'FAILED' FROM contacts WHERE project_id = $1`,
      [project.id, campaignId],
    );
    const { file, result } = await run(project, { kind: 'recipients', format: 'csv', campaignId });
    expect(result.rows).toBe(3);
    const [header = [], ...rows] = parse(file);
    expect(rows.map((cells) => cells[header.indexOf('status')])).toEqual(['FAILED', 'FAILED', 'FAILED']);
    const listed = (await as(project, 'GET', `/campaigns/${campaignId}/recipients`)).json<{ data: unknown[] }>().data;
    expect(JSON.parse((await run(project, { kind: 'recipients', format: 'json', campaignId })).file)).toEqual(listed);
  });

  test('of suppressions has the list as the API returns it', async () => {
    const project = await api.project();
    for (const email of ['a@x.test', 'b@x.test']) await as(project, 'POST', '/suppressions', { email, detail: '=x' });
    const { data } = (await as(project, 'GET', '/suppressions')).json<{ data: unknown[] }>();
    expect(JSON.parse((await run(project, { kind: 'suppressions', format: 'json' })).file)).toEqual(data);
    expect((await run(project, { kind: 'suppressions', format: 'csv' })).file).toContain(",manual,'=x,");
  });

  test('with a query has only its contacts, and the set is fixed when the job begins', async () => {
    const project = await api.project();
    await insertContacts(
      project,
      Array.from({ length: 6 }, (_, n) => ({ email: `c${n}@x.test`, subscribed: n < 4, data: { n } })),
    );
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'data.n', operator: 'greaterThan', value: 0 }] }],
    };
    const emails = async (query: unknown) =>
      parse((await run(project, { kind: 'contacts', query })).file)
        .slice(1)
        .map((cells) => cells[1]);
    expect(await emails({ condition, status: 'subscribed', search: 'C' })).toEqual([
      'c1@x.test',
      'c2@x.test',
      'c3@x.test',
    ]);
    const segmentId = (await as(project, 'POST', '/segments', { name: 'S', condition })).json<{ id: string }>().id;
    expect(await emails({ segmentId, search: 'c5' })).toEqual(['c5@x.test']);

    const jobId = await start(project, { kind: 'contacts', query: { status: 'unsubscribed' }, format: 'json' });
    const job = { jobId, projectId: project.id };
    await expect(runExport({ ...api.ctx, ...losing(api.ctx.pool, { at: 10, when: 'before' }) }, job)).rejects.toThrow();
    await api.ctx.pool.query(`UPDATE contacts SET subscribed = NOT subscribed WHERE project_id = $1`, [project.id]);
    const { url } = await finish(project, jobId);
    expect(JSON.parse(await download(url))).toMatchObject([
      { email: 'c4@x.test', subscribed: true },
      { email: 'c5@x.test', subscribed: true },
    ]);
    expect(await api.ctx.prisma.exportContact.count({ where: { projectId: project.id } })).toBe(0);
  });

  test('leaves out contacts that are created after its start, and those of other projects', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await insertContacts(other, [{ email: 'theirs@x.test' }]);
    await insertContacts(project, [{ email: 'mine@x.test' }]);
    await api.ctx.pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed, created_at)
       VALUES (uuid_v7(), $1, 'later@x.test', true, now() + interval '1 minute')`,
      [project.id],
    );
    const { file } = await run(project, { kind: 'contacts', format: 'json' });
    expect(JSON.parse(file)).toMatchObject([{ email: 'mine@x.test' }]);
  });

  test('continues after a lost connection, at any statement, without a gap or a repetition', async () => {
    const project = await insertAudience(api.ctx, 4500);
    const jobId = await start(project, { kind: 'contacts', format: 'json' });
    const job = { jobId, projectId: project.id };
    for (let at = 8; ; at += 3) {
      const pool = losing(api.ctx.pool, { at, when: at % 2 === 0 ? 'before' : 'after' });
      const advance = await runExport({ ...api.ctx, ...pool }, job).catch(() => undefined);
      if (advance === null || advance?.done) break;
    }
    const { url, rows } = await finish(project, jobId);
    const exported = z.array(z.object({ id: z.string() })).parse(JSON.parse(await download(url)));
    expect([rows, exported.length, new Set(exported.map(({ id }) => id)).size]).toEqual([4500, 4500, 4500]);
  });

  test('by two workers concurrently writes each row once', async () => {
    const project = await insertAudience(api.ctx, 4500);
    const jobId = await start(project, { kind: 'contacts', format: 'csv' });
    const job = { jobId, projectId: project.id };
    await Promise.all([runExport(api.ctx, job), runExport(api.ctx, job)]);
    const file = await download((await finish(project, jobId)).url);
    expect(new Set(parse(file).map(([id]) => id)).size).toBe(4501);
  });
});

describe('the URL', () => {
  test('requires no key, and is a download that is not cached', async () => {
    const project = await api.project();
    const { result } = await run(project, { kind: 'contacts', format: 'csv' });
    expect(result.url).toMatch(new RegExp(`^${api.config.PUBLIC_URL}/exports/[\\w-]{43}$`));
    const { headers } = await api.app.inject(pathOf(result.url));
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-length': String(result.bytes),
      'content-disposition': expect.stringMatching(/^attachment; filename="contacts-\d{4}-\d\d-\d\d\.csv"$/),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  test('is valid for 24 hours, and then the file is deleted', async () => {
    const project = await api.project();
    const { jobId, result } = await run(project, { kind: 'contacts', format: 'csv' });
    const setEnd = (ageMs: number) =>
      api.ctx.prisma.job.update({ where: { id: jobId }, data: { endedAt: new Date(Date.now() - ageMs) } });
    await setEnd(EXPORT_LIFETIME_MS - 60_000);
    expect((await api.app.inject(pathOf(result.url))).statusCode).toBe(200);
    await setEnd(EXPORT_LIFETIME_MS + 1);
    expect(refused(await api.app.inject(pathOf(result.url)))).toEqual({ status: 404, code: 'JOB_NOT_FOUND' });
    expect((await as(project, 'GET', `/jobs/${jobId}`)).json()).toMatchObject({
      result: { url: null, expiresAt: expect.any(String), rows: 0 },
    });
    const kept = (await run(project, { kind: 'contacts', format: 'csv' })).jobId;
    expect(await deleteExpiredExports(api.ctx.pool, new Date(Date.now() - EXPORT_LIFETIME_MS), 100)).toBe(1);
    expect(await api.ctx.prisma.exportPart.findMany({ where: { projectId: project.id } })).toMatchObject([
      { jobId: kept },
    ]);
  });

  test('of another job, with a changed character, or of a job that has not completed returns 404', async () => {
    const project = await api.project();
    const { result } = await run(project, { kind: 'contacts', format: 'csv' });
    const waiting = await start(project, { kind: 'contacts', format: 'csv' });
    const imported = await queue(project, 'email\n');
    const own = pathOf(result.url);
    const changed = own.replace(/.(?=.{5}$)/, (character) => (character === 'a' ? 'b' : 'a'));
    const paths = [changed, `${own}A`, own.slice(0, -2), '/exports/x', pathOf(exportUrl(api.ctx, newId()))];
    for (const path of [...paths, ...[waiting, imported].map((id) => pathOf(exportUrl(api.ctx, id)))])
      expect(refused(await api.app.inject(path)), path).toEqual({ status: 404, code: 'JOB_NOT_FOUND' });
  });
});

describe('DELETE /jobs/:id of an export', () => {
  test('deletes its parts, cancels its workflow, and reports the exported rows', async () => {
    const project = await insertAudience(api.ctx, 4500);
    const jobId = await start(project, { kind: 'contacts', format: 'csv' });
    const job = { jobId, projectId: project.id };
    await expect(runExport({ ...api.ctx, ...losing(api.ctx.pool, { at: 18, when: 'before' }) }, job)).rejects.toThrow();
    const { rows } = Report.parse((await as(project, 'DELETE', `/jobs/${jobId}`)).json<{ result: unknown }>().result);
    expect(rows).toBe(2000);
    expect(await api.ctx.prisma.exportPart.count({ where: { jobId } })).toBe(0);
    expect(await api.ctx.prisma.outbox.count({ where: { workflowId: `export:${jobId}`, action: 'cancel' } })).toBe(1);
    expect(await runExport(api.ctx, job)).toBeNull();
  });
});

describe('POST /exports', () => {
  test('commits the job and the start of its workflow', async () => {
    const project = await api.project();
    const jobId = await start(project, { kind: 'events' });
    expect(Job.parse((await as(project, 'GET', `/jobs/${jobId}`)).json())).toEqual({
      kind: 'export',
      operation: 'events',
      state: 'waiting',
      result: null,
    });
    expect(await api.ctx.prisma.outbox.findMany({ where: { workflowId: `export:${jobId}` } })).toMatchObject([
      { action: 'start', payload: { workflowType: 'exportJob', resourceKind: 'export' } },
    ]);
    expect((await as(project, 'GET', '/jobs?kind=export')).json()).toMatchObject({ data: [{ id: jobId }], total: 1 });
    expect((await as(project, 'GET', `/jobs/${jobId}/errors.csv`)).body).toBe('sendloom_error\r\n');
  });

  test.each([
    ['an unknown kind', { kind: 'templates' }, 422],
    ['an unknown format', { kind: 'contacts', format: 'xlsx' }, 422],
    ['recipients without a campaign', { kind: 'recipients' }, 422],
    ['a campaign for contacts', { kind: 'contacts', campaignId: newId() }, 422],
    ['a query for events', { kind: 'events', query: {} }, 422],
    ['an invalid condition', { kind: 'contacts', query: { condition: { logic: 'AND' } } }, 422],
    [
      'a condition and a segment',
      { kind: 'contacts', query: { condition: { logic: 'AND', groups: [] }, segmentId: 'x' } },
      422,
    ],
    ['an unknown campaign', { kind: 'recipients', campaignId: newId() }, 404],
    ['a malformed campaign id', { kind: 'recipients', campaignId: 'x' }, 404],
    ['an unknown segment', { kind: 'contacts', query: { segmentId: newId() } }, 404],
  ])('rejects %s, and changes nothing', async (_, body, status) => {
    const project = await api.project();
    expect(refused(await as(project, 'POST', '/exports', body))).toMatchObject({ status });
    expect(await api.ctx.prisma.job.count({ where: { projectId: project.id } })).toBe(0);
  });

  test("rejects another project's campaign and segment", async () => {
    const [project, other] = [await api.project(), await insertAudience(api.ctx, 0)];
    const campaignId = await insertCampaign(api.ctx, other);
    const segmentId = (await as(other, 'POST', '/segments', { name: 'S', type: 'STATIC' })).json<{ id: string }>().id;
    const before = await dump(api.ctx);
    for (const body of [
      { kind: 'recipients', campaignId },
      { kind: 'contacts', query: { segmentId } },
    ])
      expect(refused(await as(project, 'POST', '/exports', body))).toMatchObject({ status: 404 });
    expect(await dump(api.ctx)).toEqual(before);
  });

  test('accepts 5 open exports, even of concurrent requests, and returns 409 for more', async () => {
    const project = await api.project();
    const responses = await Promise.all(
      Array.from({ length: MAX_OPEN_EXPORTS + 2 }, () => as(project, 'POST', '/exports', { kind: 'contacts' })),
    );
    expect(responses.filter(({ statusCode }) => statusCode === 202)).toHaveLength(MAX_OPEN_EXPORTS);
    expect(responses.filter(({ statusCode }) => statusCode === 409)).toHaveLength(2);
    const [accepted] = responses.filter(({ statusCode }) => statusCode === 202);
    await as(project, 'DELETE', `/jobs/${accepted?.json<{ jobId: string }>().jobId}`);
    expect((await as(project, 'POST', '/exports', { kind: 'contacts' })).statusCode).toBe(202);
  });

  test('fails the job if the segment of the query is deleted before it begins', async () => {
    const project = await api.project();
    const segmentId = (await as(project, 'POST', '/segments', { name: 'S', type: 'STATIC' })).json<{ id: string }>().id;
    const jobId = await start(project, { kind: 'contacts', query: { segmentId } });
    await as(project, 'DELETE', `/segments/${segmentId}`);
    await expect(runExport(api.ctx, { jobId, projectId: project.id })).rejects.toThrow('no longer valid');
  });
});
