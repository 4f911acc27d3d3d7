-- The argument of insert_events (src/db/functions), which inserts events and starts and pokes the executions that they
-- concern: the columns of `events`, and the W3C traceparent that started executions inherit. An array of it costs half
-- as much as an array of JSON objects.
--
-- insert_events replaces the trigger events_start_and_wake. The trigger stays for one release, because processes of the
-- old version insert events directly and run next to new ones during an upgrade. Its WHEN clause skips the rows that
-- insert_events inserts, so that each event starts and pokes once, whichever version inserts it. The next release drops
-- it: DROP TRIGGER events_start_and_wake ON events; DROP FUNCTION events_start_and_wake;
--
-- Old processes cast rows to this type by position. So columns are never added to it: add a type and a function.
CREATE TYPE new_event AS (
  id uuid,
  project_id uuid,
  contact_id uuid,
  email_id uuid,
  name text,
  data jsonb,
  created_at timestamptz,
  trace text
);
