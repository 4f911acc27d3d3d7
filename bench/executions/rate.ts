/** Executions per second from their events to their ends, compared with Temporal workflows that do nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { perSecond, printTable, together } from '../harness.js';
import { startExecutions, ended, runCalibration, prepare, type Parts } from './setup.js';

const IN_FLIGHT = 50;

interface Rates {
  executions: number;
  /** Until their emails were sent, too. */
  withMails: number;
}

async function executions(parts: Parts, shape: 'send' | 'delay', count: number): Promise<Rates> {
  const { bench } = parts;
  const journey = await prepare(bench, shape, count);
  await bench.sink.reset();
  const started = performance.now();
  await startExecutions(bench, journey, count);
  await ended(bench, journey.graph, count);
  const ms = performance.now() - started;
  while ((await bench.sink.read()).count < count) await sleep(20);
  return { executions: perSecond(count, ms), withMails: perSecond(count, performance.now() - started) };
}

/** Queues as many workflow emails together, to measure the processor time of their delivery. */
async function mails({ bench }: Parts, count: number): Promise<number> {
  const { ctx, sink } = bench;
  const { project, graph } = await prepare(bench, 'send', count);
  await sink.reset();
  const started = performance.now();
  await ctx.pool.query(
    `WITH message AS (
       INSERT INTO messages (id, project_id, type, subject, body, from_email) VALUES (uuid_v7(), $1, 'TRANSACTIONAL', 'Hello {{ email }}', '<p>Hello</p>', $2) RETURNING id
     )
     INSERT INTO emails (id, project_id, message_id, contact_id, source, type, to_email, variables)
     SELECT uuid_v7(), $1, message.id, c.id, 'WORKFLOW', 'TRANSACTIONAL', c.email, '{"event":{"from":"bench"}}' FROM message, contacts c WHERE c.project_id = $1`,
    [graph.projectId, `news@${project.domain}`],
  );
  ctx.wake('emails');
  while ((await sink.read()).count < count) await sleep(20);
  return perSecond(count, performance.now() - started);
}

export async function rate(parts: Parts, shape: 'send' | 'delay', count: number): Promise<void> {
  const workflow = shape === 'send' ? 'empty' : 'sleeper';
  const calibrate = async (): Promise<number> =>
    perSecond(count, (await runCalibration(parts, { kind: 'start', workflow, count, inFlight: IN_FLIGHT })).ms);
  const before = await calibrate();
  const first = await executions(parts, shape, count);
  const between = await calibrate();
  const second = await executions(parts, shape, count);
  const after = await calibrate();
  const mailed = await mails(parts, count);
  const bare = (before + between + after) / 3;
  const ours = (first.executions + second.executions) / 2;
  const what = shape === 'send' ? 'trigger → condition → send → exit' : 'the same with a delay of 1 s';
  printTable([
    { what: `a bare workflow: ${workflow}`, 'per second': `${before} ${between} ${after}` },
    { what, 'per second': `${first.executions} ${second.executions}` },
    { what: `${what}, mails handed over`, 'per second': `${first.withMails} ${second.withMails}` },
    { what: 'mails alone', 'per second': mailed },
  ]);
  console.log(
    `ratio to the bare workflow ${(ours / bare).toFixed(2)}, to the bare workflow and a mail ${(ours / together(bare, mailed)).toFixed(2)}`,
  );
}
