-- Returns the time zone in the data of a contact as PostgreSQL knows it, or else `fallback`. A specification such as foo+3
-- is not a name. Of names without a slash, PostgreSQL reads some as abbreviations without summer time.
CREATE OR REPLACE FUNCTION contact_zone(data jsonb, fallback text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  zone text := data ->> 'timezone';
BEGIN
  IF zone IS NULL OR zone !~ '^[[:alpha:]]+$|^[[:alpha:]][[:alnum:]_+-]*(/[[:alnum:]_+-]+)+$' THEN
    RETURN fallback;
  END IF;
  zone := CASE upper(zone) WHEN 'CET' THEN 'Europe/Brussels' WHEN 'MET' THEN 'Europe/Brussels'
                           WHEN 'EET' THEN 'Europe/Athens' WHEN 'WET' THEN 'Europe/Lisbon' ELSE zone END;
  PERFORM now() AT TIME ZONE zone;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN fallback;
END $$;
