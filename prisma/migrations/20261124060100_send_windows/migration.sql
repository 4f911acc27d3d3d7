-- The hours in which email is sent (src/domain/send-window.ts).
ALTER TABLE "projects" ADD COLUMN "send_window" JSONB;
ALTER TABLE "campaigns" ADD COLUMN "send_window" JSONB;
