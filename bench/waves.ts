/**
 * Campaigns at the reader's local time: how fast a wave is sent, compared with a campaign of the same run that is sent now, how
 * late its first email is, and what the snapshot takes.
 *
 *   npx tsx bench/waves.ts [emails] [rounds]     100000 and 3 by default; `npm run build` first
 *
 * The readers are in all time zones. The wave of the bench is that of half of them, and the others wait.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createCampaign } from '../src/domain/campaigns/manage.js';
import { cancelCampaign, sendCampaign } from '../src/domain/campaigns/send.js';
import type { SendSchedule } from '../src/domain/campaigns/local-schedule.js';
import { knownTimezones } from '../src/domain/timezone.js';
import { addContacts, makeProject, perSecond, printTable, startBench, type Bench } from './harness.js';
import { startPart } from './processes.js';

const EMAILS = Number(process.argv[2] ?? 100_000);
const ROUNDS = Number(process.argv[3] ?? 3);
/** Until the wave is due: more than the snapshot takes. */
const AHEAD_MS = Number(process.env.BENCH_AHEAD ?? 20_000);

/** Makes a project whose contacts with odd numbers are in UTC, and the others in all time zones. */
async function makeReaders({ ctx }: Bench, count: number) {
  const project = await makeProject(ctx);
  await addContacts(ctx, project.id, count);
  await ctx.pool.query(
    `UPDATE contacts SET data = data || jsonb_build_object('timezone', CASE WHEN n % 2 = 0 THEN 'UTC' ELSE ($2::text[])[n % array_length($2::text[], 1) + 1] END)
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM contacts WHERE project_id = $1) numbered
      WHERE contacts.id = numbered.id`,
    [project.id, (await knownTimezones(ctx.pool)).filter((name) => name.startsWith('America/'))],
  );
  await ctx.pool.query('VACUUM ANALYZE contacts');
  return project;
}

/** Sends a campaign, and returns its id and when its first and last email arrived. */
async function run(bench: Bench, contacts: number, expected: number, schedule: SendSchedule) {
  const { ctx, sink } = bench;
  const project = await makeReaders(bench, contacts);
  const campaign = await createCampaign(ctx, project.id, {
    name: 'Bench',
    subject: 'News',
    body: '<p>Hello {{ firstName }}</p>',
    from: `news@${project.domain}`,
    audienceType: 'ALL',
    type: 'MARKETING',
  });
  await ctx.pool.query('CHECKPOINT');
  await sink.reset();
  const started = Date.now();
  await sendCampaign(ctx, project.id, campaign.id, schedule);
  let snapshotMs = 0;
  for (;;) {
    const state = await sink.read();
    if (snapshotMs === 0) {
      const row = await ctx.prisma.campaign.findUniqueOrThrow({ where: { id: campaign.id } });
      if (row.snapshotDone) snapshotMs = Date.now() - started;
    }
    if (state.count >= expected) {
      const waiting = await ctx.prisma.email.count({ where: { campaignId: campaign.id, status: 'SCHEDULED' } });
      if (waiting > 0) await cancelCampaign(ctx, project.id, campaign.id);
      return { rate: perSecond(expected, state.last - state.first), first: state.first, snapshotMs, waiting };
    }
    await sleep(50);
  }
}

const bench = await startBench({ DKIM_SIGNING: process.env.BENCH_SIGNING ?? 'false' });
try {
  const worker = await startPart(bench, 'worker');
  await sleep(3000);
  const rows: Array<Record<string, string | number>> = [];
  for (let round = 0; round < ROUNDS; round++) {
    const now = await run(bench, EMAILS, EMAILS, {});
    const due = Math.ceil((Date.now() + AHEAD_MS + EMAILS / 20) / 1000) * 1000;
    const wave = await run(bench, 2 * EMAILS, EMAILS, {
      scheduledFor: new Date(due).toISOString().slice(0, 19),
      timezone: 'recipient',
    });
    rows.push({
      'now, per second': now.rate,
      'wave, per second': wave.rate,
      ratio: (wave.rate / now.rate).toFixed(2),
      'first email late, ms': wave.first - due,
      'snapshot, ms': wave.snapshotMs,
      waiting: wave.waiting,
    });
  }
  worker.kill('SIGTERM');
  await new Promise((resolve) => worker.once('exit', resolve));
  printTable(rows);
} finally {
  await bench.stop();
}
process.exit(0);
