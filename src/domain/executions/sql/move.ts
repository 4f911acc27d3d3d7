/**
 * The moves of an execution from step to step of its workflow's graph.
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
import { factsWith, type ConditionFacts, type ExecutionKey, type ReachedStep } from './state.js';

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

/** The columns of `baseInput`. */
export const BASE_COLUMNS = `project_id uuid, execution_id uuid, next_id uuid, now timestamptz, branches text[],
    without_edge_status execution_status, without_edge_reason text, without_edge_note text,
    exit_summary text, exit_summary_with_reason text`;

/**
 * Returns parts of a WITH clause: the edge that leads on from a position, and the step that it leads to.
 *
 * `target` locks that step, which serializes the move with the step's deletion: the deletion then finds this execution at
 * the step, or this statement finds no step. Without the step, there is no plan and no move.
 *
 * @param position a table with the current step
 * @param condition whether an edge of the position `h` is followed
 */
export const edgeFrom = (position: 'here' | 'decision', condition = 'true'): string => `edge AS MATERIALIZED (
  SELECT t.id, t.to_step_id, t.project_id
    FROM ${position} h
    JOIN workflow_transitions t
      ON t.project_id = h.project_id AND t.workflow_id = h.workflow_id AND t.from_step_id = h.step_id
   WHERE ${condition} AND coalesce(t.branch, '') = ANY (h.branches)
   ORDER BY t.priority, t.id LIMIT 1
), target AS MATERIALIZED (
  SELECT s.id, s.type, s.name, s.config, edge.id AS transition_id,
         CASE WHEN s.type = 'EXIT' THEN s.config ->> 'reason' END AS exit_reason
    FROM edge JOIN workflow_steps s ON s.id = edge.to_step_id AND s.project_id = edge.project_id
     FOR KEY SHARE OF s
)`;

/**
 * Returns a part of a WITH clause: the execution, moved as `plan` says.
 *
 * @param stepExecution the condition on its current step execution
 * @param context its new context; null: unchanged
 */
export const movedFrom = (
  stepExecution: '= p.step_execution_id' | 'IS NULL',
  context: string | null = null,
): string => `moved AS (
  UPDATE workflow_executions x
     SET status = p.status, exit_reason = p.exit_reason, current_step_id = coalesce(p.to_id, p.step_id),
         waiting_for = NULL, wake_at = NULL,
         step_execution_id = CASE WHEN p.status = 'RUNNING' THEN p.next_id END,
         completed_at = CASE WHEN p.status <> 'RUNNING' THEN greatest(p.now, x.started_at) END${context === null ? '' : `, context = ${context}`}
    FROM plan p
   WHERE x.project_id = (SELECT project_id FROM plan) AND x.id = (SELECT execution_id FROM plan)
     AND x.status IN ('RUNNING', 'WAITING')
     AND x.step_execution_id ${stepExecution}
  RETURNING x.id, x.contact_id, x.context, x.status
)`;

/** A part of a WITH clause: opens the next step execution. That of an EXIT is inserted already closed. */
export const OPENED = `opened AS (
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
)`;

/** Returns the end of the statement of a move. It selects a MovedRow. @param more further columns, after a comma */
export const selectMoved = (more = ''): string => `
SELECT m.status, m.contact_id AS "contactId", p.to_id AS "stepId", p.type, p.name, p.config,
       CASE WHEN p.type = 'CONDITION' THEN ${factsWith('m.context')} END AS facts${more}
  FROM moved m
 CROSS JOIN plan p
  LEFT JOIN contacts c
    ON p.type = 'CONDITION' AND c.project_id = (SELECT project_id FROM plan) AND c.id = (SELECT contact_id FROM moved)`;

/** A context of more than 256 KiB (262,144 bytes) is replaced by the data of the new event. */
const NEW_CONTEXT = `CASE WHEN p.event_id IS NULL THEN x.context ELSE coalesce((
           SELECT CASE WHEN octet_length((x.context || v.data)::text) > 262144 THEN v.data ELSE x.context || v.data END
             FROM events v WHERE v.project_id = p.project_id AND v.id = p.event_id), x.context) END`;

const MOVE = `
WITH input AS MATERIALIZED (
  SELECT * FROM jsonb_to_record($1) AS i (
    ${BASE_COLUMNS}, step_execution_id uuid,
    closes text, output jsonb, error text, ends execution_status, end_reason text, event_id uuid)
), here AS MATERIALIZED (
  SELECT x.workflow_id, x.current_step_id AS step_id, i.*
    FROM input i
    JOIN workflow_executions x
      ON x.project_id = (SELECT project_id FROM input) AND x.id = (SELECT execution_id FROM input)
     AND x.step_execution_id = i.step_execution_id
), ${edgeFrom('here', 'h.ends IS NULL')}, plan AS MATERIALIZED (
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
), ${movedFrom('= p.step_execution_id', NEW_CONTEXT)}, closed AS (
  UPDATE step_executions e
     SET status = p.closes, output = coalesce(e.output, '{}') || p.output || p.note, error = p.error,
         event_id = p.event_id, completed_at = greatest(p.now, e.started_at)
    FROM moved m, plan p
   WHERE e.project_id = (SELECT project_id FROM plan) AND e.id = (SELECT step_execution_id FROM plan)
), ${OPENED}${selectMoved()}`;

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
