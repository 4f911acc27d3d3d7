-- Claims of a request in an order, so that the planner scans this index directly. A bitmap scan would read the entries of all
-- claims of the request that were deleted since the last vacuum, each time.
DROP INDEX "email_claims_request_idx";
CREATE INDEX "email_claims_request_idx" ON "email_claims" ("request_id", "email_id") WHERE "request_id" IS NOT NULL;
