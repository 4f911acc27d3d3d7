-- Counts the revisions of templates, campaigns, segments, and workflows (src/domain/revisions.ts). Every statement that
-- changes their content sets `updated_at`, and a change of a workflow's steps or transitions sets that of the workflow.
-- Statements that only count (figures, members) do not set it.
CREATE OR REPLACE FUNCTION count_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.revision := OLD.revision + 1;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "templates_count_revision" BEFORE UPDATE OF "updated_at" ON "templates"
  FOR EACH ROW EXECUTE FUNCTION count_revision();
-- The deletion of a segment removes the references to it.
CREATE OR REPLACE TRIGGER "campaigns_count_revision" BEFORE UPDATE OF "updated_at", "segment_id" ON "campaigns"
  FOR EACH ROW EXECUTE FUNCTION count_revision();
CREATE OR REPLACE TRIGGER "segments_count_revision" BEFORE UPDATE OF "updated_at" ON "segments"
  FOR EACH ROW EXECUTE FUNCTION count_revision();
CREATE OR REPLACE TRIGGER "workflows_count_revision" BEFORE UPDATE OF "updated_at" ON "workflows"
  FOR EACH ROW EXECUTE FUNCTION count_revision();
