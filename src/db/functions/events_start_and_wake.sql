-- Only for processes of the previous version that still run during an upgrade: they insert events directly and rely
-- on this trigger. insert_events switches it off for its own rows. The next release drops the trigger and its
-- function by a migration.
CREATE OR REPLACE FUNCTION events_start_and_wake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM start_and_poke(ARRAY(
    SELECT (h.id, h.project_id, h.contact_id, h.email_id, h.name, h.data, h.created_at, NULL)::new_event
      FROM happened h)) i;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "events_start_and_wake" AFTER INSERT ON "events"
  REFERENCING NEW TABLE AS happened FOR EACH STATEMENT
  WHEN (current_setting('sendloom.insert_events', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION events_start_and_wake();
