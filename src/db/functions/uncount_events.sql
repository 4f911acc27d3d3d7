-- Counts deleted events. Retention sets sendloom.expiring to 'on': its events did happen, so `count` stays and
-- `expired` grows. All other deletions subtract from `count`.
CREATE OR REPLACE FUNCTION uncount_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  expiring CONSTANT boolean := coalesce(current_setting('sendloom.expiring', true), '') = 'on';
BEGIN
  INSERT INTO event_deltas (project_id, day, name, count, expired)
  SELECT e.project_id, (e.created_at AT TIME ZONE 'UTC')::date, e.name,
         CASE WHEN expiring THEN 0 ELSE -count(*) END, CASE WHEN expiring THEN count(*) ELSE 0 END
    FROM gone e GROUP BY 1, 2, 3;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "events_uncount" AFTER DELETE ON "events"
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION uncount_events();
