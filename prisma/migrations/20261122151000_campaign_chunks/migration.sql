-- Workers lease chunks of a campaign's emails instead of claiming rows (src/domain/delivery). Emails of campaigns that are
-- already sending have no chunk; they get one as soon as the campaign has no other open chunk (adoptEmails).

-- AlterTable
ALTER TABLE "campaigns" ADD COLUMN "unknown_count" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "campaign_chunks" (
    "project_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "chunk" BIGINT NOT NULL,
    "first_id" UUID,
    "last_id" UUID,
    "size" INTEGER NOT NULL,
    "members" UUID[],
    "owner" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "is_journaled" BOOLEAN NOT NULL DEFAULT false,
    "is_stopped" BOOLEAN NOT NULL DEFAULT false,
    "mark" INTEGER NOT NULL DEFAULT 0,
    "states" BYTEA,
    "settled" INTEGER NOT NULL DEFAULT 0,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "campaign_chunks_pkey" PRIMARY KEY ("campaign_id","chunk")
);

-- CreateTable
CREATE TABLE "campaign_retries" (
    "project_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "email_id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "campaign_retries_pkey" PRIMARY KEY ("campaign_id","email_id")
);

-- CreateIndex
CREATE INDEX "campaign_retries_campaign_id_due_at_idx" ON "campaign_retries"("campaign_id", "due_at");

-- AddForeignKey
ALTER TABLE "campaign_chunks" ADD CONSTRAINT "campaign_chunks_project_id_campaign_id_fkey" FOREIGN KEY ("project_id", "campaign_id") REFERENCES "campaigns"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaign_retries" ADD CONSTRAINT "campaign_retries_project_id_campaign_id_fkey" FOREIGN KEY ("project_id", "campaign_id") REFERENCES "campaigns"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A flush updates an open chunk 40 times a second. The free space keeps its new versions on the same page, and no index
-- contains a column that a flush changes.
ALTER TABLE "campaign_chunks" SET (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX "campaign_chunks_open_idx" ON "campaign_chunks" ("campaign_id", "chunk") WHERE "closed_at" IS NULL;
ALTER TABLE "campaign_chunks" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "campaign_retries" ALTER COLUMN "project_id" SET STATISTICS 0;

-- The numbers of retry chunks. The number of a chunk of the snapshot is that of its first email, which is lower.
CREATE SEQUENCE "campaign_chunk_numbers" AS BIGINT START 4294967296;
