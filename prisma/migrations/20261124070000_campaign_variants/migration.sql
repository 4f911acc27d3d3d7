-- Variant tests of campaigns (src/domain/campaigns/variants.ts).
ALTER TABLE "campaigns" ADD COLUMN "variants" JSONB, ADD COLUMN "test" JSONB, ADD COLUMN "test_sent_at" TIMESTAMPTZ(3),
  ADD COLUMN "decision" JSONB;
ALTER TABLE "emails" ADD COLUMN "variant" TEXT;
-- The figures of a variant. Other emails are not in it.
CREATE INDEX "emails_variant_idx" ON "emails" ("campaign_id", "variant") WHERE "variant" IS NOT NULL;

CREATE TABLE "campaign_variants" (
    "project_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "weight" INTEGER NOT NULL,
    "message_id" UUID NOT NULL,

    CONSTRAINT "campaign_variants_pkey" PRIMARY KEY ("campaign_id","id")
);
ALTER TABLE "campaign_variants" ADD CONSTRAINT "campaign_variants_project_id_campaign_id_fkey" FOREIGN KEY ("project_id", "campaign_id") REFERENCES "campaigns"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "campaign_variants" ALTER COLUMN "project_id" SET STATISTICS 0;
