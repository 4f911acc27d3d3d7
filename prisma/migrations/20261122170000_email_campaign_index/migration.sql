-- One index of a campaign's emails instead of two. It also has the emails whose stage is null: those that were sent, and
-- those that wait in a chunk (src/domain/campaigns/sql/recipients.ts). The update between these two changes no index.
-- Feedback changes one index less. The index takes about one second per million emails to build.
DROP INDEX "emails_campaign_idx", "emails_campaign_stage_idx";
CREATE INDEX "emails_campaign_stage_idx" ON "emails" ("campaign_id", "stage", "id") WHERE "campaign_id" IS NOT NULL;
