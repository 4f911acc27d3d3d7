-- Returns the id of a campaign's email number n: a UUID v7 with the time of its snapshot page in milliseconds, 48 bits
-- of the campaign's own id, and n in the last 32 bits. Within a page, ids are in the order of n. Only
-- src/domain/delivery relies on this.
CREATE OR REPLACE FUNCTION campaign_email_id(of_campaign uuid, page_ms bigint, n integer) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT encode(
    substring(int8send(page_ms) FROM 3) || substring(uuid_send(of_campaign) FROM 7 FOR 6) || int4send(n), 'hex')::uuid
$$;
