-- Segments without columns: PostgreSQL counts and lists them, and tracked segments follow a log of changed contacts.

-- AlterTable
ALTER TABLE "segments" ADD COLUMN "counted_at" TIMESTAMPTZ(3), ADD COLUMN "event_names" TEXT[];

-- CreateTable
CREATE TABLE "segment_rechecks" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,

    CONSTRAINT "segment_rechecks_pkey" PRIMARY KEY ("project_id","id")
);


-- By hand from here.

-- Rows are written and soon deleted.
ALTER TABLE "segment_rechecks" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- The triggers ask for these segments in every statement that writes contacts or events.
CREATE INDEX "segments_tracked_idx" ON "segments" ("project_id") WHERE "track_membership" AND "type" = 'DYNAMIC';

-- The column engine and its triggers. During a rolling upgrade, processes of the previous version still query three of its
-- tables. Empty views replace them: those processes then find no columns and fall back to plain SQL. The function
-- discard_row discards their writes. A later release drops the views.
DROP TRIGGER "contacts_note_inserts" ON "contacts";
DROP TRIGGER "contacts_note_updates" ON "contacts";
DROP TRIGGER "contacts_note_deletes" ON "contacts";
DROP FUNCTION note_contact_changes();
DROP TABLE "contact_columns", "contact_chunks", "contact_stores", "contact_changes";
DROP FUNCTION forget_contact_changes();

CREATE VIEW contact_stores AS
  SELECT NULL::uuid AS project_id, NULL::int AS format, NULL::bigint AS noted_from, NULL::uuid AS built_to,
         NULL::timestamptz AS built_at WHERE false;
CREATE VIEW contact_chunks AS
  SELECT NULL::uuid AS project_id, NULL::uuid AS first_id, NULL::uuid AS version, NULL::int AS contacts,
         NULL::boolean AS partial WHERE false;
CREATE VIEW contact_changes AS
  SELECT NULL::bigint AS id, NULL::uuid AS project_id, NULL::uuid AS contact_id WHERE false;
