-- Removes the planner's statistics of project_id from every table.
--
-- With statistics, PostgreSQL lists the projects that existed at the last ANALYZE and estimates a single row for a newer
-- project. Every index that starts with project_id then has the same cost, and the lookup of a contact by its address
-- may read all contacts of the project: an import becomes quadratic. Without statistics, PostgreSQL estimates every
-- project as 0.5% of its table, so the index with all columns of a lookup always wins, whether the other statistics are
-- fresh, stale, or missing. That is too low for queries over all contacts of a large project: see src/db/wide-query.ts.
--
-- No table is rewritten. PostgreSQL 18 does not block writers. Earlier versions can only remove the statistics by a
-- change of the column's type, here to the same type. That locks the table while its partial indexes are rebuilt.
DO $$
DECLARE
  tenant_table regclass;
  has_statistics boolean;
BEGIN
  FOR tenant_table, has_statistics IN
    SELECT c.oid::regclass,
           EXISTS (SELECT FROM pg_stats s
                    WHERE s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attname = 'project_id' AND NOT a.attisdropped
     ORDER BY c.relname
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN project_id SET STATISTICS 0', tenant_table);
    CONTINUE WHEN NOT has_statistics;
    IF current_setting('server_version_num')::int >= 180000 THEN
      PERFORM pg_clear_attribute_stats(current_schema()::text, c.relname::text, 'project_id', false)
         FROM pg_class c WHERE c.oid = tenant_table;
    ELSE
      EXECUTE format('ALTER TABLE %s ALTER COLUMN project_id TYPE uuid', tenant_table);
    END IF;
  END LOOP;
END $$;
