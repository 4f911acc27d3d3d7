-- Counts started workflow executions by the day on which they started. The count includes executions that are deleted
-- later; uncount_executions counts those.
CREATE OR REPLACE FUNCTION count_executions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stat_deltas (project_id, day, workflows_started)
  SELECT x.project_id, (x.started_at AT TIME ZONE 'UTC')::date, count(*) FROM started x GROUP BY 1, 2;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "workflow_executions_count" AFTER INSERT ON "workflow_executions"
  REFERENCING NEW TABLE AS started FOR EACH STATEMENT EXECUTE FUNCTION count_executions();
