/**
 * Emails per second of a campaign with full bookkeeping, compared with its parts in the same run: the mail client alone
 * into the same sink, and PostgreSQL alone with the claims and completions.
 *
 *   npx tsx bench/campaign.ts [recipients …]          20000 100000 by default
 *
 * BENCH_TRACKING=false,true: also sends the campaigns with open and click tracking (12 different links and a pixel per
 * email).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { claimCampaign, settle, type DeliveryResult } from '../src/domain/emails/sql/delivery.js';
import { sendCampaign } from '../src/domain/campaigns/send.js';
import { createCampaign } from '../src/domain/campaigns/manage.js';
import { newId } from '../src/ids.js';
import { generateDkimKey, loadDkimKey, signMessage } from '../src/mail/sign.js';
import { createSmtpClient } from '../src/mail/smtp/client.js';
import { startWorker } from '../src/temporal/worker.js';
import { workflowBundle } from '../test/helpers/temporal.js';
import { addContacts, makeProject, perSecond, printTable, startBench, together, type Bench } from './harness.js';

const BODY = `<html><body><h1>Hello {{ firstName ?? there }}</h1>${Array.from({ length: 12 }, (_, n) => `<p>News of the week, with <a href="https://example.test/news?n=${n}">a link</a> and some words around it.</p>`).join('')}</body></html>`;

/** The mail client alone: sends finished emails of the campaign's size to the same sink, signed if the campaign's are. */
async function calibrateClient({ config, sink }: Bench, count: number): Promise<number> {
  const transport = createSmtpClient({ urls: [config.SMTP_URL], connections: config.SMTP_CONNECTIONS });
  const { privateKeyPem } = await generateDkimKey();
  const signer = { domain: 'b.test', selector: 'bench', key: loadDkimKey(privateKeyPem) };
  const raw = Buffer.from(`From: a@b.test\r\nTo: c@d.test\r\nSubject: x\r\n\r\n${BODY.replace(/>/g, '>\r\n')}\r\n`);
  await sink.reset();
  const started = Date.now();
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0)
      await transport.send({
        from: 'a@b.test',
        to: 'c@d.test',
        raw: config.DKIM_SIGNING ? await signMessage(raw, signer) : raw,
      });
  };
  await Promise.all(Array.from({ length: config.SMTP_CONNECTIONS }, lane));
  const rate = perSecond(count, Date.now() - started);
  await transport.close({ graceMs: 1000 });
  return rate;
}

/** PostgreSQL alone: claims and completes the same rows by the same statements, `SMTP_CONNECTIONS` at a time. */
async function calibrateDatabase({ ctx, config }: Bench, campaignId: string, count: number): Promise<number> {
  const workerId = newId();
  const started = Date.now();
  let after = '00000000-0000-0000-0000-000000000000';
  let results: DeliveryResult[] = [];
  for (let done = 0; done < count;) {
    const emails = await claimCampaign(ctx.pool, {
      workerId,
      limit: config.SMTP_CONNECTIONS,
      results,
      campaignId,
      after,
    });
    if (emails.length === 0) throw new Error('The queue ended early');
    after = emails.at(-1)?.id ?? after;
    results = emails.map(({ id }) => ({ id, status: 'SENT', error: null, response: '250 OK', retryMs: 0 }));
    done += emails.length;
  }
  await settle(ctx.pool, workerId, results);
  return perSecond(count, Date.now() - started);
}

/** Queues a campaign's emails without sending them. */
async function queueOnly({ ctx }: Bench, projectId: string, campaignId: string): Promise<void> {
  const messageId = newId();
  await ctx.pool.query(
    `INSERT INTO messages (id, project_id, type, subject, body, from_email) VALUES ($1, $2, 'MARKETING', 's', 'b', 'a@b.test')`,
    [messageId, projectId],
  );
  await ctx.pool.query(`UPDATE campaigns SET status = 'SENDING' WHERE id = $1`, [campaignId]);
  await ctx.pool.query(
    `INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email)
     SELECT uuid_v7(), $1, $2, c.id, $3, 'CAMPAIGN', 'MARKETING', c.email FROM contacts c WHERE c.project_id = $1`,
    [projectId, messageId, campaignId],
  );
}

async function runCampaign(bench: Bench, recipients: number, tracked: boolean): Promise<void> {
  const { ctx, sink } = bench;
  const project = await makeProject(ctx);
  await ctx.prisma.project.update({ where: { id: project.id }, data: { tracking: tracked ? 'ENABLED' : 'DISABLED' } });
  await addContacts(ctx, project.id, recipients);
  const make = () =>
    createCampaign(ctx, project.id, {
      name: 'Bench',
      subject: 'Hello {{ firstName }}',
      body: BODY,
      from: `news@${project.domain}`,
      audienceType: 'ALL',
      type: 'MARKETING',
    });

  const sample = Math.min(recipients, 20_000);
  const client = await calibrateClient(bench, sample);
  const calibration = await make();
  await queueOnly(bench, project.id, calibration.id);
  const database = await calibrateDatabase(bench, calibration.id, sample);
  await ctx.pool.query(`UPDATE campaigns SET status = 'CANCELLED' WHERE id = $1`, [calibration.id]);

  const campaign = await make();
  const bundle = await workflowBundle();
  const worker = await startWorker(bench.config, ctx.log, { workflows: { workflowBundle: bundle } });
  await sleep(3000);
  await sink.reset();
  const cpu = process.cpuUsage();
  const started = Date.now();
  await sendCampaign(ctx, project.id, campaign.id, undefined);
  let memory = 0;
  for (;;) {
    await sleep(200);
    memory = Math.max(memory, process.memoryUsage().rss);
    const { rows } = await ctx.pool.query<{ status: string }>(`SELECT status FROM campaigns WHERE id = $1`, [
      campaign.id,
    ]);
    if (rows[0]?.status === 'SENT') break;
  }
  const total = Date.now() - started;
  const used = process.cpuUsage(cpu);
  const { count, first, last } = await sink.read();
  await worker.stop();
  const allowed = together(client, database);
  printTable([
    { what: 'mail client alone', 'per second': client },
    { what: 'claim and complete alone', 'per second': database },
    { what: 'the two together', 'per second': allowed },
    {
      what: `campaign of ${recipients}, ${bench.config.DKIM_SIGNING ? 'signed' : 'unsigned'}${tracked ? ', tracked' : ''}: first to last mail`,
      'per second': perSecond(count, last - first),
      ratio: (perSecond(count, last - first) / allowed).toFixed(2),
    },
    {
      what: 'from the request to SENT',
      'per second': perSecond(recipients, total),
      ratio: (perSecond(recipients, total) / allowed).toFixed(2),
    },
  ]);
  console.log(
    `arrived ${count}, peak memory ${Math.round(memory / 1e6)} MB, worker cpu ${Math.round((used.user + used.system) / recipients)} µs per email`,
  );
}

const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0);
for (const signing of (process.env.BENCH_SIGNING ?? 'false,true').split(',')) {
  for (const recipients of sizes.length > 0 ? sizes : [20_000, 100_000]) {
    for (const tracked of (process.env.BENCH_TRACKING ?? 'false').split(',')) {
      const bench = await startBench({ DKIM_SIGNING: signing });
      try {
        await runCampaign(bench, recipients, tracked === 'true');
      } finally {
        await bench.stop();
      }
    }
  }
}
process.exit(0);
