-- Outbound webhooks: endpoints, and deliveries to them. Events insert deliveries in their own transaction
-- (src/db/functions/insert_deliveries.sql).

-- CreateEnum
CREATE TYPE "webhook_delivery_status" AS ENUM ('PENDING', 'DELIVERED', 'FAILED', 'DISCARDED');

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "events" TEXT[],
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT,
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "paused_until" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "idle" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "webhook_endpoints" ALTER COLUMN project_id SET STATISTICS 0;

-- CreateTable
CREATE TABLE "webhook_notices" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_notices_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "webhook_notices" ALTER COLUMN project_id SET STATISTICS 0;

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "endpoint_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "status" "webhook_delivery_status" NOT NULL DEFAULT 'PENDING',
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "log" JSONB NOT NULL DEFAULT '[]',
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("endpoint_id","event_id")
);
ALTER TABLE "webhook_deliveries" ALTER COLUMN project_id SET STATISTICS 0;

-- CreateIndex
CREATE UNIQUE INDEX "webhook_endpoints_project_id_id_key" ON "webhook_endpoints"("project_id", "id");

-- CreateIndex
CREATE INDEX "webhook_notices_project_id_id_idx" ON "webhook_notices"("project_id", "id");

-- The queue of an endpoint.
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries" ("endpoint_id", "next_attempt_at", "event_id") WHERE "status" = 'PENDING';
-- Failed ones are few, and people look for them among many.
CREATE INDEX "webhook_deliveries_failed_idx" ON "webhook_deliveries" ("endpoint_id", "event_id") WHERE "status" IN ('FAILED', 'DISCARDED');
-- For retention: a block range costs next to nothing per row.
CREATE INDEX "webhook_deliveries_updated_idx" ON "webhook_deliveries" USING brin ("updated_at");

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_notices" ADD CONSTRAINT "webhook_notices_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
