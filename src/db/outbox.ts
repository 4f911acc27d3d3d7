/**
 * The transactional outbox: intents for Temporal, written in the transaction of the rows that they belong to, and
 * carried over by the relay in order per workflow id.
 */
import { currentTrace } from '../trace.js';
import type { Queryable } from './pool.js';

/** A start of a Temporal workflow. Arguments are ids and numbers, never addresses or content. */
export interface StartIntent {
  action: 'start';
  workflowId: string;
  workflowType: string;
  taskQueue: 'automation' | 'bulk' | 'system';
  args: unknown[];
  projectId?: string;
  resourceId?: string;
  resourceKind: 'campaign' | 'domain' | 'import' | 'bulk' | 'execution' | 'maintenance';
  /** Of an execution: the workflow that a user drew, and the contact. */
  sourceWorkflowId?: string;
  contactId?: string;
  /** Shown in the Temporal Web UI. */
  summary?: string;
  /** ISO time before which the first workflow task is not to run. */
  startAt?: string;
  /** The trace that the start belongs to; `enqueue` fills it in. */
  trace?: string;
}

/** A poke: "look at your row". */
export interface SignalIntent {
  action: 'signal';
  workflowId: string;
  signal: string;
  /** Whose turn it is. */
  projectId?: string;
}

/** Ends a workflow whose row is already in its final state. */
export interface CancelIntent {
  action: 'cancel';
  workflowId: string;
  reason: string;
  /** Whose turn it is. */
  projectId?: string;
}

export type Intent = StartIntent | SignalIntent | CancelIntent;

/**
 * Who waits together in a lane of the relay: `<kind>/<project>`, as `execution/<project id>` of what the database
 * writes itself.
 */
const fairnessKey = ({ workflowId, projectId }: Intent): string =>
  `${workflowId.slice(0, workflowId.indexOf(':'))}/${projectId ?? ''}`;

/** Writes intents in the caller's transaction. The caller wakes the relay (topic `outbox`) after the commit. */
export async function enqueue(tx: Queryable, intents: Intent[]): Promise<void> {
  if (intents.length === 0) return;
  const trace = currentTrace();
  await tx.query({
    name: 'outbox-enqueue',
    text: `INSERT INTO outbox (workflow_id, action, payload, fairness_key) SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[], $4::text[])`,
    values: [
      intents.map((i) => i.workflowId),
      intents.map((i) => i.action),
      intents.map((i) => JSON.stringify(trace !== null && i.action === 'start' ? { ...i, trace } : i)),
      intents.map(fairnessKey),
    ],
  });
}

export interface OutboxRow {
  id: number;
  workflowId: string;
  payload: Intent;
  attempts: number;
}

/** Intents of one action, of which `room` may be claimed. */
export interface Lane {
  action: Intent['action'];
  room: number;
}

export interface ClaimIntents {
  /** Ids of intents that were carried: they go. */
  done: number[];
  lanes: Lane[];
  leaseSeconds: number;
}

/** An intent that is due and that nobody holds. */
const dueOf = (alias: string): string =>
  `${alias}.available_at <= now() AND (${alias}.locked_until IS NULL OR ${alias}.locked_until < now())`;

/**
 * Intents of one share that are looked at: those behind an earlier one of their workflow id don't fit, and there may be
 * many of them.
 */
const WINDOW = 500;

/*
 * A look-up in the index for each share of each lane, and one by its place for each intent that is claimed. What is
 * looked up row by row is written as a lateral or scalar subquery, by its place in the table where that is known: no
 * statistics, as those of an outbox that was empty a moment ago, can turn it into a join over all of a backlog, or have
 * it sought in another index. Whoever claimed a row since made it one that isn't due, so that its place is no risk.
 */
const CLAIM = `
WITH RECURSIVE lane AS (
  SELECT * FROM unnest($2::text[], $3::int[]) AS l(action, room)
), share(action, room, key) AS (
  SELECT l.action, l.room, (SELECT o.fairness_key FROM outbox o WHERE o.action = l.action ORDER BY o.fairness_key LIMIT 1) FROM lane l
  UNION ALL
  SELECT s.action, s.room, (SELECT o.fairness_key FROM outbox o WHERE o.action = s.action AND o.fairness_key > s.key ORDER BY o.fairness_key LIMIT 1)
    FROM share s WHERE s.key IS NOT NULL
), turn AS (
  -- Everybody with something due gets as much of the room, so that who has a hundred thousand holds up nobody; where there isn't enough, chance decides.
  SELECT action, key, room, greatest(1, room / count(*) OVER (PARTITION BY action)) AS size, row_number() OVER (PARTITION BY action ORDER BY random()) AS number
    FROM share WHERE key IS NOT NULL AND (SELECT o.id FROM outbox o WHERE o.action = share.action AND o.fairness_key = share.key AND ${dueOf('o')} LIMIT 1) IS NOT NULL
), due AS MATERIALIZED (
  SELECT next.place FROM turn CROSS JOIN LATERAL (
    SELECT o.place FROM (
      SELECT c.id, c.workflow_id, c.ctid AS place FROM outbox c WHERE c.action = turn.action AND c.fairness_key = turn.key AND ${dueOf('c')} ORDER BY c.available_at, c.id LIMIT ${WINDOW}
    ) c CROSS JOIN LATERAL (SELECT o.ctid AS place FROM outbox o WHERE o.ctid = c.place AND ${dueOf('o')} FOR UPDATE SKIP LOCKED) o
     WHERE c.id = (SELECT first.id FROM outbox first WHERE first.workflow_id = c.workflow_id AND first.id <> ALL ($1::bigint[]) ORDER BY first.id LIMIT 1)
     LIMIT turn.size
  ) next WHERE turn.number <= turn.room
), gone AS (
  DELETE FROM outbox WHERE id = ANY ($1::bigint[])
)
UPDATE outbox o SET locked_until = now() + make_interval(secs => $4), attempts = attempts + 1
  WHERE o.ctid = ANY (ARRAY (SELECT place FROM due))
RETURNING o.id, o.workflow_id AS "workflowId", o.payload, o.attempts`;

/**
 * Records what was carried, and claims due intents, the oldest of each workflow id only, so that those of one id are
 * carried over in their order.
 *
 * The room of a lane is shared by what waits in it: each project's executions, campaigns, imports. The claim is a
 * lease: an intent whose relay died is due again after `leaseSeconds`, and a repeat is harmless.
 */
export async function claimIntents(db: Queryable, { done, lanes, leaseSeconds }: ClaimIntents): Promise<OutboxRow[]> {
  // Without a name, so planned for the table as it is: a plan of the time when it was empty, as it mostly is, reads all
  // of a backlog for each intent.
  const { rows } = await db.query<OutboxRow>(CLAIM, [
    done,
    lanes.map(({ action }) => action),
    lanes.map(({ room }) => room),
    leaseSeconds,
  ]);
  return rows.sort((a, b) => a.id - b.id);
}

/** Puts an intent off after a failure; the reason stays on the row for operators. */
export async function postponeIntent(db: Queryable, id: number, delayMs: number, reason: string): Promise<void> {
  await db.query({
    name: 'outbox-postpone',
    text: `UPDATE outbox SET locked_until = NULL, available_at = now() + make_interval(secs => $2::float8 / 1000), last_error = left($3, 1000) WHERE id = $1`,
    values: [id, delayMs, reason],
  });
}

/**
 * The workflow ids that still have an intent under way: reconcile leaves those alone. Without those of executions,
 * which can be many, and are asked for by id.
 */
export async function pendingWorkflowIds(db: Queryable): Promise<Set<string>> {
  const { rows } = await db.query<{ workflowId: string }>(
    `SELECT DISTINCT workflow_id AS "workflowId" FROM outbox WHERE workflow_id NOT LIKE 'execution:%'`,
  );
  return new Set(rows.map((row) => row.workflowId));
}
