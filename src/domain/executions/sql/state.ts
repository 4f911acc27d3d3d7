/** Where an execution is in its workflow's graph. */
import type { ExecutionStatus, StepType } from '../../../generated/prisma/enums.js';
import type { JsonValue } from '../../../db/predicate.js';
import type { Queryable } from '../../../db/pool.js';

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

/** Returns the ConditionFacts of the contact `c` with a context. */
export const factsWith = (context: string): string => `jsonb_build_object(
         'email', c.email, 'subscribed', c.subscribed, 'createdAt', c.created_at, 'updatedAt', c.updated_at,
         'data', c.data, 'context', ${context})`;

const LOAD = `
SELECT x.status, x.contact_id AS "contactId", p.disabled AS "projectDisabled", x.step_execution_id AS "stepExecutionId",
       CASE WHEN s.id IS NOT NULL THEN jsonb_build_object(
         'stepId', s.id, 'type', s.type, 'name', s.name, 'config', s.config,
         'facts', CASE WHEN s.type = 'CONDITION' THEN ${factsWith('x.context')} END) END AS step,
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
