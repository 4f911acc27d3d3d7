-- Keeps the content of each version of a template, in the statement that changes the template.
CREATE OR REPLACE FUNCTION record_template_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO template_versions (project_id, template_id, version, subject, preheader, body, from_email, from_name,
                                 reply_to, type, editor, design, draft, created_by, created_at)
  VALUES (NEW.project_id, NEW.id, NEW.version, NEW.subject, NEW.preheader, NEW.body, NEW.from_email, NEW.from_name,
          NEW.reply_to, NEW.type, NEW.editor, NEW.design, NEW.draft, NEW.changed_by, NEW.updated_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "templates_record_version" AFTER INSERT OR UPDATE OF "version" ON "templates"
  FOR EACH ROW EXECUTE FUNCTION record_template_version();
