-- Figures of emails by time and by group, as deltas that housekeeping folds (src/domain/analytics/sql/email-figures.ts).
--
-- The last statements count the emails, clicks, and unsubscriptions from before the migration. They take about 20 seconds
-- per million emails. Housekeeping folds their deltas afterwards.

-- Null for emails without a workflow. The execution of an email can be deleted before the email.
ALTER TABLE "emails" ADD COLUMN "workflow_id" UUID;

CREATE TABLE "email_deltas" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "campaign_id" UUID,
    "template_id" UUID,
    "workflow_id" UUID,
    "source" "email_source" NOT NULL,
    "type" "email_type" NOT NULL,
    "domain" TEXT NOT NULL,
    "sent" INTEGER NOT NULL DEFAULT 0,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "opened" INTEGER NOT NULL DEFAULT 0,
    "clicked" INTEGER NOT NULL DEFAULT 0,
    "bounced" INTEGER NOT NULL DEFAULT 0,
    "complained" INTEGER NOT NULL DEFAULT 0,
    "unsubscribed" INTEGER NOT NULL DEFAULT 0,
    "machine_opened" INTEGER NOT NULL DEFAULT 0,
    "machine_clicked" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "email_deltas_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "email_deltas_project_id_idx" ON "email_deltas"("project_id");

-- Quarters of an hour: the days and hours of every time zone consist of them.
CREATE TABLE "email_quarters" (
    "project_id" UUID NOT NULL,
    "dimension" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "sent" INTEGER NOT NULL DEFAULT 0,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "opened" INTEGER NOT NULL DEFAULT 0,
    "clicked" INTEGER NOT NULL DEFAULT 0,
    "bounced" INTEGER NOT NULL DEFAULT 0,
    "complained" INTEGER NOT NULL DEFAULT 0,
    "unsubscribed" INTEGER NOT NULL DEFAULT 0,
    "machine_opened" INTEGER NOT NULL DEFAULT 0,
    "machine_clicked" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "email_quarters_pkey" PRIMARY KEY ("project_id","dimension","key","at")
);
ALTER TABLE "email_quarters" ADD CONSTRAINT "email_quarters_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- UTC days, to find the largest groups of a range.
CREATE TABLE "email_days" (
    "project_id" UUID NOT NULL,
    "dimension" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "key" TEXT NOT NULL,
    "sent" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "email_days_pkey" PRIMARY KEY ("project_id","dimension","day","key")
);
ALTER TABLE "email_days" ADD CONSTRAINT "email_days_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "campaign_minutes" (
    "project_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "sent" INTEGER NOT NULL DEFAULT 0,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "opened" INTEGER NOT NULL DEFAULT 0,
    "clicked" INTEGER NOT NULL DEFAULT 0,
    "bounced" INTEGER NOT NULL DEFAULT 0,
    "complained" INTEGER NOT NULL DEFAULT 0,
    "unsubscribed" INTEGER NOT NULL DEFAULT 0,
    "machine_opened" INTEGER NOT NULL DEFAULT 0,
    "machine_clicked" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "campaign_minutes_pkey" PRIMARY KEY ("campaign_id","minute")
);
ALTER TABLE "campaign_minutes" ADD CONSTRAINT "campaign_minutes_project_id_campaign_id_fkey" FOREIGN KEY ("project_id", "campaign_id") REFERENCES "campaigns"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "link_deltas" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "label" TEXT,
    "people" INTEGER NOT NULL DEFAULT 0,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "machine_clicks" INTEGER NOT NULL DEFAULT 0,
    "first_at" TIMESTAMPTZ(3),
    "last_at" TIMESTAMPTZ(3),

    CONSTRAINT "link_deltas_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "link_deltas_campaign_id_idx" ON "link_deltas"("campaign_id");

CREATE TABLE "campaign_links" (
    "project_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "link_id" UUID NOT NULL,
    "url" TEXT,
    "label" TEXT,
    "people" INTEGER NOT NULL DEFAULT 0,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "machine_clicks" INTEGER NOT NULL DEFAULT 0,
    "first_at" TIMESTAMPTZ(3),
    "last_at" TIMESTAMPTZ(3),

    CONSTRAINT "campaign_links_pkey" PRIMARY KEY ("campaign_id","link_id")
);
ALTER TABLE "campaign_links" ADD CONSTRAINT "campaign_links_project_id_campaign_id_fkey" FOREIGN KEY ("project_id", "campaign_id") REFERENCES "campaigns"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The people who clicked a link.
CREATE TABLE "campaign_clicks" (
    "project_id" UUID NOT NULL,
    "campaign_id" UUID NOT NULL,
    "link_id" UUID NOT NULL,
    "email_id" UUID NOT NULL,

    CONSTRAINT "campaign_clicks_pkey" PRIMARY KEY ("campaign_id","link_id","email_id")
);
ALTER TABLE "campaign_clicks" ADD CONSTRAINT "campaign_clicks_project_id_campaign_id_fkey" FOREIGN KEY ("project_id", "campaign_id") REFERENCES "campaigns"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The emails whose link, page, or header a recipient used to unsubscribe.
CREATE TABLE "email_unsubscribes" (
    "email_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "campaign_id" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_unsubscribes_pkey" PRIMARY KEY ("email_id")
);
CREATE INDEX "email_unsubscribes_campaign_idx" ON "email_unsubscribes" ("campaign_id", "email_id") WHERE "campaign_id" IS NOT NULL;

-- The label of a clicked link.
ALTER TABLE "tracking_queue" ADD COLUMN "label" TEXT;
ALTER TABLE "tracking_hits" ADD COLUMN "label" TEXT;

ALTER TABLE "email_deltas" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "email_quarters" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "email_days" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "campaign_minutes" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "link_deltas" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "campaign_links" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "campaign_clicks" ALTER COLUMN "project_id" SET STATISTICS 0;
ALTER TABLE "email_unsubscribes" ALTER COLUMN "project_id" SET STATISTICS 0;
-- Rows of these tables are deleted soon after they are inserted.
ALTER TABLE "email_deltas" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);
ALTER TABLE "link_deltas" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);

UPDATE "emails" e SET "workflow_id" = x."workflow_id"
  FROM "workflow_executions" x WHERE x."id" = e."execution_id";

INSERT INTO "email_unsubscribes" ("email_id", "project_id", "campaign_id", "at")
SELECT DISTINCT ON (e.id) e.id, e.project_id, e.campaign_id, v.created_at
  FROM "events" v JOIN "emails" e ON e.id = v.email_id AND e.project_id = v.project_id
 WHERE v.name = 'contact.unsubscribed' AND v.data ->> 'source' IN ('page', 'one_click')
 ORDER BY e.id, v.created_at;

INSERT INTO "email_deltas" ("project_id", "minute", "campaign_id", "template_id", "workflow_id", "source", "type", "domain",
                            "sent", "delivered", "opened", "clicked", "bounced", "complained", "unsubscribed",
                            "machine_opened", "machine_clicked")
SELECT e.project_id, date_bin('1 minute', f.at, '2000-01-01T00:00:00Z'), e.campaign_id, e.template_id, e.workflow_id,
       e.source, e.type, split_part(e.to_email, '@', -1), sum(f.sent), sum(f.delivered), sum(f.opened), sum(f.clicked),
       sum(f.bounced), sum(f.complained), sum(f.unsubscribed), sum(f.machine_opened), sum(f.machine_clicked)
  FROM "emails" e
  LEFT JOIN "email_unsubscribes" u ON u.email_id = e.id
  LEFT JOIN LATERAL (
    SELECT min(h.at) FILTER (WHERE h.kind = 'open') AS opened_at, min(h.at) FILTER (WHERE h.kind = 'click') AS clicked_at
      FROM "tracking_hits" h
     WHERE h.project_id = e.project_id AND h.email_id = e.id AND h.machine AND (e.machine_opens > 0 OR e.machine_clicks > 0)
  ) m ON e.machine_opens > 0 OR e.machine_clicks > 0
 CROSS JOIN LATERAL (VALUES
   (e.sent_at, 1, 0, 0, 0, 0, 0, 0, 0, 0), (e.delivered_at, 0, 1, 0, 0, 0, 0, 0, 0, 0),
   (e.opened_at, 0, 0, 1, 0, 0, 0, 0, 0, 0), (e.clicked_at, 0, 0, 0, 1, 0, 0, 0, 0, 0),
   (e.bounced_at, 0, 0, 0, 0, 1, 0, 0, 0, 0), (e.complained_at, 0, 0, 0, 0, 0, 1, 0, 0, 0),
   (u.at, 0, 0, 0, 0, 0, 0, 1, 0, 0), (m.opened_at, 0, 0, 0, 0, 0, 0, 0, 1, 0), (m.clicked_at, 0, 0, 0, 0, 0, 0, 0, 0, 1)
 ) AS f(at, sent, delivered, opened, clicked, bounced, complained, unsubscribed, machine_opened, machine_clicked)
 WHERE f.at IS NOT NULL AND e.source NOT IN ('TEST', 'PLATFORM')
 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;

INSERT INTO "campaign_clicks" ("project_id", "campaign_id", "link_id", "email_id")
SELECT DISTINCT h.project_id, e.campaign_id, md5(E'\n' || h.url)::uuid, h.email_id
  FROM "tracking_hits" h JOIN "emails" e ON e.id = h.email_id
 WHERE h.kind = 'click' AND NOT h.machine AND h.url IS NOT NULL AND e.campaign_id IS NOT NULL;

INSERT INTO "link_deltas" ("project_id", "campaign_id", "url", "people", "clicks", "machine_clicks", "first_at", "last_at")
SELECT h.project_id, e.campaign_id, h.url, count(DISTINCT h.email_id) FILTER (WHERE NOT h.machine),
       count(*) FILTER (WHERE NOT h.machine), count(*) FILTER (WHERE h.machine),
       min(h.at) FILTER (WHERE NOT h.machine), max(h.at) FILTER (WHERE NOT h.machine)
  FROM "tracking_hits" h JOIN "emails" e ON e.id = h.email_id
 WHERE h.kind = 'click' AND h.url IS NOT NULL AND e.campaign_id IS NOT NULL
 GROUP BY h.project_id, e.campaign_id, h.url;
