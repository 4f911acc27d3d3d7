-- Counts the outcome of a step execution. For each row, because a step that starts to wait then costs no call.
CREATE OR REPLACE FUNCTION count_step_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status NOT IN ('RUNNING', 'WAITING') THEN
    INSERT INTO workflow_deltas (project_id, at, step_id, completed, skipped, failed, cancelled)
    VALUES (OLD.project_id, workflow_quarter(coalesce(OLD.completed_at, OLD.started_at)), OLD.step_id,
            -(OLD.status = 'COMPLETED')::int, -(OLD.status = 'SKIPPED')::int, -(OLD.status = 'FAILED')::int,
            -(OLD.status = 'CANCELLED')::int);
  END IF;
  IF NEW.status NOT IN ('RUNNING', 'WAITING') THEN
    INSERT INTO workflow_deltas (project_id, at, step_id, completed, skipped, failed, cancelled)
    VALUES (NEW.project_id, workflow_quarter(coalesce(NEW.completed_at, NEW.started_at)), NEW.step_id,
            (NEW.status = 'COMPLETED')::int, (NEW.status = 'SKIPPED')::int, (NEW.status = 'FAILED')::int,
            (NEW.status = 'CANCELLED')::int);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "step_executions_count_ends" AFTER UPDATE ON "step_executions" FOR EACH ROW
  WHEN ((OLD.status, OLD.completed_at) IS DISTINCT FROM (NEW.status, NEW.completed_at)
        AND NOT (OLD.status IN ('RUNNING', 'WAITING') AND NEW.status IN ('RUNNING', 'WAITING')))
  EXECUTE FUNCTION count_step_ends();
