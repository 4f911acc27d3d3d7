-- Suppresses addresses and unsubscribes contacts: the part of apply_feedback that permanent bounces and complaints
-- add. The arguments are those of apply_feedback, which calls this with the emails and contacts locked, before it
-- changes the emails.
--
-- * A permanent bounce unsubscribes the contact that has the address now. A complaint also unsubscribes the contact
--   that the email was for, even if its address has changed.
-- * Only the first report about an email unsubscribes: a repeated report must not end a newer subscription.
-- * If an address has several reasons, a complaint wins over a bounce, and the earliest of the same reason wins.
CREATE OR REPLACE FUNCTION suppress_by_feedback(
  said_ids uuid[], said_kinds text[], said_times timestamptz[], said_details jsonb[]
) RETURNS void LANGUAGE sql AS $$
  WITH said AS (
    SELECT DISTINCT ON (s.id) s.id, s.kind = 'complained' AS complaint, s.at, s.detail ->> 'reason' AS reason,
           bool_or(s.kind = 'complained') OVER (PARTITION BY s.id) AS complained,
           bool_or(s.kind = 'bounced') OVER (PARTITION BY s.id) AS bounced
      FROM unnest(said_ids, said_kinds, said_times, said_details) AS s(id, kind, at, detail)
     WHERE s.kind = 'complained' OR s.kind = 'bounced' AND s.detail ->> 'bounceType' = 'permanent'
     ORDER BY s.id, complaint DESC, s.at, reason
  ), hard AS MATERIALIZED (
    SELECT s.*, e.project_id, e.to_email, e.contact_id,
           s.bounced AND e.bounce_type IS DISTINCT FROM 'permanent'
             OR s.complained AND e.complained_at IS NULL AS is_new
      FROM said s JOIN emails e USING (id) WHERE e.source NOT IN ('TEST', 'PLATFORM')
  ), suppressed AS (
    INSERT INTO suppressions AS known (project_id, email, reason, detail, email_id, created_at)
    SELECT DISTINCT ON (h.project_id, h.to_email) h.project_id, h.to_email,
           CASE WHEN h.complaint THEN 'complaint' ELSE 'bounce' END, h.reason, h.id, h.at
      FROM hard h
     WHERE h.is_new
        OR EXISTS (SELECT FROM suppressions s
                    WHERE s.project_id = h.project_id AND s.email = h.to_email AND s.email_id = h.id)
     ORDER BY h.project_id, h.to_email, h.complaint DESC, h.at, h.id
    ON CONFLICT (project_id, email) DO UPDATE
      SET reason = excluded.reason, detail = excluded.detail, email_id = excluded.email_id,
          created_at = excluded.created_at
      WHERE (array_position('{complaint,bounce,manual}', excluded.reason), excluded.created_at)
          < (array_position('{complaint,bounce,manual}', known.reason), known.created_at)
  ), target AS MATERIALIZED (
    SELECT DISTINCT ON (c.id) c.id, c.subscribed, h.id AS email_id, h.complaint
      FROM hard h CROSS JOIN LATERAL (
        SELECT a.id, a.subscribed FROM contacts a WHERE a.project_id = h.project_id AND a.email = h.to_email
        UNION ALL
        SELECT a.id, a.subscribed FROM contacts a WHERE h.complaint AND a.id = h.contact_id) AS c
     WHERE h.is_new
     ORDER BY c.id, h.complaint DESC, h.at, h.id
  ), unsubscribed AS (
    UPDATE contacts c SET subscribed = false, snoozed_until = NULL, updated_at = clock_timestamp()
      FROM target t WHERE c.id = t.id AND (c.subscribed OR c.snoozed_until IS NOT NULL)
    RETURNING c.project_id, c.id, t.email_id, t.complaint, t.subscribed
  ), corrected AS (
    -- A bounce of the same email had unsubscribed the contact; the complaint replaces it as the source.
    UPDATE events v SET data = v.data || '{"source":"complaint"}'
      FROM hard h JOIN target t ON t.email_id = h.id
     WHERE h.complaint AND NOT t.subscribed AND v.project_id = h.project_id AND v.name = 'contact.unsubscribed'
       AND v.contact_id = t.id AND v.email_id = h.id AND v.data ->> 'source' = 'bounce'
  ), happened AS (
    SELECT uuid_v7(), u.project_id, u.id AS contact_id, u.email_id, 'contact.unsubscribed',
           jsonb_build_object('source', CASE WHEN u.complaint THEN 'complaint' ELSE 'bounce' END,
                              'emailId', u.email_id),
           NULL::timestamptz AS created_at, NULL::text AS trace
      FROM unsubscribed u WHERE u.subscribed
  )
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM insert_events(ARRAY(SELECT h::new_event FROM happened h)) i
$$;
