-- Figures of workflows by step, transition, and time, as deltas that housekeeping folds
-- (src/domain/workflows/sql/figures.ts).
--
-- The functions are here too, because the number of waiting executions is a sum of figures: between the backfill and the
-- first trigger, no execution may move. The locks are taken in the order in which moves take them. The backfill takes
-- about 20 seconds per million step executions.

LOCK TABLE "workflow_executions" IN SHARE ROW EXCLUSIVE MODE;

-- The transition that led to the step. Null for the TRIGGER, and after a splice.
ALTER TABLE "step_executions" ADD COLUMN "transition_id" UUID;

-- A row is about a workflow, or about a step and the transition that led to it.
CREATE TABLE "workflow_deltas" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "workflow_id" UUID,
    "step_id" UUID,
    "transition_id" UUID,
    "entered" INTEGER NOT NULL DEFAULT 0,
    "completed" INTEGER NOT NULL DEFAULT 0,
    "exited" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "cancelled" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "workflow_deltas_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "workflow_deltas_project_id_idx" ON "workflow_deltas"("project_id");

-- By quarter of an hour, and by UTC day. The node is the workflow, or one of its steps or transitions. Rows of deleted
-- steps and transitions stay until their workflow is deleted.
CREATE TABLE "workflow_figures" (
    "project_id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "unit" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "node_id" UUID NOT NULL,
    "entered" INTEGER NOT NULL DEFAULT 0,
    "completed" INTEGER NOT NULL DEFAULT 0,
    "exited" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "cancelled" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "workflow_figures_pkey" PRIMARY KEY ("workflow_id","unit","at","node_id")
);
ALTER TABLE "workflow_figures" ADD CONSTRAINT "workflow_figures_project_id_workflow_id_fkey" FOREIGN KEY ("project_id", "workflow_id") REFERENCES "workflows"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;


-- By hand from here.

ALTER TABLE "workflow_deltas" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "workflow_figures" ALTER COLUMN "project_id" SET STATISTICS 0;
-- Rows of this table are deleted soon after they are inserted.
ALTER TABLE "workflow_deltas" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);

-- The ended executions of a workflow with a status, and at a step, in the order of the list. A move writes none of them.
CREATE INDEX "workflow_executions_ended_idx" ON "workflow_executions" ("workflow_id", "status", "started_at", "id") WHERE "status" NOT IN ('RUNNING', 'WAITING');
CREATE INDEX "workflow_executions_ended_step_idx" ON "workflow_executions" ("workflow_id", "current_step_id", "started_at", "id") WHERE "status" NOT IN ('RUNNING', 'WAITING');

-- The transition that fits the branch of the previous step. A step that a splice led to counts as one that a transition
-- led to.
UPDATE "step_executions" s SET "transition_id" = t.id
  FROM (SELECT e.id, e.project_id, e.step_id, lag(e.step_id) OVER h AS from_step_id,
               lag(e.output ->> 'branch') OVER h AS branch
          FROM "step_executions" e WINDOW h AS (PARTITION BY e.project_id, e.execution_id ORDER BY e.began_at, e.id)) p
 CROSS JOIN LATERAL (
   SELECT t.id FROM "workflow_transitions" t
    WHERE t.project_id = p.project_id AND t.from_step_id = p.from_step_id AND t.to_step_id = p.step_id
      AND (t.branch IS NULL OR p.branch IS NULL OR t.branch = p.branch)
    ORDER BY (t.branch IS NOT DISTINCT FROM p.branch) DESC, t.priority, t.id LIMIT 1) t
 WHERE s.id = p.id;

CREATE OR REPLACE FUNCTION workflow_quarter(p_time timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('15 minutes', p_time, '2000-01-01T00:00:00Z')
$$;

INSERT INTO "workflow_deltas" ("project_id", "at", "step_id", "transition_id", "entered")
SELECT project_id, workflow_quarter(started_at), step_id, transition_id, count(*) FROM "step_executions" GROUP BY 1, 2, 3, 4;

INSERT INTO "workflow_deltas" ("project_id", "at", "step_id", "completed", "skipped", "failed", "cancelled")
SELECT project_id, workflow_quarter(coalesce(completed_at, started_at)), step_id,
       count(*) FILTER (WHERE status = 'COMPLETED'), count(*) FILTER (WHERE status = 'SKIPPED'),
       count(*) FILTER (WHERE status = 'FAILED'), count(*) FILTER (WHERE status = 'CANCELLED')
  FROM "step_executions" WHERE status NOT IN ('RUNNING', 'WAITING') GROUP BY 1, 2, 3;

INSERT INTO "workflow_deltas" ("project_id", "at", "workflow_id", "entered")
SELECT project_id, workflow_quarter(started_at), workflow_id, count(*) FROM "workflow_executions" GROUP BY 1, 2, 3;

INSERT INTO "workflow_deltas" ("project_id", "at", "workflow_id", "completed", "exited", "failed", "cancelled")
SELECT project_id, workflow_quarter(coalesce(completed_at, started_at)), workflow_id,
       count(*) FILTER (WHERE status = 'COMPLETED'), count(*) FILTER (WHERE status = 'EXITED'),
       count(*) FILTER (WHERE status = 'FAILED'), count(*) FILTER (WHERE status = 'CANCELLED')
  FROM "workflow_executions" WHERE status NOT IN ('RUNNING', 'WAITING') GROUP BY 1, 2, 3;

CREATE OR REPLACE FUNCTION count_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO workflow_deltas (project_id, at, step_id, transition_id, entered)
  VALUES (NEW.project_id, workflow_quarter(NEW.started_at), NEW.step_id, NEW.transition_id, 1);
  IF NEW.status NOT IN ('RUNNING', 'WAITING') THEN
    INSERT INTO workflow_deltas (project_id, at, step_id, completed, skipped, failed, cancelled)
    VALUES (NEW.project_id, workflow_quarter(coalesce(NEW.completed_at, NEW.started_at)), NEW.step_id,
            (NEW.status = 'COMPLETED')::int, (NEW.status = 'SKIPPED')::int, (NEW.status = 'FAILED')::int,
            (NEW.status = 'CANCELLED')::int);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "step_executions_count" AFTER INSERT ON "step_executions" FOR EACH ROW
  EXECUTE FUNCTION count_steps();

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
