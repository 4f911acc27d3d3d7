-- Scheduled emails. Their rows are in no index of the queues: `stage` is SCHEDULED until their release.
ALTER TABLE "emails" ADD COLUMN "scheduled_for" TIMESTAMPTZ(3), ADD COLUMN "send_group" TEXT;
-- The due ones, for the release (src/domain/delivery/release.ts).
CREATE INDEX "emails_scheduled_idx" ON "emails" ("next_attempt_at", "id")
  WHERE "stage" = 'SCHEDULED' AND "campaign_id" IS NULL;
CREATE INDEX "emails_group_idx" ON "emails" ("project_id", "send_group", "id") WHERE "send_group" IS NOT NULL;
