-- Ends the steps that were still open after their execution had ended: a cancellation missed the step that the execution
-- was just reaching (src/db/functions/close_steps.sql).
UPDATE "step_executions" s
   SET "status" = CASE x."status" WHEN 'FAILED' THEN 'FAILED' ELSE 'CANCELLED' END,
       "completed_at" = greatest(x."completed_at", s."started_at"),
       "output" = coalesce(s."output", '{}') || jsonb_build_object('summary', coalesce(x."exit_reason", ''))
  FROM "workflow_executions" x
 WHERE s."status" IN ('RUNNING', 'WAITING') AND x."project_id" = s."project_id" AND x."id" = s."execution_id"
   AND x."status" NOT IN ('RUNNING', 'WAITING');
