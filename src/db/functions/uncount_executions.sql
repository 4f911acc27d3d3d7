-- Counts deleted workflow executions by the day on which they started, and takes them back from the figures of their
-- workflow.
CREATE OR REPLACE FUNCTION uncount_executions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stat_deltas (project_id, day, workflows_gone)
  SELECT x.project_id, (x.started_at AT TIME ZONE 'UTC')::date, count(*) FROM gone x GROUP BY 1, 2;
  IF FOUND THEN
    INSERT INTO workflow_deltas (project_id, at, workflow_id, entered, completed, exited, failed, cancelled)
    SELECT f.project_id, workflow_quarter(f.at), f.workflow_id, -sum(f.entered),
           -count(*) FILTER (WHERE f.status = 'COMPLETED'), -count(*) FILTER (WHERE f.status = 'EXITED'),
           -count(*) FILTER (WHERE f.status = 'FAILED'), -count(*) FILTER (WHERE f.status = 'CANCELLED')
      FROM (
        SELECT x.project_id, x.started_at AS at, x.workflow_id, 1 AS entered, NULL::execution_status AS status FROM gone x
        UNION ALL
        SELECT x.project_id, coalesce(x.completed_at, x.started_at), x.workflow_id, 0, x.status FROM gone x
         WHERE x.status NOT IN ('RUNNING', 'WAITING')
      ) f
     GROUP BY 1, 2, 3;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "workflow_executions_uncount" AFTER DELETE ON "workflow_executions"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION uncount_executions();
