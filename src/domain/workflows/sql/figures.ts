/**
 * Figures of workflows (additions, section 5). Triggers on executions and step executions append deltas
 * (src/db/functions/count_steps.sql and others), which are folded into quarters of an hour and UTC days. Readers add both
 * in one statement, so a fold changes no sum. The figures always equal the rows: deleted rows are taken back.
 */
import type { Queryable } from '../../../db/pool.js';

const FIGURES = ['entered', 'completed', 'exited', 'skipped', 'failed', 'cancelled'] as const;

const list = (write: (name: string) => string): string => FIGURES.map(write).join(', ');

/** The nodes of a delta `d`: the workflow, or the step and the transition that led to it, which has only `entered`. */
const NODES = `(VALUES (d.workflow_id, ${list((name) => `d.${name}`)}), (d.step_id, ${list((name) => `d.${name}`)}),
  (d.transition_id, d.entered, 0, 0, 0, 0, 0)) AS n (id, ${list((name) => name)})`;

const FOLD = `
WITH turn AS MATERIALIZED (
  -- One fold at a time: concurrent folds would wait for each other's rows.
  SELECT pg_try_advisory_xact_lock(hashtextextended('fold workflow figures', 0)) AS mine
), folded AS MATERIALIZED (
  DELETE FROM workflow_deltas WHERE id = ANY (ARRAY(
    SELECT id FROM workflow_deltas WHERE (SELECT mine FROM turn) ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING *
), delta AS MATERIALIZED (
  SELECT d.project_id, n.id, d.at, ${list((name) => `sum(n.${name})::int AS ${name}`)}
    FROM folded d CROSS JOIN LATERAL ${NODES} WHERE n.id IS NOT NULL GROUP BY 1, 2, 3
), node AS MATERIALIZED (
  -- Deltas of deleted workflows, steps, and transitions are dropped.
  SELECT w.id, w.id AS workflow_id FROM workflows w WHERE w.id IN (SELECT id FROM delta)
  UNION ALL SELECT s.id, s.workflow_id FROM workflow_steps s WHERE s.id IN (SELECT id FROM delta)
  UNION ALL SELECT t.id, t.workflow_id FROM workflow_transitions t WHERE t.id IN (SELECT id FROM delta)
), workflow AS MATERIALIZED (
  SELECT w.id FROM workflows w WHERE w.id IN (SELECT workflow_id FROM node) ORDER BY w.id FOR KEY SHARE
), stored AS (
  INSERT INTO workflow_figures AS f (project_id, workflow_id, unit, at, node_id, ${list((name) => name)})
  SELECT d.project_id, n.workflow_id, u.unit, u.at, n.id, ${list((name) => `sum(d.${name})`)}
    FROM delta d JOIN node n ON n.id = d.id JOIN workflow w ON w.id = n.workflow_id
   CROSS JOIN LATERAL (VALUES ('quarter', d.at), ('day', date_trunc('day', d.at, 'UTC'))) AS u (unit, at)
   GROUP BY 1, 2, 3, 4, 5 ORDER BY 2, 3, 4, 5
  ON CONFLICT (workflow_id, unit, at, node_id) DO UPDATE SET ${list((name) => `${name} = f.${name} + excluded.${name}`)}
)
SELECT count(*)::int AS count FROM folded`;

/** Folds up to `limit` deltas unless another fold is running. @returns their number */
export async function foldWorkflowFigures(db: Queryable, limit: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({ name: 'workflow-figures-fold', text: FOLD, values: [limit] });
  return rows[0]?.count ?? 0;
}

/** The period of figures. Null is unlimited. */
export interface FigurePeriod {
  /** The start of a quarter of an hour. */
  from: Date | null;
  /** The exclusive end: the start of a quarter. */
  until: Date | null;
}

export interface NodeFigures {
  kind: 'workflow' | 'step' | 'transition';
  id: string;
  /** The executions or step executions of the whole time that have not ended. */
  active: number;
  /** Those below are of the period. */
  entered: number;
  completed: number;
  exited: number;
  skipped: number;
  failed: number;
  cancelled: number;
}

const DAY_MS = 24 * 3600 * 1000;

/** Returns the UTC days that lie wholly in a period. What is left on both sides consists of quarters. */
function wholeDays({ from, until }: FigurePeriod): FigurePeriod {
  const first = from && new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const last = until && new Date(Math.floor(until.getTime() / DAY_MS) * DAY_MS);
  const isEmpty = first !== null && last !== null && first > last;
  return isEmpty ? { from: until, until } : { from: first, until: last };
}

const READ = `
WITH node AS MATERIALIZED (
  SELECT 'workflow' AS kind, w.id FROM workflows w WHERE w.project_id = $1 AND w.id = $2
  UNION ALL SELECT 'step', s.id FROM workflow_steps s WHERE s.project_id = $1 AND s.workflow_id = $2
  UNION ALL SELECT 'transition', t.id FROM workflow_transitions t WHERE t.project_id = $1 AND t.workflow_id = $2
), part AS (
  SELECT f.node_id AS id, f.at >= $5 AND f.at < $6 AS counts, true AS lasts, ${list((name) => `f.${name}`)}
    FROM workflow_figures f WHERE f.workflow_id = $2 AND f.unit = 'day'
  UNION ALL
  SELECT f.node_id, true, false, ${list((name) => `f.${name}`)}
    FROM workflow_figures f WHERE f.workflow_id = $2 AND f.unit = 'quarter' AND f.at >= $3 AND f.at < $5
  UNION ALL
  SELECT f.node_id, true, false, ${list((name) => `f.${name}`)}
    FROM workflow_figures f WHERE f.workflow_id = $2 AND f.unit = 'quarter' AND f.at >= $6 AND f.at < $4
  UNION ALL
  SELECT n.id, d.at >= $3 AND d.at < $4, true, ${list((name) => `n.${name}`)}
    FROM workflow_deltas d CROSS JOIN LATERAL ${NODES}
   WHERE d.project_id = $1 AND n.id IN (SELECT id FROM node)
), total AS (
  SELECT p.id, sum(p.entered - p.completed - p.exited - p.skipped - p.failed - p.cancelled) FILTER (WHERE p.lasts) AS active,
         ${list((name) => `sum(p.${name}) FILTER (WHERE p.counts) AS ${name}`)}
    FROM part p GROUP BY p.id
)
SELECT node.kind, node.id, coalesce(t.active, 0)::bigint AS active,
       ${list((name) => `coalesce(t.${name}, 0)::bigint AS ${name}`)}
  FROM node LEFT JOIN total t ON t.id = node.id`;

/**
 * Returns the figures of a workflow, its steps, and its transitions; no rows if the project has no such workflow. The
 * cost depends on the days since the first execution, and not on the number of executions.
 */
export async function selectFigures(
  db: Queryable,
  projectId: string,
  workflowId: string,
  period: FigurePeriod,
): Promise<NodeFigures[]> {
  const days = wholeDays(period);
  const ends = [period.from ?? '-infinity', period.until ?? 'infinity'];
  const daysEnds = [days.from ?? '-infinity', days.until ?? 'infinity'];
  const { rows } = await db.query<NodeFigures>({
    name: 'workflow-figures',
    text: READ,
    values: [projectId, workflowId, ...ends, ...daysEnds],
  });
  return rows;
}
