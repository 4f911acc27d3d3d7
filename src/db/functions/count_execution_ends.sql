-- Counts the end of an execution. For each row, because most updates are moves, which then cost no call.
CREATE OR REPLACE FUNCTION count_execution_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status NOT IN ('RUNNING', 'WAITING') THEN
    INSERT INTO workflow_deltas (project_id, at, workflow_id, completed, exited, failed, cancelled)
    VALUES (OLD.project_id, workflow_quarter(coalesce(OLD.completed_at, OLD.started_at)), OLD.workflow_id,
            -(OLD.status = 'COMPLETED')::int, -(OLD.status = 'EXITED')::int, -(OLD.status = 'FAILED')::int,
            -(OLD.status = 'CANCELLED')::int);
  END IF;
  IF NEW.status NOT IN ('RUNNING', 'WAITING') THEN
    INSERT INTO workflow_deltas (project_id, at, workflow_id, completed, exited, failed, cancelled)
    VALUES (NEW.project_id, workflow_quarter(coalesce(NEW.completed_at, NEW.started_at)), NEW.workflow_id,
            (NEW.status = 'COMPLETED')::int, (NEW.status = 'EXITED')::int, (NEW.status = 'FAILED')::int,
            (NEW.status = 'CANCELLED')::int);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "workflow_executions_count_ends" AFTER UPDATE ON "workflow_executions" FOR EACH ROW
  WHEN ((OLD.status, OLD.completed_at) IS DISTINCT FROM (NEW.status, NEW.completed_at)
        AND NOT (OLD.status IN ('RUNNING', 'WAITING') AND NEW.status IN ('RUNNING', 'WAITING')))
  EXECUTE FUNCTION count_execution_ends();
