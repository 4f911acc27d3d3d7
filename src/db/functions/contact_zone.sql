-- Returns the time zone in the data of a contact as PostgreSQL knows it, or else `fallback`. A specification such as foo+3 or
-- a/b-3 is not a name. Names without a slash are listed, because PostgreSQL also knows abbreviations, such as IST for Israel,
-- and reads some of the names as abbreviations without summer time.
CREATE OR REPLACE FUNCTION contact_zone(data jsonb, fallback text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  renamed CONSTANT jsonb := '{"CET": "Europe/Brussels", "MET": "Europe/Brussels", "EET": "Europe/Athens", "WET": "Europe/Lisbon"}';
  other text := coalesce(renamed ->> upper(fallback), fallback);
  zone text := data ->> 'timezone';
BEGIN
  IF zone IS NULL OR zone !~* (
       '^[[:alpha:]_-]+(/[[:alpha:]_-]+)+$|^Etc/GMT(0|\+(1[0-2]|[0-9])|-(1[0-4]|[0-9]))$|^GMT[+-]?0$|'
       '^(CET|CST6CDT|Cuba|EET|EST|EST5EDT|Egypt|Eire|GB|GB-Eire|GMT|Greenwich|HST|Hongkong|Iceland|Iran|Israel|Jamaica|'
       'Japan|Kwajalein|Libya|MET|MST|MST7MDT|NZ|NZ-CHAT|Navajo|PRC|PST8PDT|Poland|Portugal|ROC|ROK|Singapore|Turkey|UCT|'
       'UTC|Universal|W-SU|WET|Zulu)$') THEN
    RETURN other;
  END IF;
  zone := coalesce(renamed ->> upper(zone), zone);
  PERFORM now() AT TIME ZONE zone;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN other;
END $$;
