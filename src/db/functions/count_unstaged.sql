-- Counts the emails of a campaign without a stage whose id is in [first, below). The order and the setting leave the
-- planner only a scan of emails_campaign_stage_idx: with unknown bounds of ids, it may choose to read the emails of all
-- campaigns by the primary key.
CREATE OR REPLACE FUNCTION count_unstaged(campaign uuid, first uuid, below uuid) RETURNS bigint
LANGUAGE sql STABLE SET enable_sort = off AS $$
  SELECT count(*) FROM (
    SELECT FROM emails e
     WHERE e.campaign_id = campaign AND e.stage IS NULL AND e.id >= first AND e.id < below
     ORDER BY e.stage, e.id OFFSET 0) found
$$;
