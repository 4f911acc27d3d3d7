/** The first move of an execution. */
import type { Queryable } from '../../../db/pool.js';
import {
  BASE_COLUMNS,
  baseInput,
  edgeFrom,
  movedFrom,
  OPENED,
  selectMoved,
  toMoved,
  type MoveBase,
  type Moved,
  type MovedRow,
} from './move.js';

/** As MOVE (move.ts), but from the TRIGGER of a new execution. The TRIGGER's step execution is inserted already closed. */
const START = `
WITH input AS MATERIALIZED (
  SELECT * FROM jsonb_to_record($1) AS i (
    ${BASE_COLUMNS}, trigger_id uuid,
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
), ${edgeFrom('here')}, plan AS MATERIALIZED (
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
), ${movedFrom('IS NULL')}, closed AS (
  INSERT INTO step_executions
    (id, project_id, execution_id, step_id, step_type, step_name, status, output, began_at, started_at, completed_at)
  SELECT p.trigger_id, p.project_id, m.id, p.step_id, 'TRIGGER', p.step_name, 'COMPLETED', p.output || p.note,
         p.started_at, p.started_at, greatest(p.now, p.started_at)
    FROM moved m, plan p
), ${OPENED}${selectMoved()}`;

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
