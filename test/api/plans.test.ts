/**
 * The plans of hot statements in databases with tenants of very different sizes. The planner's statistics of
 * `project_id` never contain the newest tenant, so a statement that depends on them reads all rows of the project for
 * each lookup.
 */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { buildApp } from '../../src/api/app.js';
import { createContext, type ApiContext } from '../../src/context.js';
import { planForLookups, transaction, type Pool, type Queryable } from '../../src/db/pool.js';
import { readMark, readOpenTransactions } from '../../src/db/snapshots.js';
import { positionAt } from '../../src/domain/activity/live-position.js';
import { readLivePage } from '../../src/domain/activity/live.js';
import { runBulkChunk } from '../../src/domain/bulk/run.js';
import type { CampaignRun } from '../../src/domain/campaigns/intents.js';
import { begin, snapshot, SNAPSHOT_PAGE_SIZE } from '../../src/domain/campaigns/run.js';
import { claimDue, NO_LANES, selectDueProjects } from '../../src/domain/emails/sql/claim.js';
import { settle, type ClaimedEmail, type DeliveryResult } from '../../src/domain/emails/sql/delivery.js';
import { advance } from '../../src/domain/executions/advance.js';
import { startForContact } from '../../src/domain/executions/start.js';
import { runExport } from '../../src/domain/exports/run.js';
import { EXPORT_PAGE_ROWS } from '../../src/domain/exports/sql.js';
import { applyFeedback } from '../../src/domain/feedback/sql/feedback.js';
import { createReader } from '../../src/domain/live/readers.js';
import { drainHits } from '../../src/domain/tracking/drain.js';
import { enqueueHits } from '../../src/domain/tracking/sql.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import type { TestApi } from '../helpers/api.js';
import { createTestDatabase } from '../helpers/database.js';
import { jobHelpers, runImport } from '../helpers/jobs.js';
import { eventually } from '../helpers/eventually.js';
import { collectPlans, describePlan, explainingUrl, type PlanCollector, type PlanNode } from '../helpers/plans.js';
import { insertProject, testConfig, type TestProject } from '../helpers/project.js';
import { sendLane } from '../helpers/send-lane.js';
import { fillTenants, tenantSizes, type TenantIds } from '../helpers/tenants.js';
import { delay, exit, insertGraph, insertTemplate, sendTemplate, waitFor } from '../helpers/workflow-graph.js';

const LARGEST = 2000;
/** Contacts of the tenant that is measured. */
const CONTACTS = 2000;
/** Executions with each kind of plan. */
const REPEATS = 2;
/** Requests whose emails wait. */
const REQUESTS = 2;
/** Of each of these requests: few enough that dead rows in the index of the queue do not matter to what follows. */
const RECIPIENTS = 80;

const times = async (count: number, act: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 0; n < count; n++) await act(n);
};

interface Fixture {
  ctx: ApiContext;
  api: TestApi;
  close: () => Promise<void>;
  plans: PlanCollector;
}

/** Starts an API on its own database, in which only the test collects statistics. */
async function openFixture(): Promise<Fixture> {
  const database = await createTestDatabase();
  const config = testConfig(explainingUrl(database.url), { DATABASE_POOL: '3' });
  const ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'plans' });
  const plans = collectPlans(ctx.pool);
  const app = await buildApp(ctx);
  await ctx.pool.query(`DO $$ DECLARE t text; BEGIN
    FOR t IN SELECT c.oid::regclass FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' LOOP
      EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', t);
    END LOOP; END $$`);
  const as: TestApi['as'] = (project, method, url, body) =>
    app.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${url === '/v1/track' ? project.public : project.secret}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  return {
    ctx,
    api: { app, ctx, config, as, project: (options) => insertProject(ctx, options) },
    plans,
    async close() {
      await app.close();
      await ctx.close();
      await database.drop();
    },
  };
}

interface Operation {
  name: string;
  /** Maximum rows that one of its statements needs. */
  rows: number;
  work: () => Promise<unknown>;
}

const Sent = z.object({ data: z.object({ emails: z.tuple([z.object({ email: z.string() })]) }) });
const Created = z.object({ data: z.object({ id: z.string() }) });

/** Creates a campaign to all contacts, and begins to send it. */
async function beginCampaign(ctx: ApiContext, api: TestApi, project: TestProject): Promise<CampaignRun> {
  const content = { name: 'News', subject: 'News', body: 'News', from: `a@${project.domain}`, audienceType: 'ALL' };
  const created = await api.as(project, 'POST', '/campaigns', content);
  expect(created.statusCode, created.body).toBe(201);
  const { id } = Created.parse(created.json()).data;
  const sent = await api.as(project, 'POST', `/campaigns/${id}/send`, {});
  expect(sent.statusCode, sent.body).toBe(200);
  const run = { campaignId: id, projectId: project.id, attempt: 1 };
  await begin(ctx, run);
  return run;
}

/** The hot operations of one project. */
function operationsOf({ ctx, api }: Fixture, project: TestProject, ids: TenantIds, contacts: number): Operation[] {
  const known = (n: number): string => `user${(n % contacts) + 1}@example.test`;
  let made = 0;
  const fresh = (): string => `fresh-${++made}-${newId()}@example.test`;
  const ok = async (method: 'GET' | 'POST' | 'DELETE' | 'PATCH', url: string, body?: unknown) => {
    const response = await api.as(project, method, url, body);
    expect(response.statusCode, `${method} ${url}: ${response.body}`).toBeLessThan(300);
    return response;
  };
  const repeat = (work: (n: number) => Promise<unknown>) => () => times(REPEATS, work);
  const someIds = async (table: 'contacts' | 'emails', limit: number): Promise<string[]> => {
    const { rows } = await ctx.pool.query<{ id: string }>(
      `SELECT id FROM ${table} WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
      [project.id, limit],
    );
    return rows.map(({ id }) => id);
  };
  const settleAll = (workerId: string, emails: ClaimedEmail[]) =>
    settle(
      ctx.pool,
      workerId,
      emails.map(({ id }) => ({ id, status: 'SENT', error: null, response: '250 ok', retryMs: 0 })),
      emails.map(({ claimId }) => claimId),
    );
  const claimScheduled = async (): Promise<void> => {
    const workerId = newId();
    const dueProjects = await selectDueProjects(ctx.pool);
    const claimed = await claimDue(ctx.pool, { workerId, limit: 5, results: [], dueProjects });
    // Two lanes share the limit: the project's pending emails, and its scheduled ones.
    expect(claimed).toHaveLength(4);
    await settleAll(workerId, claimed);
  };
  const claimAll = async (): Promise<void> => {
    const workerId = newId();
    const claimed = await claimDue(ctx.pool, { workerId, limit: 5, results: [] });
    expect(claimed).toHaveLength(5);
    await settleAll(workerId, claimed);
  };
  const list = (url: string, rows = 20): Operation => ({
    name: `GET ${url}`,
    rows,
    work: repeat(() => ok('GET', url)),
  });

  return [
    {
      name: 'import',
      rows: 300,
      work: async () => {
        const lines = Array.from({ length: 300 }, (_, n) => `${n % 2 === 0 ? known(n) : fresh()},pro`);
        const jobId = await jobHelpers(api).queue(project, `email,plan\n${lines.join('\n')}\n`);
        await runImport(ctx, { jobId, projectId: project.id });
      },
    },
    {
      name: 'upsert of a contact',
      rows: 1,
      work: repeat((n) =>
        ok('POST', '/contacts', { email: n % 2 ? known(n) : fresh(), data: { n }, subscribed: true }),
      ),
    },
    {
      name: 'track',
      rows: 1,
      work: repeat((n) =>
        ok('POST', '/v1/track', { email: n % 2 ? known(n) : fresh(), event: 'clicked', data: { n } }),
      ),
    },
    {
      name: 'track, 30 concurrent requests',
      rows: 30,
      work: () =>
        Promise.all(
          Array.from({ length: 30 }, (_, n) => ok('POST', '/v1/track', { email: known(n), event: 'signed up' })),
        ),
    },
    {
      name: 'send',
      rows: 1,
      work: repeat((n) =>
        ok('POST', '/v1/send', {
          to: n % 2 ? known(n) : fresh(),
          subject: 'Hello',
          body: 'Hello',
          from: `a@${project.domain}`,
        }),
      ),
    },
    {
      name: 'claim and settle',
      rows: 5,
      work: repeat(async () => {
        const workerId = newId();
        await settleAll(workerId, await claimDue(ctx.pool, { workerId, limit: 5, results: [] }));
      }),
    },
    {
      name: 'POST /v1/send with many recipients, and the first claim, which reads them',
      rows: 4 * RECIPIENTS,
      work: async () => {
        const content = { subject: 'Hello', body: 'Hello', from: `a@${project.domain}` };
        for (let request = 0; request < REQUESTS; request++)
          await ok('POST', '/v1/send', { to: Array.from({ length: RECIPIENTS }, fresh), ...content });
        await claimAll();
      },
    },
    {
      // The emails of a request are sent one after the other. Those that wait are in the index of the queue, and are not read.
      name: 'claim and settle emails of requests with many recipients',
      rows: 5,
      work: repeat(claimAll),
    },
    {
      name: 'schedule many emails, and make a part of them due',
      rows: 4 * RECIPIENTS,
      work: async () => {
        const content = { subject: 'Hello', body: 'Hello', from: `a@${project.domain}` };
        const scheduledFor = new Date(Date.now() + 3_600_000).toISOString();
        await ok('POST', '/v1/send', { to: Array.from({ length: RECIPIENTS }, fresh), scheduledFor, ...content });
        const due: string[] = [];
        for (let request = 0; request < 4 * REPEATS; request++) {
          const response = await ok('POST', '/v1/send', { to: fresh(), scheduledFor, ...content });
          due.push(Sent.parse(response.json()).data.emails[0].email);
        }
        await ctx.pool.query(`UPDATE emails SET next_attempt_at = now() WHERE id = ANY ($1)`, [due]);
      },
    },
    {
      // Neither those that are not due nor those that wait for another of their request are read.
      name: 'claim and settle scheduled email',
      rows: 5,
      work: repeat(claimScheduled),
    },
    {
      name: 'cancel what waits',
      rows: 4 * RECIPIENTS,
      work: () =>
        ctx.prisma.email.updateMany({
          where: { status: { in: ['PENDING', 'SCHEDULED'] } },
          data: { status: 'CANCELLED' },
        }),
    },
    {
      name: 'campaign: start and snapshot',
      rows: 2 * contacts + 5000,
      work: async () => {
        const run = await beginCampaign(ctx, api, project);
        while (!(await snapshot(ctx, run)).done);
        ids.campaignId = run.campaignId;
      },
    },
    {
      name: 'recipients of a campaign of which nothing was sent',
      rows: 20,
      work: repeat(() => ok('GET', `/campaigns/${ids.campaignId}/recipients?limit=5&status=SENT`)),
    },
    {
      name: 'campaign: lease, read, flush, and settle',
      // Each contact is read once, and each email is read and updated once.
      rows: 5 * contacts,
      work: async () => {
        const run = { campaignId: ids.campaignId, projectId: project.id, attempt: 1 };
        expect((await sendLane(ctx, run)).sent).toBeGreaterThan(contacts / 2);
      },
    },
    {
      name: 'recipients without a result of a sent campaign',
      rows: 20,
      work: repeat(() => ok('GET', `/campaigns/${ids.campaignId}/recipients?limit=5&status=PENDING`)),
    },
    {
      name: 'tracking hits and feedback',
      rows: 40,
      work: repeat(async () => {
        const emails = await someIds('emails', 20);
        const hit = { userAgent: null, ip: null, machine: false, reason: null, ageMs: 5000, delayMs: 0 };
        await enqueueHits(
          ctx.pool,
          emails.flatMap((emailId) => [
            { ...hit, id: newId(), emailId, kind: 'open' as const, url: null },
            { ...hit, id: newId(), emailId, kind: 'click' as const, url: 'https://example.test/' },
          ]),
        );
        await drainHits(ctx);
        await applyFeedback(
          ctx.pool,
          emails.map((emailId, n) =>
            n === 0
              ? { emailId, at: new Date(), kind: 'bounced' as const, bounceType: 'permanent' as const, reason: 'gone' }
              : { emailId, at: new Date(), kind: 'delivered' as const },
          ),
        );
      }),
    },
    {
      name: 'segment members',
      rows: 20,
      work: repeat(async (n) => {
        const emails = Array.from({ length: 20 }, (_, k) => known(20 * n + k));
        await ok('DELETE', `/segments/${ids.segmentId}/members`, { emails });
        await ok('POST', `/segments/${ids.segmentId}/members`, { emails });
      }),
    },
    {
      name: 'executions: start, advance, wait, wake',
      rows: 5,
      work: async () => {
        const graph = await insertGraph(ctx, project.id, {
          eventName: 'never',
          allowReentry: true,
          steps: { pause: delay(1), answer: waitFor('answered', 3600) },
          edges: ['TRIGGER > pause', 'pause > answer'],
        });
        const contactIds = await someIds('contacts', REPEATS);
        await times(REPEATS, async (n) => {
          const { id } = await startForContact(ctx, project.id, graph.id, { contactId: contactIds[n] ?? '' });
          const input = { executionId: id, projectId: project.id };
          await advance(ctx, { ...input, now: Date.now() });
          await advance(ctx, { ...input, now: Date.now() + 86_400_001 });
          const contact = await ctx.prisma.contact.findUniqueOrThrow({ where: { id: contactIds[n] ?? '' } });
          await ok('POST', '/v1/track', { email: contact.email, event: 'answered' });
          await advance(ctx, { ...input, now: Date.now() + 86_400_001 });
          await ok('GET', `/workflows/${graph.id}/executions/${id}`);
        });
      },
    },
    {
      name: 'lookups',
      rows: 1,
      work: repeat(async (n) => {
        const [contactId] = await someIds('contacts', 1);
        const [emailId] = await someIds('emails', 1);
        await ok('GET', `/contacts/${contactId}`);
        await ok('GET', `/emails/${emailId}`);
        await ok('GET', `/suppressions/${encodeURIComponent(`former-${known(n)}`)}`);
        await ok('GET', `/segments/${ids.segmentId}`);
        await ok('GET', `/workflows/${ids.workflowId}`);
        await ok('GET', `/events/contact/${contactId}`);
      }),
    },
    {
      name: 'lookup of addresses',
      rows: 20,
      work: repeat((n) =>
        ok('POST', '/contacts/lookup', { emails: Array.from({ length: 20 }, (_, k) => known(n + k)) }),
      ),
    },
    {
      name: 'bulk unsubscribe',
      rows: 20,
      work: repeat(async () => {
        const contactIds = await someIds('contacts', 20);
        const jobId = await jobHelpers(api).queueBulk(project, 'unsubscribe', contactIds);
        while ((await runBulkChunk(ctx, { jobId, projectId: project.id }))?.done === false);
      }),
    },
    {
      name: 'deletion of a contact',
      rows: 5,
      work: repeat(async () => {
        const [contactId] = await someIds('contacts', 1);
        await ok('DELETE', `/contacts/${contactId}`);
      }),
    },
    {
      name: 'a page of the live feed',
      rows: 20,
      work: async () => {
        await untilMarksFollowEvents(ctx.pool, project.id);
        await times(REPEATS, async (n) => {
          const { mark, open } = await readMark(ctx.pool);
          await ok('POST', '/v1/track', { email: known(n), event: 'clicked' });
          const present = await readOpenTransactions(ctx.pool);
          const { messages } = await readLivePage(ctx, project.id, { position: positionAt(mark), open }, { present });
          expect(messages).toHaveLength(1);
        });
      },
    },
    {
      name: 'the figures of a stream',
      // The unfolded figures of the project, and the active executions of the workflow.
      rows: 2 * contacts,
      work: async () => {
        for (const topic of ['campaigns', 'jobs', 'domains', 'reputation', `workflow:${ids.workflowId}`] as const)
          await createReader(ctx, project.id, topic)();
      },
    },
    list('/events?limit=5'),
    list('/events?limit=5&eventName=signed%20up'),
    list('/activity?limit=5'),
    list('/activity?limit=5&type=email.sent'),
    list('/campaigns?limit=5'),
    list('/templates?limit=5'),
    list('/segments'),
    list('/workflows?limit=5'),
    // These count all rows of the project.
    list('/contacts?limit=5', 2 * contacts),
    list('/contacts?limit=5&sort=email', 2 * contacts),
    list('/contacts?limit=5&subscribed=false', 2 * contacts),
    list('/suppressions?limit=5', 2 * contacts),
    list(`/workflows/${ids.workflowId}/executions?limit=5`, 2 * contacts),
    list(`/segments/${ids.segmentId}/contacts?limit=5`, 2 * contacts),
    list(`/campaigns/${ids.campaignId}/recipients?limit=5`, 2 * contacts),
    list(`/campaigns/${ids.campaignId}/recipients?limit=5&status=SENT`, 2 * contacts),
    list(`/campaigns/${ids.campaignId}/recipients?limit=5&status=PENDING`),
  ];
}

/** Waits until marks are later than all events: the feed reads the events of the last moments before a mark again. */
async function untilMarksFollowEvents(pool: Pool, projectId: string): Promise<void> {
  const { rows } = await pool.query<{ last: Date | null }>(
    'SELECT max(created_at) AS last FROM events WHERE project_id = $1',
    [projectId],
  );
  await eventually(async () => {
    const { mark } = await readMark(pool);
    expect(Date.parse(mark.since)).toBeGreaterThan(rows[0]?.last?.getTime() ?? 0);
  });
}

/** Returns the statements that access more pages, or discard more rows, than their rows explain. */
async function wastefulStatements({ plans }: Fixture, operations: Operation[]): Promise<string[]> {
  const found: string[] = [];
  for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
    for (const { name, rows, work } of operations) {
      for (const { query, buffers, wasted, root } of await plans.collect(mode, work)) {
        if (buffers <= 800 + 60 * rows && wasted <= 50 + 10 * rows) continue;
        found.push(`${name} (${mode}): ${buffers} buffers, ${wasted} wasted\n${query}\n${describePlan(root)}`);
      }
    }
  }
  return found;
}

/** Inserts projects without usable keys, for tenants that are not measured. */
async function insertOthers(ctx: ApiContext, sizes: number[]): Promise<void> {
  const tenants = sizes.map((contacts) => ({ id: newId(), contacts }));
  await ctx.pool.query(
    `INSERT INTO projects (id, name, public_key, secret_hash, secret_last4)
     SELECT id, 'Other', id::text, id::text::bytea, '' FROM unnest($1::uuid[]) AS o(id)`,
    [tenants.map(({ id }) => id)],
  );
  await fillTenants(ctx.pool, tenants);
}

/** Inserts a project with rows in every table. @returns its operations */
async function insertTenant(fixture: Fixture, contacts: number): Promise<Operation[]> {
  const project = await fixture.api.project();
  const [ids] = await fillTenants(fixture.ctx.pool, [{ id: project.id, contacts }]);
  if (!ids) throw new Error('Each tenant has ids');
  return operationsOf(fixture, project, ids, contacts);
}

async function withFixture(work: (fixture: Fixture) => Promise<void>): Promise<void> {
  const fixture = await openFixture();
  try {
    await work(fixture);
  } finally {
    await fixture.close();
  }
}

test.each([1, 3, 40, 200])(
  'no statement depends on statistics of the newest tenant (tenants: %i)',
  (count) =>
    withFixture(async (fixture) => {
      await insertOthers(fixture.ctx, tenantSizes(count - 1, LARGEST));
      await fixture.ctx.pool.query('VACUUM ANALYZE');
      const operations = await insertTenant(fixture, CONTACTS);
      expect(await wastefulStatements(fixture, operations)).toEqual([]);
      await fixture.ctx.pool.query('ANALYZE');
      expect(await wastefulStatements(fixture, operations)).toEqual([]);
    }),
  120_000,
);

test('a page of a snapshot reads only its own contacts, although the table has no statistics', () =>
  withFixture(async ({ ctx, api, plans }) => {
    const project = await api.project();
    await fillTenants(ctx.pool, [{ id: project.id, contacts: 3 * SNAPSHOT_PAGE_SIZE }]);
    const run = await beginCampaign(ctx, api, project);
    const executed = await plans.collect('force_custom_plan', async () => {
      while (!(await snapshot(ctx, run)).done);
    });
    const pages = executed.filter(({ query }) => query.includes('snapshot_cursor ='));
    expect(pages.length).toBeGreaterThan(2);
    for (const { root } of pages)
      expect(rowsRead(root, 'contacts'), describePlan(root)).toBeLessThanOrEqual(1.2 * SNAPSHOT_PAGE_SIZE);
  }));

/** The rows that a plan reads from a table. */
const rowsRead = (node: PlanNode, table: string): number =>
  (node['Relation Name'] === table ? node['Actual Rows'] * node['Actual Loops'] : 0) +
  (node.Plans ?? []).reduce((sum, below) => sum + rowsRead(below, table), 0);

test.each(['contacts', 'events'] as const)(
  'a page of an export reads only its own %s, although the table has no statistics',
  (kind) =>
    withFixture(async ({ ctx, api, plans }) => {
      const project = await api.project();
      await fillTenants(ctx.pool, [{ id: project.id, contacts: 3 * EXPORT_PAGE_ROWS }]);
      const response = await api.as(project, 'POST', '/exports', { kind });
      const { jobId } = response.json<{ jobId: string }>();
      const executed = await plans.collect('force_custom_plan', async () => {
        while ((await runExport(ctx, { jobId, projectId: project.id }))?.done === false);
      });
      const pages = executed.filter(({ query }) => query.includes('octet_length(data)'));
      expect(pages.length).toBeGreaterThan(3);
      for (const { root } of pages)
        expect(rowsRead(root, kind), describePlan(root)).toBeLessThanOrEqual(EXPORT_PAGE_ROWS);
    }),
);

/** Inserts emails with one recipient each, which are due. */
const insertEmails = (db: Queryable, { id }: TestProject, count: number, status: string): Promise<unknown> =>
  db.query(
    `WITH request AS (
       INSERT INTO messages (id, project_id, type, subject, body, from_email)
       SELECT uuid_v7(), $1, 'TRANSACTIONAL', 'Hello', 'Hello', 'a@example.test' FROM generate_series(1, $2)
       RETURNING id)
     INSERT INTO emails (id, project_id, message_id, source, type, to_email, status, next_attempt_at)
     SELECT uuid_v7(), $1, id, 'TRANSACTIONAL', 'TRANSACTIONAL', id || '@example.test', $3::email_status, now() FROM request`,
    [id, count, status],
  );

test('a claim reads only its own emails, although the table was empty when it was planned', () =>
  withFixture(async ({ ctx, api, plans }) => {
    const project = await api.project();
    const workerId = newId();
    const client = await ctx.pool.connect();
    const claim = async (results: DeliveryResult[]): Promise<DeliveryResult[]> => {
      const emails = await claimDue(client, { workerId, limit: 5, results });
      expect(emails).toHaveLength(5);
      return emails.map(({ id }) => ({ id, status: 'SENT', error: null, response: '250 OK', retryMs: 0 }));
    };
    try {
      await planForLookups(client);
      await insertEmails(client, project, 20, 'PENDING');
      await claim(await claim([]));
      await insertEmails(client, project, 2000, 'SENT');
      const executed = await plans.collect('force_generic_plan', async () => claim(await claim([])));
      const claims = executed.filter(({ query }) => query.includes('lane_stage'));
      expect(claims).toHaveLength(2);
      for (const { root, wasted } of claims) {
        expect(rowsRead(root, 'emails'), describePlan(root)).toBeLessThan(100);
        expect(wasted, describePlan(root)).toBeLessThan(100);
      }
    } finally {
      client.release();
    }
  }));

/** The pages that the searches for due emails read in the index of the queue. */
const queuePages = (node: PlanNode): number =>
  node['Index Name'] === 'emails_due_idx' && node['Index Cond']?.includes('next_attempt_at')
    ? node['Shared Hit Blocks'] + node['Shared Read Blocks']
    : (node.Plans ?? []).reduce((sum, below) => sum + queuePages(below), 0);

test('a claim of a long queue reads the index entries of claimed emails once, and not again from its front', () =>
  withFixture(async ({ ctx, api, plans }) => {
    const project = await api.project();
    await insertEmails(ctx.pool, project, 20_000, 'PENDING');
    await ctx.pool.query(`UPDATE emails SET status = 'SENT'`);
    await insertEmails(ctx.pool, project, 30, 'PENDING');
    const front = { lanes: NO_LANES };
    const claim = async (): Promise<number> => {
      const executed = await plans.collect('force_generic_plan', async () => {
        expect(await claimDue(ctx.pool, { workerId: newId(), limit: 10, results: [], front })).toHaveLength(10);
      });
      return executed.reduce((sum, { root }) => sum + queuePages(root), 0);
    };
    expect(await claim()).toBeGreaterThan(150);
    expect(await claim()).toBeLessThan(60);
  }));

test('the steps of an execution read only its own rows, although the tables were empty when they were planned', () =>
  withFixture(async ({ ctx, api, plans }) => {
    const project = await api.project();
    const template = await insertTemplate(ctx, project);
    const graph = await insertGraph(ctx, project.id, {
      eventName: 'never',
      steps: { pause: delay(1), hello: sendTemplate(template), out: exit('done') },
      edges: ['TRIGGER > pause', 'pause > hello', 'hello > out'],
    });
    const addContacts = async (count: number): Promise<string[]> => {
      const ids = Array.from({ length: count }, () => newId());
      await ctx.prisma.contact.createMany({
        data: ids.map((id) => ({ id, projectId: project.id, email: `${id}@example.test`, subscribed: true })),
      });
      return ids;
    };
    const start = async (contactId = ''): Promise<{ executionId: string; projectId: string }> => {
      const { id } = await startForContact(ctx, project.id, graph.id, { contactId });
      return { executionId: id, projectId: project.id };
    };
    const run = async (contactId?: string): Promise<void> => {
      const input = await start(contactId);
      await advance(ctx, { ...input, now: Date.now() });
      await advance(ctx, { ...input, now: Date.now() + 86_400_001 });
    };
    await plans.collect('force_generic_plan', async () => {
      // Each connection of the pool plans for itself.
      for (let round = 0; round < 3; round++) await Promise.all((await addContacts(3)).map(run));
    });
    for (const contactId of await addContacts(1000)) await start(contactId);
    await ctx.pool.query(
      `WITH opened AS (
         INSERT INTO step_executions (id, project_id, execution_id, step_id, step_type, step_name, status, started_at)
         SELECT uuid_v7(), x.project_id, x.id, s.id, s.type, s.name, 'WAITING', now()
           FROM workflow_executions x JOIN workflow_steps s ON s.workflow_id = x.workflow_id AND s.type = 'DELAY'
          WHERE x.step_execution_id IS NULL AND x.status = 'RUNNING' RETURNING id, execution_id)
       UPDATE workflow_executions x SET step_execution_id = o.id, status = 'WAITING' FROM opened o WHERE o.execution_id = x.id`,
    );
    const [last] = await addContacts(1);
    const executed = await plans.collect('force_generic_plan', () => run(last));
    const steps = executed.filter(({ query }) => /step_execution/.test(query));
    expect(steps.length).toBeGreaterThan(4);
    for (const { root, wasted } of steps) {
      expect(wasted, describePlan(root)).toBeLessThan(100);
      for (const table of ['workflow_executions', 'step_executions', 'contacts'])
        expect(rowsRead(root, table), describePlan(root)).toBeLessThan(20);
    }
  }));

test('no table keeps statistics of project_id', () =>
  withFixture(async ({ ctx }) => {
    const { rows } = await ctx.pool.query(
      `SELECT c.relname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'project_id'
          AND a.attstattarget IS DISTINCT FROM 0`,
    );
    expect(rows).toEqual([]);
  }));

test('the update that records a sent email of a campaign changes no index', () =>
  withFixture(async ({ ctx, api }) => {
    const project = await api.project();
    const [ids] = await fillTenants(ctx.pool, [{ id: project.id, contacts: 1 }]);
    const { rows } = await ctx.pool.query(
      `WITH queued AS (
         INSERT INTO emails (id, project_id, message_id, campaign_id, source, type, to_email, next_attempt_at)
         SELECT uuid_v7(), project_id, id, $2, 'CAMPAIGN', 'MARKETING', n || '@x.test', '9999-12-31T00:00:00Z'
           FROM (SELECT * FROM messages WHERE project_id = $1 LIMIT 1) m CROSS JOIN generate_series(1, 100) n
         RETURNING 1)
       SELECT count(*) FROM queued`,
      [project.id, ids?.campaignId],
    );
    expect(rows).toEqual([{ count: 100 }]);
    await transaction(ctx.pool, async (tx) => {
      await tx.query(
        `UPDATE emails SET status = 'SENT', sent_at = now(), attempts = 1, response = '250 2.0.0 Ok: queued as 4F7B1C1E'
          WHERE campaign_id = $1 AND status = 'PENDING'`,
        [ids?.campaignId],
      );
      const updates = await tx.query(
        `SELECT n_tup_upd::int AS updated, n_tup_hot_upd::int AS hot
           FROM pg_stat_xact_user_tables WHERE relname = 'emails'`,
      );
      expect(updates.rows).toEqual([{ updated: 100, hot: 100 }]);
    });
  }));
