-- Creates or updates the contacts of sends, tracked events, and upserts. One call can serve several projects and
-- requests. All arrays have one entry per contact. A pair of project and address occurs once.
--
-- p_ids: the id of each contact if it is new.
-- p_set, p_unset: p_set is merged into the data; the names in p_unset (a JSON array, or null) are removed from it
-- first.
-- p_subscribed: null keeps a known contact's subscription and gives p_default to a new contact. Any other value also
--   ends a snooze.
--
-- Raises SL001 if a contact's data would exceed 100 keys or 64 KiB, and SL002 if p_must_be_subscribed is true and the
-- contact is not subscribed.
CREATE OR REPLACE FUNCTION upsert_contacts(
  p_projects uuid[], p_ids uuid[], p_emails text[], p_set jsonb[], p_unset jsonb[], p_subscribed boolean[],
  p_must_be_subscribed boolean[], p_default boolean
) RETURNS TABLE (
  project_id uuid, email text, id uuid, is_new boolean, was_subscribed boolean, is_subscribed boolean
)
-- The setting saves 0.17 ms of planning per call.
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  v_count CONSTANT int := coalesce(cardinality(p_emails), 0);
  v_found text[] := '{}';
BEGIN
  -- A second round is needed only if a contact is created or deleted between the two statements.
  LOOP
    -- Ordered by address, so that two calls with the same addresses cannot deadlock.
    FOR project_id, email, id, is_new, was_subscribed, is_subscribed IN
      WITH known AS MATERIALIZED (
        SELECT c.id, c.project_id, c.email, c.subscribed, c.snoozed_until, c.data, t.b,
               (CASE WHEN t.u IS NULL THEN c.data
                     ELSE c.data - ARRAY(SELECT jsonb_array_elements_text(t.u)) END) || t.s AS merged
          FROM unnest(p_projects, p_emails, p_set, p_unset, p_subscribed) AS t(p, e, s, u, b)
          JOIN contacts c ON c.project_id = t.p AND c.email = t.e
         WHERE t.p || t.e <> ALL (v_found)
         ORDER BY t.p, t.e FOR NO KEY UPDATE OF c
      ), changed AS (
        UPDATE contacts c
           SET data = k.merged,
               subscribed = coalesce(k.b, k.subscribed),
               snoozed_until = CASE WHEN k.b IS NULL THEN k.snoozed_until END,
               updated_at = clock_timestamp()
          FROM known k
         WHERE c.id = k.id
           AND (k.merged IS DISTINCT FROM k.data OR k.b <> k.subscribed
                OR k.b IS NOT NULL AND k.snoozed_until IS NOT NULL)
      )
      SELECT k.project_id, k.email, k.id, false, k.subscribed, coalesce(k.b, k.subscribed) FROM known k
    LOOP
      v_found := v_found || (project_id || email);
      RETURN NEXT;
    END LOOP;
    EXIT WHEN cardinality(v_found) = v_count;
    FOR project_id, email, id, is_new, was_subscribed, is_subscribed IN
      INSERT INTO contacts AS c (id, project_id, email, subscribed, data)
      SELECT t.i, t.p, t.e, coalesce(t.b, p_default), t.s
        FROM unnest(p_projects, p_ids, p_emails, p_set, p_subscribed) AS t(p, i, e, s, b)
       WHERE t.p || t.e <> ALL (v_found) ORDER BY t.p, t.e
      ON CONFLICT (project_id, email) DO NOTHING
      RETURNING c.project_id, c.email, c.id, true, c.subscribed, c.subscribed
    LOOP
      v_found := v_found || (project_id || email);
      RETURN NEXT;
    END LOOP;
    EXIT WHEN cardinality(v_found) = v_count;
  END LOOP;

  -- Most calls set no data, and the outer conditions need no query.
  IF NOT '{}'::jsonb = ALL (p_set) THEN
    IF EXISTS (
      SELECT FROM unnest(p_projects, p_emails, p_set) AS t(p, e, s)
        JOIN contacts c ON c.project_id = t.p AND c.email = t.e
       WHERE t.s <> '{}'::jsonb
         AND (octet_length(c.data::text) > 65536 OR (SELECT count(*) FROM jsonb_object_keys(c.data)) > 100)
    ) THEN
      RAISE EXCEPTION 'contact data too large' USING ERRCODE = 'SL001';
    END IF;
  END IF;
  IF true = ANY (p_must_be_subscribed) THEN
    IF EXISTS (
      SELECT FROM unnest(p_projects, p_emails, p_must_be_subscribed) AS t(p, e, m)
        JOIN contacts c ON c.project_id = t.p AND c.email = t.e
       WHERE t.m AND NOT c.subscribed
    ) THEN
      RAISE EXCEPTION 'contact not subscribed' USING ERRCODE = 'SL002';
    END IF;
  END IF;
END $$;
