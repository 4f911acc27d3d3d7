-- What conditions over contacts need of the database (src/db/sql/conditions.ts); each has a twin in src/domain/conditions.

-- Lower case, character by character, whatever the database's locale: the twin is foldCase. Before PostgreSQL 17 there is no such collation, and
-- the database's own must do, which is the same except for locales with rules of their own.
DO $$
BEGIN
  EXECUTE format(
    'CREATE FUNCTION fold_case(t text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS %L',
    CASE WHEN EXISTS (SELECT FROM pg_collation WHERE collname = 'pg_c_utf8') THEN 'SELECT lower(t COLLATE "pg_c_utf8")' ELSE 'SELECT lower(t)' END
  );
END $$;

-- The instant that a text names, or null when it is no date: the twin is readInstant. A cast would read more forms, in the session's time zone,
-- and fail on everything else.
CREATE FUNCTION iso_instant(t text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 500 AS $$
DECLARE
  m text[];
  v_date date;
BEGIN
  IF length(t) NOT BETWEEN 10 AND 40 THEN
    RETURN NULL;
  END IF;
  m := regexp_match(t, '^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(?:Z|([+-])([0-9]{2}):([0-9]{2}))?)?$');
  IF m IS NULL OR m[1] = '0000' OR m[2] NOT BETWEEN '01' AND '12' OR m[3] NOT BETWEEN '01' AND '31'
     OR m[4] > '23' OR m[5] > '59' OR m[6] > '59' OR m[9] > '23' OR m[10] > '59' THEN
    RETURN NULL;
  END IF;
  v_date := make_date(m[1]::int, m[2]::int, 1) + (m[3]::int - 1);
  IF extract(month FROM v_date) <> m[2]::int THEN
    RETURN NULL;
  END IF;
  RETURN (v_date + make_time(coalesce(m[4], '0')::int, coalesce(m[5], '0')::int, coalesce(m[6], '0')::int + rpad(left(coalesce(m[7], ''), 3), 3, '0')::double precision / 1000)) AT TIME ZONE 'UTC'
    - make_interval(hours => coalesce(m[9], '0')::int, mins => coalesce(m[10], '0')::int) * (CASE m[8] WHEN '-' THEN -1 ELSE 1 END);
END $$;
