-- Billing: what projects use, how far they may go, and what their subscriptions at the payment provider are.

-- Emails that were accepted, by calendar month (UTC) and source. A project's count is the sum over its slots.
CREATE TABLE "project_usage" (
    "project_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "source" "email_source" NOT NULL,
    "slot" SMALLINT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "project_usage_pkey" PRIMARY KEY ("project_id","month","source","slot")
);
ALTER TABLE "project_usage" ADD CONSTRAINT "project_usage_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- Room on each page, so that counting on moves no index entry.
ALTER TABLE "project_usage" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);

CREATE TABLE "usage_notices" (
    "project_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "source" "email_source" NOT NULL,
    "level" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_notices_pkey" PRIMARY KEY ("project_id","month","source","level")
);
ALTER TABLE "usage_notices" ADD CONSTRAINT "usage_notices_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "billing_subscriptions" (
    "id" TEXT NOT NULL,
    "project_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "period_start" TIMESTAMPTZ(3),
    "period_end" TIMESTAMPTZ(3),
    "cancel_at_period_end" BOOLEAN NOT NULL DEFAULT false,
    "event_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "billing_subscriptions_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "billing_subscriptions_project_id_idx" ON "billing_subscriptions"("project_id");
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The few projects that notices are looked for.
CREATE INDEX "projects_limited_idx" ON "projects" ("id")
  WHERE "billing_limit_workflows" IS NOT NULL OR "billing_limit_campaigns" IS NOT NULL OR "billing_limit_transactional" IS NOT NULL;

CREATE FUNCTION usage_month(at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT date_trunc('month', at AT TIME ZONE 'UTC')::date
$$;

-- A project's limit for emails of a source; null: none.
CREATE FUNCTION usage_limit(p projects, source email_source) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT CASE source WHEN 'TRANSACTIONAL' THEN p.billing_limit_transactional WHEN 'CAMPAIGN' THEN p.billing_limit_campaigns WHEN 'WORKFLOW' THEN p.billing_limit_workflows END
$$;

-- What a project has used this month, as far as it is committed or of this transaction. In PL/pgSQL, which keeps the plan: senders ask often.
CREATE FUNCTION usage_of(of_project uuid, of_source email_source) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT coalesce(sum(u.count), 0)::bigint FROM project_usage u WHERE u.project_id = of_project AND u.month = usage_month(now()) AND u.source = of_source);
END $$;

-- Counts what a statement has added to the emails, whoever it was, and refuses it (SQLSTATE SL003) when a limit does not allow so many: then nothing of the
-- statement is written. Test mails and the platform's own are not counted.
--
-- With a limit all of a project's senders add to one row, slot 0. Each holds it from here, where its statement ends, to its commit, and the sum that it is judged
-- by is read after it got the row: so of parallel senders none is missed. Without a limit there is nothing to judge and nobody to wait for: each connection
-- adds to a slot of its own, as far as there are enough.
CREATE FUNCTION count_usage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  limited uuid[];
  sources email_source[];
  full_project uuid;
BEGIN
  WITH counted AS (
    INSERT INTO project_usage AS u (project_id, month, source, slot, count)
    SELECT n.project_id, usage_month(now()), n.source, CASE WHEN usage_limit(p, n.source) IS NULL THEN 1 + pg_backend_pid() % 15 ELSE 0 END, n.count
      FROM (SELECT f.project_id, f.source, count(*) AS count FROM fresh f WHERE f.source NOT IN ('TEST', 'PLATFORM') GROUP BY f.project_id, f.source) n
      JOIN projects p ON p.id = n.project_id
     ORDER BY n.project_id, n.source
    ON CONFLICT (project_id, month, source, slot) DO UPDATE SET count = u.count + excluded.count
    RETURNING u.project_id, u.source, u.slot
  )
  SELECT array_agg(c.project_id), array_agg(c.source) INTO limited, sources FROM counted c WHERE c.slot = 0;
  IF limited IS NULL THEN RETURN NULL; END IF;

  SELECT p.id INTO full_project
    FROM unnest(limited, sources) AS k(project_id, source) JOIN projects p ON p.id = k.project_id
   WHERE usage_of(p.id, k.source) > usage_limit(p, k.source)
   LIMIT 1;
  IF full_project IS NOT NULL THEN
    RAISE EXCEPTION 'Project % has used up a billing limit', full_project USING ERRCODE = 'SL003';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER emails_count_usage AFTER INSERT ON emails REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION count_usage();

-- What is cancelled was not sent: it is given back to the month in which it was counted. A worker that was taken for dead may say later that it was sent
-- after all: then it is counted again, and refused no more.
CREATE FUNCTION return_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM after_it a WHERE a.status = 'CANCELLED') AND NOT EXISTS (SELECT FROM before_it b WHERE b.status = 'CANCELLED') THEN RETURN NULL; END IF;
  INSERT INTO project_usage AS u (project_id, month, source, slot, count)
  SELECT a.project_id, usage_month(a.created_at), a.source, 1 + pg_backend_pid() % 15, sum(CASE WHEN a.status = 'CANCELLED' THEN -1 ELSE 1 END)
    FROM after_it a JOIN before_it b ON b.id = a.id
   WHERE (a.status = 'CANCELLED') <> (b.status = 'CANCELLED') AND a.source NOT IN ('TEST', 'PLATFORM')
   GROUP BY a.project_id, usage_month(a.created_at), a.source
   ORDER BY a.project_id, usage_month(a.created_at), a.source
  ON CONFLICT (project_id, month, source, slot) DO UPDATE SET count = u.count + excluded.count;
  RETURN NULL;
END $$;
CREATE TRIGGER emails_return_usage AFTER UPDATE ON emails REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION return_usage();

-- What was accepted this month before anybody counted.
INSERT INTO project_usage (project_id, month, source, slot, count)
SELECT e.project_id, usage_month(e.created_at), e.source, 1, count(*)
  FROM emails e
 WHERE e.created_at >= usage_month(now())::timestamp AT TIME ZONE 'UTC' AND e.source NOT IN ('TEST', 'PLATFORM') AND e.status <> 'CANCELLED'
 GROUP BY e.project_id, usage_month(e.created_at), e.source;
