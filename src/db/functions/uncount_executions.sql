-- Counts deleted workflow executions by the day on which they started.
CREATE OR REPLACE FUNCTION uncount_executions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stat_deltas (project_id, day, workflows_gone)
  SELECT x.project_id, (x.started_at AT TIME ZONE 'UTC')::date, count(*) FROM gone x GROUP BY 1, 2;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "workflow_executions_uncount" AFTER DELETE ON "workflow_executions"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION uncount_executions();
