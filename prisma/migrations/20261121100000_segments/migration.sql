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

-- The instant that a text names, or null when it is no date: the twin is readInstant. A cast alone would read more forms, in the session's time
-- zone, and fail on everything else.
--
-- Two functions, because a million texts are read at a time. The first is inlined, checks the form by an expression without captures, and casts the
-- forms that a cast reads alike; it is STABLE only because a cast is, whose time zone is always given here. The second, twenty times as slow, reads
-- the rest: other zones than UTC, and seconds with more than three digits behind the point.
CREATE FUNCTION iso_instant_with_zone(t text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
  m text[] := regexp_match(t, '^(.{10})[T ](.{5})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(?:Z|([+-])([0-9]{2}):([0-9]{2}))?$');
BEGIN
  RETURN (m[1]::date + m[2]::time + make_interval(secs => coalesce(m[3], '0')::int + rpad(left(coalesce(m[4], ''), 3), 3, '0')::double precision / 1000)) AT TIME ZONE 'UTC'
    - make_interval(hours => coalesce(m[6], '0')::int, mins => coalesce(m[7], '0')::int) * (CASE m[5] WHEN '-' THEN -1 ELSE 1 END);
END $$;

CREATE FUNCTION iso_instant(t text) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN t COLLATE "C" >= '0001' AND t ~
    '^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?)?$'
  THEN
    CASE
      WHEN substr(t, 6, 5) = '02-29' AND (left(t, 4)::int % 4 <> 0 OR left(t, 4)::int % 100 = 0 AND left(t, 4)::int % 400 <> 0) THEN NULL
      WHEN length(t) = 10 THEN (t || 'T00:00Z')::timestamptz
      -- No zone; with one the lengths are others.
      WHEN length(t) IN (16, 19, 23) AND right(t, 1) <> 'Z' THEN (t || 'Z')::timestamptz
      WHEN length(t) <= 24 AND right(t, 1) = 'Z' THEN t::timestamptz
      ELSE iso_instant_with_zone(t)
    END
  END
$$;
