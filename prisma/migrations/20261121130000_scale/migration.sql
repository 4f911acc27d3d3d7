-- Columns of contacts (src/domain/columns): what conditions ask of them, by field instead of by contact, so that a million are counted in milliseconds. Made
-- of the contacts, at any time anew; what has changed since is noted, and asked of the contacts themselves.

CREATE TABLE "contact_stores" (
    "project_id" UUID NOT NULL,
    "format" INTEGER NOT NULL,
    "noted_from" BIGINT,
    "built_to" UUID,
    "built_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_stores_pkey" PRIMARY KEY ("project_id")
);

CREATE TABLE "contact_chunks" (
    "project_id" UUID NOT NULL,
    "first_id" UUID NOT NULL,
    "version" UUID NOT NULL,
    "contacts" INTEGER NOT NULL,
    "partial" BOOLEAN NOT NULL,

    CONSTRAINT "contact_chunks_pkey" PRIMARY KEY ("project_id","first_id")
);

CREATE TABLE "contact_columns" (
    "project_id" UUID NOT NULL,
    "first_id" UUID NOT NULL,
    "field" TEXT NOT NULL,
    "part" TEXT NOT NULL,
    "payload" BYTEA NOT NULL,

    CONSTRAINT "contact_columns_pkey" PRIMARY KEY ("project_id","first_id","field","part")
);

CREATE TABLE "contact_changes" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,

    CONSTRAINT "contact_changes_pkey" PRIMARY KEY ("project_id","contact_id","id")
);

ALTER TABLE "contact_stores" ADD CONSTRAINT "contact_stores_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "contact_chunks" ADD CONSTRAINT "contact_chunks_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "contact_stores"("project_id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "contact_columns" ADD CONSTRAINT "contact_columns_project_id_first_id_fkey" FOREIGN KEY ("project_id", "first_id") REFERENCES "contact_chunks"("project_id", "first_id") ON DELETE CASCADE ON UPDATE CASCADE;


-- By hand from here.

-- Read as they are: to decompress them takes longer than to read them.
ALTER TABLE "contact_columns" ALTER COLUMN "payload" SET STORAGE EXTERNAL;
-- Written and soon deleted.
ALTER TABLE "contact_changes" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- Notes which contacts of a project with columns have changed, come or gone. Without a foreign key, whose check would cost more than the row: what is left
-- of a project goes with its store.
CREATE FUNCTION note_contact_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    -- Such a transaction may not see a store that was made since it began (see column-build.ts): it notes everything.
    INSERT INTO contact_changes (project_id, contact_id) SELECT c.project_id, c.id FROM changed c;
  ELSIF EXISTS (SELECT FROM contact_stores) THEN
    INSERT INTO contact_changes (project_id, contact_id) SELECT c.project_id, c.id FROM changed c JOIN contact_stores s ON s.project_id = c.project_id;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "contacts_note_inserts" AFTER INSERT ON "contacts" REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_contact_changes();
CREATE TRIGGER "contacts_note_updates" AFTER UPDATE ON "contacts" REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_contact_changes();
CREATE TRIGGER "contacts_note_deletes" AFTER DELETE ON "contacts" REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_contact_changes();

CREATE FUNCTION forget_contact_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM contact_changes WHERE project_id = OLD.project_id;
  RETURN NULL;
END $$;

CREATE TRIGGER "contact_stores_forget" AFTER DELETE ON "contact_stores" FOR EACH ROW EXECUTE FUNCTION forget_contact_changes();

-- What it answered, columns answer where there are many contacts, and a look at all of them where there are few. Without it a contact whose data alone changes
-- touches no index at all, where its page has room.
DROP INDEX "contacts_data_idx";
ALTER TABLE "contacts" SET (fillfactor = 70);
