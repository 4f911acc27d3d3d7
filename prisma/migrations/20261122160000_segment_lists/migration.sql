-- CreateTable
CREATE TABLE "segment_lists" (
    "segment_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "contact_ids" BYTEA NOT NULL,
    "listed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "segment_lists_pkey" PRIMARY KEY ("segment_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "segment_lists_project_id_segment_id_key" ON "segment_lists"("project_id", "segment_id");

-- AddForeignKey
ALTER TABLE "segment_lists" ADD CONSTRAINT "segment_lists_project_id_segment_id_fkey" FOREIGN KEY ("project_id", "segment_id") REFERENCES "segments"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;


-- By hand from here.

-- Plans do not depend on when a project arrived (20261122120000_statistics).
ALTER TABLE "segment_lists" ALTER COLUMN "project_id" SET STATISTICS 0;

-- A page reads only its part of an uncompressed value.
ALTER TABLE "segment_lists" ALTER COLUMN "contact_ids" SET STORAGE EXTERNAL;

-- Counts and lists the unsubscribed contacts. Most contacts are subscribed, so the index is small.
CREATE INDEX "contacts_unsubscribed_idx" ON "contacts" ("project_id", "created_at", "id") WHERE NOT "subscribed";
