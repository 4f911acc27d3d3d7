-- The indexes of the email log. Emails of campaigns are in none of them, except those of deleted contacts: the index by
-- campaign and stage has them.

-- Emails without a campaign, by every combination of source, type, and stage.
CREATE INDEX "emails_log_idx" ON "emails" ("project_id", "source", "type", "stage", "id") WHERE "campaign_id" IS NULL;
CREATE INDEX "emails_workflow_idx" ON "emails" ("workflow_id", "id") WHERE "workflow_id" IS NOT NULL;
-- Emails without a contact, by address. The others are found by their contact.
CREATE INDEX "emails_address_idx" ON "emails" ("project_id", "to_email") WHERE "contact_id" IS NULL;
-- With the id, for pages.
DROP INDEX "emails_template_idx";
CREATE INDEX "emails_template_idx" ON "emails" ("template_id", "id") WHERE "template_id" IS NOT NULL;

-- Earlier addresses of contacts, to find their emails.
CREATE TABLE "former_addresses" (
    "project_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "contact_id" UUID NOT NULL,

    CONSTRAINT "former_addresses_pkey" PRIMARY KEY ("project_id","email","contact_id")
);
CREATE INDEX "former_addresses_project_id_contact_id_idx" ON "former_addresses"("project_id", "contact_id");
ALTER TABLE "former_addresses" ADD CONSTRAINT "former_addresses_project_id_contact_id_fkey" FOREIGN KEY ("project_id", "contact_id") REFERENCES "contacts"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "former_addresses" ALTER COLUMN "project_id" SET STATISTICS 0;
