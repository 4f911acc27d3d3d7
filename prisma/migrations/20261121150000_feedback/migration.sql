-- What happens after a mail is sent: hits of tracking links, feedback of mail servers, suppression, and the figures made of them.

ALTER TABLE "emails"
  ADD COLUMN "machine_opens" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "machine_clicks" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "bounce_type" TEXT,
  ADD COLUMN "bounce_reason" TEXT,
  ADD COLUMN "tracked" BOOLEAN;

CREATE TABLE "tracking_queue" (
    "id" UUID NOT NULL,
    "email_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "url" TEXT,
    "machine" BOOLEAN NOT NULL,
    "reason" TEXT,
    "user_agent" TEXT,
    "ip" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tracking_queue_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "tracking_queue_due_at_idx" ON "tracking_queue"("due_at");
CREATE INDEX "tracking_queue_email_id_idx" ON "tracking_queue"("email_id");
ALTER TABLE "tracking_queue" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

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
ALTER TABLE "stat_deltas" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- A status never goes back: of two that an email is said to have, the later one in this order holds (contract, section 4).
CREATE FUNCTION status_by_times(opened timestamptz, clicked timestamptz, delivered timestamptz, bounced timestamptz, complained timestamptz) RETURNS email_status LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN complained IS NOT NULL THEN 'COMPLAINED' WHEN bounced IS NOT NULL THEN 'BOUNCED' WHEN clicked IS NOT NULL THEN 'CLICKED' WHEN opened IS NOT NULL THEN 'OPENED'
              WHEN delivered IS NOT NULL THEN 'DELIVERED' ELSE 'SENT' END::email_status
$$;

-- Feedback is what is said of emails after they left: delivered, opened, clicked, bounced, complained. It comes as arrays with one entry per saying;
-- details: of a click `{"url"}`, of a bounce `{"bounceType": "permanent" | "transient", "reason"}`, of a complaint `{"reason"}`.

-- Permanent bounces and complaints suppress the address and unsubscribe its contact (a complaint also the contact that the mail was for, whatever its
-- address is now): the first time that they are said of an email, since a repeat must not end a subscription that was made since. Of several
-- reasons a complaint stays before a bounce, and of the same the earliest. Called with the emails and contacts locked, before the emails change.
CREATE FUNCTION suppress_by_feedback(said_ids uuid[], said_kinds text[], said_times timestamptz[], said_details jsonb[]) RETURNS void LANGUAGE sql AS $$
  WITH said AS (
    SELECT DISTINCT ON (s.id) s.id, s.kind = 'complained' AS complaint, s.at, s.detail ->> 'reason' AS reason,
           bool_or(s.kind = 'complained') OVER (PARTITION BY s.id) AS complained, bool_or(s.kind = 'bounced') OVER (PARTITION BY s.id) AS bounced
      FROM unnest(said_ids, said_kinds, said_times, said_details) AS s(id, kind, at, detail)
     WHERE s.kind = 'complained' OR s.kind = 'bounced' AND s.detail ->> 'bounceType' = 'permanent'
     ORDER BY s.id, complaint DESC, s.at, reason
  ), hard AS MATERIALIZED (
    SELECT s.*, e.project_id, e.to_email, e.contact_id, s.bounced AND e.bounce_type IS DISTINCT FROM 'permanent' OR s.complained AND e.complained_at IS NULL AS news
      FROM said s JOIN emails e USING (id) WHERE e.source NOT IN ('TEST', 'PLATFORM')
  ), suppressed AS (
    INSERT INTO suppressions AS known (project_id, email, reason, detail, email_id, created_at)
    SELECT DISTINCT ON (h.project_id, h.to_email) h.project_id, h.to_email, CASE WHEN h.complaint THEN 'complaint' ELSE 'bounce' END, h.reason, h.id, h.at
      FROM hard h
     WHERE h.news OR EXISTS (SELECT FROM suppressions s WHERE s.project_id = h.project_id AND s.email = h.to_email AND s.email_id = h.id)
     ORDER BY h.project_id, h.to_email, h.complaint DESC, h.at, h.id
    ON CONFLICT (project_id, email) DO UPDATE
      SET reason = excluded.reason, detail = excluded.detail, email_id = excluded.email_id, created_at = excluded.created_at
      WHERE (array_position('{complaint,bounce,manual}', excluded.reason), excluded.created_at) < (array_position('{complaint,bounce,manual}', known.reason), known.created_at)
  ), target AS MATERIALIZED (
    SELECT DISTINCT ON (c.id) c.id, c.subscribed, h.id AS email_id, h.complaint
      FROM hard h CROSS JOIN LATERAL (
        SELECT a.id, a.subscribed FROM contacts a WHERE a.project_id = h.project_id AND a.email = h.to_email
        UNION ALL
        SELECT a.id, a.subscribed FROM contacts a WHERE h.complaint AND a.id = h.contact_id) AS c
     WHERE h.news
     ORDER BY c.id, h.complaint DESC, h.at, h.id
  ), unsubscribed AS (
    UPDATE contacts c SET subscribed = false, snoozed_until = NULL, updated_at = clock_timestamp()
      FROM target t WHERE c.id = t.id AND (c.subscribed OR c.snoozed_until IS NOT NULL)
    RETURNING c.project_id, c.id, t.email_id, t.complaint, t.subscribed
  ), mended AS (
    -- The bounce of the same email came first.
    UPDATE events v SET data = v.data || '{"source":"complaint"}'
      FROM hard h JOIN target t ON t.email_id = h.id
     WHERE h.complaint AND NOT t.subscribed AND v.project_id = h.project_id AND v.name = 'contact.unsubscribed' AND v.contact_id = t.id AND v.email_id = h.id AND v.data ->> 'source' = 'bounce'
  )
  INSERT INTO events (id, project_id, contact_id, email_id, name, data)
  SELECT uuid_v7(), u.project_id, u.id, u.email_id, 'contact.unsubscribed', jsonb_build_object('source', CASE WHEN u.complaint THEN 'complaint' ELSE 'bounce' END, 'emailId', u.email_id)
    FROM unsubscribed u WHERE u.subscribed
$$;

-- Applies feedback. All orders, repeats and splits into calls end in the same state, events and figures.
--
-- An email has one event for each of delivered, opened, bounced and complained, and one for each link that was clicked: that of the earliest time that
-- was said, and of bounces that of the permanent one where there is one. The row's times, bounce type and reason are those of its events. What comes
-- late and was earlier mends the event. Figures are the difference that a call makes to what the rows say: each email counts once, on the day of its time.
--
-- Of mails that are tests or the platform's own only the row learns of it. Feedback proves an email sent whose outcome a crash had hidden.
--
-- A function because the rows must be read after they are locked, and each statement in here takes a snapshot of its own. Emails first, in the order of
-- their ids, then contacts. The caller gives way (a lock_timeout below deadlock_timeout): who records deliveries locks emails in any order.
CREATE FUNCTION apply_feedback(said_ids uuid[], said_kinds text[], said_times timestamptz[], said_details jsonb[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  known integer;
BEGIN
  PERFORM FROM emails e WHERE e.id = ANY (said_ids) ORDER BY e.id FOR NO KEY UPDATE;
  GET DIAGNOSTICS known = ROW_COUNT;
  IF known = 0 THEN RETURN 0; END IF;

  IF 'bounced' = ANY (said_kinds) OR 'complained' = ANY (said_kinds) THEN
    PERFORM FROM contacts c
      WHERE c.id IN (
        SELECT e.contact_id FROM emails e WHERE e.id = ANY (said_ids)
        UNION ALL
        SELECT a.id FROM emails e JOIN contacts a ON a.project_id = e.project_id AND a.email = e.to_email WHERE e.id = ANY (said_ids))
      ORDER BY c.id FOR NO KEY UPDATE;
    PERFORM suppress_by_feedback(said_ids, said_kinds, said_times, said_details);
  END IF;

  WITH said AS MATERIALIZED (
    -- Nothing happens to an email before it is there: the clock of whoever says so is wrong, or the message a sample.
    SELECT s.id, s.kind, greatest(s.at, e.created_at)::timestamptz(3) AS at, s.detail, s.detail ->> 'url' AS url, s.kind = 'bounced' AND s.detail ->> 'bounceType' IS NOT DISTINCT FROM 'permanent' AS permanent
      FROM unnest(said_ids, said_kinds, said_times, said_details) AS s(id, kind, at, detail) JOIN emails e ON e.id = s.id
  ), fact AS MATERIALIZED (
    -- Of those that say the same the one that counts.
    SELECT DISTINCT ON (id, kind, url) * FROM said ORDER BY id, kind, url, permanent DESC, at, detail ->> 'reason'
  ), gathered AS (
    SELECT s.id,
           min(s.at) FILTER (WHERE s.kind = 'delivered') AS delivered,
           min(s.at) FILTER (WHERE s.kind = 'opened') AS opened,
           min(s.at) FILTER (WHERE s.kind = 'clicked') AS clicked,
           min(s.at) FILTER (WHERE s.kind = 'complained') AS complained,
           count(*) FILTER (WHERE s.kind = 'opened') AS opens,
           count(*) FILTER (WHERE s.kind = 'clicked') AS clicks
      FROM said s GROUP BY s.id
  ), email AS MATERIALIZED (
    -- What each email was, and what it is from now on.
    SELECT e.id, e.project_id, e.contact_id, e.campaign_id, e.template_id, e.created_at, e.source NOT IN ('TEST', 'PLATFORM') AS counts, p.proven,
           e.sent_at AS was_sent, e.delivered_at AS was_delivered, e.opened_at AS was_opened, e.clicked_at AS was_clicked, e.bounced_at AS was_bounced,
           e.complained_at AS was_complained, CASE WHEN e.bounce_type = 'permanent' THEN e.bounced_at END AS was_hard,
           CASE WHEN p.proven THEN coalesce(e.sent_at, now()) ELSE e.sent_at END AS sent_at,
           least(e.delivered_at, g.delivered) AS delivered_at, least(e.opened_at, g.opened) AS opened_at, least(e.clicked_at, g.clicked) AS clicked_at,
           least(e.complained_at, g.complained) AS complained_at,
           CASE WHEN p.bounces THEN b.at ELSE e.bounced_at END AS bounced_at,
           CASE WHEN p.bounces THEN CASE WHEN b.permanent THEN 'permanent' ELSE 'transient' END ELSE e.bounce_type END AS bounce_type,
           CASE WHEN p.bounces THEN b.detail ->> 'reason' ELSE e.bounce_reason END AS bounce_reason,
           p.bounces, g.opens, g.clicks
      FROM emails e JOIN gathered g USING (id) LEFT JOIN fact b ON b.id = e.id AND b.kind = 'bounced'
     CROSS JOIN LATERAL (
       SELECT e.ambiguous AND e.status IN ('FAILED', 'PENDING', 'CANCELLED') AS proven,
              b.id IS NOT NULL AND (e.bounced_at IS NULL OR (NOT b.permanent, b.at, coalesce(b.detail ->> 'reason', ''))
                                                          < (e.bounce_type IS DISTINCT FROM 'permanent', e.bounced_at, coalesce(e.bounce_reason, ''))) AS bounces) AS p
  ), changed AS (
    UPDATE emails e
       SET sent_at = n.sent_at, delivered_at = n.delivered_at, opened_at = n.opened_at, clicked_at = n.clicked_at, bounced_at = n.bounced_at, complained_at = n.complained_at,
           opens = e.opens + n.opens, clicks = e.clicks + n.clicks, bounce_type = n.bounce_type, bounce_reason = n.bounce_reason,
           error = CASE WHEN NOT n.proven THEN e.error END,
           -- What is being handed over gets its status with the result.
           status = CASE WHEN n.proven OR e.status IN ('SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'BOUNCED', 'COMPLAINED')
                         THEN status_by_times(n.opened_at, n.clicked_at, n.delivered_at, n.bounced_at, n.complained_at) ELSE e.status END
      FROM email n WHERE e.id = n.id
  ), counted AS (
    INSERT INTO stat_deltas (project_id, campaign_id, day, sent, delivered, opened, clicked, bounced, hard_bounced, complained)
    SELECT n.project_id, n.campaign_id, d.day, sum(d.one * f.sent), sum(d.one * f.delivered), sum(d.one * f.opened), sum(d.one * f.clicked), sum(d.one * f.bounced), sum(d.one * f.hard), sum(d.one * f.complained)
      FROM email n
     CROSS JOIN LATERAL (VALUES
       (n.was_sent, n.sent_at, 1, 0, 0, 0, 0, 0, 0), (n.was_delivered, n.delivered_at, 0, 1, 0, 0, 0, 0, 0), (n.was_opened, n.opened_at, 0, 0, 1, 0, 0, 0, 0),
       (n.was_clicked, n.clicked_at, 0, 0, 0, 1, 0, 0, 0), (n.was_bounced, n.bounced_at, 0, 0, 0, 0, 1, 0, 0),
       (n.was_hard, CASE WHEN n.bounce_type = 'permanent' THEN n.bounced_at END, 0, 0, 0, 0, 0, 1, 0), (n.was_complained, n.complained_at, 0, 0, 0, 0, 0, 0, 1)
     ) AS f(was, at, sent, delivered, opened, clicked, bounced, hard, complained)
     CROSS JOIN LATERAL (VALUES ((f.was AT TIME ZONE 'UTC')::date, -1), ((f.at AT TIME ZONE 'UTC')::date, 1)) AS d(day, one)
     WHERE n.counts AND (f.was AT TIME ZONE 'UTC')::date IS DISTINCT FROM (f.at AT TIME ZONE 'UTC')::date AND d.day IS NOT NULL
     GROUP BY n.project_id, n.campaign_id, d.day
  ), news AS MATERIALIZED (
    SELECT n.id, n.project_id, n.contact_id, f.kind, w.was, known.id AS event_id, known.at AS event_at,
           jsonb_strip_nulls(jsonb_build_object('campaignId', n.campaign_id, 'templateId', n.template_id) || coalesce(f.detail, '{}')) || jsonb_build_object('timestamp', w.at) AS data, w.at
      FROM fact f JOIN email n USING (id)
     CROSS JOIN LATERAL (
       SELECT CASE f.kind WHEN 'delivered' THEN n.was_delivered WHEN 'opened' THEN n.was_opened WHEN 'clicked' THEN n.was_clicked WHEN 'bounced' THEN n.was_bounced ELSE n.was_complained END AS was,
              to_char(f.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at) AS w
      LEFT JOIN LATERAL (
        -- Two ways to one event, since the index knows no "is the same or null". The first time nothing is looked for; the condition on the time is true of all.
        SELECT v.id, v.data ->> 'timestamp' AS at FROM events v
         WHERE w.was IS NOT NULL AND v.project_id = n.project_id AND v.name = 'email.' || f.kind AND v.contact_id = n.contact_id AND v.created_at >= n.created_at
           AND v.email_id = n.id AND v.data ->> 'url' IS NOT DISTINCT FROM f.url
        UNION ALL
        SELECT v.id, v.data ->> 'timestamp' FROM events v
         WHERE w.was IS NOT NULL AND n.contact_id IS NULL AND v.project_id = n.project_id AND v.name = 'email.' || f.kind AND v.contact_id IS NULL AND v.created_at >= n.created_at
           AND v.email_id = n.id AND v.data ->> 'url' IS NOT DISTINCT FROM f.url
      ) AS known ON true
     WHERE n.counts AND CASE f.kind WHEN 'clicked' THEN true WHEN 'bounced' THEN n.bounces ELSE w.was IS NULL OR f.at < w.was END
  ), mended AS (
    UPDATE events v SET data = n.data FROM news n WHERE v.id = n.event_id AND (n.kind <> 'clicked' OR n.at < n.event_at)
  )
  INSERT INTO events (id, project_id, contact_id, email_id, name, data)
  SELECT uuid_v7(), n.project_id, n.contact_id, n.id, 'email.sent', jsonb_strip_nulls(jsonb_build_object('campaignId', n.campaign_id, 'templateId', n.template_id)) FROM email n WHERE n.proven AND n.counts
  UNION ALL
  SELECT uuid_v7(), n.project_id, n.contact_id, n.id, 'email.' || n.kind, n.data FROM news n WHERE n.was IS NULL OR n.kind = 'clicked' AND n.event_id IS NULL;
  RETURN known;
END $$;
