-- AlterTable
ALTER TABLE "contact_lists" ADD COLUMN     "ranks" JSONB,
ALTER COLUMN "contact_ids" DROP NOT NULL;
