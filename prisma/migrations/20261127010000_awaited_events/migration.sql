-- Whether executions of a project wait for an event is one lookup now, for all contacts (start_and_poke).
CREATE INDEX "workflow_executions_awaited_idx" ON "workflow_executions" ("project_id", "waiting_for", "contact_id")
  WHERE "waiting_for" IS NOT NULL;
DROP INDEX "workflow_executions_waiting_for_idx";
