-- CreateTable
CREATE UNLOGGED TABLE "contact_lists" (
    "project_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "total" INTEGER NOT NULL,
    "contact_ids" BYTEA NOT NULL,
    "listed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_lists_pkey" PRIMARY KEY ("project_id","key")
);

-- CreateTable
CREATE TABLE "job_contacts" (
    "job_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "part" INTEGER NOT NULL,
    "contact_ids" UUID[],

    CONSTRAINT "job_contacts_pkey" PRIMARY KEY ("job_id","part")
);

-- AddForeignKey
ALTER TABLE "contact_lists" ADD CONSTRAINT "contact_lists_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_contacts" ADD CONSTRAINT "job_contacts_project_id_job_id_fkey" FOREIGN KEY ("project_id", "job_id") REFERENCES "jobs"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;


-- By hand from here.

-- contact_lists is UNLOGGED, because it is a cache: a crash of PostgreSQL empties it, and the next read fills it again.

-- Plans do not depend on when a project arrived (20261122120000_statistics).
ALTER TABLE "contact_lists" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "job_contacts" ALTER COLUMN "project_id" SET STATISTICS 0;

-- A page reads only its part of an uncompressed value.
ALTER TABLE "contact_lists" ALTER COLUMN "contact_ids" SET STORAGE EXTERNAL;
