-- Returns the start of the quarter of an hour of a time, the unit of the figures of workflows: the days of every time
-- zone consist of quarters.
CREATE OR REPLACE FUNCTION workflow_quarter(p_time timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('15 minutes', p_time, '2000-01-01T00:00:00Z')
$$;
