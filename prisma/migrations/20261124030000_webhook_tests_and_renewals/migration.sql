-- The notice of a test belongs to one endpoint, and no replay of another one repeats it. An endpoint that was enabled or got
-- another URL begins anew: results of requests from before say nothing about it.
ALTER TABLE "webhook_notices" ADD COLUMN "endpoint_id" UUID;
ALTER TABLE "webhook_endpoints" ADD COLUMN "renewed_at" TIMESTAMPTZ(3);
