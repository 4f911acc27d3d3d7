-- What an import ignored: its rows with a time zone that is not known, and up to ten names (src/domain/imports/prepare.ts).
ALTER TABLE "jobs" ADD COLUMN "unknown_timezone_count" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "unknown_timezones" TEXT[] NOT NULL DEFAULT '{}';
