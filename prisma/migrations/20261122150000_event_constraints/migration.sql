-- Removes the foreign keys of events: each read and locked a row per event, which took half of an event's time.
-- start_and_poke locks the projects and contacts instead, set by set and only where it matters, and the trigger
-- delete_events (src/db/functions) deletes the events of deleted contacts.
ALTER TABLE "events" DROP CONSTRAINT "events_project_id_fkey", DROP CONSTRAINT "events_project_id_contact_id_fkey";

-- The events that an execution of the project can wait for.
CREATE INDEX "workflow_steps_awaited_idx" ON "workflow_steps" ("project_id", ("config" ->> 'eventName'))
  WHERE "type" = 'WAIT_FOR_EVENT';
