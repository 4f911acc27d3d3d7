-- Counts inserted events by project, day, and name, in the transaction that inserts them. Deltas are appended here and
-- folded into event_days later (src/domain/events/sql/days.ts).
CREATE OR REPLACE FUNCTION count_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_deltas (project_id, day, name, count)
  SELECT e.project_id, (e.created_at AT TIME ZONE 'UTC')::date, e.name, count(*) FROM happened e GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "events_count" AFTER INSERT ON "events"
  REFERENCING NEW TABLE AS happened FOR EACH STATEMENT EXECUTE FUNCTION count_events();
