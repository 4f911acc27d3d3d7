-- Returns the status of a sent email from the times on its row. A status never goes back (contract, section 4): the
-- last one in the order SENT, DELIVERED, OPENED, CLICKED, BOUNCED, COMPLAINED wins.
CREATE OR REPLACE FUNCTION status_by_times(
  opened timestamptz, clicked timestamptz, delivered timestamptz, bounced timestamptz, complained timestamptz
) RETURNS email_status LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN complained IS NOT NULL THEN 'COMPLAINED'
              WHEN bounced IS NOT NULL THEN 'BOUNCED'
              WHEN clicked IS NOT NULL THEN 'CLICKED'
              WHEN opened IS NOT NULL THEN 'OPENED'
              WHEN delivered IS NOT NULL THEN 'DELIVERED'
              ELSE 'SENT' END::email_status
$$;
