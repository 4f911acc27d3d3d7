/** Reads of workflows, and the rows that they need: a workflow with a million step executions over a year. */
import type { Pool } from 'pg';
import { foldWorkflowFigures } from '../src/domain/workflows/sql/figures.js';
import type { Read } from './reads.js';
import type { ScaleBench } from './segments-setup.js';

const FOLD_STEP = 50_000;
/** Each execution has a step execution of the TRIGGER and of the first steps. */
const STEPS = 20;
const STEPS_PER_EXECUTION = 5;
/** Of all step executions, per contact of the project. */
const STEP_EXECUTIONS_PER_CONTACT = 1;

const WORKFLOW_ID = '00000000-0000-7000-9000-000000000001';
const stepId = (number: number): string => `00000000-0000-7000-9000-${String(100 + number).padStart(12, '0')}`;

const GRAPH = `
WITH workflow AS (
  INSERT INTO workflows (id, project_id, name, event_name, allow_reentry) VALUES ($2, $1, 'Onboarding', 'signup', true)
), step AS (
  INSERT INTO workflow_steps (id, project_id, workflow_id, type, name, config)
  SELECT ('00000000-0000-7000-9000-' || lpad((100 + n)::text, 12, '0'))::uuid, $1, $2,
         CASE WHEN n = 0 THEN 'TRIGGER' ELSE 'DELAY' END::step_type, 'Step ' || n,
         CASE WHEN n = 0 THEN '{"eventName": "signup"}' ELSE '{"amount": 1, "unit": "days"}' END::jsonb
    FROM generate_series(0, $3::int - 1) n
)
INSERT INTO workflow_transitions (id, project_id, workflow_id, from_step_id, to_step_id, priority)
SELECT ('00000000-0000-7000-9000-' || lpad((500 + n)::text, 12, '0'))::uuid, $1, $2,
       ('00000000-0000-7000-9000-' || lpad((100 + n)::text, 12, '0'))::uuid,
       ('00000000-0000-7000-9000-' || lpad((101 + n)::text, 12, '0'))::uuid, 0
  FROM generate_series(0, $3::int - 2) n`;

/** A fifth of the executions wait; the others have ended, one in ten as FAILED. */
const EXECUTIONS = `
INSERT INTO workflow_executions
  (id, project_id, workflow_id, contact_id, status, current_step_id, started_at, completed_at)
SELECT uuid_v7(), $1, $2, c.id,
       CASE WHEN c.n % 5 = 0 THEN 'WAITING' WHEN c.n % 10 = 1 THEN 'FAILED' ELSE 'COMPLETED' END::execution_status,
       ('00000000-0000-7000-9000-' || lpad((100 + 1 + c.n % ($4::int - 1))::text, 12, '0'))::uuid, c.at,
       CASE WHEN c.n % 5 <> 0 THEN c.at + interval '3 days' END
  FROM (SELECT id, n, now() - interval '365 days' * n / $3::float8 AS at
          FROM (SELECT id, row_number() OVER () AS n FROM contacts WHERE project_id = $1 LIMIT $3) c) c`;

const STEP_EXECUTIONS = `
INSERT INTO step_executions
  (id, project_id, execution_id, step_id, transition_id, step_type, step_name, status, began_at, started_at, completed_at)
SELECT uuid_v7(), $1, x.id, ('00000000-0000-7000-9000-' || lpad((100 + s.n)::text, 12, '0'))::uuid,
       CASE WHEN s.n > 0 THEN ('00000000-0000-7000-9000-' || lpad((499 + s.n)::text, 12, '0'))::uuid END,
       CASE WHEN s.n = 0 THEN 'TRIGGER' ELSE 'DELAY' END::step_type, 'Step ' || s.n,
       CASE WHEN s.n = least(s.last, $3::int - 1) AND x.status = 'WAITING' THEN 'WAITING'
            WHEN s.n = least(s.last, $3::int - 1) AND x.status = 'FAILED' THEN 'FAILED' ELSE 'COMPLETED' END,
       s.at, s.at, CASE WHEN NOT (s.n = s.last AND x.status = 'WAITING') THEN s.at + interval '12 hours' END
  FROM workflow_executions x
 CROSS JOIN LATERAL (
   SELECT n, x.started_at + n * interval '12 hours' AS at, $3::int - 1 AS last FROM generate_series(0, $3::int - 1) n) s
 WHERE x.project_id = $1 AND x.workflow_id = $2`;

async function prepare(pool: Pool, projectId: string): Promise<void> {
  const { rows } = await pool.query<{ found: boolean; contacts: number }>(
    `SELECT EXISTS (SELECT FROM workflows WHERE id = $2) AS found,
            (SELECT count(*) FROM contacts WHERE project_id = $1) AS contacts`,
    [projectId, WORKFLOW_ID],
  );
  const [state] = rows;
  if (!state || state.found) return;
  const executions = Math.ceil((state.contacts * STEP_EXECUTIONS_PER_CONTACT) / STEPS_PER_EXECUTION);
  await pool.query(GRAPH, [projectId, WORKFLOW_ID, STEPS]);
  await pool.query(EXECUTIONS, [projectId, WORKFLOW_ID, executions, STEPS_PER_EXECUTION]);
  await pool.query(STEP_EXECUTIONS, [projectId, WORKFLOW_ID, STEPS_PER_EXECUTION]);
  while ((await foldWorkflowFigures(pool, FOLD_STEP)) >= FOLD_STEP);
  for (const table of ['workflow_executions', 'step_executions', 'workflow_figures', 'workflow_deltas'])
    await pool.query(`VACUUM ANALYZE ${table}`);
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;

const showStats = (response: unknown): string => {
  const steps = Object.values(field(response, 'steps') ?? {});
  const entered = steps.map((step) => Number(field(step, 'entered'))).reduce((sum, count) => sum + count, 0);
  return `${entered} entered, ${String(field(field(response, 'executions'), 'active'))} active`;
};

const showTotal = (response: unknown): string => `${String(field(response, 'total'))} in total`;

export async function workflowReads({ ctx, project }: ScaleBench): Promise<Read[]> {
  await prepare(ctx.pool, project.id);
  const at = (daysAgo: number): string => new Date(Date.now() - daysAgo * 24 * 3_600_000).toISOString();
  const read = (name: string, path: string, limitMs: number, show: Read['show']): Read => ({
    name: `workflow ${name}`,
    method: 'GET',
    url: `/workflows/${WORKFLOW_ID}/${path}`,
    limitMs,
    show,
  });
  return [
    read('stats, whole time', 'stats', 150, showStats),
    read('stats, half a year', `stats?from=${at(200)}&to=${at(17)}`, 150, showStats),
    read('stats, an hour', `stats?from=${at(20)}&to=${at(19.95)}`, 150, showStats),
    read('executions', 'executions?pageSize=50', 150, showTotal),
    read('executions, WAITING at a step', `executions?pageSize=50&status=WAITING&stepId=${stepId(1)}`, 150, showTotal),
    read('executions, at a step', `executions?pageSize=50&stepId=${stepId(2)}`, 150, showTotal),
    read('executions, FAILED', 'executions?pageSize=50&status=FAILED', 150, showTotal),
    read('executions, search', 'executions?pageSize=50&search=1234', 150, showTotal),
  ];
}
