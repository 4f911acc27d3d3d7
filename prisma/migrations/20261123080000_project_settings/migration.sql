-- The settings of a project (additions, section 6).
ALTER TABLE "projects"
  ADD COLUMN "timezone" TEXT NOT NULL DEFAULT 'UTC',
  ADD COLUMN "postal_address" TEXT,
  ADD COLUMN "brand" JSONB,
  ADD COLUMN "default_from" TEXT,
  ADD COLUMN "default_from_name" TEXT,
  ADD COLUMN "track_may_change_subscription" BOOLEAN NOT NULL DEFAULT true;
