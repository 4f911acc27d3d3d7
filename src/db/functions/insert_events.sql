-- Inserts events, starts and pokes the executions that they concern (see start_and_poke), and inserts their deliveries to
-- webhooks (see insert_deliveries). Everything that stores an event calls this, in the transaction of the change that the
-- event records. No trigger does it.
--
-- p_events: the events. created_at defaults to the time of the call. It is not the transaction's time: of two changes
--   of a contact, the one that waited for the other may have begun first. trace (W3C traceparent) is optional.
--
-- Returns the intents for Temporal. The caller inserts them into the outbox in the same statement:
--
--   happened AS (
--     SELECT uuid_v7(), project_id, id, NULL::uuid, 'contact.subscribed', '{}'::jsonb, NULL::timestamptz, NULL::text …
--   ), intent AS (
--     INSERT INTO outbox (workflow_id, action, payload, fairness_key)
--     SELECT i.* FROM insert_events(ARRAY(SELECT h::new_event FROM happened h)) i
--   )
--
-- It returns them because PostgreSQL always completes an INSERT in a WITH list, but runs a SELECT there only as far as
-- something reads it.
CREATE OR REPLACE FUNCTION insert_events(p_events new_event[])
RETURNS TABLE (workflow_id text, action text, payload jsonb, fairness_key text)
-- The first setting skips the trigger events_start_and_wake. The second saves 0.1 ms of planning per call.
LANGUAGE plpgsql SET sendloom.insert_events = 'on' SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF cardinality(p_events) = 0 THEN RETURN; END IF;
  INSERT INTO events (id, project_id, contact_id, email_id, name, data, created_at)
  SELECT e.id, e.project_id, e.contact_id, e.email_id, e.name, e.data,
         coalesce(e.created_at, (SELECT clock_timestamp()))
    FROM unnest(p_events) e;
  RETURN QUERY SELECT i.* FROM start_and_poke(p_events) i;
  RETURN QUERY SELECT i.* FROM insert_deliveries(p_events) i;
END $$;
