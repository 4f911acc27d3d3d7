-- The transactions that added an execution and marked a campaign as sent. The live feed compares them with snapshots, so
-- that it neither misses nor repeats an entry whose transaction commits late. Later updates of these rows change xmin,
-- so xmin does not show it. Events are compared by xmin.
--
-- Existing rows keep NULL: they are older than every position of the feed. The default is set separately, because a
-- volatile default in ADD COLUMN rewrites the table.
ALTER TABLE "workflow_executions" ADD COLUMN "started_xid" xid8;
ALTER TABLE "workflow_executions" ALTER COLUMN "started_xid" SET DEFAULT pg_current_xact_id();
ALTER TABLE "campaigns" ADD COLUMN "sent_xid" xid8;
ALTER TABLE "campaigns" ALTER COLUMN "sent_xid" SET DEFAULT pg_current_xact_id();
