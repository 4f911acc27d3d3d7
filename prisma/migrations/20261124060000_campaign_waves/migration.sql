-- Campaigns at the reader's local time. Each email of a wave is SCHEDULED until a worker takes it.
ALTER TABLE "campaigns" ADD COLUMN "local_schedule" JSONB;

CREATE TABLE "campaign_waves" (
    "project_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "zones" TEXT[],
    "total" INTEGER NOT NULL,
    "fallback" INTEGER NOT NULL DEFAULT 0,
    "sent" INTEGER,

    CONSTRAINT "campaign_waves_pkey" PRIMARY KEY ("campaign_id","due_at")
);
ALTER TABLE "campaign_waves" ADD CONSTRAINT "campaign_waves_project_id_campaign_id_fkey" FOREIGN KEY ("project_id", "campaign_id") REFERENCES "campaigns"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "campaign_waves" ALTER COLUMN "project_id" SET STATISTICS 0;

-- The emails of waves in the order in which they are due (src/domain/delivery/sql/waves.ts).
CREATE INDEX "emails_wave_idx" ON "emails" ("campaign_id", "next_attempt_at", "id") INCLUDE ("scheduled_for")
  WHERE "stage" = 'SCHEDULED' AND "campaign_id" IS NOT NULL;
