-- Contact imports and bulk jobs.

ALTER TABLE "jobs" DROP COLUMN "result",
    ADD COLUMN "total" INTEGER,
    ADD COLUMN "cursor" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "success_count" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "created_count" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "updated_count" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "skipped_count" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "failure_count" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "errors" JSONB NOT NULL DEFAULT '[]';

CREATE UNIQUE INDEX "jobs_project_id_id_key" ON "jobs"("project_id", "id");

CREATE TABLE "import_files" (
    "job_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "import_files_pkey" PRIMARY KEY ("job_id")
);

CREATE UNIQUE INDEX "import_files_project_id_job_id_key" ON "import_files"("project_id", "job_id");

ALTER TABLE "import_files" ADD CONSTRAINT "import_files_project_id_job_id_fkey" FOREIGN KEY ("project_id", "job_id") REFERENCES "jobs"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "import_rows" (
    "job_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "line" INTEGER NOT NULL,
    "email" TEXT NOT NULL,
    "subscribed" BOOLEAN,
    "data" JSONB NOT NULL,
    "superseded" BOOLEAN NOT NULL DEFAULT false,
    "error" TEXT,

    CONSTRAINT "import_rows_pkey" PRIMARY KEY ("job_id","position")
);


-- By hand from here.

-- Uncompressed, so that a piece of the file is read without the rest of it.
ALTER TABLE "import_files" ALTER COLUMN "content" SET STORAGE EXTERNAL;

-- Written once and soon deleted: a crash of the database empties it, and the rows are read from the file again.
ALTER TABLE "import_rows" SET UNLOGGED;
ALTER TABLE "import_rows" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- What the reconcile sweep looks for.
CREATE INDEX "jobs_running_idx" ON "jobs" ("id") WHERE "state" IN ('waiting', 'active');
