-- Returns the first moment from `at` on at which a send window (src/domain/send-window.ts) is open in a time zone. It opens
-- on each of its days that exists there, except on the given dates, and closes on the next day if it closes before it
-- opens. Local times follow PostgreSQL's rule: a time that clocks skip is moved forward, and of a time that exists twice,
-- the second counts. Null if it does not open within eight years.
CREATE OR REPLACE FUNCTION next_open(send_window jsonb, at timestamptz, zone text) RETURNS timestamptz
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
  opens time := (send_window ->> 'from')::time;
  closes time := (send_window ->> 'until')::time;
  days jsonb := send_window -> 'days';
  except_on jsonb := coalesce(send_window -> 'except', '[]');
  first_day date := (at AT TIME ZONE zone)::date - 1;
  day date;
  open_at timestamptz;
  close_at timestamptz;
BEGIN
  FOR number IN 0..2930 LOOP
    day := first_day + number;
    IF days ? to_char(day, 'dy') AND NOT except_on ? day::text THEN
      open_at := (day + opens) AT TIME ZONE zone;
      close_at := (day + closes + CASE WHEN closes <= opens THEN interval '1 day' ELSE interval '0' END) AT TIME ZONE zone;
      IF at < close_at AND open_at < close_at AND (open_at AT TIME ZONE zone)::date = day THEN
        RETURN greatest(at, open_at);
      END IF;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
