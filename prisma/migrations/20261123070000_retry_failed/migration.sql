-- The retry of a campaign's failed emails, and the log of attempts.

-- The last failed email that a retry has queued; null outside of a retry. Then the page of a snapshot queues failed emails
-- instead of contacts.
ALTER TABLE "campaigns" ADD COLUMN "retry_cursor" UUID;
-- Whether emails with an unknown outcome are sent again, whatever AMBIGUOUS_SEND is.
ALTER TABLE "campaigns" ADD COLUMN "resends_unknown" BOOLEAN NOT NULL DEFAULT false;

-- Attempts without an acceptance. Most emails are accepted at the first attempt, and have none. Without foreign keys, as
-- emails: the statements that delete emails also delete these rows.
CREATE TABLE "email_attempts" (
    "email_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "project_id" UUID NOT NULL,
    "number" SMALLINT NOT NULL,
    "outcome" TEXT NOT NULL,
    "response" TEXT,
    "error" TEXT,

    CONSTRAINT "email_attempts_pkey" PRIMARY KEY ("email_id","at")
);
ALTER TABLE "email_attempts" ALTER COLUMN "project_id" SET STATISTICS 0;
