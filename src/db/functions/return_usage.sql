-- Subtracts canceled emails from the month in which they were counted, because they were not sent. A worker that was
-- considered dead may later report such an email as sent: it is then counted again, and no limit refuses it.
CREATE OR REPLACE FUNCTION return_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM after_it a WHERE a.status = 'CANCELLED')
     AND NOT EXISTS (SELECT FROM before_it b WHERE b.status = 'CANCELLED') THEN
    RETURN NULL;
  END IF;
  INSERT INTO project_usage AS u (project_id, month, source, slot, count)
  SELECT a.project_id, usage_month(a.created_at), a.source, 1 + pg_backend_pid() % 15,
         sum(CASE WHEN a.status = 'CANCELLED' THEN -1 ELSE 1 END)
    FROM after_it a JOIN before_it b ON b.id = a.id
   WHERE (a.status = 'CANCELLED') <> (b.status = 'CANCELLED') AND a.source NOT IN ('TEST', 'PLATFORM')
   GROUP BY a.project_id, usage_month(a.created_at), a.source
   ORDER BY a.project_id, usage_month(a.created_at), a.source
  ON CONFLICT (project_id, month, source, slot) DO UPDATE SET count = u.count + excluded.count;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER emails_return_usage AFTER UPDATE ON emails
  REFERENCING OLD TABLE AS before_it NEW TABLE AS after_it FOR EACH STATEMENT EXECUTE FUNCTION return_usage();
