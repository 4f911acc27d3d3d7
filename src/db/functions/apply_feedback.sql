-- Applies feedback: reports about emails after they were sent (delivered, opened, clicked, bounced, complained). The
-- arrays have one entry per report. A detail is {"url"} for a click, {"bounceType": "permanent" | "transient",
-- "reason"} for a bounce, and {"reason"} for a complaint. Returns the number of known emails.
--
-- The result does not depend on the order of reports, on repeats, or on how reports are split into calls:
--
-- * An email has one event each for delivered, opened, bounced, and complained, and one per clicked link. The event
--   carries the earliest reported time; for bounces, that of a permanent bounce if there is one. A later report with an
--   earlier time corrects the event. The times, bounce type, and reason on the row equal those of the events.
-- * Each email counts once per figure, on the day of its time. A call adds the difference that it makes to the row.
-- * Feedback proves that an email whose outcome a crash had hidden was sent.
-- * For test emails and the platform's own emails, only the row changes.
--
-- This is a function because it must read the rows after it has locked them: each of its statements takes a new
-- snapshot. It locks emails in the order of their ids, then contacts. Workers that record deliveries lock emails in
-- any order, so the caller sets a lock_timeout below deadlock_timeout and retries.
CREATE OR REPLACE FUNCTION apply_feedback(
  said_ids uuid[], said_kinds text[], said_times timestamptz[], said_details jsonb[]
) RETURNS integer LANGUAGE plpgsql AS $$
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
        SELECT a.id FROM emails e JOIN contacts a ON a.project_id = e.project_id AND a.email = e.to_email
         WHERE e.id = ANY (said_ids))
      ORDER BY c.id FOR NO KEY UPDATE;
    PERFORM suppress_by_feedback(said_ids, said_kinds, said_times, said_details);
  END IF;

  WITH said AS MATERIALIZED (
    -- A report cannot be older than its email: then the reporter's clock is wrong, or the message is a sample.
    SELECT s.id, s.kind, greatest(s.at, e.created_at)::timestamptz(3) AS at, s.detail, s.detail ->> 'url' AS url,
           s.kind = 'bounced' AND s.detail ->> 'bounceType' IS NOT DISTINCT FROM 'permanent' AS permanent
      FROM unnest(said_ids, said_kinds, said_times, said_details) AS s(id, kind, at, detail)
      JOIN emails e ON e.id = s.id
  ), fact AS MATERIALIZED (
    -- The one report that counts among equal reports.
    SELECT DISTINCT ON (id, kind, url) *
      FROM said ORDER BY id, kind, url, permanent DESC, at, detail ->> 'reason'
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
    -- Each email before (was_…) and after this call.
    SELECT e.id, e.project_id, e.contact_id, e.campaign_id, e.template_id, e.created_at,
           e.workflow_id, e.source, e.type, e.to_email, e.tags, e.variant,
           -- Feedback is not counted by wave, except as a proof.
           CASE WHEN p.proven THEN e.scheduled_for END AS wave,
           e.source NOT IN ('TEST', 'PLATFORM') AS counts, p.proven,
           e.sent_at AS was_sent, e.delivered_at AS was_delivered, e.opened_at AS was_opened,
           e.clicked_at AS was_clicked, e.bounced_at AS was_bounced, e.complained_at AS was_complained,
           CASE WHEN e.bounce_type = 'permanent' THEN e.bounced_at END AS was_hard,
           CASE WHEN p.proven THEN coalesce(e.sent_at, now()) ELSE e.sent_at END AS sent_at,
           least(e.delivered_at, g.delivered) AS delivered_at, least(e.opened_at, g.opened) AS opened_at,
           least(e.clicked_at, g.clicked) AS clicked_at, least(e.complained_at, g.complained) AS complained_at,
           CASE WHEN p.bounces THEN b.at ELSE e.bounced_at END AS bounced_at,
           CASE WHEN p.bounces THEN CASE WHEN b.permanent THEN 'permanent' ELSE 'transient' END
                ELSE e.bounce_type END AS bounce_type,
           CASE WHEN p.bounces THEN b.detail ->> 'reason' ELSE e.bounce_reason END AS bounce_reason,
           p.bounces, g.opens, g.clicks
      FROM emails e JOIN gathered g USING (id) LEFT JOIN fact b ON b.id = e.id AND b.kind = 'bounced'
     CROSS JOIN LATERAL (
       SELECT e.ambiguous AND e.status IN ('FAILED', 'PENDING', 'CANCELLED') AS proven,
              b.id IS NOT NULL
                AND (e.bounced_at IS NULL
                     OR (NOT b.permanent, b.at, coalesce(b.detail ->> 'reason', ''))
                      < (e.bounce_type IS DISTINCT FROM 'permanent', e.bounced_at, coalesce(e.bounce_reason, '')))
                AS bounces) AS p
  ), changed AS (
    UPDATE emails e
       SET sent_at = n.sent_at, delivered_at = n.delivered_at, opened_at = n.opened_at, clicked_at = n.clicked_at,
           bounced_at = n.bounced_at, complained_at = n.complained_at,
           opens = e.opens + n.opens, clicks = e.clicks + n.clicks,
           bounce_type = n.bounce_type, bounce_reason = n.bounce_reason,
           error = CASE WHEN NOT n.proven THEN e.error END,
           -- An email that is in flight gets its status with the result of its delivery.
           status = CASE WHEN n.proven
                           OR e.status IN ('SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'BOUNCED', 'COMPLAINED')
                         THEN status_by_times(n.opened_at, n.clicked_at, n.delivered_at, n.bounced_at, n.complained_at)
                         ELSE e.status END
      FROM email n WHERE e.id = n.id
  ), counted AS (
    INSERT INTO stat_deltas
      (project_id, campaign_id, variant, wave, day, sent, delivered, opened, clicked, bounced, hard_bounced, complained)
    SELECT n.project_id, n.campaign_id, n.variant, n.wave, d.day, sum(d.one * f.sent), sum(d.one * f.delivered), sum(d.one * f.opened),
           sum(d.one * f.clicked), sum(d.one * f.bounced), sum(d.one * f.hard), sum(d.one * f.complained)
      FROM email n
     CROSS JOIN LATERAL (VALUES
       (n.was_sent, n.sent_at, 1, 0, 0, 0, 0, 0, 0),
       (n.was_delivered, n.delivered_at, 0, 1, 0, 0, 0, 0, 0),
       (n.was_opened, n.opened_at, 0, 0, 1, 0, 0, 0, 0),
       (n.was_clicked, n.clicked_at, 0, 0, 0, 1, 0, 0, 0),
       (n.was_bounced, n.bounced_at, 0, 0, 0, 0, 1, 0, 0),
       (n.was_hard, CASE WHEN n.bounce_type = 'permanent' THEN n.bounced_at END, 0, 0, 0, 0, 0, 1, 0),
       (n.was_complained, n.complained_at, 0, 0, 0, 0, 0, 0, 1)
     ) AS f(was, at, sent, delivered, opened, clicked, bounced, hard, complained)
     CROSS JOIN LATERAL (VALUES
       ((f.was AT TIME ZONE 'UTC')::date, -1), ((f.at AT TIME ZONE 'UTC')::date, 1)) AS d(day, one)
     WHERE n.counts AND (f.was AT TIME ZONE 'UTC')::date IS DISTINCT FROM (f.at AT TIME ZONE 'UTC')::date
       AND d.day IS NOT NULL
     GROUP BY n.project_id, n.campaign_id, n.variant, n.wave, d.day
  ), counted_by_minute AS (
    INSERT INTO email_deltas
      (project_id, minute, campaign_id, template_id, workflow_id, source, type, domain, sent, delivered, opened, clicked,
       bounced, complained)
    SELECT n.project_id, d.minute, n.campaign_id, n.template_id, n.workflow_id, n.source, n.type,
           split_part(n.to_email, '@', -1), sum(d.one * f.sent), sum(d.one * f.delivered), sum(d.one * f.opened),
           sum(d.one * f.clicked), sum(d.one * f.bounced), sum(d.one * f.complained)
      FROM email n
     CROSS JOIN LATERAL (VALUES
       (n.was_sent, n.sent_at, 1, 0, 0, 0, 0, 0),
       (n.was_delivered, n.delivered_at, 0, 1, 0, 0, 0, 0),
       (n.was_opened, n.opened_at, 0, 0, 1, 0, 0, 0),
       (n.was_clicked, n.clicked_at, 0, 0, 0, 1, 0, 0),
       (n.was_bounced, n.bounced_at, 0, 0, 0, 0, 1, 0),
       (n.was_complained, n.complained_at, 0, 0, 0, 0, 0, 1)
     ) AS f(was, at, sent, delivered, opened, clicked, bounced, complained)
     CROSS JOIN LATERAL (VALUES
       (date_bin('1 minute', f.was, '2000-01-01T00:00:00Z'), -1),
       (date_bin('1 minute', f.at, '2000-01-01T00:00:00Z'), 1)) AS d(minute, one)
     WHERE n.counts AND f.was IS DISTINCT FROM f.at AND d.minute IS NOT NULL
     GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ), news AS MATERIALIZED (
    -- The facts that need a new event or correct one (event_id).
    SELECT n.id, n.project_id, n.contact_id, f.kind, w.was, known.id AS event_id, known.at AS event_at,
           jsonb_strip_nulls(jsonb_build_object('campaignId', n.campaign_id, 'templateId', n.template_id,
                                                'tags', to_jsonb(n.tags))
                             || coalesce(f.detail, '{}')) || jsonb_build_object('timestamp', w.at) AS data, w.at
      FROM fact f JOIN email n USING (id)
     CROSS JOIN LATERAL (
       SELECT CASE f.kind WHEN 'delivered' THEN n.was_delivered WHEN 'opened' THEN n.was_opened
                          WHEN 'clicked' THEN n.was_clicked WHEN 'bounced' THEN n.was_bounced
                          ELSE n.was_complained END AS was,
              to_char(f.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at) AS w
      LEFT JOIN LATERAL (
        -- Two branches, because an index cannot serve "equal or both null". A first report looks up nothing. The
        -- condition on created_at is always true; it narrows the index range.
        SELECT v.id, v.data ->> 'timestamp' AS at FROM events v
         WHERE w.was IS NOT NULL AND v.project_id = n.project_id AND v.name = 'email.' || f.kind
           AND v.contact_id = n.contact_id AND v.created_at >= n.created_at
           AND v.email_id = n.id AND v.data ->> 'url' IS NOT DISTINCT FROM f.url
        UNION ALL
        SELECT v.id, v.data ->> 'timestamp' FROM events v
         WHERE w.was IS NOT NULL AND n.contact_id IS NULL AND v.project_id = n.project_id
           AND v.name = 'email.' || f.kind AND v.contact_id IS NULL AND v.created_at >= n.created_at
           AND v.email_id = n.id AND v.data ->> 'url' IS NOT DISTINCT FROM f.url
      ) AS known ON true
     WHERE n.counts AND CASE f.kind WHEN 'clicked' THEN true WHEN 'bounced' THEN n.bounces
                                    ELSE w.was IS NULL OR f.at < w.was END
  ), corrected AS (
    UPDATE events v SET data = n.data
      FROM news n WHERE v.id = n.event_id AND (n.kind <> 'clicked' OR n.at < n.event_at)
  ), happened AS (
    SELECT uuid_v7(), n.project_id, n.contact_id, n.id AS email_id, 'email.sent' AS name,
           jsonb_strip_nulls(jsonb_build_object('campaignId', n.campaign_id, 'templateId', n.template_id,
                                                'tags', to_jsonb(n.tags))) AS data,
           NULL::timestamptz AS created_at, NULL::text AS trace
      FROM email n WHERE n.proven AND n.counts
    UNION ALL
    SELECT uuid_v7(), n.project_id, n.contact_id, n.id, 'email.' || n.kind, n.data, NULL, NULL
      FROM news n WHERE n.was IS NULL OR n.kind = 'clicked' AND n.event_id IS NULL
  )
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM insert_events(ARRAY(SELECT h::new_event FROM happened h)) i;
  RETURN known;
END $$;
