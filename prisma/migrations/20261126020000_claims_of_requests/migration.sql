-- A claim is one row for all emails that a statement claims, with a row of its own for each request whose emails have an order.
-- A row per email was an eighth of what PostgreSQL did for an email.
--
-- Stop the workers of the previous version first: their statements fail from now on, and what they have just sent is not recorded.
ALTER TABLE "email_claims" RENAME TO "claims_of_emails";
ALTER TABLE "claims_of_emails" RENAME CONSTRAINT "email_claims_pkey" TO "claims_of_emails_pkey";
DROP INDEX "email_claims_request_idx";
CREATE TABLE "email_claims" (
    "id" UUID NOT NULL,
    "worker_id" UUID NOT NULL,
    -- The message, if the emails of its request are sent in their order.
    "request_id" UUID,
    "email_ids" UUID[] NOT NULL,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "email_claims_pkey" PRIMARY KEY ("id")
);
-- Ids do not compress well.
ALTER TABLE "email_claims" ALTER COLUMN "email_ids" SET STORAGE EXTERNAL;
INSERT INTO "email_claims" ("id", "worker_id", "request_id", "email_ids", "claimed_at")
SELECT uuid_v7(), "worker_id", "request_id", array_agg("email_id"), "claimed_at"
  FROM "claims_of_emails" GROUP BY "worker_id", "request_id", "claimed_at";
DROP TABLE "claims_of_emails";
-- In an order, so that the planner scans this index directly. A bitmap scan would read the entries of all claims of the
-- request that were deleted since the last vacuum, each time.
CREATE INDEX "email_claims_request_idx" ON "email_claims" ("request_id", "id") WHERE "request_id" IS NOT NULL;
