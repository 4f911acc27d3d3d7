-- What a job does, who created it, and when it ran.
ALTER TABLE "jobs"
    ADD COLUMN "operation" TEXT,
    ADD COLUMN "filename" TEXT,
    ADD COLUMN "created_by" UUID,
    ADD COLUMN "started_at" TIMESTAMPTZ(3),
    ADD COLUMN "ended_at" TIMESTAMPTZ(3);

UPDATE "jobs"
   SET "operation" = CASE WHEN "kind" = 'BULK' THEN "params" ->> 'operation' ELSE 'import' END,
       "ended_at" = CASE WHEN "state" IN ('waiting', 'active') THEN NULL ELSE "updated_at" END;

-- The pages of GET /jobs with a kind. Pages without a kind follow jobs_project_id_id_key.
CREATE INDEX "jobs_project_id_kind_id_idx" ON "jobs"("project_id", "kind", "id");
