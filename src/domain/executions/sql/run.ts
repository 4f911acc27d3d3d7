/**
 * The way of one execution through its workflow's graph: where it is, and its moves from step to step.
 *
 * Every move is one statement. It is guarded by the step execution that is under way, closes it, takes the edge of the
 * outcome's branch as the graph is at that moment, opens the next step's execution, and answers what that step is. So a
 * step costs a round trip, and whoever comes second (a repeat, a cancellation, a deletion of the step) finds no row to
 * change.
 *
 * `now` is always the Temporal workflow's time. `began_at` alone is the database's, which events are stamped with.
 */
import type { ExecutionStatus, StepType } from '../../../generated/prisma/enums.js';
import type { JsonValue } from '../../../db/predicate.js';
import type { Queryable } from '../../../db/pool.js';

export interface ExecutionKey {
  projectId: string;
  executionId: string;
}

/** What a CONDITION may look at: the contact and the execution's context as they were when the step was reached. */
export interface ConditionFacts {
  email: string;
  subscribed: boolean;
  createdAt: string;
  updatedAt: string;
  data: { [key: string]: JsonValue };
  context: { [key: string]: JsonValue };
}

/** The step that an execution is at. */
export interface ReachedStep {
  stepExecutionId: string;
  stepId: string;
  type: StepType;
  name: string;
  config: unknown;
  /** Of a CONDITION only. */
  facts: ConditionFacts | null;
}

export interface ExecutionState {
  status: ExecutionStatus;
  contactId: string;
  projectDisabled: boolean;
  /** null before the first step and after the end. */
  stepExecutionId: string | null;
  /** `config` and `name` as they are now. null before the first step, after the end, and when the step was deleted. */
  step: Omit<ReachedStep, 'stepExecutionId'> | null;
  /** What is under way as it was when it was reached; null before the first step and after the end. */
  open: OpenStep | null;
}

export interface OpenStep {
  type: StepType;
  name: string;
  status: string;
  /** The Temporal workflow's time at which it was reached. */
  startedAt: Date;
  /** The end of a delay or of a wait's timeout. */
  wakeAt: Date | null;
  waitingFor: string | null;
  output: { [key: string]: JsonValue } | null;
}

/** SQL: what a CONDITION looks at, of the contact `c` and the context. */
const factsOf = (type: string, context: string): string => `
  CASE WHEN ${type} = 'CONDITION' THEN jsonb_build_object(
    'email', c.email, 'subscribed', c.subscribed, 'createdAt', c.created_at, 'updatedAt', c.updated_at, 'data', c.data, 'context', ${context}) END`;

const LOAD = `
SELECT x.status, x.contact_id AS "contactId", p.disabled AS "projectDisabled", x.step_execution_id AS "stepExecutionId",
       CASE WHEN s.id IS NOT NULL THEN jsonb_build_object('stepId', s.id, 'type', s.type, 'name', s.name, 'config', s.config, 'facts', ${factsOf('s.type', 'x.context')}) END AS step,
       e.step_type AS "openType", e.step_name AS "openName", e.status AS "openStatus", e.started_at AS "openStartedAt", e.output AS "openOutput", x.wake_at AS "wakeAt", x.waiting_for AS "waitingFor"
  FROM workflow_executions x
  JOIN projects p ON p.id = x.project_id
  LEFT JOIN step_executions e ON e.project_id = x.project_id AND e.id = x.step_execution_id
  LEFT JOIN workflow_steps s ON s.project_id = x.project_id AND s.workflow_id = x.workflow_id AND s.id = x.current_step_id AND e.id IS NOT NULL
  LEFT JOIN contacts c ON s.type = 'CONDITION' AND c.project_id = x.project_id AND c.id = x.contact_id
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

/** @returns null when there is no such execution: its contact or its workflow was deleted */
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

/** What became of the step that is under way, and where the execution goes. */
export interface Move extends ExecutionKey {
  stepExecutionId: string;
  /** Of the step execution that is opened. */
  nextId: string;
  now: Date;
  closes: 'COMPLETED' | 'SKIPPED' | 'FAILED';
  /** Added to what the step's output has already. */
  output: StepOutput;
  error: string | null;
  /** The execution ends here, whatever edges there are. */
  ends: ExecutionEnd | null;
  /** Edges of these branches lead on; '' is an edge without a branch. */
  branches: readonly string[];
  /** What a missing edge means. `note` is added to the summary then. */
  otherwise: ExecutionEnd & { note: string | null };
  /** The event that ended a wait: its data is merged into the context. */
  eventId: string | null;
}

export interface StepOutput {
  /** One English sentence that a support person can read out. Never an address. */
  summary: string;
  [key: string]: JsonValue;
}

export interface ExecutionEnd {
  status: 'COMPLETED' | 'EXITED' | 'FAILED';
  reason: string | null;
}

/**
 * `null`: the move was not made, because the execution is no longer there or the graph has just changed; look again.
 */
export type Moved = { at: ReachedStep; contactId: string } | { ended: ExecutionStatus } | null;

/** The context of an event-ended wait keeps growing up to here; beyond, only the new event's data stays. */
const MAX_CONTEXT = 256 * 1024;

/** Parameters 1 to 8 of every move. */
export const moveValues = ({
  projectId,
  executionId,
  nextId,
  now,
  branches,
  otherwise,
}: Omit<Move, 'stepExecutionId' | 'closes' | 'output' | 'error' | 'ends' | 'eventId'>): unknown[] => [
  projectId,
  executionId,
  nextId,
  now,
  branches,
  otherwise.status,
  otherwise.reason,
  otherwise.note,
];

/**
 * What an EXIT says, with a reason behind the second. It has nothing to do or to decide, so the move to it ends the
 * execution too.
 */
export const LEFT = { plain: 'Left the workflow.', because: 'Left the workflow: ' } as const;

/**
 * SQL of a move. The parts before it define
 * - `here`: workflow_id, step_id, open (the step execution that is under way, null before the first)
 * - `decision`: closes, output, error, ends, reason, event_id; no row: no move
 * `after` may write more, for each row of `moved`; `answer` adds columns to the answer.
 */
export const moveFrom = (parts: { before: string; close: string; after?: string; answer?: string }): string => `
WITH ${parts.before},
edge AS MATERIALIZED (
  SELECT t.to_step_id FROM here, decision d, workflow_transitions t
   WHERE d.ends IS NULL AND t.from_step_id = here.step_id AND coalesce(t.branch, '') = ANY ($5::text[]) AND t.project_id = $1 AND t.workflow_id = here.workflow_id
   ORDER BY t.priority, t.id LIMIT 1
), target AS MATERIALIZED (
  -- Held until the commit, so that who deletes the step sees this execution at it, or this statement sees no step.
  SELECT s.id, s.type, s.name, s.config, CASE WHEN s.type = 'EXIT' THEN s.config ->> 'reason' END AS why
    FROM edge JOIN workflow_steps s ON s.id = edge.to_step_id AND s.project_id = $1 FOR KEY SHARE OF s
), plan AS MATERIALIZED (
  SELECT d.*, t.id AS to_id, t.type, t.name, t.config, t.why,
         CASE WHEN t.type = 'EXIT' THEN 'EXITED' WHEN t.id IS NOT NULL THEN 'RUNNING' ELSE coalesce(d.ends, $6::execution_status) END AS status,
         CASE WHEN t.id IS NOT NULL THEN t.why WHEN d.ends IS NULL THEN $7::text ELSE d.reason END AS exit_reason,
         CASE WHEN t.id IS NULL AND d.ends IS NULL AND $8::text IS NOT NULL THEN jsonb_build_object('summary', (d.output ->> 'summary') || ' ' || $8) ELSE '{}'::jsonb END AS noted
    FROM decision d LEFT JOIN target t ON true
   WHERE t.id IS NOT NULL OR NOT EXISTS (SELECT FROM edge)
), moved AS (
  UPDATE workflow_executions x
     SET status = p.status, exit_reason = p.exit_reason, current_step_id = coalesce(p.to_id, here.step_id), waiting_for = NULL, wake_at = NULL,
         step_execution_id = CASE WHEN p.status = 'RUNNING' THEN $3::uuid END,
         completed_at = CASE WHEN p.status <> 'RUNNING' THEN greatest($4::timestamptz, x.started_at) END,
         context = CASE WHEN p.event_id IS NULL THEN x.context ELSE coalesce((
           SELECT CASE WHEN octet_length((x.context || v.data)::text) > ${MAX_CONTEXT} THEN v.data ELSE x.context || v.data END
             FROM events v WHERE v.project_id = $1 AND v.id = p.event_id), x.context) END
    FROM plan p, here
   WHERE x.project_id = $1 AND x.id = $2 AND x.status IN ('RUNNING', 'WAITING') AND x.step_execution_id IS NOT DISTINCT FROM here.open
  RETURNING x.id, x.contact_id, x.context, x.status
), ${parts.close}, opened AS (
  INSERT INTO step_executions (id, project_id, execution_id, step_id, step_type, step_name, status, output, started_at, completed_at)
  SELECT $3, $1, m.id, p.to_id, p.type, p.name, CASE WHEN p.status = 'RUNNING' THEN 'RUNNING' ELSE 'COMPLETED' END,
         CASE WHEN p.status <> 'RUNNING' THEN jsonb_build_object('summary', coalesce('${LEFT.because}' || p.why, '${LEFT.plain}')) END, $4, CASE WHEN p.status <> 'RUNNING' THEN $4 END
    FROM moved m, plan p WHERE p.to_id IS NOT NULL
)${parts.after ? `, ${parts.after}` : ''}
SELECT m.status, m.contact_id AS "contactId", p.to_id AS "stepId", p.type, p.name, p.config, ${factsOf('p.type', 'm.context')} AS facts${parts.answer ?? ''}
  FROM moved m CROSS JOIN plan p LEFT JOIN contacts c ON p.type = 'CONDITION' AND c.project_id = $1 AND c.id = m.contact_id`;

/** The step execution that was under way gets its end. */
export const CLOSE = `closed AS (
  UPDATE step_executions e
     SET status = p.closes, output = coalesce(e.output, '{}') || p.output || p.noted, error = p.error, event_id = p.event_id, completed_at = greatest($4::timestamptz, e.started_at)
    FROM moved m, plan p, here WHERE e.project_id = $1 AND e.id = here.open
)`;

/** The step that the execution is at, while the step execution is the one under way. */
export const hereAt = (open: string): string => `here AS MATERIALIZED (
  SELECT x.workflow_id, x.contact_id, x.current_step_id AS step_id, x.step_execution_id AS open
    FROM workflow_executions x WHERE x.project_id = $1 AND x.id = $2 AND x.step_execution_id = ${open}
)`;

const MOVE = moveFrom({
  before: `${hereAt('$9')},
decision AS MATERIALIZED (
  SELECT $10::text AS closes, $11::jsonb AS output, $12::text AS error, $13::execution_status AS ends, $14::text AS reason, $15::uuid AS event_id FROM here
)`,
  close: CLOSE,
});

export interface MovedRow {
  status: ExecutionStatus;
  contactId: string;
  /** null when no step follows. */
  stepId: string | null;
  type: StepType;
  name: string;
  config: unknown;
  facts: ConditionFacts | null;
}

export function movedTo(row: MovedRow | undefined, nextId: string): Moved {
  if (!row) return null;
  const { status, contactId, stepId, ...step } = row;
  return stepId === null || status !== 'RUNNING'
    ? { ended: status }
    : { at: { stepExecutionId: nextId, stepId, ...step }, contactId };
}

/** Closes the step that is under way, and goes on or ends. */
export async function moveOn(db: Queryable, move: Move): Promise<Moved> {
  const { stepExecutionId, closes, output, error, ends, eventId } = move;
  const { rows } = await db.query<MovedRow>({
    name: 'execution-move',
    text: MOVE,
    values: [
      ...moveValues(move),
      stepExecutionId,
      closes,
      JSON.stringify(output),
      error,
      ends?.status ?? null,
      ends?.reason ?? null,
      eventId,
    ],
  });
  return movedTo(rows[0], move.nextId);
}

const BEGIN = moveFrom({
  before: `fresh AS MATERIALIZED (
  SELECT x.workflow_id, x.started_at, x.trigger_event_id, s.id AS step_id, s.name, s.config ->> 'eventName' AS event_name
    FROM workflow_executions x
    JOIN projects p ON p.id = x.project_id AND NOT p.disabled
    JOIN workflow_steps s ON s.project_id = x.project_id AND s.workflow_id = x.workflow_id AND s.type = 'TRIGGER'
   WHERE x.project_id = $1 AND x.id = $2 AND x.step_execution_id IS NULL AND x.status = 'RUNNING'
), here AS MATERIALIZED (
  SELECT workflow_id, step_id, NULL::uuid AS open FROM fresh
), decision AS MATERIALIZED (
  SELECT 'COMPLETED' AS closes, NULL::text AS error, NULL::execution_status AS ends, NULL::text AS reason, NULL::uuid AS event_id,
         CASE WHEN trigger_event_id IS NULL THEN jsonb_build_object('summary', $10::text)
              ELSE jsonb_build_object('summary', format($11::text, event_name), 'eventId', trigger_event_id) END AS output
    FROM fresh
)`,
  close: `closed AS (
  INSERT INTO step_executions (id, project_id, execution_id, step_id, step_type, step_name, status, output, began_at, started_at, completed_at)
  SELECT $9::uuid, $1, m.id, f.step_id, 'TRIGGER', f.name, p.closes, p.output || p.noted, f.started_at, f.started_at, greatest($4::timestamptz, f.started_at) FROM moved m, plan p, fresh f
)`,
});

export interface Begin extends Omit<Move, 'stepExecutionId' | 'closes' | 'output' | 'error' | 'ends' | 'eventId'> {
  /** Of the TRIGGER's step execution. */
  triggerId: string;
  /** What the TRIGGER's history says; in `byEvent`, %s is the event's name. */
  summaries: { byApi: string; byEvent: string };
}

/** The first move of a new execution: from the TRIGGER to the step behind it. null too when its project is disabled. */
export async function beginExecution(db: Queryable, begin: Begin): Promise<Moved> {
  const { triggerId, summaries } = begin;
  const { rows } = await db.query<MovedRow>({
    name: 'execution-begin',
    text: BEGIN,
    values: [...moveValues(begin), triggerId, summaries.byApi, summaries.byEvent],
  });
  return movedTo(rows[0], begin.nextId);
}

export interface Hold extends ExecutionKey {
  stepExecutionId: string;
  /** null: for ever, until the event. */
  wakeAt: Date | null;
  waitingFor: string | null;
  output: StepOutput;
}

/**
 * The step that is under way waits: for its time, for an event, or for both. @returns false when it is no longer under
 * way
 */
export async function hold(
  db: Queryable,
  { projectId, executionId, stepExecutionId, wakeAt, waitingFor, output }: Hold,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'execution-hold',
    text: `WITH held AS (
             UPDATE workflow_executions SET status = 'WAITING', wake_at = $4, waiting_for = $5
              WHERE project_id = $1 AND id = $2 AND status IN ('RUNNING', 'WAITING') AND step_execution_id = $3
             RETURNING step_execution_id AS id
           )
           UPDATE step_executions e SET status = 'WAITING', wake_at = $4, output = $6 FROM held WHERE e.project_id = $1 AND e.id = held.id`,
    values: [projectId, executionId, stepExecutionId, wakeAt, waitingFor, JSON.stringify(output)],
  });
  return rowCount === 1;
}

export interface Ending extends ExecutionKey {
  now: Date;
  status: 'EXITED' | 'FAILED' | 'CANCELLED';
  reason: string;
  /** Of the step that is under way. */
  closes: 'FAILED' | 'CANCELLED';
}

/** Ends an active execution wherever it is. @returns false when it had ended before, or is gone */
export async function endExecution(
  db: Queryable,
  { projectId, executionId, now, status, reason, closes }: Ending,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'execution-end',
    text: `WITH active AS (
             SELECT id, step_execution_id FROM workflow_executions WHERE project_id = $1 AND id = $2 AND status IN ('RUNNING', 'WAITING') FOR NO KEY UPDATE
           ), closed AS (
             UPDATE step_executions e
                SET status = $6, error = CASE WHEN $6 = 'FAILED' THEN $5 END, output = coalesce(e.output, '{}') || jsonb_build_object('summary', $5::text),
                    completed_at = greatest($3::timestamptz, e.started_at)
               FROM active WHERE e.project_id = $1 AND e.id = active.step_execution_id
           )
           UPDATE workflow_executions x
              SET status = $4, exit_reason = $5, completed_at = greatest($3::timestamptz, x.started_at), step_execution_id = NULL, waiting_for = NULL, wake_at = NULL
             FROM active WHERE x.project_id = $1 AND x.id = active.id`,
    values: [projectId, executionId, now, status, reason, closes],
  });
  return rowCount === 1;
}
