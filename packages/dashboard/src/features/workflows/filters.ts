/** The filters of a workflow's executions. They are search parameters of its page and of the API. */
export const EXECUTION_STATUSES = ['RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED'] as const;

export interface ExecutionFilters {
  status?: (typeof EXECUTION_STATUSES)[number] | undefined;
  /** A part of the contact's address. */
  search?: string | undefined;
}
