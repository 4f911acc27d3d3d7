-- Logs new and changed contacts of projects with tracked segments. A worker checks their membership again
-- (src/domain/segments/follow.ts). Deleted contacts need no check: their memberships are deleted with them.
CREATE OR REPLACE FUNCTION note_contact_rechecks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM segments WHERE track_membership AND type = 'DYNAMIC') THEN
    INSERT INTO segment_rechecks (project_id, contact_id)
    SELECT c.project_id, c.id FROM changed c
     WHERE EXISTS (SELECT FROM segments s WHERE s.project_id = c.project_id AND s.track_membership AND s.type = 'DYNAMIC');
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "contacts_note_inserts" AFTER INSERT ON "contacts"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_contact_rechecks();
CREATE OR REPLACE TRIGGER "contacts_note_updates" AFTER UPDATE ON "contacts"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_contact_rechecks();
