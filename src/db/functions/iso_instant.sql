-- Parses an ISO 8601 date or time; null if the text is not one. readInstant in src/domain/conditions/dates.ts is its
-- equivalent in memory.
--
-- A query can parse a million texts, and a regular expression takes four times as long as the rest. So the two usual forms,
-- 2026-11-23 and 2026-11-23T09:30:00.000Z, are recognized by looking up their parts in constant lists, which PostgreSQL
-- hashes. Other forms, other years, and leap days take iso_instant_checked. The caller's query inlines this function and
-- so contains `t` ten times: `t` should be a column.
DO $do$
DECLARE
  years text[] := ARRAY(SELECT year || '-' FROM generate_series(1900, 2199) year);
  days text[] := ARRAY(SELECT to_char(day, 'MM-DD') FROM generate_series('2001-01-01', '2001-12-31'::date, '1 day') day);
  minutes text[] := ARRAY(SELECT to_char(minute, '"T"HH24:MI:')
    FROM generate_series('2001-01-01T00:00', '2001-01-01T23:59'::timestamp, '1 minute') minute);
  seconds text[] := ARRAY(SELECT to_char(second, 'FM00') || '.' FROM generate_series(0, 59) second);
  milliseconds text[] := ARRAY(SELECT to_char(ms, 'FM000') || 'Z' FROM generate_series(0, 999) ms);
BEGIN
  EXECUTE format($create$
    CREATE OR REPLACE FUNCTION iso_instant(t text) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
      SELECT CASE
        WHEN substr(t, 1, 5) = ANY (%L::text[]) AND substr(t, 6, 5) = ANY (%L::text[]) THEN
          CASE
            WHEN octet_length(t) = 10 THEN (t || 'T00:00Z')::timestamptz
            WHEN substr(t, 11, 7) = ANY (%L::text[]) AND substr(t, 18, 3) = ANY (%L::text[])
                 AND substr(t, 21) = ANY (%L::text[]) THEN t::timestamptz
            ELSE iso_instant_checked(t)
          END
        ELSE iso_instant_checked(t)
      END
    $$ $create$, years, days, minutes, seconds, milliseconds);
END $do$;
