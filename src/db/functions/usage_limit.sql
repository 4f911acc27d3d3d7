-- Returns a project's monthly limit for emails of a source; null if there is no limit.
CREATE OR REPLACE FUNCTION usage_limit(p projects, source email_source) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT CASE source WHEN 'TRANSACTIONAL' THEN p.billing_limit_transactional
                     WHEN 'CAMPAIGN' THEN p.billing_limit_campaigns
                     WHEN 'WORKFLOW' THEN p.billing_limit_workflows END
$$;
