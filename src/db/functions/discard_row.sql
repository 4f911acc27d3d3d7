-- Discards writes to the empty views that replace tables of the column engine. Processes of the previous version still
-- use them during a rolling upgrade (migration 20261122102000_segment_rechecks). A later release drops both.
CREATE OR REPLACE FUNCTION discard_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "contact_stores_discard" INSTEAD OF INSERT OR UPDATE OR DELETE ON contact_stores
  FOR EACH ROW EXECUTE FUNCTION discard_row();
CREATE OR REPLACE TRIGGER "contact_changes_discard" INSTEAD OF DELETE ON contact_changes
  FOR EACH ROW EXECUTE FUNCTION discard_row();
