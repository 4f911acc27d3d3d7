/** Writes whole graphs: the steps and transitions of one locked workflow. */
import type { Queryable } from '../../../db/pool.js';
import type { StepRow, TransitionRow } from './workflows.js';

const STEP_RECORD = `jsonb_to_recordset($3) AS s (id uuid, type step_type, name text, "position" jsonb, config jsonb,
                                                  template_id uuid)`;

const toStepRecords = (steps: StepRow[]): string =>
  JSON.stringify(steps.map(({ workflowId: _workflow, templateId, ...step }) => ({ ...step, template_id: templateId })));

export interface OfWorkflow {
  projectId: string;
  workflowId: string;
}

/** Inserts steps. Their ids are in the order of creation. */
export async function insertSteps(
  tx: Queryable,
  { projectId, workflowId }: OfWorkflow,
  steps: StepRow[],
): Promise<void> {
  if (steps.length === 0) return;
  await tx.query({
    name: 'steps-insert',
    text: `INSERT INTO workflow_steps (id, project_id, workflow_id, type, name, position, config, template_id)
           SELECT s.id, $1, $2, s.type, s.name, s.position, s.config, s.template_id FROM ${STEP_RECORD}`,
    values: [projectId, workflowId, toStepRecords(steps)],
  });
}

/** Updates everything but the type of steps. The event of a TRIGGER is also written to the workflow. */
export async function updateSteps(
  tx: Queryable,
  { projectId, workflowId }: OfWorkflow,
  steps: StepRow[],
): Promise<void> {
  if (steps.length === 0) return;
  await tx.query({
    name: 'steps-update',
    text: `WITH given AS MATERIALIZED (SELECT * FROM ${STEP_RECORD}), trigger AS (
             UPDATE workflows w SET event_name = g.config ->> 'eventName'
               FROM given g
              WHERE w.project_id = $1 AND w.id = $2 AND g.type = 'TRIGGER'
                AND w.event_name <> g.config ->> 'eventName'
           )
           UPDATE workflow_steps s
              SET name = g.name, position = g.position, config = g.config, template_id = g.template_id,
                  updated_at = clock_timestamp()
             FROM given g WHERE s.project_id = $1 AND s.workflow_id = $2 AND s.id = g.id`,
    values: [projectId, workflowId, toStepRecords(steps)],
  });
}

export type NewTransition = Pick<TransitionRow, 'id' | 'fromStepId' | 'toStepId' | 'branch' | 'priority'>;

/** Inserts transitions. Their ids are in the order of creation. */
export async function insertTransitions(
  tx: Queryable,
  { projectId, workflowId }: OfWorkflow,
  transitions: NewTransition[],
): Promise<void> {
  if (transitions.length === 0) return;
  await tx.query({
    name: 'transitions-insert',
    text: `INSERT INTO workflow_transitions (id, project_id, workflow_id, from_step_id, to_step_id, branch, priority)
           SELECT t.id, $1, $2, t."fromStepId", t."toStepId", t.branch, t.priority
             FROM jsonb_to_recordset($3)
                  AS t (id uuid, "fromStepId" uuid, "toStepId" uuid, branch text, priority integer)`,
    values: [projectId, workflowId, JSON.stringify(transitions)],
  });
}

/** Deletes transitions, and then steps with their transitions. Waits for executions that are reaching the steps. */
export async function deleteFromGraph(
  tx: Queryable,
  { projectId, workflowId }: OfWorkflow,
  { stepIds, transitionIds }: { stepIds: string[]; transitionIds: string[] },
): Promise<void> {
  const values = (ids: string[]) => [projectId, workflowId, ids];
  if (transitionIds.length > 0)
    await tx.query({
      name: 'transitions-delete',
      text: `DELETE FROM workflow_transitions WHERE project_id = $1 AND workflow_id = $2 AND id = ANY ($3::uuid[])`,
      values: values(transitionIds),
    });
  if (stepIds.length > 0)
    await tx.query({
      name: 'steps-delete',
      text: `DELETE FROM workflow_steps WHERE project_id = $1 AND workflow_id = $2 AND id = ANY ($3::uuid[])`,
      values: values(stepIds),
    });
}
