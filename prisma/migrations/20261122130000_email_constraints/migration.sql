-- Removes constraints and indexes from emails that cost every inserted and updated row more than they give.
--
-- Each of the four foreign keys read and locked a row per email. Their guarantees are now explicit:
--
-- * Every deletion of contacts, campaigns, and projects first detaches or deletes the emails, as before.
-- * count_usage locks the project once per statement. An email of a deleted project is still rejected.
-- * Statements that insert emails lock their contact and their message, or have just inserted them. The snapshot of a
--   campaign locks the campaign instead, and a deletion of contacts waits for it (lockSnapshots).
ALTER TABLE "emails"
  DROP CONSTRAINT "emails_project_id_fkey",
  DROP CONSTRAINT "emails_project_id_message_id_fkey",
  DROP CONSTRAINT "emails_project_id_contact_id_fkey",
  DROP CONSTRAINT "emails_project_id_campaign_id_fkey";

-- The indexes of steps and messages become partial: the emails of campaigns have no step, and their message is that of
-- the campaign. To keep the migration short on a large table, create them before it with CREATE INDEX CONCURRENTLY.
CREATE UNIQUE INDEX IF NOT EXISTS "emails_step_execution_key" ON "emails" ("step_execution_id")
  WHERE "step_execution_id" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "emails_message_idx" ON "emails" ("message_id") WHERE "campaign_id" IS NULL;
DROP INDEX "emails_step_execution_id_key", "emails_message_id_idx";
