-- Drafts of templates and campaigns (additions, section 2), and the preheader of what is sent.

ALTER TABLE "templates"
  ADD COLUMN "preheader" TEXT,
  ADD COLUMN "draft" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "incomplete" BOOLEAN NOT NULL DEFAULT false,
  ALTER COLUMN "subject" DROP NOT NULL,
  ALTER COLUMN "body" DROP NOT NULL,
  ALTER COLUMN "from_email" DROP NOT NULL,
  ADD CONSTRAINT "templates_incomplete_is_draft" CHECK ("draft" OR NOT "incomplete"),
  ADD CONSTRAINT "templates_complete" CHECK (
    "incomplete" OR ("subject" IS NOT NULL AND "body" IS NOT NULL AND "from_email" IS NOT NULL)
  );

ALTER TABLE "campaigns"
  ADD COLUMN "preheader" TEXT,
  ADD COLUMN "draft" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "incomplete" BOOLEAN NOT NULL DEFAULT false,
  ALTER COLUMN "subject" DROP NOT NULL,
  ALTER COLUMN "body" DROP NOT NULL,
  ALTER COLUMN "from_email" DROP NOT NULL,
  ALTER COLUMN "audience_type" DROP NOT NULL,
  ADD CONSTRAINT "campaigns_draft_status" CHECK (NOT "draft" OR "status" = 'DRAFT'),
  ADD CONSTRAINT "campaigns_incomplete_is_draft" CHECK ("draft" OR NOT "incomplete"),
  ADD CONSTRAINT "campaigns_complete" CHECK (
    "incomplete" OR (
      "subject" IS NOT NULL AND "body" IS NOT NULL AND "from_email" IS NOT NULL AND "audience_type" IS NOT NULL
    )
  );

-- The preheader of a message is a template, as its subject is.
ALTER TABLE "messages" ADD COLUMN "preheader" TEXT;
