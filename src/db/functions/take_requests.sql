-- Counts requests in the rolling minute of each rate limit bucket, for all API instances together.
--
-- p_projects: bucket ids in ascending order, so that two calls lock in the same order and cannot deadlock. The bucket
--   of a project's secret key has the project's id; the others have hashes as ids (src/db/admission.ts).
-- p_counts: the number of requests of each bucket.
--
-- This is a function because it must read the sum after it has the lock: each of its statements takes a new snapshot.
CREATE OR REPLACE FUNCTION take_requests(p_projects uuid[], p_counts int[], p_limit int)
RETURNS TABLE (project_id uuid, granted int, remaining int, reset int) LANGUAGE plpgsql AS $$
DECLARE
  v_now bigint;
  v_used int;
  v_oldest bigint;
BEGIN
  FOR i IN 1..cardinality(p_projects) LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended(p_projects[i]::text, 1));
    v_now := floor(extract(epoch FROM clock_timestamp()));
    SELECT coalesce(sum(w.count), 0), min(w.second) INTO v_used, v_oldest
      FROM rate_windows w WHERE w.project_id = p_projects[i] AND w.second > v_now - 60;
    project_id := p_projects[i];
    granted := least(p_counts[i], greatest(p_limit - v_used, 0));
    remaining := greatest(p_limit - v_used - granted, 0);
    reset := coalesce(v_oldest, v_now) + 60 - v_now;
    IF granted > 0 THEN
      UPDATE rate_windows w SET count = w.count + granted WHERE w.project_id = p_projects[i] AND w.second = v_now;
      IF NOT FOUND THEN
        INSERT INTO rate_windows (project_id, second, count) VALUES (p_projects[i], v_now, granted);
        DELETE FROM rate_windows w WHERE w.project_id = p_projects[i] AND w.second <= v_now - 60;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
