/** The search parameters of a workflow's page. */
export const EXECUTION_STATUSES = ['RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED'] as const;

/** The filters of the executions, which are also parameters of the API. */
export interface ExecutionFilters {
  status?: (typeof EXECUTION_STATUSES)[number] | undefined;
  /** A part of the contact's address. */
  search?: string | undefined;
  /** The step at which executions are or ended. */
  step?: string | undefined;
}

export const STEP_VIEWS = ['graph', 'list'] as const;
export type StepView = (typeof STEP_VIEWS)[number];

export interface WorkflowView extends ExecutionFilters {
  /** Default: the list on a phone, otherwise the graph. */
  view?: StepView | undefined;
  /** The first and last day of the figures, in the project's time zone. Default: the whole time. */
  from?: string | undefined;
  to?: string | undefined;
}
