-- Executions of workflows: what they are at, what they wait for, and what an event starts and wakes.

ALTER TABLE "messages" ADD COLUMN "template_id" UUID, ADD COLUMN "template_version" INTEGER;
ALTER TABLE "step_executions"
  ADD COLUMN "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN "event_id" UUID,
  ADD COLUMN "step_name" TEXT NOT NULL,
  ADD COLUMN "step_type" "step_type" NOT NULL;
ALTER TABLE "templates" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "workflow_executions" ADD COLUMN "step_execution_id" UUID, ADD COLUMN "waiting_for" TEXT;

-- The message that all workflow emails of one version of a template share.
CREATE UNIQUE INDEX "messages_template_version_key" ON "messages" ("template_id", "template_version") WHERE "template_id" IS NOT NULL;
-- Who waits for an event of this contact.
CREATE INDEX "workflow_executions_waiting_for_idx" ON "workflow_executions" ("contact_id", "waiting_for") WHERE "waiting_for" IS NOT NULL;
-- The executions that are at a step: for its deletion, and for whether a workflow has active ones.
CREATE INDEX "workflow_executions_active_step_idx" ON "workflow_executions" ("workflow_id", "current_step_id") WHERE "status" IN ('RUNNING', 'WAITING');

-- What every stored event starts and wakes, committed with the event whoever writes it: executions of the enabled workflows with its name (one at
-- a time per workflow and contact, with re-entry off one ever), and a poke for each execution that waits for it.
--
-- An event and a wait that is being opened can't miss each other: the event's foreign key holds its contact FOR KEY SHARE before this trigger looks
-- for waits, and who opens a wait holds the contact FOR UPDATE before it looks for events.
CREATE FUNCTION events_start_and_wake() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  intents integer;
BEGIN
  WITH entering AS (
    SELECT DISTINCT ON (w.id, e.contact_id) w.id AS workflow_id, w.project_id, w.allow_reentry, e.contact_id, e.id AS event_id, e.data
      FROM happened e
      JOIN workflows w ON w.project_id = e.project_id AND w.event_name = e.name AND w.enabled
      JOIN projects p ON p.id = w.project_id AND NOT p.disabled
     WHERE e.contact_id IS NOT NULL
     ORDER BY w.id, e.contact_id, e.created_at, e.id
  ), begun AS (
    INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id, context, trigger_event_id, entry_key)
    SELECT uuid_v7(), n.project_id, n.workflow_id, n.contact_id, n.data, n.event_id, CASE WHEN NOT n.allow_reentry THEN n.workflow_id END
      FROM entering n
     WHERE n.allow_reentry OR NOT EXISTS (SELECT FROM workflow_executions x WHERE x.workflow_id = n.workflow_id AND x.contact_id = n.contact_id)
     ORDER BY n.workflow_id, n.contact_id
    ON CONFLICT DO NOTHING
    RETURNING id, project_id, workflow_id, contact_id
  ), intent AS (
    INSERT INTO outbox (workflow_id, action, payload)
    SELECT 'execution:' || b.id, 'start', execution_start(b.id, b.project_id, b.workflow_id, b.contact_id) FROM begun b
    UNION ALL
    SELECT 'execution:' || x.id, 'signal', jsonb_build_object('action', 'signal', 'workflowId', 'execution:' || x.id, 'signal', 'poke')
      FROM workflow_executions x
     WHERE x.waiting_for IS NOT NULL AND (x.contact_id, x.waiting_for) IN (SELECT e.contact_id, e.name FROM happened e)
    RETURNING 1
  )
  SELECT count(*) INTO intents FROM intent;
  -- In the transaction, unlike other wake-ups, and only when there is something: whoever writes events need not know.
  IF intents > 0 THEN
    PERFORM pg_notify('sendloom', 'outbox');
  END IF;
  RETURN NULL;
END $$;

-- The intent to start an execution's Temporal workflow; the same as executionStart in src/domain/executions/intents.ts.
CREATE FUNCTION execution_start(execution uuid, project uuid, workflow uuid, contact uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
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

CREATE TRIGGER "events_start_and_wake" AFTER INSERT ON "events" REFERENCING NEW TABLE AS happened FOR EACH STATEMENT EXECUTE FUNCTION events_start_and_wake();
