-- Returns the first day of the calendar month (UTC) in which an email's use is counted.
CREATE OR REPLACE FUNCTION usage_month(at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT date_trunc('month', at AT TIME ZONE 'UTC')::date
$$;
