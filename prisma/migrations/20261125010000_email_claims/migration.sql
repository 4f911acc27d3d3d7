-- Makes the record of a sent email without a campaign HOT, as it is for those of campaigns (20261122140000_email_stage).
-- `stage` is null while a worker has claimed the email, so only the claim changes indexes. Claims have a table of their own.
--
-- This rewrites the table of emails, which nothing can read or write in the meantime: about ten seconds per million emails.
-- Stop the workers of the previous version first: this version does not settle what they claim afterwards.
CREATE TABLE "email_claims" (
    "email_id" UUID NOT NULL,
    "worker_id" UUID NOT NULL,
    -- The message, if the emails of its request are sent in their order.
    "request_id" UUID,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "email_claims_pkey" PRIMARY KEY ("email_id")
);
CREATE INDEX "email_claims_request_idx" ON "email_claims" ("request_id") WHERE "request_id" IS NOT NULL;

DROP INDEX "emails_due_idx", "emails_request_order_idx", "emails_sending_idx", "emails_scheduled_idx", "emails_log_idx",
  "emails_campaign_stage_idx", "emails_wave_idx";
ALTER TABLE "emails"
  DROP COLUMN "stage",
  ADD COLUMN "is_ordered" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "stage" "email_status" GENERATED ALWAYS AS (
    CASE WHEN "status" = 'SENT' OR "status" = 'SENDING' AND "campaign_id" IS NULL
           OR "status" = 'PENDING' AND "next_attempt_at" >= '9999-12-31T00:00:00Z' THEN NULL
         ELSE "status" END) STORED;

UPDATE "emails" e SET "is_ordered" = true
  FROM (SELECT "message_id" FROM "emails"
         WHERE "source" = 'TRANSACTIONAL' AND "campaign_id" IS NULL AND "status" IN ('PENDING', 'SENDING', 'SCHEDULED')
         GROUP BY "message_id" HAVING count(*) > 1) r
 WHERE e."message_id" = r."message_id" AND e."source" = 'TRANSACTIONAL' AND e."campaign_id" IS NULL
   AND e."status" IN ('PENDING', 'SENDING', 'SCHEDULED');
INSERT INTO "email_claims" ("email_id", "worker_id", "request_id", "claimed_at")
SELECT "id", "claimed_by", CASE WHEN "is_ordered" THEN "message_id" END, coalesce("claimed_at", now())
  FROM "emails" WHERE "status" = 'SENDING' AND "claimed_by" IS NOT NULL;

-- The dispatcher's queue: transactional email before automation, each project by itself, and the emails of requests with
-- several recipients apart from the others. The expression keeps other indexes of projects from serving its lookups: without
-- statistics of projects, the planner would read all scheduled emails of a project by the index of the email log.
CREATE INDEX "emails_due_idx" ON "emails" (("source" = 'WORKFLOW'), uuid_send("project_id"), "is_ordered", "next_attempt_at", "id")
  WHERE "stage" = 'PENDING' AND "campaign_id" IS NULL;
-- The same for scheduled emails.
CREATE INDEX "emails_scheduled_idx" ON "emails" (("source" = 'WORKFLOW'), uuid_send("project_id"), "is_ordered", "next_attempt_at", "id")
  WHERE "stage" = 'SCHEDULED' AND "campaign_id" IS NULL;
-- The order within a request. Lookups in the queue do not state the source, so they cannot use it.
CREATE INDEX "emails_request_order_idx" ON "emails" ("message_id", "id")
  WHERE "stage" IN ('PENDING', 'SCHEDULED') AND "is_ordered" AND "source" = 'TRANSACTIONAL';
-- With the id, to find the first email of a message.
DROP INDEX "emails_message_idx";
CREATE INDEX "emails_message_idx" ON "emails" ("message_id", "id") WHERE "campaign_id" IS NULL;
-- As before: of the email log, of campaigns, and of waves.
CREATE INDEX "emails_log_idx" ON "emails" ("project_id", "source", "type", "stage", "id") WHERE "campaign_id" IS NULL;
CREATE INDEX "emails_campaign_stage_idx" ON "emails" ("campaign_id", "stage", "id") WHERE "campaign_id" IS NOT NULL;
CREATE INDEX "emails_wave_idx" ON "emails" ("campaign_id", "next_attempt_at", "id") INCLUDE ("scheduled_for")
  WHERE "stage" = 'SCHEDULED' AND "campaign_id" IS NOT NULL;
