-- The revision of what two people can edit at the same time (additions, section 2): the entity tag of its responses.
-- The triggers of src/db/functions/count_revision.sql count it.
ALTER TABLE "templates" ADD COLUMN "revision" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "campaigns" ADD COLUMN "revision" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "segments" ADD COLUMN "revision" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "workflows" ADD COLUMN "revision" INTEGER NOT NULL DEFAULT 1;
