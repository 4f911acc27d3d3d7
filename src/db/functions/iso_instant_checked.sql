-- Parses an ISO 8601 date or time of any form; null if the text is not one. A plain cast would accept more formats, use the
-- session's time zone, and fail on other texts.
--
-- Checks the format with a regular expression without captures, and casts the formats that a cast reads the same way. It
-- is STABLE only because a cast is; every cast here names its time zone. iso_instant_with_zone takes 20 times as long and
-- parses the rest: time zones other than UTC, and more than three fractional digits.
CREATE OR REPLACE FUNCTION iso_instant_checked(t text) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN t COLLATE "C" >= '0001' AND t ~ (
    '^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|'
    '02-(?:0[1-9]|[12][0-9]))'
    '(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?'
    '(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?)?$')
  THEN
    CASE
      WHEN substr(t, 6, 5) = '02-29'
           AND (left(t, 4)::int % 4 <> 0 OR left(t, 4)::int % 100 = 0 AND left(t, 4)::int % 400 <> 0) THEN NULL
      WHEN length(t) = 10 THEN (t || 'T00:00Z')::timestamptz
      -- These lengths occur only without a time zone.
      WHEN length(t) IN (16, 19, 23) AND right(t, 1) <> 'Z' THEN (t || 'Z')::timestamptz
      WHEN length(t) <= 24 AND right(t, 1) = 'Z' THEN t::timestamptz
      ELSE iso_instant_with_zone(t)
    END
  END
$$;
