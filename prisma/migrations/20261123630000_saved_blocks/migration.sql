-- Blocks of designs under a name, to insert into others.

-- CreateTable
CREATE TABLE "saved_blocks" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "blocks" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "saved_blocks_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "saved_blocks" ALTER COLUMN project_id SET STATISTICS 0;

-- CreateIndex
CREATE UNIQUE INDEX "saved_blocks_project_id_name_key" ON "saved_blocks"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "saved_blocks_project_id_id_key" ON "saved_blocks"("project_id", "id");

-- AddForeignKey
ALTER TABLE "saved_blocks" ADD CONSTRAINT "saved_blocks_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
