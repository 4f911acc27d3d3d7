-- Figures of variants and waves as counters, like those of campaigns (src/domain/analytics/sql/figures.ts). They were counted
-- from the emails, which took two seconds per million. A delta belongs to a variant, to a wave, to both, or to neither.
--
-- The last statements count the emails from before the migration. They take about two seconds per million emails of variants,
-- and of campaigns with waves that have not ended.
ALTER TABLE "stat_deltas" ADD COLUMN "variant" TEXT, ADD COLUMN "wave" TIMESTAMPTZ(3),
  ADD COLUMN "recipients" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "campaign_variants" ADD COLUMN "recipients" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "sent" INTEGER NOT NULL DEFAULT 0, ADD COLUMN "delivered" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "opened" INTEGER NOT NULL DEFAULT 0, ADD COLUMN "clicked" INTEGER NOT NULL DEFAULT 0;

UPDATE "campaign_variants" v
   SET "recipients" = n.recipients, "sent" = n.sent, "delivered" = n.delivered, "opened" = n.opened, "clicked" = n.clicked
  FROM (SELECT "campaign_id", "variant", count(*) AS recipients, count("sent_at") AS sent, count("delivered_at") AS delivered,
               count("opened_at") AS opened, count("clicked_at") AS clicked
          FROM "emails" WHERE "variant" IS NOT NULL GROUP BY 1, 2) n
 WHERE v."campaign_id" = n."campaign_id" AND v."id" = n."variant";

-- The sent emails of ended campaigns are stored.
UPDATE "campaign_waves" w
   SET "sent" = n.sent
  FROM (SELECT "campaign_id", "scheduled_for", count(*) AS sent
          FROM "emails"
         WHERE "campaign_id" IN (SELECT "campaign_id" FROM "campaign_waves" WHERE "sent" IS NULL) AND "sent_at" IS NOT NULL
         GROUP BY 1, 2) n
 WHERE w."sent" IS NULL AND w."campaign_id" = n."campaign_id" AND w."due_at" = n."scheduled_for";
UPDATE "campaign_waves" SET "sent" = 0 WHERE "sent" IS NULL;
ALTER TABLE "campaign_waves" ALTER COLUMN "sent" SET DEFAULT 0, ALTER COLUMN "sent" SET NOT NULL;

-- The emails of a variant by contact, for its conversions, and the failed ones. Other emails are not in them.
DROP INDEX "emails_variant_idx";
CREATE INDEX "emails_variant_contact_idx" ON "emails" ("campaign_id", "contact_id") WHERE "variant" IS NOT NULL;
CREATE INDEX "emails_variant_failed_idx" ON "emails" ("campaign_id", "variant")
  WHERE "variant" IS NOT NULL AND "stage" = 'FAILED';
