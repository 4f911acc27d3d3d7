CREATE OR REPLACE FUNCTION events_start_and_wake() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  starts boolean;
  wakes boolean;
BEGIN
  SELECT EXISTS (SELECT FROM happened e
                  WHERE e.contact_id IS NOT NULL
                    AND EXISTS (SELECT FROM workflows w WHERE w.project_id = e.project_id AND w.event_name = e.name AND w.enabled OFFSET 0)),
         EXISTS (SELECT FROM happened e
                  WHERE EXISTS (SELECT FROM workflow_executions x WHERE x.contact_id = e.contact_id AND x.waiting_for = e.name OFFSET 0))
    INTO starts, wakes;

  IF starts THEN
    WITH entering AS MATERIALIZED (
      SELECT DISTINCT ON (w.id, e.contact_id) w.id AS workflow_id, e.name, e.contact_id, e.id AS event_id, e.data
        FROM happened e
        CROSS JOIN LATERAL (SELECT w.id FROM workflows w WHERE w.project_id = e.project_id AND w.event_name = e.name AND w.enabled OFFSET 0) w
       WHERE e.contact_id IS NOT NULL
       ORDER BY w.id, e.contact_id, e.created_at, e.id
    ), open AS MATERIALIZED (
      -- Held as the foreign key will hold it, but before: a workflow that is being deleted or edited is waited for, and is then gone or as it was made.
      SELECT w.id, w.project_id, w.event_name, w.allow_reentry FROM workflows w
       WHERE w.id = ANY (ARRAY(SELECT DISTINCT workflow_id FROM entering)) AND w.enabled AND NOT (SELECT p.disabled FROM projects p WHERE p.id = w.project_id)
       ORDER BY w.id FOR KEY SHARE OF w
    ), begun AS (
      -- In one order, so that two statements with the same contacts can't deadlock over the unique indexes.
      INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id, context, trigger_event_id, entry_key)
      SELECT uuid_v7(), w.project_id, w.id, n.contact_id, n.data, n.event_id, CASE WHEN NOT w.allow_reentry THEN w.id END
        FROM entering n JOIN open w ON w.id = n.workflow_id AND w.event_name = n.name
       WHERE w.allow_reentry OR NOT EXISTS (SELECT FROM workflow_executions x WHERE x.contact_id = n.contact_id AND x.workflow_id = n.workflow_id OFFSET 0)
       ORDER BY n.workflow_id, n.contact_id
      ON CONFLICT DO NOTHING
      RETURNING id, project_id, workflow_id, contact_id
    )
    INSERT INTO outbox (workflow_id, action, payload, fairness_key)
    SELECT 'execution:' || b.id, 'start', execution_start(b.id, b.project_id, b.workflow_id, b.contact_id), 'execution/' || b.project_id FROM begun b;
    starts := FOUND;
  END IF;

  IF wakes THEN
    INSERT INTO outbox (workflow_id, action, payload, fairness_key)
    SELECT 'execution:' || x.id, 'signal', jsonb_build_object('action', 'signal', 'workflowId', 'execution:' || x.id, 'signal', 'poke'), 'execution/' || x.project_id
      FROM (SELECT DISTINCT contact_id, name FROM happened) e
      CROSS JOIN LATERAL (SELECT x.id, x.project_id FROM workflow_executions x WHERE x.contact_id = e.contact_id AND x.waiting_for = e.name OFFSET 0) x;
  END IF;

  -- In the transaction, unlike other wake-ups, and only when there is something: whoever writes events need not know.
  IF starts OR wakes THEN
    PERFORM pg_notify('sendloom', 'outbox');
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "events_start_and_wake" AFTER INSERT ON "events"
  REFERENCING NEW TABLE AS happened FOR EACH STATEMENT EXECUTE FUNCTION events_start_and_wake();
