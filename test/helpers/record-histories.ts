/**
 * Records the histories in test/histories, which test/workflows/replay.test.ts replays: real runs on servers of their
 * own.
 *
 * Run by hand, `npx tsx test/helpers/record-histories.ts [name…]`, when a workflow has got a new way to go. The old
 * recordings of a workflow that has changed on purpose stay for as long as such runs may be alive; only then they are
 * recorded again.
 */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { completeConfig, parseEnvironment } from '../../src/config.js';
import { createContext, type ApiContext } from '../../src/context.js';
import { migrate } from '../../src/db/migrate.js';
import { transaction } from '../../src/db/pool.js';
import { insertImportPart } from '../../src/domain/imports/file-sql.js';
import { insertJob } from '../../src/domain/jobs/sql.js';
import { enqueue } from '../../src/db/outbox.js';
import { requestBulk } from '../../src/domain/bulk/request.js';
import { chooseWinner } from '../../src/domain/campaigns/decision.js';
import { cancelCampaign, sendCampaign } from '../../src/domain/campaigns/send.js';
import { requestExport } from '../../src/domain/exports/request.js';
import { requestImport } from '../../src/domain/imports/request.js';
import { insertEvents } from '../../src/domain/events/insert.js';
import { jobStart } from '../../src/domain/jobs/intents.js';
import { addEndpoint, removeEndpoint } from '../../src/domain/webhooks/manage.js';
import { requestReplay } from '../../src/domain/webhooks/replay.js';
import { startPostgres } from '../../packages/embedded/src/postgres.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import { createCaptureTransport } from './capture-transport.js';
import { startWorker, type RunningWorker } from '../../src/temporal/worker.js';
import { insertAudience, insertCampaign } from './audience.js';
import { startZone } from './dns.js';
import { eventually } from './eventually.js';
import { HISTORIES, toRecording } from './histories.js';
import { startReceiver } from './receiver.js';
import { EXECUTION_SCRIPTS } from './record-executions.js';
import { ended, sure, type Script, type Stage } from './recording.js';
import { devServerEnvironment, workflowBundle } from './temporal.js';

/** Rows that an import merges in two chunks. */
const SEVERAL_CHUNKS = 6000;

/** Above all recordings but that of the long loop. */
const SUGGEST_CONTINUE_AS_NEW = 150;

/** More than the campaign's workflow gives to one lane. */
const SEVERAL_LANES = 20_001;

const SCRIPTS: Record<string, Script> = {
  'campaign-one-lane': async (stage) => ended(await startCampaign(stage, { contacts: 20 })),

  'campaign-lanes': async (stage) => ended(await startCampaign(stage, { contacts: SEVERAL_LANES })),

  /** Recorded since campaigns are sent during their snapshot. The older recordings are from before. */
  'campaign-during-snapshot': async (stage) => ended(await startCampaign(stage, { contacts: SEVERAL_LANES })),

  'campaign-scheduled': async (stage) => ended(await startCampaign(stage, { contacts: 5, delayMs: 3000 })),

  /** The workflow sleeps until the wave, for seconds. */
  'campaign-waves': async ({ ctx, client }) => {
    const project = await insertAudience(ctx, 5);
    const id = await insertCampaign(ctx, project);
    await sendCampaign(ctx, project.id, id, {
      scheduledFor: new Date(Date.now() + 3000).toISOString().slice(0, 19),
      timezone: 'recipient',
    });
    return ended({ handle: client.workflow.getHandle(`campaign:${id}:1`) });
  },

  /** The rest waits for a request. */
  'campaign-winner': async ({ ctx, client }) => {
    const project = await insertAudience(ctx, 20);
    const id = await insertCampaign(ctx, project);
    const variants = ['a', 'b'].map((variant) => ({ id: variant, weight: 50 }));
    const test = { share: 50, metric: 'clicks', after: 1, decide: 'manual' };
    await ctx.prisma.campaign.update({ where: { id }, data: { variants, test } });
    await sendCampaign(ctx, project.id, id, { force: true });
    await eventually(async () =>
      sure((await ctx.prisma.campaign.findUniqueOrThrow({ where: { id } })).testSentAt !== null),
    );
    await chooseWinner(ctx, project.id, id, 'b');
    return ended({ handle: client.workflow.getHandle(`campaign:${id}:1`) });
  },

  /** One email is refused for now: the workflow waits for its next attempt. */
  'campaign-retried': async (stage) => {
    stage.transport.failNext({ kind: 'transient', stage: 'envelope', response: '451 later' });
    return ended(await startCampaign(stage, { contacts: 5 }));
  },

  'campaign-cancelled': async (stage) => {
    const release = stage.transport.hold();
    const { handle, projectId, id } = await startCampaign(stage, { contacts: 100 });
    await eventually(async () =>
      sure((await stage.ctx.prisma.campaignChunk.count({ where: { campaignId: id, mark: { gt: 0 } } })) > 0),
    );
    await cancelCampaign(stage.ctx, projectId, id);
    await eventually(async () =>
      sure(
        (await handle.fetchHistory()).events?.some((event) => event.workflowExecutionCancelRequestedEventAttributes) ===
          true,
      ),
    );
    release();
    return ended({ handle });
  },

  'campaign-cancelled-while-scheduled': async (stage) => {
    const { handle, projectId, id } = await startCampaign(stage, { contacts: 5, delayMs: 3_600_000 });
    await eventually(() => handle.describe());
    await cancelCampaign(stage.ctx, projectId, id);
    return ended({ handle });
  },

  /** Pending, verified by a poke, removed. */
  /** The first attempt fails, and the second one follows after its wait. */
  'webhook-endpoint': async ({ ctx, client }) => {
    const receiver = await startReceiver();
    receiver.answer((response, _request, count) => response.writeHead(count === 0 ? 500 : 200).end());
    const project = await insertAudience(ctx, 0);
    const content = { url: receiver.origin, events: ['*'], description: '', enabled: true };
    const { id } = await addEndpoint(ctx, project.id, content);
    const find = () => ctx.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
    await eventually(async () => sure((await find()).idle));
    await insertEvents(ctx.pool, [{ projectId: project.id, contactId: null, name: 'order.placed' }]);
    await eventually(async () => sure((await find()).lastSuccessAt !== null), { within: 30_000 });
    await eventually(async () => sure((await find()).idle), { within: 30_000 });
    const handle = client.workflow.getHandle(`webhook:${id}`);
    await removeEndpoint(ctx, project.id, id);
    await receiver.stop();
    return ended({ handle });
  },

  'webhook-replay': async ({ ctx, client }) => {
    const project = await insertAudience(ctx, 0);
    const content = { url: 'https://example.com/', events: ['*'], description: '', enabled: false };
    const { id } = await addEndpoint(ctx, project.id, content);
    await insertEvents(ctx.pool, [{ projectId: project.id, contactId: null, name: 'order.placed' }]);
    const { jobId } = await requestReplay(ctx, project.id, id, { since: new Date(0), status: 'ALL' }, null);
    return ended({ handle: client.workflow.getHandle(`replay:${jobId}`) });
  },

  'domain-verification': async ({ ctx, client, zone }) => {
    const project = await insertAudience(ctx, 0);
    const { id } = await ctx.prisma.domain.findFirstOrThrow({ where: { projectId: project.id } });
    const name = `_record.${project.domain}`;
    await ctx.prisma.domain.update({
      where: { id },
      data: {
        status: 'PENDING',
        verifiedAt: null,
        records: [
          { type: 'TXT', name, value: 'v=DKIM1; k=rsa; p=MIIB', purpose: 'DKIM', required: true, status: 'PENDING' },
        ],
      },
    });
    const handle = await client.workflow.start('domainVerification', {
      workflowId: `domain:${id}`,
      taskQueue: 'system',
      args: [{ domainId: id, projectId: project.id }],
    });
    await eventually(async () =>
      sure((await ctx.prisma.domain.findUniqueOrThrow({ where: { id } })).lastCheckedAt !== null),
    );
    zone.publish([{ name, type: 'TXT', value: 'v=DKIM1; k=rsa; p=MIIB' }]);
    await handle.signal('poke');
    await eventually(async () =>
      sure((await ctx.prisma.domain.findUniqueOrThrow({ where: { id } })).status === 'VERIFIED'),
    );
    await handle.cancel();
    return ended({ handle });
  },

  'import-chunks': async ({ ctx, client }) => {
    const project = await insertAudience(ctx, 10);
    return ended({
      handle: client.workflow.getHandle(`import:${await requestImport(ctx, project.id, csv(SEVERAL_CHUNKS))}`),
    });
  },

  'import-cancelled': async ({ ctx, client }) => {
    const project = await insertAudience(ctx, 0);
    return whileHeld(ctx, project.id, SEVERAL_CHUNKS, async (jobId) => {
      const handle = client.workflow.getHandle(`import:${jobId}`);
      await eventually(async () => sure((await ctx.prisma.job.findUniqueOrThrow({ where: { id: jobId } })).cursor > 0));
      await handle.cancel();
      return ended({ handle });
    });
  },

  /** PostgreSQL has crashed between two chunks, and the rows are gone. */
  'import-lost': async ({ ctx, client }) => {
    const project = await insertAudience(ctx, 0);
    const id = await whileHeld(ctx, project.id, SEVERAL_CHUNKS, async (jobId) => {
      await eventually(async () => sure((await ctx.prisma.job.findUniqueOrThrow({ where: { id: jobId } })).cursor > 0));
      await ctx.pool.query('DELETE FROM import_rows');
      return jobId;
    });
    return ended({ handle: client.workflow.getHandle(`import:${id}`) });
  },

  'import-failed': async ({ ctx, client }) => {
    const project = await insertAudience(ctx, 0);
    const job = { jobId: newId(), projectId: project.id };
    await transaction(ctx.pool, async (tx) => {
      await insertJob(tx, { ...job, kind: 'IMPORT', operation: 'import', params: {} });
      await insertImportPart(tx, job, 0, Buffer.from('no header'));
      await enqueue(tx, [jobStart(job, 'IMPORT')]);
    });
    ctx.wake('outbox');
    return ended({ handle: client.workflow.getHandle(`import:${job.jobId}`) });
  },

  bulk: async ({ ctx, client }) => {
    const project = await insertAudience(ctx, 600);
    const contacts = await ctx.prisma.contact.findMany({ where: { projectId: project.id }, select: { id: true } });
    return ended({
      handle: client.workflow.getHandle(
        `bulk:${await requestBulk(
          ctx,
          project.id,
          'unsubscribe',
          contacts.map(({ id }) => id),
        )}`,
      ),
    });
  },

  export: async ({ ctx, client }) => {
    const project = await insertAudience(ctx, 10);
    const jobId = await requestExport(ctx, project.id, { kind: 'contacts', format: 'csv', createdBy: null });
    return ended({ handle: client.workflow.getHandle(`export:${jobId}`) });
  },

  /** A lock on its row keeps the export from its first page. */
  'export-cancelled': async ({ ctx, client }) => {
    const project = await insertAudience(ctx, 10);
    const holder = await ctx.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE export_parts IN ACCESS EXCLUSIVE MODE');
      const jobId = await requestExport(ctx, project.id, { kind: 'contacts', format: 'csv', createdBy: null });
      const handle = client.workflow.getHandle(`export:${jobId}`);
      await eventually(async () =>
        sure((await ctx.prisma.job.findUniqueOrThrow({ where: { id: jobId } })).startedAt !== null),
      );
      await handle.cancel();
      await eventually(async () =>
        sure(
          (await handle.fetchHistory()).events?.some((event) => event.activityTaskCancelRequestedEventAttributes) ===
            true,
        ),
      );
      return ended({ handle });
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
  },

  maintenance: async ({ client }) => {
    const handle = await client.workflow.start('maintenance', {
      workflowId: `maintenance:recorded-${newId()}`,
      taskQueue: 'system',
      args: [{ name: 'expiry' }],
    });
    for (const rounds of [1, 2]) {
      await eventually(async () =>
        sure(
          (await handle.fetchHistory()).events?.filter((event) => event.timerStartedEventAttributes).length === rounds,
        ),
      );
      if (rounds === 1) await handle.signal('poke');
    }
    await handle.cancel();
    return ended({ handle });
  },
};

const csv = (rows: number): Buffer =>
  Buffer.from(`email\n${Array.from({ length: rows }, (_, row) => `c${row}@x.test`).join('\n')}\n`);

/** Imports rows while the contact of the last one is locked, so that the last chunk is retried. */
async function whileHeld<T>(
  ctx: ApiContext,
  projectId: string,
  rows: number,
  work: (jobId: string) => Promise<T>,
): Promise<T> {
  await ctx.pool.query(`INSERT INTO contacts (id, project_id, email, subscribed) VALUES (uuid_v7(), $1, $2, true)`, [
    projectId,
    `c${rows - 1}@x.test`,
  ]);
  const holder = await ctx.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM contacts WHERE project_id = $1 FOR UPDATE', [projectId]);
    return await work(await requestImport(ctx, projectId, csv(rows)));
  } finally {
    await holder.query('COMMIT');
    holder.release();
  }
}

async function startCampaign(
  { ctx, client }: Stage,
  { contacts, delayMs }: { contacts: number; delayMs?: number },
): Promise<{ handle: WorkflowHandle; projectId: string; id: string }> {
  const project = await insertAudience(ctx, contacts);
  const id = await insertCampaign(ctx, project);
  await sendCampaign(ctx, project.id, id, {
    scheduledFor: delayMs === undefined ? null : new Date(Date.now() + delayMs).toISOString(),
  });
  return { handle: client.workflow.getHandle(`campaign:${id}:1`), projectId: project.id, id };
}

async function main(wanted: string[]): Promise<void> {
  const log = createLog('warn');
  const dataDir = mkdtempSync(path.join(realpathSync(tmpdir()), 'sendloom-record-'));
  chmodSync(dataDir, 0o711);
  const undo: Array<() => unknown> = [() => rmSync(dataDir, { recursive: true, force: true })];
  try {
    const postgres = await startPostgres({ dataDir, port: 0, log, durable: false });
    undo.push(() => postgres.stop());
    const temporal = await devServerEnvironment({ suggestContinueAsNew: SUGGEST_CONTINUE_AS_NEW });
    undo.push(() => temporal.teardown());
    await migrate({ databaseUrl: postgres.url, log });
    const zone = await startZone();
    undo.push(() => zone.stop());
    const config = completeConfig(
      parseEnvironment({
        DATABASE_URL: postgres.url,
        TEMPORAL_ADDRESS: temporal.address,
        DNS_SERVERS: zone.server,
        SMTP_URL: 'smtp://127.0.0.1:1',
        SECRET_KEY: 'a-key-for-the-recording-of-histories',
        WEBHOOK_ALLOW_PRIVATE: 'true',
      }),
    );
    const ctx = createContext(config, log, { name: 'recorder' });
    undo.push(() => ctx.close());
    const transport = createCaptureTransport();
    const worker: RunningWorker = await startWorker(config, log, {
      transport,
      workflows: { workflowBundle: await workflowBundle() },
    });
    undo.push(() => worker.stop());
    const connection = await Connection.connect({ address: temporal.address });
    undo.push(() => connection.close());

    mkdirSync(HISTORIES, { recursive: true });
    for (const [name, script] of Object.entries({ ...SCRIPTS, ...EXECUTION_SCRIPTS })) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const handle = await script({ ctx, client: new Client({ connection }), transport, zone });
      const history = await handle.fetchHistory();
      writeFileSync(path.join(HISTORIES, `${name}.json`), toRecording(handle.workflowId, history));
      console.log(`${name}: ${history.events?.length} events`);
    }
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

await main(process.argv.slice(2));
process.exit(0);
