-- Reputation: what a project's mail is worth to those who get it, and when it is stopped.

ALTER TABLE "projects" ADD COLUMN "disabled_at" TIMESTAMPTZ(3);

CREATE INDEX "suppressions_project_id_reason_created_at_email_idx" ON "suppressions"("project_id", "reason", "created_at", "email");

CREATE TABLE "project_hours" (
    "project_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "sent" BIGINT NOT NULL DEFAULT 0,
    "bounced" BIGINT NOT NULL DEFAULT 0,
    "hard_bounced" BIGINT NOT NULL DEFAULT 0,
    "complained" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "project_hours_pkey" PRIMARY KEY ("project_id","hour")
);
CREATE INDEX "project_hours_hour_idx" ON "project_hours"("hour");
ALTER TABLE "project_hours" ADD CONSTRAINT "project_hours_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "reputation_marks" (
    "project_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "sent" BIGINT NOT NULL,
    "hard_bounced" BIGINT NOT NULL,
    "complained" BIGINT NOT NULL,

    CONSTRAINT "reputation_marks_pkey" PRIMARY KEY ("project_id")
);
ALTER TABLE "reputation_marks" ADD CONSTRAINT "reputation_marks_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "reputation_suspects" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,

    CONSTRAINT "reputation_suspects_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "reputation_suspects_project_id_idx" ON "reputation_suspects"("project_id");
ALTER TABLE "reputation_suspects" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- The days whose figures can make a project critical without news: the good days before them leave the week.
CREATE INDEX "project_days_bad_idx" ON "project_days" ("day") WHERE "hard_bounced" > 0 OR "complained" > 0;

-- Whoever has news that a reputation may suffer of leaves the project's name, in the transaction that counts it. Appended: a row for each project would make
-- feedback that comes at the same time wait for each other, with emails and contacts locked.
CREATE FUNCTION suspect_reputation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reputation_suspects (project_id) VALUES (NEW.project_id);
  RETURN NULL;
END $$;
CREATE TRIGGER stat_deltas_suspect AFTER INSERT ON stat_deltas FOR EACH ROW WHEN (NEW.hard_bounced > 0 OR NEW.complained > 0) EXECUTE FUNCTION suspect_reputation();
