-- Parses the texts that iso_instant has validated but cannot cast.
CREATE OR REPLACE FUNCTION iso_instant_with_zone(t text) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
  m text[] := regexp_match(
    t, '^(.{10})[T ](.{5})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(?:Z|([+-])([0-9]{2}):([0-9]{2}))?$');
  v_millis double precision := rpad(left(coalesce(m[4], ''), 3), 3, '0')::double precision;
  v_seconds double precision := coalesce(m[3], '0')::int + v_millis / 1000;
  v_offset interval := make_interval(hours => coalesce(m[6], '0')::int, mins => coalesce(m[7], '0')::int);
BEGIN
  RETURN (m[1]::date + m[2]::time + make_interval(secs => v_seconds)) AT TIME ZONE 'UTC'
    - v_offset * (CASE m[5] WHEN '-' THEN -1 ELSE 1 END);
END $$;
