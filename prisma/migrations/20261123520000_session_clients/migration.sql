-- Users see their sessions with the client that logged in.

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN "ip" TEXT, ADD COLUMN "user_agent" TEXT;
