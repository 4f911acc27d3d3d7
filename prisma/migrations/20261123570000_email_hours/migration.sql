-- Figures of emails by hour. A year by day reads a quarter of the rows that it read from quarters of an hour; quarters
-- remain for time zones whose offset has minutes.
CREATE TABLE "email_hours" (
    "project_id" UUID NOT NULL,
    "dimension" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "sent" INTEGER NOT NULL DEFAULT 0,
    "delivered" INTEGER NOT NULL DEFAULT 0,
    "opened" INTEGER NOT NULL DEFAULT 0,
    "clicked" INTEGER NOT NULL DEFAULT 0,
    "bounced" INTEGER NOT NULL DEFAULT 0,
    "complained" INTEGER NOT NULL DEFAULT 0,
    "unsubscribed" INTEGER NOT NULL DEFAULT 0,
    "machine_opened" INTEGER NOT NULL DEFAULT 0,
    "machine_clicked" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "email_hours_pkey" PRIMARY KEY ("project_id","dimension","key","at")
);
ALTER TABLE "email_hours" ADD CONSTRAINT "email_hours_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "email_hours" ALTER COLUMN "project_id" SET STATISTICS 0;

INSERT INTO "email_hours" ("project_id", "dimension", "key", "at", "sent", "delivered", "opened", "clicked",
       "bounced", "complained", "unsubscribed", "machine_opened", "machine_clicked")
SELECT "project_id", "dimension", "key", date_bin('1 hour', "at", '2000-01-01T00:00:00Z'), sum("sent"),
       sum("delivered"), sum("opened"), sum("clicked"), sum("bounced"), sum("complained"), sum("unsubscribed"),
       sum("machine_opened"), sum("machine_clicked")
  FROM "email_quarters" GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;
