-- Parses an ISO 8601 date or time; null if the text is not one. readInstant in src/domain/conditions/dates.ts is its
-- equivalent in memory. The caller's query inlines this function and so contains `t` ten times: `t` should be a column.
CREATE OR REPLACE FUNCTION iso_instant(t text) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(iso_text(t)::timestamptz, iso_instant_checked(t))
$$;
