-- Inserts the event email.sent of emails of a project, all with the same data, as insert_events does. If nothing of the
-- project listens for the event, it inserts the rows directly: a new_event for each email took an eighth of the time to
-- record it.
--
-- p_contacts: the contact of each email, or null
CREATE OR REPLACE FUNCTION insert_sent_events(p_project_id uuid, p_data jsonb, p_emails uuid[], p_contacts uuid[])
RETURNS TABLE (workflow_id text, action text, payload jsonb, fairness_key text)
-- For the settings, see insert_events and start_and_poke.
LANGUAGE plpgsql SET sendloom.insert_events = 'on' SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
  -- This replaces the foreign key, and must come before the lookups of what listens (see start_and_poke).
  PERFORM FROM projects p WHERE p.id = p_project_id FOR KEY SHARE;
  IF FOUND
     AND NOT EXISTS (SELECT FROM workflows w
                      WHERE w.project_id = p_project_id AND w.event_name = 'email.sent' AND w.enabled)
     AND NOT EXISTS (SELECT FROM workflow_steps s
                      WHERE s.project_id = p_project_id AND s.type = 'WAIT_FOR_EVENT'
                        AND s.config ->> 'eventName' = 'email.sent')
     AND NOT EXISTS (SELECT FROM workflow_executions x
                      WHERE x.project_id = p_project_id AND x.waiting_for = 'email.sent')
     AND NOT EXISTS (SELECT FROM webhook_endpoints w WHERE w.project_id = p_project_id AND w.enabled) THEN
    INSERT INTO events (id, project_id, contact_id, email_id, name, data, created_at)
    SELECT uuid_v7(), p_project_id, e.contact_id, e.email_id, 'email.sent', p_data, now()
      FROM unnest(p_emails, p_contacts) e(email_id, contact_id);
  ELSE
    RETURN QUERY
    SELECT i.* FROM insert_events(ARRAY(
      SELECT (uuid_v7(), p_project_id, e.contact_id, e.email_id, 'email.sent', p_data, now(), NULL)::new_event
        FROM unnest(p_emails, p_contacts) e(email_id, contact_id))) i;
  END IF;
END $$;
