-- Counts started workflow executions by the day on which they started. The count includes executions that are deleted
-- later; uncount_executions counts those. Also counts them for the figures of their workflow.
CREATE OR REPLACE FUNCTION count_executions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stat_deltas (project_id, day, workflows_started)
  SELECT x.project_id, (x.started_at AT TIME ZONE 'UTC')::date, count(*) FROM started x GROUP BY 1, 2;
  IF FOUND THEN
    INSERT INTO workflow_deltas (project_id, at, workflow_id, entered, completed, exited, failed, cancelled)
    SELECT f.project_id, workflow_quarter(f.at), f.workflow_id, sum(f.entered),
           count(*) FILTER (WHERE f.status = 'COMPLETED'), count(*) FILTER (WHERE f.status = 'EXITED'),
           count(*) FILTER (WHERE f.status = 'FAILED'), count(*) FILTER (WHERE f.status = 'CANCELLED')
      FROM (
        SELECT x.project_id, x.started_at AS at, x.workflow_id, 1 AS entered, NULL::execution_status AS status FROM started x
        UNION ALL
        SELECT x.project_id, coalesce(x.completed_at, x.started_at), x.workflow_id, 0, x.status FROM started x
         WHERE x.status NOT IN ('RUNNING', 'WAITING')
      ) f
     GROUP BY 1, 2, 3;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "workflow_executions_count" AFTER INSERT ON "workflow_executions"
  REFERENCING NEW TABLE AS started FOR EACH STATEMENT EXECUTE FUNCTION count_executions();
