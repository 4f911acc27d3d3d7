-- Parts of POST /v1/send: the text alternative, and the recipients that cc and bcc add; tags, by which emails are listed.
ALTER TABLE "messages" ADD COLUMN "text" TEXT, ADD COLUMN "copies" JSONB;
ALTER TABLE "emails" ADD COLUMN "tags" TEXT[];

-- A row per tag of an email, so that a page of a tag is read from the index.
CREATE TABLE "email_tags" (
    "project_id" UUID NOT NULL,
    "tag" TEXT NOT NULL,
    "email_id" UUID NOT NULL,

    CONSTRAINT "email_tags_pkey" PRIMARY KEY ("project_id","tag","email_id")
);
CREATE INDEX "email_tags_email_id_idx" ON "email_tags"("email_id");
ALTER TABLE "email_tags" ALTER COLUMN "project_id" SET STATISTICS 0;
