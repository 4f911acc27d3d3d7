-- Exports: a job that writes a file into the database, in compressed parts. The parts are committed with the cursor of the
-- job, so a killed worker continues without a gap, and every API can serve the file.
ALTER TYPE "job_kind" ADD VALUE 'EXPORT';

CREATE TABLE "export_parts" (
    "job_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "export_parts_pkey" PRIMARY KEY ("job_id", "position")
);
CREATE INDEX "export_parts_project_id_job_id_idx" ON "export_parts"("project_id", "job_id");
ALTER TABLE "export_parts" ADD CONSTRAINT "export_parts_project_id_job_id_fkey" FOREIGN KEY ("project_id", "job_id") REFERENCES "jobs"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The contacts of an export with a query: the set is fixed when the job begins.
CREATE TABLE "export_contacts" (
    "job_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,

    CONSTRAINT "export_contacts_pkey" PRIMARY KEY ("job_id", "contact_id")
);
CREATE INDEX "export_contacts_project_id_idx" ON "export_contacts"("project_id");


-- By hand from here.

-- Already compressed.
ALTER TABLE "export_parts" ALTER COLUMN "content" SET STORAGE EXTERNAL;
ALTER TABLE "export_parts" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "export_contacts" ALTER COLUMN "project_id" SET STATISTICS 0;
