-- Executions of workflows: what they are at, what they wait for, and what an event starts and wakes.

ALTER TABLE "messages" ADD COLUMN "template_id" UUID, ADD COLUMN "template_version" INTEGER;
ALTER TABLE "step_executions"
  ADD COLUMN "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN "event_id" UUID,
  ADD COLUMN "step_name" TEXT NOT NULL,
  ADD COLUMN "step_type" "step_type" NOT NULL;
ALTER TABLE "templates" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "workflow_executions" ADD COLUMN "step_execution_id" UUID, ADD COLUMN "waiting_for" TEXT;

-- An execution's history in its order: a wait looks for the step before it, and loops make histories long. The project comes first for the foreign key:
-- before the table is analysed, no other index would look better to it than that of all step executions of the project.
DROP INDEX "step_executions_project_id_execution_id_idx";
CREATE INDEX "step_executions_project_id_execution_id_began_at_id_idx" ON "step_executions" ("project_id", "execution_id", "began_at", "id");
-- The events that ended waits of an execution.
CREATE INDEX "step_executions_event_idx" ON "step_executions" ("execution_id", "event_id") WHERE "event_id" IS NOT NULL;
-- The message that all workflow emails of one version of a template share.
CREATE UNIQUE INDEX "messages_template_version_key" ON "messages" ("template_id", "template_version") WHERE "template_id" IS NOT NULL;
-- The emails of a message: without it, whoever deletes a message reads all emails of its project.
CREATE INDEX "emails_message_id_idx" ON "emails" ("message_id");
-- Who waits for an event of this contact.
CREATE INDEX "workflow_executions_waiting_for_idx" ON "workflow_executions" ("contact_id", "waiting_for") WHERE "waiting_for" IS NOT NULL;
-- A contact's executions, and whether it has been through a workflow before. With the project, which the deletion of a contact asks by.
DROP INDEX "workflow_executions_project_id_contact_id_idx";
CREATE INDEX "workflow_executions_contact_id_project_id_workflow_id_idx" ON "workflow_executions" ("contact_id", "project_id", "workflow_id");
-- The executions that are at a step: for its deletion, and for whether a workflow has active ones.
CREATE INDEX "workflow_executions_active_step_idx" ON "workflow_executions" ("workflow_id", "current_step_id") WHERE "status" IN ('RUNNING', 'WAITING');

-- The relay is a stream: starts, pokes and cancellations have lanes of their own, and in a lane everybody has his turn. Who waits together is '<kind>/<project>'.
-- A claim finds each of them, and the oldest intents of each, by look-ups in one index.
ALTER TABLE "outbox" ADD COLUMN "fairness_key" TEXT NOT NULL DEFAULT '';
DROP INDEX "outbox_available_at_id_idx";
CREATE INDEX "outbox_action_fairness_key_available_at_id_idx" ON "outbox" ("action", "fairness_key", "available_at", "id");

-- What every stored event starts and wakes, committed with the event whoever writes it: executions of the enabled workflows with its name (one at
-- a time per workflow and contact, with re-entry off one ever), and a poke for each execution that waits for it.
--
-- An event and a wait that is being opened can't miss each other: the event's foreign key holds its contact FOR KEY SHARE before this trigger looks
-- for waits, and who opens a wait holds the contact FOR UPDATE before it looks for events. Likewise an event and its project's end: the foreign key holds
-- the project, and who disables it holds it FOR UPDATE (src/domain/projects/stop.ts).
--
-- Most events concern nobody: two look-ups in partial indexes each, and no more. A connection keeps the plans that it has made for its first events, when
-- there may have been ten thousand of them, or next to no workflows and executions. OFFSET 0 and the settings leave the planner no other way than one look-up
-- by index for each event, which is good for all of them.
CREATE FUNCTION events_start_and_wake() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  starts boolean;
  wakes boolean;
BEGIN
  SELECT EXISTS (SELECT FROM happened e
                  WHERE e.contact_id IS NOT NULL
                    AND EXISTS (SELECT FROM workflows w WHERE w.project_id = e.project_id AND w.event_name = e.name AND w.enabled OFFSET 0)),
         EXISTS (SELECT FROM happened e
                  WHERE EXISTS (SELECT FROM workflow_executions x WHERE x.contact_id = e.contact_id AND x.waiting_for = e.name OFFSET 0))
    INTO starts, wakes;

  IF starts THEN
    WITH entering AS MATERIALIZED (
      SELECT DISTINCT ON (w.id, e.contact_id) w.id AS workflow_id, e.name, e.contact_id, e.id AS event_id, e.data
        FROM happened e
        CROSS JOIN LATERAL (SELECT w.id FROM workflows w WHERE w.project_id = e.project_id AND w.event_name = e.name AND w.enabled OFFSET 0) w
       WHERE e.contact_id IS NOT NULL
       ORDER BY w.id, e.contact_id, e.created_at, e.id
    ), open AS MATERIALIZED (
      -- Held as the foreign key will hold it, but before: a workflow that is being deleted or edited is waited for, and is then gone or as it was made.
      SELECT w.id, w.project_id, w.event_name, w.allow_reentry FROM workflows w
       WHERE w.id = ANY (ARRAY(SELECT DISTINCT workflow_id FROM entering)) AND w.enabled AND NOT (SELECT p.disabled FROM projects p WHERE p.id = w.project_id)
       ORDER BY w.id FOR KEY SHARE OF w
    ), begun AS (
      -- In one order, so that two statements with the same contacts can't deadlock over the unique indexes.
      INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id, context, trigger_event_id, entry_key)
      SELECT uuid_v7(), w.project_id, w.id, n.contact_id, n.data, n.event_id, CASE WHEN NOT w.allow_reentry THEN w.id END
        FROM entering n JOIN open w ON w.id = n.workflow_id AND w.event_name = n.name
       WHERE w.allow_reentry OR NOT EXISTS (SELECT FROM workflow_executions x WHERE x.contact_id = n.contact_id AND x.workflow_id = n.workflow_id OFFSET 0)
       ORDER BY n.workflow_id, n.contact_id
      ON CONFLICT DO NOTHING
      RETURNING id, project_id, workflow_id, contact_id
    )
    INSERT INTO outbox (workflow_id, action, payload, fairness_key)
    SELECT 'execution:' || b.id, 'start', execution_start(b.id, b.project_id, b.workflow_id, b.contact_id), 'execution/' || b.project_id FROM begun b;
    starts := FOUND;
  END IF;

  IF wakes THEN
    INSERT INTO outbox (workflow_id, action, payload, fairness_key)
    SELECT 'execution:' || x.id, 'signal', jsonb_build_object('action', 'signal', 'workflowId', 'execution:' || x.id, 'signal', 'poke'), 'execution/' || x.project_id
      FROM (SELECT DISTINCT contact_id, name FROM happened) e
      CROSS JOIN LATERAL (SELECT x.id, x.project_id FROM workflow_executions x WHERE x.contact_id = e.contact_id AND x.waiting_for = e.name OFFSET 0) x;
  END IF;

  -- In the transaction, unlike other wake-ups, and only when there is something: whoever writes events need not know.
  IF starts OR wakes THEN
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
