-- Takes deleted step executions back from the figures, so that these always equal the rows. The mirror of count_steps.
CREATE OR REPLACE FUNCTION uncount_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO workflow_deltas (project_id, at, step_id, transition_id, entered, completed, skipped, failed, cancelled)
  SELECT f.project_id, workflow_quarter(f.at), f.step_id, f.transition_id, -sum(f.entered),
         -count(*) FILTER (WHERE f.status = 'COMPLETED'), -count(*) FILTER (WHERE f.status = 'SKIPPED'),
         -count(*) FILTER (WHERE f.status = 'FAILED'), -count(*) FILTER (WHERE f.status = 'CANCELLED')
    FROM (
      SELECT e.project_id, e.started_at AS at, e.step_id, e.transition_id, 1 AS entered, NULL AS status FROM gone e
      UNION ALL
      SELECT e.project_id, coalesce(e.completed_at, e.started_at), e.step_id, NULL, 0, e.status FROM gone e
       WHERE e.status NOT IN ('RUNNING', 'WAITING')
    ) f
   GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "step_executions_uncount" AFTER DELETE ON "step_executions"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION uncount_steps();
