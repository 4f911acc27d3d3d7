-- Returns how many emails of a source a project has used this month, including those of the current transaction.
-- PL/pgSQL keeps the plan; sends call this often.
CREATE OR REPLACE FUNCTION usage_of(of_project uuid, of_source email_source) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT coalesce(sum(u.count), 0)::bigint FROM project_usage u
           WHERE u.project_id = of_project AND u.month = usage_month(now()) AND u.source = of_source);
END $$;
