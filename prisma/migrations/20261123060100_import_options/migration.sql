-- Imports of large files: the API stores a file in parts while it receives them, before the job exists. So there is no
-- foreign key to the job. Housekeeping deletes the parts of uploads that were interrupted.
ALTER TABLE "import_files"
    DROP CONSTRAINT "import_files_project_id_job_id_fkey",
    ADD COLUMN "position" INTEGER NOT NULL DEFAULT 0,
    DROP CONSTRAINT "import_files_pkey",
    ADD CONSTRAINT "import_files_pkey" PRIMARY KEY ("job_id", "position");
DROP INDEX "import_files_project_id_job_id_key";
CREATE INDEX "import_files_project_id_idx" ON "import_files"("project_id");

ALTER TABLE "import_rows"
    ADD COLUMN "snoozed_until" TIMESTAMPTZ(3),
    ADD COLUMN "cells" TEXT[];

-- The rejected rows of imports, for GET /jobs/:id/errors.csv.
CREATE TABLE "job_errors" (
    "job_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "line" INTEGER NOT NULL,
    "cells" TEXT[] NOT NULL,
    "error" TEXT NOT NULL,

    CONSTRAINT "job_errors_pkey" PRIMARY KEY ("job_id", "line")
);
CREATE INDEX "job_errors_project_id_job_id_idx" ON "job_errors"("project_id", "job_id");
ALTER TABLE "job_errors" ADD CONSTRAINT "job_errors_project_id_job_id_fkey" FOREIGN KEY ("project_id", "job_id") REFERENCES "jobs"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;


-- By hand from here.

ALTER TABLE "job_errors" ALTER COLUMN "project_id" SET STATISTICS 0;
