-- Returns the intent to start an execution's Temporal workflow. It equals executionStart in
-- src/domain/executions/intents.ts.
CREATE OR REPLACE FUNCTION execution_start(execution uuid, project uuid, workflow uuid, contact uuid) RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
    'action', 'start',
    'workflowId', 'execution:' || execution,
    'workflowType', 'workflowExecution',
    'taskQueue', 'automation',
    'args', jsonb_build_array(jsonb_build_object('executionId', execution, 'projectId', project)),
    'projectId', project,
    'resourceId', execution,
    'resourceKind', 'execution',
    'sourceWorkflowId', workflow,
    'contactId', contact,
    'summary', 'A contact on its way through a workflow')
$$;
