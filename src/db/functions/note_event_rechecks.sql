-- Logs contacts with new events whose names occur in the conditions of tracked segments (see note_contact_rechecks).
-- A condition that names other segments has no list of event names: then every event counts.
CREATE OR REPLACE FUNCTION note_event_rechecks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM segments WHERE track_membership AND type = 'DYNAMIC') THEN
    INSERT INTO segment_rechecks (project_id, contact_id)
    SELECT DISTINCT e.project_id, e.contact_id
      FROM happened e JOIN segments s ON s.project_id = e.project_id
     WHERE e.contact_id IS NOT NULL AND s.track_membership AND s.type = 'DYNAMIC'
       AND (s.event_names IS NULL OR e.name = ANY (s.event_names));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "events_note_rechecks" AFTER INSERT ON "events"
  REFERENCING NEW TABLE AS happened FOR EACH STATEMENT EXECUTE FUNCTION note_event_rechecks();
