-- Ends the step executions with these ids, which their executions have left: canceled, or failed with an error.
--
-- For statements that lock executions first (src/domain/executions/sql). A statement that has waited for an execution's
-- lock knows the step that the execution has reached meanwhile, but does not see that step's row, because its snapshot is
-- older. A statement in a function has a snapshot of its own, taken after the locks.
--
-- A connection keeps the plan that it made when the table may have been empty; hence the setting.
CREATE OR REPLACE FUNCTION close_steps(p_ids uuid[], p_status text, p_summary text, p_error text, p_now timestamptz)
RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_closed integer;
BEGIN
  UPDATE step_executions s
     SET status = p_status, error = p_error, completed_at = greatest(p_now, s.started_at),
         output = coalesce(s.output, '{}') || jsonb_build_object('summary', p_summary)
   WHERE s.id = ANY (p_ids);
  GET DIAGNOSTICS v_closed = ROW_COUNT;
  RETURN v_closed;
END $$;
