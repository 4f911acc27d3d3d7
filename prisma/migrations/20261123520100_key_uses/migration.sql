-- The last use of each key of a project. Not in "projects", because requests must not wait for changes of a project.

-- CreateTable
CREATE TABLE "key_uses" (
    "project_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "key_uses_pkey" PRIMARY KEY ("project_id","kind"),
    CONSTRAINT "key_uses_kind_check" CHECK (kind IN ('public', 'secret'))
);
ALTER TABLE "key_uses" ALTER COLUMN project_id SET STATISTICS 0;

-- AddForeignKey
ALTER TABLE "key_uses" ADD CONSTRAINT "key_uses_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
