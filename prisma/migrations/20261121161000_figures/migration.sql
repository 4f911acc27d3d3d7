-- Figures and lists of what happened: how often each event came, by day, and the indexes that pages of the lists follow.

CREATE TABLE "event_days" (
    "project_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "name" TEXT NOT NULL,
    "count" BIGINT NOT NULL DEFAULT 0,
    "expired" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_days_pkey" PRIMARY KEY ("project_id","day","name")
);
ALTER TABLE "event_days" ADD CONSTRAINT "event_days_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "event_deltas" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "name" TEXT NOT NULL,
    "count" BIGINT NOT NULL DEFAULT 0,
    "expired" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_deltas_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "event_deltas_project_id_idx" ON "event_deltas"("project_id");

CREATE TABLE "cleared_days" (
    "project_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "sent" BIGINT NOT NULL DEFAULT 0,
    "delivered" BIGINT NOT NULL DEFAULT 0,
    "opened" BIGINT NOT NULL DEFAULT 0,
    "clicked" BIGINT NOT NULL DEFAULT 0,
    "bounced" BIGINT NOT NULL DEFAULT 0,
    "complained" BIGINT NOT NULL DEFAULT 0,
    "workflows_started" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "cleared_days_pkey" PRIMARY KEY ("project_id","day")
);
ALTER TABLE "cleared_days" ADD CONSTRAINT "cleared_days_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "project_days" ADD COLUMN "workflows_started" BIGINT NOT NULL DEFAULT 0, ADD COLUMN "workflows_gone" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "stat_deltas" ADD COLUMN "workflows_started" INTEGER NOT NULL DEFAULT 0, ADD COLUMN "workflows_gone" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "campaigns" ADD COLUMN "emails_expired" BOOLEAN NOT NULL DEFAULT false;

-- The events of a name by their time: of a name that has not come for long, no other index knows where its last one is.
CREATE INDEX "events_project_id_name_created_at_id_idx" ON "events"("project_id", "name", "created_at", "id");
-- With the id the whole order of a contact's list, so that no other index can look better to the planner.
DROP INDEX "events_project_id_contact_id_created_at_idx";
CREATE INDEX "events_project_id_contact_id_created_at_id_idx" ON "events"("project_id", "contact_id", "created_at", "id");
CREATE INDEX "campaigns_project_id_sent_at_id_idx" ON "campaigns"("project_id", "sent_at", "id");


-- By hand from here.

-- Written and soon deleted.
ALTER TABLE "event_deltas" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- The recipients of a campaign by what became of them. What is still to be handed over is in the queues' own indexes, so that queueing and claiming pay nothing.
CREATE INDEX "emails_campaign_status_idx" ON "emails" ("campaign_id", "status", "id") WHERE "campaign_id" IS NOT NULL AND "status" NOT IN ('PENDING', 'SENDING');

-- Counts events by project, day and name, committed with them whoever writes them: appended, and folded into days later (src/db/sql/event-days.ts). `count`
-- is how often it happened, `expired` how many of these retention has taken: it says so by the setting sendloom.expiring. Whoever else deletes events
-- wants them not to have been.
CREATE FUNCTION count_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_deltas (project_id, day, name, count)
  SELECT e.project_id, (e.created_at AT TIME ZONE 'UTC')::date, e.name, count(*) FROM happened e GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;

CREATE FUNCTION uncount_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  expiring CONSTANT boolean := coalesce(current_setting('sendloom.expiring', true), '') = 'on';
BEGIN
  INSERT INTO event_deltas (project_id, day, name, count, expired)
  SELECT e.project_id, (e.created_at AT TIME ZONE 'UTC')::date, e.name, CASE WHEN expiring THEN 0 ELSE -count(*) END, CASE WHEN expiring THEN count(*) ELSE 0 END FROM gone e GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;

-- Counts the executions of workflows on the day on which they started: those that did, for good, and those of them that are no longer there.
CREATE FUNCTION count_executions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stat_deltas (project_id, day, workflows_started)
  SELECT x.project_id, (x.started_at AT TIME ZONE 'UTC')::date, count(*) FROM started x GROUP BY 1, 2;
  RETURN NULL;
END $$;

CREATE FUNCTION uncount_executions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stat_deltas (project_id, day, workflows_gone)
  SELECT x.project_id, (x.started_at AT TIME ZONE 'UTC')::date, count(*) FROM gone x GROUP BY 1, 2;
  RETURN NULL;
END $$;

-- The triggers come before the counts of what is there: they lock their tables against writers until this is committed.
CREATE TRIGGER "events_count" AFTER INSERT ON "events" REFERENCING NEW TABLE AS happened FOR EACH STATEMENT EXECUTE FUNCTION count_events();
CREATE TRIGGER "events_uncount" AFTER DELETE ON "events" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION uncount_events();
CREATE TRIGGER "workflow_executions_count" AFTER INSERT ON "workflow_executions" REFERENCING NEW TABLE AS started FOR EACH STATEMENT EXECUTE FUNCTION count_executions();
CREATE TRIGGER "workflow_executions_uncount" AFTER DELETE ON "workflow_executions" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION uncount_executions();

INSERT INTO "event_days" ("project_id", "day", "name", "count")
SELECT e.project_id, (e.created_at AT TIME ZONE 'UTC')::date, e.name, count(*) FROM events e GROUP BY 1, 2, 3;
INSERT INTO "stat_deltas" ("project_id", "day", "workflows_started")
SELECT x.project_id, (x.started_at AT TIME ZONE 'UTC')::date, count(*) FROM workflow_executions x GROUP BY 1, 2;
