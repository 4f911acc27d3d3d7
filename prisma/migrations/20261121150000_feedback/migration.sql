-- What happens after a mail is sent: hits of tracking links, feedback of mail servers, suppression, and the figures made of them.

ALTER TABLE "emails"
  ADD COLUMN "machine_opens" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "machine_clicks" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "bounce_type" TEXT,
  ADD COLUMN "bounce_reason" TEXT;

CREATE TABLE "tracking_hits" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "email_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "url" TEXT,
    "machine" BOOLEAN NOT NULL,
    "reason" TEXT,
    "user_agent" TEXT,
    "ip" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tracking_hits_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "tracking_hits_project_id_email_id_idx" ON "tracking_hits"("project_id", "email_id");

CREATE TABLE "suppressions" (
    "project_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "detail" TEXT,
    "email_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "suppressions_pkey" PRIMARY KEY ("project_id","email")
);
CREATE INDEX "suppressions_project_id_created_at_email_idx" ON "suppressions"("project_id", "created_at", "email");
ALTER TABLE "suppressions" ADD CONSTRAINT "suppressions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "applied_notifications" (
    "source" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "applied_notifications_pkey" PRIMARY KEY ("source","id")
);
CREATE INDEX "applied_notifications_at_idx" ON "applied_notifications"("at");

CREATE TABLE "project_days" (
    "project_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "sent" BIGINT NOT NULL DEFAULT 0,
    "delivered" BIGINT NOT NULL DEFAULT 0,
    "opened" BIGINT NOT NULL DEFAULT 0,
    "clicked" BIGINT NOT NULL DEFAULT 0,
    "bounced" BIGINT NOT NULL DEFAULT 0,
    "hard_bounced" BIGINT NOT NULL DEFAULT 0,
    "complained" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "project_days_pkey" PRIMARY KEY ("project_id","day")
);
ALTER TABLE "project_days" ADD CONSTRAINT "project_days_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "stat_deltas" (
    "id" BIGSERIAL NOT NULL,
    "project_id" UUID NOT NULL,
    "campaign_id" UUID,
    "day" DATE NOT NULL,
    "sent" INTEGER NOT NULL DEFAULT 0,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "opened" INTEGER NOT NULL DEFAULT 0,
    "clicked" INTEGER NOT NULL DEFAULT 0,
    "bounced" INTEGER NOT NULL DEFAULT 0,
    "hard_bounced" INTEGER NOT NULL DEFAULT 0,
    "complained" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "stat_deltas_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "stat_deltas_project_id_idx" ON "stat_deltas"("project_id");

-- A status never goes back: of two that an email is said to have, the later one in this order holds (contract, section 4).
CREATE FUNCTION status_by_times(opened timestamptz, clicked timestamptz, delivered timestamptz, bounced timestamptz, complained timestamptz) RETURNS email_status LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN complained IS NOT NULL THEN 'COMPLAINED' WHEN bounced IS NOT NULL THEN 'BOUNCED' WHEN clicked IS NOT NULL THEN 'CLICKED' WHEN opened IS NOT NULL THEN 'OPENED'
              WHEN delivered IS NOT NULL THEN 'DELIVERED' ELSE 'SENT' END::email_status
$$;

-- What is said of emails after they left: delivered, opened, clicked, bounced, complained. All orders and repeats end in the same state and figures.
--
-- details: of a click `{"url"}`, of a bounce `{"bounceType": "permanent" | "transient", "reason"}`; kept in the event's data.
--
-- An event and a figure for the first time that an email is said to be delivered, opened, bounced, complained; of clicks an event for the first on
-- each link, a figure for the first. Permanent bounces and complaints suppress the address and unsubscribe the contact. Of mails that are tests or the
-- platform's own only the row learns of it.
--
-- A function because the rows must be read after they are locked, and each statement in here takes a snapshot of its own. Emails first, in the order
-- of their ids, then contacts: as whoever records deliveries.
CREATE FUNCTION apply_feedback(said_ids uuid[], said_kinds text[], said_times timestamptz[], said_details jsonb[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  known integer;
BEGIN
  PERFORM FROM emails e WHERE e.id = ANY (said_ids) ORDER BY e.id FOR NO KEY UPDATE;
  GET DIAGNOSTICS known = ROW_COUNT;
  IF known = 0 THEN RETURN 0; END IF;

  IF 'bounced' = ANY (said_kinds) OR 'complained' = ANY (said_kinds) THEN
    PERFORM FROM contacts c
      WHERE c.id IN (SELECT e.contact_id FROM unnest(said_ids, said_kinds) AS s(id, kind) JOIN emails e ON e.id = s.id WHERE s.kind IN ('bounced', 'complained'))
      ORDER BY c.id FOR NO KEY UPDATE;
  END IF;

  WITH said AS MATERIALIZED (
    SELECT * FROM unnest(said_ids, said_kinds, said_times, said_details) AS s(id, kind, at, detail)
  ), before AS MATERIALIZED (
    SELECT e.id, e.project_id, e.contact_id, e.campaign_id, e.template_id, e.source, e.status, e.ambiguous, e.to_email, e.sent_at, e.delivered_at, e.opened_at, e.clicked_at,
           e.bounced_at, e.complained_at, e.bounce_type
      FROM emails e WHERE e.id = ANY (said_ids)
  ), gathered AS MATERIALIZED (
    SELECT s.id,
           min(s.at) FILTER (WHERE s.kind = 'delivered') AS delivered,
           min(s.at) FILTER (WHERE s.kind = 'opened') AS opened,
           min(s.at) FILTER (WHERE s.kind = 'clicked') AS clicked,
           min(s.at) FILTER (WHERE s.kind = 'bounced') AS bounced,
           min(s.at) FILTER (WHERE s.kind = 'complained') AS complained,
           count(*) FILTER (WHERE s.kind = 'opened') AS opens,
           count(*) FILTER (WHERE s.kind = 'clicked') AS clicks,
           coalesce(bool_or(s.kind = 'bounced' AND s.detail ->> 'bounceType' = 'permanent'), false) AS hard,
           max(s.detail ->> 'reason') FILTER (WHERE s.kind IN ('bounced', 'complained')) AS reason
      FROM said s GROUP BY s.id
  ), changed AS (
    UPDATE emails e
       SET delivered_at = least(e.delivered_at, g.delivered), opened_at = least(e.opened_at, g.opened), clicked_at = least(e.clicked_at, g.clicked),
           bounced_at = least(e.bounced_at, g.bounced), complained_at = least(e.complained_at, g.complained),
           opens = e.opens + g.opens, clicks = e.clicks + g.clicks,
           bounce_type = CASE WHEN g.hard THEN 'permanent' WHEN g.bounced IS NOT NULL THEN coalesce(e.bounce_type, 'transient') ELSE e.bounce_type END,
           bounce_reason = coalesce(e.bounce_reason, g.reason),
           -- What is being handed over gets its status with the result; what was taken for lost or due again is proven sent.
           sent_at = CASE WHEN b.proven THEN coalesce(e.sent_at, now()) ELSE e.sent_at END,
           status = CASE WHEN e.status IN ('SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'BOUNCED', 'COMPLAINED') OR b.proven
                         THEN status_by_times(least(e.opened_at, g.opened), least(e.clicked_at, g.clicked), least(e.delivered_at, g.delivered),
                                              least(e.bounced_at, g.bounced), least(e.complained_at, g.complained))
                         ELSE e.status END
      FROM gathered g JOIN (SELECT id, ambiguous AND status IN ('FAILED', 'PENDING') AS proven FROM before) b USING (id)
     WHERE e.id = g.id
  ), proven AS MATERIALIZED (
    -- A crash had hidden whether they were sent.
    SELECT * FROM before WHERE ambiguous AND status IN ('FAILED', 'PENDING') AND source NOT IN ('TEST', 'PLATFORM')
  ), news AS MATERIALIZED (
    SELECT DISTINCT ON (b.id, s.kind, CASE s.kind WHEN 'clicked' THEN s.detail ->> 'url' END)
           b.*, s.kind, s.at, s.detail,
           CASE s.kind WHEN 'clicked' THEN b.clicked_at IS NULL AND row_number() OVER (PARTITION BY b.id, s.kind ORDER BY s.at) = 1 ELSE true END AS first
      FROM said s JOIN before b USING (id)
     WHERE b.source NOT IN ('TEST', 'PLATFORM')
       AND CASE s.kind
             WHEN 'delivered' THEN b.delivered_at IS NULL
             WHEN 'opened' THEN b.opened_at IS NULL
             WHEN 'bounced' THEN b.bounced_at IS NULL
             WHEN 'complained' THEN b.complained_at IS NULL
             ELSE b.clicked_at IS NULL OR b.contact_id IS NOT NULL AND NOT EXISTS (
               SELECT FROM events v
                WHERE v.project_id = b.project_id AND v.name = 'email.clicked' AND v.contact_id = b.contact_id AND v.email_id = b.id AND v.data ->> 'url' = s.detail ->> 'url')
           END
     ORDER BY b.id, s.kind, CASE s.kind WHEN 'clicked' THEN s.detail ->> 'url' END, s.at
  ), logged AS (
    INSERT INTO events (id, project_id, contact_id, email_id, name, data)
    SELECT uuid_v7(), n.project_id, n.contact_id, n.id, 'email.' || n.kind,
           jsonb_strip_nulls(jsonb_build_object('campaignId', n.campaign_id, 'templateId', n.template_id,
                                                'timestamp', to_char(n.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || coalesce(n.detail, '{}'))
      FROM news n
    UNION ALL
    SELECT uuid_v7(), p.project_id, p.contact_id, p.id, 'email.sent', jsonb_strip_nulls(jsonb_build_object('campaignId', p.campaign_id, 'templateId', p.template_id)) FROM proven p
  ), hard AS MATERIALIZED (
    -- A permanent bounce after a transient one counts as permanent too, and once.
    SELECT b.*, g.reason AS said_reason, g.hard, g.complained AS said_complained, g.bounced AS said_bounced
      FROM before b JOIN gathered g USING (id)
     WHERE b.source NOT IN ('TEST', 'PLATFORM') AND (g.hard OR g.complained IS NOT NULL)
  ), counted AS (
    INSERT INTO stat_deltas (project_id, campaign_id, day, sent, delivered, opened, clicked, bounced, hard_bounced, complained)
    SELECT project_id, campaign_id, day, count(*) FILTER (WHERE kind = 'sent'), count(*) FILTER (WHERE kind = 'delivered'), count(*) FILTER (WHERE kind = 'opened'), count(*) FILTER (WHERE kind = 'clicked'),
           count(*) FILTER (WHERE kind = 'bounced'), count(*) FILTER (WHERE kind = 'hard'), count(*) FILTER (WHERE kind = 'complained')
      FROM (SELECT project_id, campaign_id, (at AT TIME ZONE 'UTC')::date AS day, kind FROM news WHERE first
            UNION ALL
            SELECT project_id, campaign_id, (said_bounced AT TIME ZONE 'UTC')::date, 'hard' FROM hard WHERE hard AND bounce_type IS DISTINCT FROM 'permanent'
            UNION ALL
            SELECT project_id, campaign_id, (now() AT TIME ZONE 'UTC')::date, 'sent' FROM proven) AS one
     GROUP BY project_id, campaign_id, day
  ), suppressed AS (
    INSERT INTO suppressions (project_id, email, reason, detail, email_id)
    SELECT DISTINCT ON (project_id, to_email) project_id, to_email, CASE WHEN said_complained IS NOT NULL THEN 'complaint' ELSE 'bounce' END, said_reason, id
      FROM hard ORDER BY project_id, to_email, said_complained NULLS LAST
    ON CONFLICT DO NOTHING
  ), unsubscribed AS (
    UPDATE contacts c SET subscribed = false, snoozed_until = NULL, updated_at = clock_timestamp()
      FROM (SELECT DISTINCT ON (contact_id) contact_id, id AS email_id, said_complained FROM hard WHERE contact_id IS NOT NULL ORDER BY contact_id, said_complained NULLS LAST) h
      JOIN contacts was ON was.id = h.contact_id
     WHERE c.id = h.contact_id AND (c.subscribed OR c.snoozed_until IS NOT NULL)
    RETURNING c.project_id, c.id, h.email_id, was.subscribed AS was_subscribed, h.said_complained IS NOT NULL AS complaint
  )
  INSERT INTO events (id, project_id, contact_id, email_id, name, data)
  SELECT uuid_v7(), u.project_id, u.id, u.email_id, 'contact.unsubscribed', jsonb_build_object('source', CASE WHEN u.complaint THEN 'complaint' ELSE 'bounce' END, 'emailId', u.email_id)
    FROM unsubscribed u WHERE u.was_subscribed;
  RETURN known;
END $$;
