-- Notices: what webhooks tell of campaigns, executions, imports, domains, and projects. They are written in the transaction
-- of the change, with their deliveries (insert_deliveries). The triggers fire only when a status changes, whichever statement
-- changes it, and cost one lookup in projects without endpoints.
CREATE OR REPLACE FUNCTION announce(p_project_id uuid, p_type text, p_data jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_id uuid := uuid_v7();
BEGIN
  IF NOT EXISTS (SELECT FROM webhook_endpoints w WHERE w.project_id = p_project_id) THEN RETURN; END IF;
  INSERT INTO webhook_notices (id, project_id, type, data) VALUES (v_id, p_project_id, p_type, p_data);
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM insert_deliveries(
    ARRAY[(v_id, p_project_id, NULL, NULL, p_type, '{}', NULL, NULL)::new_event], true) i;
END $$;

CREATE OR REPLACE FUNCTION announce_campaign() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce(NEW.project_id, 'campaign.' || CASE NEW.status WHEN 'SENDING' THEN 'started' ELSE lower(NEW.status::text) END,
                   jsonb_build_object('campaignId', NEW.id, 'name', NEW.name));
  RETURN NULL;
END $$;

-- A retry of failed emails does not start a campaign again.
CREATE OR REPLACE TRIGGER "campaigns_announce" AFTER UPDATE OF "status" ON "campaigns" FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status
        AND (NEW.status IN ('SENT', 'CANCELLED') OR NEW.status = 'SENDING' AND OLD.status IN ('DRAFT', 'SCHEDULED')))
  EXECUTE FUNCTION announce_campaign();

CREATE OR REPLACE FUNCTION announce_execution() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce(NEW.project_id, CASE NEW.status WHEN 'FAILED' THEN 'execution.failed' ELSE 'execution.completed' END,
                   jsonb_build_object('executionId', NEW.id, 'workflowId', NEW.workflow_id, 'contactId', NEW.contact_id,
                                      'status', NEW.status, 'reason', NEW.exit_reason));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "executions_announce" AFTER UPDATE OF "status" ON "workflow_executions" FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('COMPLETED', 'EXITED', 'FAILED'))
  EXECUTE FUNCTION announce_execution();

CREATE OR REPLACE FUNCTION announce_import() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce(NEW.project_id, 'import.completed',
                   jsonb_build_object('jobId', NEW.id, 'successCount', NEW.success_count, 'createdCount', NEW.created_count,
                                      'updatedCount', NEW.updated_count, 'skippedCount', NEW.skipped_count,
                                      'failureCount', NEW.failure_count));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "jobs_announce" AFTER UPDATE OF "state" ON "jobs" FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state AND NEW.kind = 'IMPORT' AND NEW.state = 'completed'
        AND NEW.params ->> 'dryRun' IS DISTINCT FROM 'true')
  EXECUTE FUNCTION announce_import();

CREATE OR REPLACE FUNCTION announce_domain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce(NEW.project_id, CASE NEW.status WHEN 'VERIFIED' THEN 'domain.verified' ELSE 'domain.failed' END,
                   jsonb_build_object('domainId', NEW.id, 'domain', NEW.domain));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "domains_announce" AFTER UPDATE OF "status" ON "domains" FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status AND (NEW.status <> 'PENDING' OR OLD.status = 'VERIFIED'))
  EXECUTE FUNCTION announce_domain();

CREATE OR REPLACE FUNCTION announce_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM announce(NEW.id, 'project.disabled', jsonb_build_object('reason', NEW.disabled_reason));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "projects_announce" AFTER UPDATE OF "disabled" ON "projects" FOR EACH ROW
  WHEN (NEW.disabled AND NOT OLD.disabled)
  EXECUTE FUNCTION announce_project();
