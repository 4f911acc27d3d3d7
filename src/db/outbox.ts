/**
 * The transactional outbox: intents for Temporal, written in the transaction of the rows that they belong to. The relay
 * delivers them in order per workflow id.
 */
import { currentTrace } from '../trace.js';
import type { Queryable } from './pool.js';

/** Starts a Temporal workflow. Arguments are ids and numbers, never addresses or content. */
export interface StartIntent {
  action: 'start';
  workflowId: string;
  workflowType: string;
  taskQueue: 'automation' | 'bulk' | 'system';
  args: unknown[];
  projectId?: string;
  resourceId?: string;
  resourceKind:
    | 'campaign'
    | 'domain'
    | 'import'
    | 'bulk'
    | 'export'
    | 'replay'
    | 'execution'
    | 'webhook'
    | 'maintenance';
  /** For executions only: the user's workflow, and the contact. */
  sourceWorkflowId?: string;
  contactId?: string;
  /** Shown in the Temporal Web UI. */
  summary?: string;
  /** The first workflow task runs no earlier than this ISO time. */
  startAt?: string;
  /** The W3C traceparent of the request; `enqueue` fills it in. */
  trace?: string;
}

/** A poke: tells a workflow to read its row again. */
export interface SignalIntent {
  action: 'signal';
  workflowId: string;
  signal: string;
  /** For fair shares between projects. */
  projectId?: string;
}

/** Cancels a workflow whose row is already in its final state. */
export interface CancelIntent {
  action: 'cancel';
  workflowId: string;
  reason: string;
  /** For fair shares between projects. */
  projectId?: string;
}

export type Intent = StartIntent | SignalIntent | CancelIntent;

/** The share of an intent in its lane: `<kind>/<project id>`. insert_events writes the same keys. */
const fairnessKey = ({ workflowId, projectId }: Intent): string =>
  `${workflowId.slice(0, workflowId.indexOf(':'))}/${projectId ?? ''}`;

/** Inserts intents in the caller's transaction. The caller wakes the relay (topic `outbox`) after the commit. */
export async function enqueue(tx: Queryable, intents: Intent[]): Promise<void> {
  if (intents.length === 0) return;
  const trace = currentTrace();
  await tx.query({
    name: 'outbox-enqueue',
    text: `INSERT INTO outbox (workflow_id, action, payload, fairness_key)
           SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[], $4::text[])`,
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
  fairnessKey: string;
}

/** All intents with one action. */
export interface Lane {
  action: Intent['action'];
  /** How many intents to claim at most. */
  room: number;
}

export interface ClaimIntents {
  /** Ids of delivered intents, which the claim deletes. */
  done: number[];
  lanes: Lane[];
  leaseSeconds: number;
}

/** Intents that a share examines at most. Many can wait for an earlier intent of their workflow id. */
const MAX_EXAMINED_PER_SHARE = 500;

/*
 * 1. `share` lists the fairness keys of each lane by skipping from one key to the next in the index.
 * 2. `turn` keeps the keys with a due intent, in random order, and divides the lane's room evenly among them.
 * 3. `due` takes each key's oldest due intents and skips those that another relay has locked.
 * 4. It leaves out an intent if its workflow id has an earlier intent that is not in `done`.
 * 5. The UPDATE leases the intents, and `removed` deletes those in `done`.
 *
 * Example: the lane `start` has room for 10; project A has 100,000 due intents and B has 3. Each key gets 5, so the
 * claim returns 5 of A and 3 of B. With 20 keys and room for 10, each of 10 random keys gets 1.
 *
 * The lookups per row are scalar or LATERAL subqueries, so that the planner cannot turn them into joins over a backlog,
 * even with statistics of an empty table. For the same reason, rows are addressed by `ctid`: with the primary key, such
 * statistics let the planner search another index that contains the id, and a claim from a backlog of 100,000 read
 * 124,781 pages instead of 1,500 (test/workflows/relay.test.ts). If another relay claims the row in between, the
 * conditions are checked again on its new version, which is not due.
 */
const CLAIM = `
WITH RECURSIVE lane AS (
  SELECT * FROM unnest($2::text[], $3::int[]) AS l(action, room)
), share(action, room, key) AS (
  SELECT l.action, l.room,
         (SELECT o.fairness_key FROM outbox o WHERE o.action = l.action ORDER BY o.fairness_key LIMIT 1)
    FROM lane l
  UNION ALL
  SELECT s.action, s.room,
         (SELECT o.fairness_key FROM outbox o
           WHERE o.action = s.action AND o.fairness_key > s.key ORDER BY o.fairness_key LIMIT 1)
    FROM share s WHERE s.key IS NOT NULL
), turn AS (
  SELECT s.action, s.key, s.room, greatest(1, s.room / count(*) OVER (PARTITION BY s.action)) AS size,
         row_number() OVER (PARTITION BY s.action ORDER BY random()) AS number
    FROM share s
   WHERE s.key IS NOT NULL
     AND (SELECT o.id FROM outbox o
           WHERE o.action = s.action AND o.fairness_key = s.key
             AND o.available_at <= now() AND (o.locked_until IS NULL OR o.locked_until < now()) LIMIT 1) IS NOT NULL
), due AS MATERIALIZED (
  SELECT claimed.place FROM turn t CROSS JOIN LATERAL (
    SELECT locked.place FROM (
      SELECT c.id, c.workflow_id, c.ctid AS place FROM outbox c
       WHERE c.action = t.action AND c.fairness_key = t.key
         AND c.available_at <= now() AND (c.locked_until IS NULL OR c.locked_until < now())
       ORDER BY c.available_at, c.id LIMIT ${MAX_EXAMINED_PER_SHARE}
    ) c CROSS JOIN LATERAL (
      SELECT o.ctid AS place FROM outbox o
       WHERE o.ctid = c.place AND o.available_at <= now() AND (o.locked_until IS NULL OR o.locked_until < now())
         FOR UPDATE SKIP LOCKED
    ) locked
     WHERE c.id = (SELECT first.id FROM outbox first
                    WHERE first.workflow_id = c.workflow_id AND first.id <> ALL ($1::bigint[])
                    ORDER BY first.id LIMIT 1)
     LIMIT t.size
  ) claimed WHERE t.number <= t.room
), removed AS (
  DELETE FROM outbox WHERE id = ANY ($1::bigint[])
)
UPDATE outbox o SET locked_until = now() + make_interval(secs => $4), attempts = attempts + 1
 WHERE o.ctid = ANY (ARRAY (SELECT place FROM due))
RETURNING o.id, o.workflow_id AS "workflowId", o.payload, o.attempts, o.fairness_key AS "fairnessKey"`;

/**
 * Deletes delivered intents and claims due ones: the oldest of each workflow id only, which keeps the order per id.
 *
 * The claim is a lease. If the relay dies, its intents are due again after `leaseSeconds`; delivering one twice is
 * harmless.
 *
 * @param db of a pool `isForLookups`. Otherwise PostgreSQL may keep a plan from a time when the table was empty, which is usual, and read
 *   the whole backlog for each intent
 */
export async function claimIntents(db: Queryable, { done, lanes, leaseSeconds }: ClaimIntents): Promise<OutboxRow[]> {
  const { rows } = await db.query<OutboxRow>({
    name: 'outbox-claim',
    text: CLAIM,
    values: [done, lanes.map(({ action }) => action), lanes.map(({ room }) => room), leaseSeconds],
  });
  return rows.sort((a, b) => a.id - b.id);
}

/** Postpones an intent after a failure. The reason is kept on the row for operators. */
export async function postponeIntent(db: Queryable, id: number, delayMs: number, reason: string): Promise<void> {
  await db.query({
    name: 'outbox-postpone',
    text: `UPDATE outbox
              SET locked_until = NULL, available_at = now() + make_interval(secs => $2::float8 / 1000),
                  last_error = left($3, 1000)
            WHERE id = $1`,
    values: [id, delayMs, reason],
  });
}

/**
 * Returns the workflow ids that have intents in the outbox, which reconcile leaves alone. Executions are not included:
 * there can be many, and reconcile looks them up by id.
 */
export async function pendingWorkflowIds(db: Queryable): Promise<Set<string>> {
  const { rows } = await db.query<{ workflowId: string }>(
    `SELECT DISTINCT workflow_id AS "workflowId" FROM outbox WHERE workflow_id NOT LIKE 'execution:%'`,
  );
  return new Set(rows.map((row) => row.workflowId));
}
