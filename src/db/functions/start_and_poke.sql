-- Starts the executions that inserted events trigger, and returns the intents for Temporal: a start for each new
-- execution of an enabled workflow with the event's name (one active execution per workflow and contact; only one ever
-- without re-entry), and a poke for each execution that waits for the event.
--
-- An event and a wait that is being opened cannot miss each other. This function locks the contact FOR KEY SHARE before
-- it looks for waits. advance() locks the contact FOR UPDATE before it looks for events and opens the wait. The same
-- applies to a project: this function locks it FOR KEY SHARE, and disabling a project locks it FOR UPDATE
-- (src/domain/projects/stop.ts).
--
-- The locks also replace foreign keys: an event of a deleted project or contact is rejected. A foreign key took 5 µs per
-- event. Events about an email (email.sent, …) do not lock their contact unless a step of the project waits for them:
-- their writers have locked the email, and the deletion of a contact detaches its emails before it deletes the events.
--
-- Most events trigger nothing, and cost three lookups per project and name. A connection keeps the plans that it made for
-- its first events, when the tables may have been empty. OFFSET 0 and the settings leave the planner only index lookups,
-- which are good for all of them.
CREATE OR REPLACE FUNCTION start_and_poke(p_events new_event[])
RETURNS TABLE (workflow_id text, action text, payload jsonb, fairness_key text)
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  v_starts boolean;
  v_awaited boolean;
  v_pokes boolean;
  v_ids uuid[];
  v_found integer;
BEGIN
  v_ids := ARRAY(SELECT DISTINCT e.project_id FROM unnest(p_events) e);
  PERFORM FROM projects p WHERE p.id = ANY (v_ids) ORDER BY p.id FOR KEY SHARE;
  GET DIAGNOSTICS v_found = ROW_COUNT;
  IF v_found < cardinality(v_ids) THEN
    RAISE EXCEPTION 'The project of an event does not exist (events_project_id_fkey)'
      USING ERRCODE = 'foreign_key_violation';
  END IF;

  -- Once per project and name, because 1,000 events of a campaign have the same.
  SELECT bool_or(EXISTS (SELECT FROM workflows w
                          WHERE w.project_id = k.project_id AND w.event_name = k.name AND w.enabled OFFSET 0)),
         bool_or(EXISTS (SELECT FROM workflow_steps s
                          WHERE s.project_id = k.project_id AND s.type = 'WAIT_FOR_EVENT'
                            AND s.config ->> 'eventName' = k.name OFFSET 0))
    INTO v_starts, v_awaited
    FROM (SELECT DISTINCT e.project_id, e.name FROM unnest(p_events) e) k;

  v_ids := ARRAY(
    SELECT DISTINCT e.contact_id FROM unnest(p_events) e
     WHERE e.contact_id IS NOT NULL
       AND (e.email_id IS NULL
            OR e.name NOT IN ('email.scheduled', 'email.cancelled', 'email.sent', 'email.failed', 'email.delivered',
                              'email.opened', 'email.clicked', 'email.bounced', 'email.complained')
            OR v_awaited AND EXISTS (SELECT FROM workflow_steps s
                                      WHERE s.project_id = e.project_id AND s.type = 'WAIT_FOR_EVENT'
                                        AND s.config ->> 'eventName' = e.name OFFSET 0)));
  IF cardinality(v_ids) > 0 THEN
    PERFORM FROM contacts c WHERE c.id = ANY (v_ids) ORDER BY c.id FOR KEY SHARE;
    GET DIAGNOSTICS v_found = ROW_COUNT;
    IF v_found < cardinality(v_ids) THEN
      RAISE EXCEPTION 'The contact of an event does not exist' USING ERRCODE = 'foreign_key_violation';
    END IF;
  END IF;

  SELECT bool_or(EXISTS (SELECT FROM workflow_executions x
                          WHERE x.project_id = k.project_id AND x.waiting_for = k.name OFFSET 0))
    INTO v_pokes
    FROM (SELECT DISTINCT e.project_id, e.name FROM unnest(p_events) e) k;

  IF v_starts THEN
    RETURN QUERY
    WITH entering AS MATERIALIZED (
      SELECT DISTINCT ON (w.id, e.contact_id)
             w.id AS workflow_id, e.name, e.contact_id, e.id AS event_id, e.data, e.trace
        FROM unnest(p_events) e
        CROSS JOIN LATERAL (
          SELECT w.id FROM workflows w
           WHERE w.project_id = e.project_id AND w.event_name = e.name AND w.enabled OFFSET 0) w
       WHERE e.contact_id IS NOT NULL
       ORDER BY w.id, e.contact_id, e.created_at, e.id
    ), open AS MATERIALIZED (
      -- The lock of the execution's foreign key, but earlier: it waits for a workflow that is being deleted or edited,
      -- and then reads the result.
      SELECT w.id, w.project_id, w.event_name, w.allow_reentry FROM workflows w
       WHERE w.id = ANY (ARRAY(SELECT DISTINCT workflow_id FROM entering)) AND w.enabled
         AND NOT (SELECT p.disabled FROM projects p WHERE p.id = w.project_id)
       ORDER BY w.id FOR KEY SHARE OF w
    ), started AS (
      -- Ordered, so that two statements with the same contacts cannot deadlock on the unique indexes.
      INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id, context, trigger_event_id, entry_key)
      SELECT uuid_v7(), w.project_id, w.id, n.contact_id, n.data, n.event_id,
             CASE WHEN NOT w.allow_reentry THEN w.id END
        FROM entering n JOIN open w ON w.id = n.workflow_id AND w.event_name = n.name
       WHERE w.allow_reentry
          OR NOT EXISTS (SELECT FROM workflow_executions x
                          WHERE x.contact_id = n.contact_id AND x.workflow_id = n.workflow_id OFFSET 0)
       ORDER BY n.workflow_id, n.contact_id
      ON CONFLICT DO NOTHING
      RETURNING id, project_id, workflow_id, contact_id
    )
    SELECT 'execution:' || s.id, 'start',
           execution_start(s.id, s.project_id, s.workflow_id, s.contact_id)
             || CASE WHEN n.trace IS NULL THEN '{}' ELSE jsonb_build_object('trace', n.trace) END,
           'execution/' || s.project_id
      FROM started s JOIN entering n ON n.workflow_id = s.workflow_id AND n.contact_id = s.contact_id;
    v_starts := FOUND;
  END IF;

  IF v_pokes THEN
    RETURN QUERY
    SELECT 'execution:' || x.id, 'signal',
           jsonb_build_object('action', 'signal', 'workflowId', 'execution:' || x.id, 'signal', 'poke'),
           'execution/' || x.project_id
      FROM (SELECT DISTINCT project_id, name, contact_id FROM unnest(p_events)) e
      CROSS JOIN LATERAL (
        SELECT x.id, x.project_id FROM workflow_executions x
         WHERE x.project_id = e.project_id AND x.waiting_for = e.name AND x.contact_id = e.contact_id OFFSET 0) x;
  END IF;

  -- In the transaction, unlike other wake-ups (src/db/wake.ts).
  IF v_starts OR v_pokes THEN
    PERFORM pg_notify('sendloom', 'outbox');
  END IF;
END $$;
