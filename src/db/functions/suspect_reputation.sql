-- Notes each project with new hard bounces or complaints, so that src/domain/reputation/watch.ts checks its
-- reputation. Rows are appended: with one row per project, concurrent feedback would wait for it while it holds
-- emails and contacts.
CREATE OR REPLACE FUNCTION suspect_reputation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reputation_suspects (project_id) VALUES (NEW.project_id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER stat_deltas_suspect AFTER INSERT ON stat_deltas
  FOR EACH ROW WHEN (NEW.hard_bounced > 0 OR NEW.complained > 0) EXECUTE FUNCTION suspect_reputation();
