/**
 * The position of one execution in its workflow's graph, and its moves from step to step.
 *
 * Every move is one statement and so one round trip. It closes the current step execution, follows an edge of the
 * graph as the graph is at that moment, opens the next step execution, and returns the next step. It is guarded by the
 * current step execution: a move that comes second (after a repeat, a cancellation, or the step's deletion) updates
 * zero rows. Its input is one jsonb object, so that a statement can be pasted into psql.
 *
 * Rows of the execution are addressed by scalar subqueries, or by LATERAL with OFFSET 0, so that the planner can only look them
 * up. A join that is planned while its table is empty reads all rows until the next ANALYZE.
 *
 * `now` is always the Temporal workflow's time. Only `began_at` is the database's, because events carry that time.
 */
import type { ExecutionStatus, StepType } from '../../../generated/prisma/enums.js';
import type { JsonValue } from '../../../db/predicate.js';
import type { Queryable } from '../../../db/pool.js';
import { EXIT_SUMMARY } from '../words.js';

export interface ExecutionKey {
  projectId: string;
  executionId: string;
}

/** What a CONDITION can read: the contact and the execution's context as they were when the step was reached. */
export interface ConditionFacts {
  email: string;
  subscribed: boolean;
  createdAt: string;
  updatedAt: string;
  data: { [key: string]: JsonValue };
  context: { [key: string]: JsonValue };
}

/** The current step of an execution. */
export interface ReachedStep {
  stepExecutionId: string;
  stepId: string;
  type: StepType;
  name: string;
  config: unknown;
  /** null unless the step is a CONDITION. */
  facts: ConditionFacts | null;
}

export interface ExecutionState {
  status: ExecutionStatus;
  contactId: string;
  projectDisabled: boolean;
  /** null before the first step and after the end. */
  stepExecutionId: string | null;
  /** With the present `config` and `name`. null before the first step, after the end, and if the step was deleted. */
  step: Omit<ReachedStep, 'stepExecutionId'> | null;
  /** The current step as it was when it was reached. null before the first step and after the end. */
  open: OpenStep | null;
}

export interface OpenStep {
  type: StepType;
  name: string;
  status: string;
  /** The Temporal workflow's time when the step was reached. */
  startedAt: Date;
  /** The end of a delay or of a wait's timeout. */
  wakeAt: Date | null;
  waitingFor: string | null;
  output: { [key: string]: JsonValue } | null;
}

const LOAD = `
SELECT x.status, x.contact_id AS "contactId", p.disabled AS "projectDisabled", x.step_execution_id AS "stepExecutionId",
       CASE WHEN s.id IS NOT NULL THEN jsonb_build_object(
         'stepId', s.id, 'type', s.type, 'name', s.name, 'config', s.config,
         'facts', CASE WHEN s.type = 'CONDITION' THEN jsonb_build_object(
           'email', c.email, 'subscribed', c.subscribed, 'createdAt', c.created_at, 'updatedAt', c.updated_at,
           'data', c.data, 'context', x.context) END) END AS step,
       e.step_type AS "openType", e.step_name AS "openName", e.status AS "openStatus",
       e.started_at AS "openStartedAt", e.output AS "openOutput", x.wake_at AS "wakeAt", x.waiting_for AS "waitingFor"
  FROM workflow_executions x
  JOIN projects p ON p.id = x.project_id
  LEFT JOIN LATERAL (
    SELECT * FROM step_executions e WHERE e.project_id = x.project_id AND e.id = x.step_execution_id OFFSET 0) e ON true
  LEFT JOIN workflow_steps s
    ON s.project_id = x.project_id AND s.workflow_id = x.workflow_id AND s.id = x.current_step_id AND e.id IS NOT NULL
  LEFT JOIN LATERAL (
    SELECT * FROM contacts c
     WHERE s.type = 'CONDITION' AND c.project_id = x.project_id AND c.id = x.contact_id OFFSET 0) c ON true
 WHERE x.project_id = $1 AND x.id = $2`;

interface StateRow extends Pick<
  ExecutionState,
  'status' | 'contactId' | 'projectDisabled' | 'stepExecutionId' | 'step'
> {
  openType: StepType | null;
  openName: string;
  openStatus: string;
  openStartedAt: Date;
  openOutput: OpenStep['output'];
  wakeAt: Date | null;
  waitingFor: string | null;
}

/** Returns null if the execution does not exist: its contact or its workflow was deleted. */
export async function loadExecution(
  db: Queryable,
  { projectId, executionId }: ExecutionKey,
): Promise<ExecutionState | null> {
  const { rows } = await db.query<StateRow>({ name: 'execution-load', text: LOAD, values: [projectId, executionId] });
  const [row] = rows;
  if (!row) return null;
  const { openType, openName, openStatus, openStartedAt, openOutput, wakeAt, waitingFor, ...state } = row;
  const open = openType && {
    type: openType,
    name: openName,
    status: openStatus,
    startedAt: openStartedAt,
    output: openOutput,
    wakeAt,
    waitingFor,
  };
  return { ...state, open };
}

/** The part of a move that does not depend on the step's outcome, with the edges to follow. */
export interface MoveBase extends ExecutionKey {
  /** The id of the step execution to open. */
  nextId: string;
  now: Date;
  /** The branches whose edges lead on; '' is the edge without a branch. */
  branches: readonly string[];
  /** The end of the execution if there is no such edge. `note` is then added to the step's summary. */
  withoutEdge: ExecutionEnd & { note: string | null };
}

/** The outcome of the current step. */
export interface Move extends MoveBase {
  stepExecutionId: string;
  closes: 'COMPLETED' | 'FAILED';
  /** Merged into the step's output. */
  output: StepOutput;
  error: string | null;
  /** Ends the execution even if there is an edge. */
  ends: ExecutionEnd | null;
  /** The event that ended a wait. Its data is merged into the context. */
  eventId: string | null;
}

export interface StepOutput {
  /** English sentences for support staff. They contain no email addresses. */
  summary: string;
  [key: string]: JsonValue;
}

export interface ExecutionEnd {
  status: 'COMPLETED' | 'EXITED' | 'FAILED';
  reason: string | null;
}

/** `lost`: nothing was changed, because the execution or the graph has changed. Load the execution again. */
export type Moved =
  | { kind: 'reached'; step: ReachedStep; contactId: string }
  | { kind: 'ended'; status: ExecutionStatus }
  | { kind: 'lost' };

/** The input of every move, with the names of the statements' record types. */
export const baseInput = ({ projectId, executionId, nextId, now, branches, withoutEdge }: MoveBase) => ({
  project_id: projectId,
  execution_id: executionId,
  next_id: nextId,
  now,
  branches,
  without_edge_status: withoutEdge.status,
  without_edge_reason: withoutEdge.reason,
  without_edge_note: withoutEdge.note,
  exit_summary: EXIT_SUMMARY.plain,
  exit_summary_with_reason: EXIT_SUMMARY.withReason,
});

export interface MovedRow {
  status: ExecutionStatus;
  contactId: string;
  /** null if no step follows. */
  stepId: string | null;
  type: StepType;
  name: string;
  config: unknown;
  facts: ConditionFacts | null;
}

export function toMoved(row: MovedRow | undefined, nextId: string): Moved {
  if (!row) return { kind: 'lost' };
  const { status, contactId, stepId, type, name, config, facts } = row;
  return stepId === null || status !== 'RUNNING'
    ? { kind: 'ended', status }
    : { kind: 'reached', step: { stepExecutionId: nextId, stepId, type, name, config, facts }, contactId };
}

/**
 * `target` locks the next step, which serializes the move with the step's deletion: the deletion then finds this
 * execution at the step, or this statement finds no step. Without the step, there is no plan and no move.
 *
 * A context of more than 256 KiB (262,144 bytes) is replaced by the data of the new event.
 */
const MOVE = `
WITH input AS MATERIALIZED (
  SELECT * FROM jsonb_to_record($1) AS i (
    project_id uuid, execution_id uuid, step_execution_id uuid, next_id uuid, now timestamptz, branches text[],
    without_edge_status execution_status, without_edge_reason text, without_edge_note text,
    exit_summary text, exit_summary_with_reason text,
    closes text, output jsonb, error text, ends execution_status, end_reason text, event_id uuid)
), here AS MATERIALIZED (
  SELECT x.workflow_id, x.current_step_id AS step_id, i.*
    FROM input i
    JOIN workflow_executions x
      ON x.project_id = (SELECT project_id FROM input) AND x.id = (SELECT execution_id FROM input)
     AND x.step_execution_id = i.step_execution_id
), edge AS MATERIALIZED (
  SELECT t.id, t.to_step_id, t.project_id
    FROM here
    JOIN workflow_transitions t
      ON t.project_id = here.project_id AND t.workflow_id = here.workflow_id AND t.from_step_id = here.step_id
   WHERE here.ends IS NULL AND coalesce(t.branch, '') = ANY (here.branches)
   ORDER BY t.priority, t.id LIMIT 1
), target AS MATERIALIZED (
  SELECT s.id, s.type, s.name, s.config, edge.id AS transition_id,
         CASE WHEN s.type = 'EXIT' THEN s.config ->> 'reason' END AS exit_reason
    FROM edge JOIN workflow_steps s ON s.id = edge.to_step_id AND s.project_id = edge.project_id
     FOR KEY SHARE OF s
), plan AS MATERIALIZED (
  SELECT here.*, t.id AS to_id, t.transition_id, t.type, t.name, t.config, t.exit_reason AS target_reason,
         CASE WHEN t.type = 'EXIT' THEN 'EXITED'
              WHEN t.id IS NOT NULL THEN 'RUNNING'
              ELSE coalesce(here.ends, here.without_edge_status) END AS status,
         CASE WHEN t.id IS NOT NULL THEN t.exit_reason
              WHEN here.ends IS NULL THEN here.without_edge_reason
              ELSE here.end_reason END AS exit_reason,
         CASE WHEN t.id IS NULL AND here.ends IS NULL AND here.without_edge_note IS NOT NULL
              THEN jsonb_build_object('summary', (here.output ->> 'summary') || ' ' || here.without_edge_note)
              ELSE '{}' END AS note
    FROM here LEFT JOIN target t ON true
   WHERE t.id IS NOT NULL OR NOT EXISTS (SELECT FROM edge)
), moved AS (
  UPDATE workflow_executions x
     SET status = p.status, exit_reason = p.exit_reason, current_step_id = coalesce(p.to_id, p.step_id),
         waiting_for = NULL, wake_at = NULL,
         step_execution_id = CASE WHEN p.status = 'RUNNING' THEN p.next_id END,
         completed_at = CASE WHEN p.status <> 'RUNNING' THEN greatest(p.now, x.started_at) END,
         context = CASE WHEN p.event_id IS NULL THEN x.context ELSE coalesce((
           SELECT CASE WHEN octet_length((x.context || v.data)::text) > 262144 THEN v.data ELSE x.context || v.data END
             FROM events v WHERE v.project_id = p.project_id AND v.id = p.event_id), x.context) END
    FROM plan p
   WHERE x.project_id = (SELECT project_id FROM plan) AND x.id = (SELECT execution_id FROM plan)
     AND x.status IN ('RUNNING', 'WAITING')
     AND x.step_execution_id = p.step_execution_id
  RETURNING x.id, x.contact_id, x.context, x.status
), closed AS (
  UPDATE step_executions e
     SET status = p.closes, output = coalesce(e.output, '{}') || p.output || p.note, error = p.error,
         event_id = p.event_id, completed_at = greatest(p.now, e.started_at)
    FROM moved m, plan p
   WHERE e.project_id = (SELECT project_id FROM plan) AND e.id = (SELECT step_execution_id FROM plan)
), opened AS (
  INSERT INTO step_executions
    (id, project_id, execution_id, step_id, transition_id, step_type, step_name, status, output, started_at,
     completed_at)
  SELECT p.next_id, p.project_id, m.id, p.to_id, p.transition_id, p.type, p.name,
         CASE WHEN p.status = 'RUNNING' THEN 'RUNNING' ELSE 'COMPLETED' END,
         CASE WHEN p.status <> 'RUNNING' THEN jsonb_build_object('summary',
           coalesce(p.exit_summary_with_reason || p.target_reason, p.exit_summary)) END,
         p.now, CASE WHEN p.status <> 'RUNNING' THEN p.now END
    FROM moved m, plan p
   WHERE p.to_id IS NOT NULL
)
SELECT m.status, m.contact_id AS "contactId", p.to_id AS "stepId", p.type, p.name, p.config,
       CASE WHEN p.type = 'CONDITION' THEN jsonb_build_object(
         'email', c.email, 'subscribed', c.subscribed, 'createdAt', c.created_at, 'updatedAt', c.updated_at,
         'data', c.data, 'context', m.context) END AS facts
  FROM moved m
 CROSS JOIN plan p
  LEFT JOIN contacts c
    ON p.type = 'CONDITION' AND c.project_id = (SELECT project_id FROM plan) AND c.id = (SELECT contact_id FROM moved)`;

/** Closes the current step, and moves the execution to the next step or to its end. */
export async function moveExecution(db: Queryable, move: Move): Promise<Moved> {
  const { stepExecutionId, closes, output, error, ends, eventId, nextId } = move;
  const input = {
    ...baseInput(move),
    step_execution_id: stepExecutionId,
    closes,
    output,
    error,
    ends: ends?.status ?? null,
    end_reason: ends?.reason ?? null,
    event_id: eventId,
  };
  const { rows } = await db.query<MovedRow>({ name: 'execution-move', text: MOVE, values: [JSON.stringify(input)] });
  return toMoved(rows[0], nextId);
}

/** As MOVE, but from the TRIGGER of a new execution. The TRIGGER's step execution is inserted already closed. */
const START = `
WITH input AS MATERIALIZED (
  SELECT * FROM jsonb_to_record($1) AS i (
    project_id uuid, execution_id uuid, trigger_id uuid, next_id uuid, now timestamptz, branches text[],
    without_edge_status execution_status, without_edge_reason text, without_edge_note text,
    exit_summary text, exit_summary_with_reason text,
    summary_by_api text, summary_by_event text)
), here AS MATERIALIZED (
  SELECT x.workflow_id, x.started_at, s.id AS step_id, s.name AS step_name, i.*,
         CASE WHEN x.trigger_event_id IS NULL THEN jsonb_build_object('summary', i.summary_by_api)
              ELSE jsonb_build_object('summary', format(i.summary_by_event, s.config ->> 'eventName'),
                                      'eventId', x.trigger_event_id) END AS output
    FROM input i
    JOIN workflow_executions x ON x.project_id = (SELECT project_id FROM input) AND x.id = (SELECT execution_id FROM input)
    JOIN projects p ON p.id = x.project_id AND NOT p.disabled
    JOIN workflow_steps s ON s.project_id = x.project_id AND s.workflow_id = x.workflow_id AND s.type = 'TRIGGER'
   WHERE x.step_execution_id IS NULL AND x.status = 'RUNNING'
), edge AS MATERIALIZED (
  SELECT t.id, t.to_step_id, t.project_id
    FROM here
    JOIN workflow_transitions t
      ON t.project_id = here.project_id AND t.workflow_id = here.workflow_id AND t.from_step_id = here.step_id
   WHERE coalesce(t.branch, '') = ANY (here.branches)
   ORDER BY t.priority, t.id LIMIT 1
), target AS MATERIALIZED (
  SELECT s.id, s.type, s.name, s.config, edge.id AS transition_id,
         CASE WHEN s.type = 'EXIT' THEN s.config ->> 'reason' END AS exit_reason
    FROM edge JOIN workflow_steps s ON s.id = edge.to_step_id AND s.project_id = edge.project_id
     FOR KEY SHARE OF s
), plan AS MATERIALIZED (
  SELECT here.*, t.id AS to_id, t.transition_id, t.type, t.name, t.config, t.exit_reason AS target_reason,
         CASE WHEN t.type = 'EXIT' THEN 'EXITED'
              WHEN t.id IS NOT NULL THEN 'RUNNING'
              ELSE here.without_edge_status END AS status,
         CASE WHEN t.id IS NOT NULL THEN t.exit_reason ELSE here.without_edge_reason END AS exit_reason,
         CASE WHEN t.id IS NULL AND here.without_edge_note IS NOT NULL
              THEN jsonb_build_object('summary', (here.output ->> 'summary') || ' ' || here.without_edge_note)
              ELSE '{}' END AS note
    FROM here LEFT JOIN target t ON true
   WHERE t.id IS NOT NULL OR NOT EXISTS (SELECT FROM edge)
), moved AS (
  UPDATE workflow_executions x
     SET status = p.status, exit_reason = p.exit_reason, current_step_id = coalesce(p.to_id, p.step_id),
         waiting_for = NULL, wake_at = NULL,
         step_execution_id = CASE WHEN p.status = 'RUNNING' THEN p.next_id END,
         completed_at = CASE WHEN p.status <> 'RUNNING' THEN greatest(p.now, x.started_at) END
    FROM plan p
   WHERE x.project_id = (SELECT project_id FROM plan) AND x.id = (SELECT execution_id FROM plan)
     AND x.status IN ('RUNNING', 'WAITING')
     AND x.step_execution_id IS NULL
  RETURNING x.id, x.contact_id, x.context, x.status
), closed AS (
  INSERT INTO step_executions
    (id, project_id, execution_id, step_id, step_type, step_name, status, output, began_at, started_at, completed_at)
  SELECT p.trigger_id, p.project_id, m.id, p.step_id, 'TRIGGER', p.step_name, 'COMPLETED', p.output || p.note,
         p.started_at, p.started_at, greatest(p.now, p.started_at)
    FROM moved m, plan p
), opened AS (
  INSERT INTO step_executions
    (id, project_id, execution_id, step_id, transition_id, step_type, step_name, status, output, started_at,
     completed_at)
  SELECT p.next_id, p.project_id, m.id, p.to_id, p.transition_id, p.type, p.name,
         CASE WHEN p.status = 'RUNNING' THEN 'RUNNING' ELSE 'COMPLETED' END,
         CASE WHEN p.status <> 'RUNNING' THEN jsonb_build_object('summary',
           coalesce(p.exit_summary_with_reason || p.target_reason, p.exit_summary)) END,
         p.now, CASE WHEN p.status <> 'RUNNING' THEN p.now END
    FROM moved m, plan p
   WHERE p.to_id IS NOT NULL
)
SELECT m.status, m.contact_id AS "contactId", p.to_id AS "stepId", p.type, p.name, p.config,
       CASE WHEN p.type = 'CONDITION' THEN jsonb_build_object(
         'email', c.email, 'subscribed', c.subscribed, 'createdAt', c.created_at, 'updatedAt', c.updated_at,
         'data', c.data, 'context', m.context) END AS facts
  FROM moved m
 CROSS JOIN plan p
  LEFT JOIN contacts c
    ON p.type = 'CONDITION' AND c.project_id = (SELECT project_id FROM plan) AND c.id = (SELECT contact_id FROM moved)`;

export interface Start extends MoveBase {
  /** The id of the TRIGGER's step execution. */
  triggerId: string;
  /** The summary of the TRIGGER. In `byEvent`, %s is the event's name. */
  summaries: { byApi: string; byEvent: string };
}

/**
 * Makes the first move of a new execution: from the TRIGGER to the next step. Also returns `lost` if the project is
 * disabled.
 */
export async function startFromTrigger(db: Queryable, start: Start): Promise<Moved> {
  const { triggerId, summaries, nextId } = start;
  const input = {
    ...baseInput(start),
    trigger_id: triggerId,
    summary_by_api: summaries.byApi,
    summary_by_event: summaries.byEvent,
  };
  const { rows } = await db.query<MovedRow>({ name: 'execution-begin', text: START, values: [JSON.stringify(input)] });
  return toMoved(rows[0], nextId);
}

export interface Wait extends ExecutionKey {
  stepExecutionId: string;
  /** null waits without a time limit, for the event. */
  wakeAt: Date | null;
  waitingFor: string | null;
  output: StepOutput;
}

/**
 * Marks the current step and its execution as WAITING for a time, for an event, or for both.
 *
 * @returns false if it is no longer the current step
 */
export async function markWaiting(
  db: Queryable,
  { projectId, executionId, stepExecutionId, wakeAt, waitingFor, output }: Wait,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'execution-hold',
    text: `WITH waiting AS (
             UPDATE workflow_executions SET status = 'WAITING', wake_at = $4, waiting_for = $5
              WHERE project_id = $1 AND id = $2 AND status IN ('RUNNING', 'WAITING') AND step_execution_id = $3
             RETURNING 1
           )
           UPDATE step_executions e SET status = 'WAITING', wake_at = $4, output = $6
             FROM waiting WHERE e.project_id = $1 AND e.id = $3`,
    values: [projectId, executionId, stepExecutionId, wakeAt, waitingFor, JSON.stringify(output)],
  });
  return rowCount === 1;
}

export interface Ending extends ExecutionKey {
  now: Date;
  status: 'EXITED' | 'FAILED' | 'CANCELLED';
  reason: string;
  /** The status of the current step. */
  closes: 'FAILED' | 'CANCELLED';
}

/** Ends an active execution at any step. @returns false if it had already ended or does not exist */
export async function endExecution(
  db: Queryable,
  { projectId, executionId, now, status, reason, closes }: Ending,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'execution-end',
    text: `WITH active AS (
             SELECT id, step_execution_id FROM workflow_executions
              WHERE project_id = $1 AND id = $2 AND status IN ('RUNNING', 'WAITING') FOR NO KEY UPDATE
           ), step AS MATERIALIZED (
             SELECT close_steps(ARRAY(SELECT step_execution_id FROM active), $6, $5,
                                CASE WHEN $6 = 'FAILED' THEN $5 END, $3::timestamptz)
           )
           UPDATE workflow_executions x
              SET status = $4, exit_reason = $5, completed_at = greatest($3::timestamptz, x.started_at),
                  step_execution_id = NULL, waiting_for = NULL, wake_at = NULL
             FROM active, step WHERE x.project_id = $1 AND x.id = active.id`,
    values: [projectId, executionId, now, status, reason, closes],
  });
  return rowCount === 1;
}
