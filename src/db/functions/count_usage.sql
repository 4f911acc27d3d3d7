-- Counts inserted emails by project, month, and source, and raises SL003 if they exceed a project's limit; then nothing
-- of the statement is written. Test emails and the platform's own emails are not counted.
--
-- All senders of a project with a limit add to one row (slot 0). Each sender holds that row from the end of its
-- statement to its commit, and reads the sum after it has the row, so that the check misses no concurrent sender.
-- Without a limit, there is nothing to check: connections spread over the slots 1 to 15 and do not wait for each
-- other.
--
-- The function also replaces the foreign key to the project: it locks the projects FOR KEY SHARE, once per statement, and
-- rejects emails of a project that was deleted.
CREATE OR REPLACE FUNCTION count_usage() RETURNS trigger
-- Otherwise each call plans its lookup of the projects again.
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_projects uuid[];
  v_found integer;
  v_limited uuid[];
  v_sources email_source[];
  v_full_project uuid;
BEGIN
  v_projects := ARRAY(SELECT DISTINCT f.project_id FROM fresh f);
  PERFORM FROM projects p WHERE p.id = ANY (v_projects) ORDER BY p.id FOR KEY SHARE;
  GET DIAGNOSTICS v_found = ROW_COUNT;
  IF v_found < cardinality(v_projects) THEN
    RAISE EXCEPTION 'The project of an email does not exist (emails_project_id_fkey)' USING ERRCODE = 'foreign_key_violation';
  END IF;

  WITH counted AS (
    INSERT INTO project_usage AS u (project_id, month, source, slot, count)
    SELECT n.project_id, usage_month(now()), n.source,
           CASE WHEN usage_limit(p, n.source) IS NULL THEN 1 + pg_backend_pid() % 15 ELSE 0 END, n.count
      FROM (SELECT f.project_id, f.source, count(*) AS count FROM fresh f
             WHERE f.source NOT IN ('TEST', 'PLATFORM') GROUP BY f.project_id, f.source) n
      JOIN projects p ON p.id = n.project_id
     ORDER BY n.project_id, n.source
    ON CONFLICT (project_id, month, source, slot) DO UPDATE SET count = u.count + excluded.count
    RETURNING u.project_id, u.source, u.slot
  )
  SELECT array_agg(c.project_id), array_agg(c.source) INTO v_limited, v_sources FROM counted c WHERE c.slot = 0;
  IF v_limited IS NULL THEN RETURN NULL; END IF;

  SELECT p.id INTO v_full_project
    FROM unnest(v_limited, v_sources) AS k(project_id, source) JOIN projects p ON p.id = k.project_id
   WHERE usage_of(p.id, k.source) > usage_limit(p, k.source)
   LIMIT 1;
  IF v_full_project IS NOT NULL THEN
    RAISE EXCEPTION 'Project % has used up a billing limit', v_full_project USING ERRCODE = 'SL003';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER emails_count_usage AFTER INSERT ON emails
  REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION count_usage();
