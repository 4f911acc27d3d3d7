-- Inserts the deliveries of events to the webhook endpoints that want them, and returns the pokes for Temporal (at most
-- one per endpoint that is idle). The caller inserts the pokes into the outbox. insert_events calls this for stored
-- events, and src/domain/webhooks/announce.ts for notices.
--
-- A delivery and an endpoint that becomes idle cannot miss each other. This function locks the endpoint FOR KEY SHARE
-- before it inserts. The delivery of webhooks locks it FOR UPDATE, looks for deliveries once more, and only then sets
-- `idle` (src/domain/webhooks/sql/queue.ts). A transaction that finds the flag set resets it and pokes. SKIP LOCKED:
-- another one is doing so now. If that one is rolled back, the reconcile sweep pokes.
--
-- Projects without endpoints pay for one lookup per statement. A connection keeps the plans that it made when the table of
-- endpoints may have been empty; the setting leaves the planner only the index.
CREATE OR REPLACE FUNCTION insert_deliveries(p_events new_event[], p_are_notices boolean DEFAULT false)
RETURNS TABLE (workflow_id text, action text, payload jsonb, fairness_key text)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_endpoints uuid[];
BEGIN
  PERFORM FROM webhook_endpoints w
    WHERE w.project_id = ANY (ARRAY(SELECT DISTINCT e.project_id FROM unnest(p_events) e)) AND w.enabled
    ORDER BY w.id FOR KEY SHARE;
  IF NOT FOUND THEN RETURN; END IF;

  WITH kind AS MATERIALIZED (
    -- Once per project and name, because 1,000 events of a campaign have the same.
    SELECT k.project_id, k.name, w.id AS endpoint_id
      FROM (SELECT DISTINCT e.project_id, e.name FROM unnest(p_events) e) k
      JOIN webhook_endpoints w
        ON w.project_id = k.project_id AND w.enabled AND w.events && webhook_patterns(k.name, p_are_notices)
  ), added AS (
    INSERT INTO webhook_deliveries (endpoint_id, event_id, project_id, type)
    SELECT k.endpoint_id, e.id, e.project_id, e.name
      FROM unnest(p_events) e JOIN kind k ON k.project_id = e.project_id AND k.name = e.name
  )
  SELECT array_agg(DISTINCT k.endpoint_id) INTO v_endpoints FROM kind k;
  IF v_endpoints IS NULL THEN RETURN; END IF;

  RETURN QUERY
  UPDATE webhook_endpoints w SET idle = false
   WHERE w.id = ANY (ARRAY(
           SELECT i.id FROM webhook_endpoints i
            WHERE i.id = ANY (v_endpoints) AND i.idle ORDER BY i.id FOR NO KEY UPDATE SKIP LOCKED))
  RETURNING 'webhook:' || w.id, 'signal',
            jsonb_build_object('action', 'signal', 'workflowId', 'webhook:' || w.id, 'signal', 'poke',
                               'projectId', w.project_id),
            'webhook/' || w.project_id;
  -- In the transaction, unlike other wake-ups (src/db/wake.ts).
  IF FOUND THEN PERFORM pg_notify('sendloom', 'outbox'); END IF;
END $$;

-- Whether only notices have this name (NOTICE_TYPES, src/domain/events/name.ts).
CREATE OR REPLACE FUNCTION is_notice_type(p_name text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT p_name IN ('campaign.started', 'campaign.sent', 'campaign.cancelled', 'execution.completed', 'execution.failed',
                    'import.completed', 'domain.verified', 'domain.failed', 'project.disabled', 'webhook.disabled')
$$;

-- The entries of an endpoint's `events` that include a name: itself, its first part with a wildcard, all, and, unless it is
-- a name of the service's own (src/domain/events/name.ts), all events of the project's applications. None for an event with
-- the name of a notice, which a client stored before these names were reserved: it would be signed as the service's word.
CREATE OR REPLACE FUNCTION webhook_patterns(p_name text, p_is_notice boolean) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN NOT p_is_notice AND is_notice_type(p_name) THEN ARRAY[]::text[] ELSE
           ARRAY[p_name, split_part(p_name, '.', 1) || '.*', '*']
        || CASE WHEN p_is_notice OR p_name ~ '^(email[.]|contact[.](un)?subscribed$|segment[.][^.]+[.](entry|exit)$)'
                THEN ARRAY[]::text[] ELSE ARRAY['custom.*'] END END
$$;
