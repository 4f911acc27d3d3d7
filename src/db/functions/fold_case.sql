-- Lowercases a text character by character, independent of the database's locale. foldCase in
-- src/domain/conditions/text.ts is its equivalent in memory.
--
-- PostgreSQL 17 and newer have a collation for this. Older versions use the database's own collation, which gives the
-- same result except in locales with special rules.
DO $do$
BEGIN
  IF EXISTS (SELECT FROM pg_collation WHERE collname = 'pg_c_utf8') THEN
    CREATE OR REPLACE FUNCTION fold_case(t text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT lower(t COLLATE "pg_c_utf8")
    $$;
  ELSE
    CREATE OR REPLACE FUNCTION fold_case(t text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
      SELECT lower(t)
    $$;
  END IF;
END $do$;
