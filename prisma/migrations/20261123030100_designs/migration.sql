-- Designs of the block editor, and the versions of templates.
CREATE TYPE "editor" AS ENUM ('html', 'blocks');

ALTER TABLE "templates"
    ADD COLUMN "editor" "editor" NOT NULL DEFAULT 'html',
    ADD COLUMN "design" JSONB,
    ADD COLUMN "changed_by" UUID,
    ADD CONSTRAINT "templates_design_check" CHECK (("editor" = 'blocks') = ("design" IS NOT NULL));

ALTER TABLE "campaigns"
    ADD COLUMN "editor" "editor" NOT NULL DEFAULT 'html',
    ADD COLUMN "design" JSONB,
    ADD CONSTRAINT "campaigns_design_check" CHECK (("editor" = 'blocks') = ("design" IS NOT NULL));

-- A trigger adds a row for each version (src/db/functions/record_template_version.sql).
CREATE TABLE "template_versions" (
    "project_id" UUID NOT NULL,
    "template_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "subject" TEXT,
    "preheader" TEXT,
    "body" TEXT,
    "from_email" TEXT,
    "from_name" TEXT,
    "reply_to" TEXT,
    "type" "email_type" NOT NULL,
    "editor" "editor" NOT NULL,
    "design" JSONB,
    "draft" BOOLEAN NOT NULL,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "template_versions_pkey" PRIMARY KEY ("project_id", "template_id", "version"),
    CONSTRAINT "template_versions_project_id_template_id_fkey" FOREIGN KEY ("project_id", "template_id")
        REFERENCES "templates"("project_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
);
ALTER TABLE "template_versions" ALTER COLUMN "project_id" SET STATISTICS 0;

INSERT INTO "template_versions" ("project_id", "template_id", "version", "subject", "preheader", "body", "from_email",
                                 "from_name", "reply_to", "type", "editor", "draft", "created_at")
SELECT "project_id", "id", "version", "subject", "preheader", "body", "from_email", "from_name", "reply_to", "type",
       "editor", "draft", "updated_at"
  FROM "templates";
