-- The first schema. Made from prisma/schema.prisma; the second half is by hand.
-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "role" AS ENUM ('OWNER', 'ADMIN', 'MEMBER');

-- CreateEnum
CREATE TYPE "tracking_mode" AS ENUM ('ENABLED', 'DISABLED', 'MARKETING_ONLY');

-- CreateEnum
CREATE TYPE "email_type" AS ENUM ('TRANSACTIONAL', 'MARKETING', 'HEADLESS');

-- CreateEnum
CREATE TYPE "domain_status" AS ENUM ('PENDING', 'VERIFIED', 'FAILED');

-- CreateEnum
CREATE TYPE "campaign_status" AS ENUM ('DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED');

-- CreateEnum
CREATE TYPE "audience_type" AS ENUM ('ALL', 'SEGMENT', 'FILTERED');

-- CreateEnum
CREATE TYPE "segment_type" AS ENUM ('DYNAMIC', 'STATIC');

-- CreateEnum
CREATE TYPE "step_type" AS ENUM ('TRIGGER', 'SEND_EMAIL', 'DELAY', 'WAIT_FOR_EVENT', 'CONDITION', 'WEBHOOK', 'UPDATE_CONTACT', 'EXIT');

-- CreateEnum
CREATE TYPE "execution_status" AS ENUM ('RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "email_source" AS ENUM ('TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'TEST', 'PLATFORM');

-- CreateEnum
CREATE TYPE "email_status" AS ENUM ('PENDING', 'SENDING', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'BOUNCED', 'COMPLAINED', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "job_kind" AS ENUM ('IMPORT', 'BULK');

-- CreateEnum
CREATE TYPE "job_state" AS ENUM ('waiting', 'active', 'completed', 'failed', 'cancelled');

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "session_version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_tokens" (
    "token_hash" BYTEA NOT NULL,
    "user_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "auth_attempts" (
    "id" BIGSERIAL NOT NULL,
    "key" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "projects" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "secret_last4" TEXT NOT NULL,
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "disabled_reason" TEXT,
    "tracking" "tracking_mode" NOT NULL DEFAULT 'ENABLED',
    "language" TEXT NOT NULL DEFAULT 'en',
    "billing_limit_workflows" INTEGER,
    "billing_limit_campaigns" INTEGER,
    "billing_limit_transactional" INTEGER,
    "webhook_secret" TEXT,
    "stripe_customer_id" TEXT,
    "stripe_subscription_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "project_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" "role" NOT NULL DEFAULT 'MEMBER',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("project_id","user_id")
);

-- CreateTable
CREATE TABLE "domains" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "status" "domain_status" NOT NULL DEFAULT 'PENDING',
    "dkim_selector" TEXT NOT NULL,
    "dkim_private_key" TEXT NOT NULL,
    "records" JSONB NOT NULL,
    "last_checked_at" TIMESTAMPTZ(3),
    "verified_at" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "domains_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contacts" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "subscribed" BOOLEAN NOT NULL,
    "snoozed_until" TIMESTAMPTZ(3),
    "data" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contacts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "templates" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "from_email" TEXT NOT NULL,
    "from_name" TEXT,
    "reply_to" TEXT,
    "type" "email_type" NOT NULL DEFAULT 'MARKETING',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "templates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "segments" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "slug" TEXT NOT NULL,
    "type" "segment_type" NOT NULL DEFAULT 'DYNAMIC',
    "condition" JSONB,
    "track_membership" BOOLEAN NOT NULL DEFAULT false,
    "member_count" INTEGER NOT NULL DEFAULT 0,
    "computed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "segments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "segment_members" (
    "project_id" UUID NOT NULL,
    "segment_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "segment_members_pkey" PRIMARY KEY ("segment_id","contact_id")
);

-- CreateTable
CREATE TABLE "campaigns" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "from_email" TEXT NOT NULL,
    "from_name" TEXT,
    "reply_to" TEXT,
    "type" "email_type" NOT NULL DEFAULT 'MARKETING',
    "status" "campaign_status" NOT NULL DEFAULT 'DRAFT',
    "audience_type" "audience_type" NOT NULL,
    "segment_id" UUID,
    "audience_condition" JSONB,
    "template_id" UUID,
    "scheduled_for" TIMESTAMPTZ(3),
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "snapshot_cursor" UUID,
    "snapshot_done" BOOLEAN NOT NULL DEFAULT false,
    "message_id" UUID,
    "total_recipients" INTEGER NOT NULL DEFAULT 0,
    "sent_count" INTEGER NOT NULL DEFAULT 0,
    "delivered_count" INTEGER NOT NULL DEFAULT 0,
    "opened_count" INTEGER NOT NULL DEFAULT 0,
    "clicked_count" INTEGER NOT NULL DEFAULT 0,
    "bounced_count" INTEGER NOT NULL DEFAULT 0,
    "complained_count" INTEGER NOT NULL DEFAULT 0,
    "unsubscribed_count" INTEGER NOT NULL DEFAULT 0,
    "failed_count" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "campaigns_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflows" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "enabled" BOOLEAN NOT NULL DEFAULT false,
    "trigger_type" TEXT NOT NULL DEFAULT 'EVENT',
    "event_name" TEXT NOT NULL,
    "allow_reentry" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflows_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_steps" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "type" "step_type" NOT NULL,
    "name" TEXT NOT NULL,
    "position" JSONB NOT NULL DEFAULT '{"x":0,"y":0}',
    "config" JSONB NOT NULL DEFAULT '{}',
    "template_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_steps_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_transitions" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "from_step_id" UUID NOT NULL,
    "to_step_id" UUID NOT NULL,
    "branch" TEXT,
    "priority" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_transitions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_executions" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "workflow_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "status" "execution_status" NOT NULL DEFAULT 'RUNNING',
    "current_step_id" UUID,
    "exit_reason" TEXT,
    "context" JSONB NOT NULL DEFAULT '{}',
    "trigger_event_id" UUID,
    "entry_key" UUID,
    "wake_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "workflow_executions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "step_executions" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "execution_id" UUID NOT NULL,
    "step_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "output" JSONB,
    "error" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),
    "wake_at" TIMESTAMPTZ(3),

    CONSTRAINT "step_executions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "contact_id" UUID,
    "email_id" UUID,
    "name" TEXT NOT NULL,
    "data" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "messages" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "type" "email_type" NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "from_email" TEXT NOT NULL,
    "from_name" TEXT,
    "reply_to" TEXT,
    "headers" JSONB,
    "variables" JSONB,
    "has_attachments" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attachments" (
    "project_id" UUID NOT NULL,
    "message_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "filename" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "content_id" TEXT,
    "inline" BOOLEAN NOT NULL DEFAULT false,
    "content" BYTEA NOT NULL,

    CONSTRAINT "attachments_pkey" PRIMARY KEY ("message_id","position")
);

-- CreateTable
CREATE TABLE "emails" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "message_id" UUID NOT NULL,
    "contact_id" UUID,
    "campaign_id" UUID,
    "template_id" UUID,
    "execution_id" UUID,
    "step_execution_id" UUID,
    "source" "email_source" NOT NULL,
    "type" "email_type" NOT NULL,
    "to_email" TEXT NOT NULL,
    "to_name" TEXT,
    "variables" JSONB,
    "status" "email_status" NOT NULL DEFAULT 'PENDING',
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "claimed_by" UUID,
    "claimed_at" TIMESTAMPTZ(3),
    "ambiguous" BOOLEAN NOT NULL DEFAULT false,
    "error" TEXT,
    "response" TEXT,
    "opens" INTEGER NOT NULL DEFAULT 0,
    "clicks" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "opened_at" TIMESTAMPTZ(3),
    "clicked_at" TIMESTAMPTZ(3),
    "bounced_at" TIMESTAMPTZ(3),
    "complained_at" TIMESTAMPTZ(3),

    CONSTRAINT "emails_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "jobs" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "kind" "job_kind" NOT NULL,
    "state" "job_state" NOT NULL DEFAULT 'waiting',
    "progress" INTEGER NOT NULL DEFAULT 0,
    "params" JSONB NOT NULL DEFAULT '{}',
    "result" JSONB,
    "failed_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "project_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "request" TEXT NOT NULL,
    "response" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("project_id","key")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" BIGSERIAL NOT NULL,
    "workflow_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "available_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "locked_until" TIMESTAMPTZ(6),
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "worker_instances" (
    "id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "worker_instances_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rate_windows" (
    "project_id" UUID NOT NULL,
    "second" BIGINT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "rate_windows_pkey" PRIMARY KEY ("project_id","second")
);

-- CreateTable
CREATE TABLE "send_buckets" (
    "project_id" UUID NOT NULL,
    "tokens" DOUBLE PRECISION NOT NULL,
    "granted" INTEGER NOT NULL DEFAULT 0,
    "updated_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "send_buckets_pkey" PRIMARY KEY ("project_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "auth_tokens_user_id_idx" ON "auth_tokens"("user_id");

-- CreateIndex
CREATE INDEX "auth_attempts_key_at_idx" ON "auth_attempts"("key", "at");

-- CreateIndex
CREATE UNIQUE INDEX "projects_public_key_key" ON "projects"("public_key");

-- CreateIndex
CREATE UNIQUE INDEX "projects_secret_hash_key" ON "projects"("secret_hash");

-- CreateIndex
CREATE UNIQUE INDEX "projects_stripe_customer_id_key" ON "projects"("stripe_customer_id");

-- CreateIndex
CREATE UNIQUE INDEX "projects_stripe_subscription_id_key" ON "projects"("stripe_subscription_id");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE INDEX "domains_domain_idx" ON "domains"("domain");

-- CreateIndex
CREATE UNIQUE INDEX "domains_project_id_domain_key" ON "domains"("project_id", "domain");

-- CreateIndex
CREATE INDEX "contacts_project_id_created_at_id_idx" ON "contacts"("project_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "contacts_project_id_email_key" ON "contacts"("project_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "contacts_project_id_id_key" ON "contacts"("project_id", "id");

-- CreateIndex
CREATE INDEX "templates_project_id_created_at_id_idx" ON "templates"("project_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "templates_project_id_id_key" ON "templates"("project_id", "id");

-- CreateIndex
CREATE INDEX "segments_project_id_created_at_id_idx" ON "segments"("project_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "segments_project_id_id_key" ON "segments"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "segments_project_id_slug_key" ON "segments"("project_id", "slug");

-- CreateIndex
CREATE INDEX "segment_members_project_id_contact_id_idx" ON "segment_members"("project_id", "contact_id");

-- CreateIndex
CREATE INDEX "campaigns_project_id_created_at_id_idx" ON "campaigns"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "campaigns_project_id_status_idx" ON "campaigns"("project_id", "status");

-- CreateIndex
CREATE UNIQUE INDEX "campaigns_project_id_id_key" ON "campaigns"("project_id", "id");

-- CreateIndex
CREATE INDEX "workflows_project_id_created_at_id_idx" ON "workflows"("project_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "workflows_project_id_id_key" ON "workflows"("project_id", "id");

-- CreateIndex
CREATE INDEX "workflow_steps_project_id_template_id_idx" ON "workflow_steps"("project_id", "template_id");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_steps_project_id_workflow_id_id_key" ON "workflow_steps"("project_id", "workflow_id", "id");

-- CreateIndex
CREATE INDEX "workflow_transitions_project_id_workflow_id_idx" ON "workflow_transitions"("project_id", "workflow_id");

-- CreateIndex
CREATE INDEX "workflow_executions_project_id_workflow_id_started_at_id_idx" ON "workflow_executions"("project_id", "workflow_id", "started_at", "id");

-- CreateIndex
CREATE INDEX "workflow_executions_project_id_contact_id_idx" ON "workflow_executions"("project_id", "contact_id");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_executions_project_id_id_key" ON "workflow_executions"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_executions_entry_key_contact_id_key" ON "workflow_executions"("entry_key", "contact_id");

-- CreateIndex
CREATE INDEX "step_executions_project_id_execution_id_idx" ON "step_executions"("project_id", "execution_id");

-- CreateIndex
CREATE UNIQUE INDEX "step_executions_project_id_id_key" ON "step_executions"("project_id", "id");

-- CreateIndex
CREATE INDEX "events_project_id_name_contact_id_created_at_idx" ON "events"("project_id", "name", "contact_id", "created_at");

-- CreateIndex
CREATE INDEX "events_project_id_created_at_id_idx" ON "events"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "events_project_id_contact_id_created_at_idx" ON "events"("project_id", "contact_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "messages_project_id_id_key" ON "messages"("project_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "emails_step_execution_id_key" ON "emails"("step_execution_id");

-- CreateIndex
CREATE INDEX "emails_project_id_created_at_id_idx" ON "emails"("project_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "jobs_project_id_created_at_idx" ON "jobs"("project_id", "created_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "outbox_workflow_id_id_idx" ON "outbox"("workflow_id", "id");

-- CreateIndex
CREATE INDEX "outbox_available_at_id_idx" ON "outbox"("available_at", "id");

-- AddForeignKey
ALTER TABLE "auth_tokens" ADD CONSTRAINT "auth_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "domains" ADD CONSTRAINT "domains_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "templates" ADD CONSTRAINT "templates_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "segments" ADD CONSTRAINT "segments_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "segment_members" ADD CONSTRAINT "segment_members_project_id_segment_id_fkey" FOREIGN KEY ("project_id", "segment_id") REFERENCES "segments"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "segment_members" ADD CONSTRAINT "segment_members_project_id_contact_id_fkey" FOREIGN KEY ("project_id", "contact_id") REFERENCES "contacts"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_project_id_segment_id_fkey" FOREIGN KEY ("project_id", "segment_id") REFERENCES "segments"("project_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_project_id_template_id_fkey" FOREIGN KEY ("project_id", "template_id") REFERENCES "templates"("project_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "workflows" ADD CONSTRAINT "workflows_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_steps" ADD CONSTRAINT "workflow_steps_project_id_workflow_id_fkey" FOREIGN KEY ("project_id", "workflow_id") REFERENCES "workflows"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_steps" ADD CONSTRAINT "workflow_steps_project_id_template_id_fkey" FOREIGN KEY ("project_id", "template_id") REFERENCES "templates"("project_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "workflow_transitions" ADD CONSTRAINT "workflow_transitions_project_id_workflow_id_fkey" FOREIGN KEY ("project_id", "workflow_id") REFERENCES "workflows"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_transitions" ADD CONSTRAINT "workflow_transitions_project_id_workflow_id_from_step_id_fkey" FOREIGN KEY ("project_id", "workflow_id", "from_step_id") REFERENCES "workflow_steps"("project_id", "workflow_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_transitions" ADD CONSTRAINT "workflow_transitions_project_id_workflow_id_to_step_id_fkey" FOREIGN KEY ("project_id", "workflow_id", "to_step_id") REFERENCES "workflow_steps"("project_id", "workflow_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_executions" ADD CONSTRAINT "workflow_executions_project_id_workflow_id_fkey" FOREIGN KEY ("project_id", "workflow_id") REFERENCES "workflows"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_executions" ADD CONSTRAINT "workflow_executions_project_id_contact_id_fkey" FOREIGN KEY ("project_id", "contact_id") REFERENCES "contacts"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "step_executions" ADD CONSTRAINT "step_executions_project_id_execution_id_fkey" FOREIGN KEY ("project_id", "execution_id") REFERENCES "workflow_executions"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_project_id_contact_id_fkey" FOREIGN KEY ("project_id", "contact_id") REFERENCES "contacts"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_project_id_message_id_fkey" FOREIGN KEY ("project_id", "message_id") REFERENCES "messages"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "emails" ADD CONSTRAINT "emails_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "emails" ADD CONSTRAINT "emails_project_id_message_id_fkey" FOREIGN KEY ("project_id", "message_id") REFERENCES "messages"("project_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "emails" ADD CONSTRAINT "emails_project_id_contact_id_fkey" FOREIGN KEY ("project_id", "contact_id") REFERENCES "contacts"("project_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "emails" ADD CONSTRAINT "emails_project_id_campaign_id_fkey" FOREIGN KEY ("project_id", "campaign_id") REFERENCES "campaigns"("project_id", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- By hand from here: what Prisma's schema language has no words for.

-- Substring search over addresses.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX "contacts_email_trgm_idx" ON "contacts" USING gin ("email" gin_trgm_ops);
CREATE INDEX "contacts_data_idx" ON "contacts" USING gin ("data" jsonb_path_ops);
CREATE INDEX "contacts_snoozed_until_idx" ON "contacts" ("snoozed_until") WHERE "snoozed_until" IS NOT NULL;

-- A domain that one project has verified can't be verified by another.
CREATE UNIQUE INDEX "domains_verified_key" ON "domains" ("domain") WHERE "status" = 'VERIFIED';

-- One email per campaign and contact: the snapshot can be repeated without harm.
CREATE UNIQUE INDEX "emails_campaign_contact_key" ON "emails" ("campaign_id", "contact_id") WHERE "campaign_id" IS NOT NULL;
CREATE INDEX "emails_contact_idx" ON "emails" ("contact_id");
CREATE INDEX "emails_template_idx" ON "emails" ("template_id") WHERE "template_id" IS NOT NULL;
-- What is to be handed over: the dispatcher's queue (transactional before automation, each project by itself), the order within one request, a
-- campaign's queue, and what a dead worker left.
CREATE INDEX "emails_due_idx" ON "emails" (("source" = 'WORKFLOW'), "project_id", "next_attempt_at", "id") WHERE "status" = 'PENDING' AND "campaign_id" IS NULL;
CREATE INDEX "emails_request_order_idx" ON "emails" ("message_id", "id") WHERE "status" IN ('PENDING', 'SENDING') AND "source" = 'TRANSACTIONAL';
CREATE INDEX "emails_campaign_due_idx" ON "emails" ("campaign_id", "id") WHERE "status" = 'PENDING' AND "campaign_id" IS NOT NULL;
CREATE INDEX "emails_sending_idx" ON "emails" ("claimed_by") WHERE "status" = 'SENDING';

-- One active execution per workflow and contact.
CREATE UNIQUE INDEX "workflow_executions_active_key" ON "workflow_executions" ("workflow_id", "contact_id") WHERE "status" IN ('RUNNING', 'WAITING');
CREATE INDEX "workflow_executions_wake_idx" ON "workflow_executions" ("project_id", "wake_at") WHERE "status" = 'WAITING';
CREATE UNIQUE INDEX "workflow_steps_trigger_key" ON "workflow_steps" ("workflow_id") WHERE "type" = 'TRIGGER';
CREATE UNIQUE INDEX "workflow_transitions_branch_key" ON "workflow_transitions" ("from_step_id", COALESCE("branch", ''));
CREATE INDEX "workflows_trigger_idx" ON "workflows" ("project_id", "event_name") WHERE "enabled";

CREATE UNIQUE INDEX "memberships_owner_key" ON "memberships" ("project_id") WHERE "role" = 'OWNER';
CREATE INDEX "campaigns_running_idx" ON "campaigns" ("id") WHERE "status" IN ('SCHEDULED', 'SENDING');

-- Counters of seconds: worth nothing after a crash, so they need no write-ahead log.
ALTER TABLE "rate_windows" SET UNLOGGED;
ALTER TABLE "rate_windows" SET (fillfactor = 50);
ALTER TABLE "emails" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "outbox" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

-- UUID v7 (RFC 9562) for rows that are made in the database; ordered by creation, like those that are made in the code.
CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1), 'hex')::uuid
$$;

-- Grants requests out of each project's rolling minute, for every API instance together.
--
-- p_projects ascending (the caller sorts: two instances that lock in one order can't deadlock), p_counts what each asks for.
-- A function because the sum must be read after the lock is held, and each statement in here takes a snapshot of its own.
CREATE FUNCTION take_requests(p_projects uuid[], p_counts int[], p_limit int)
RETURNS TABLE (project_id uuid, granted int, remaining int, reset int) LANGUAGE plpgsql AS $$
DECLARE
  v_now bigint;
  v_used int;
  v_oldest bigint;
BEGIN
  FOR i IN 1..cardinality(p_projects) LOOP
    PERFORM pg_advisory_xact_lock(hashtextextended(p_projects[i]::text, 1));
    v_now := floor(extract(epoch FROM clock_timestamp()));
    SELECT coalesce(sum(w.count), 0), min(w.second) INTO v_used, v_oldest
      FROM rate_windows w WHERE w.project_id = p_projects[i] AND w.second > v_now - 60;
    project_id := p_projects[i];
    granted := least(p_counts[i], greatest(p_limit - v_used, 0));
    remaining := greatest(p_limit - v_used - granted, 0);
    reset := coalesce(v_oldest, v_now) + 60 - v_now;
    IF granted > 0 THEN
      UPDATE rate_windows w SET count = w.count + granted WHERE w.project_id = p_projects[i] AND w.second = v_now;
      IF NOT FOUND THEN
        INSERT INTO rate_windows (project_id, second, count) VALUES (p_projects[i], v_now, granted);
        DELETE FROM rate_windows w WHERE w.project_id = p_projects[i] AND w.second <= v_now - 60;
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- Creates or updates contacts: those of sends, tracked events and upserts, of several projects and requests at once. All arrays have one entry per
-- contact; a pair of project and address comes once.
--
-- p_set is merged into the data, the names in p_unset (a JSON array, or null) are removed from it. A null p_subscribed leaves a known contact as it
-- is and gives a new one p_default. Any write of the subscription ends a snooze. Raises SL001 when a contact's data would grow past 100 keys or
-- 64 KiB, and SL002 when p_must_be_subscribed and the contact is not.
CREATE FUNCTION upsert_contacts(
  p_projects uuid[], p_ids uuid[], p_emails text[], p_set jsonb[], p_unset jsonb[], p_subscribed boolean[], p_must_be_subscribed boolean[], p_default boolean
) RETURNS TABLE (project_id uuid, email text, id uuid, is_new boolean, was_subscribed boolean, is_subscribed boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_left int[] := ARRAY(SELECT generate_series(1, cardinality(p_emails)));
  v_found text[];
BEGIN
  -- More than one round only when a contact is deleted between its refused insert and its update.
  WHILE cardinality(v_left) > 0 LOOP
    v_found := '{}';
    -- In the order of the addresses, so that two statements with the same ones can't deadlock.
    FOR project_id, email, id, is_new, was_subscribed, is_subscribed IN
      INSERT INTO contacts AS c (id, project_id, email, subscribed, data)
      SELECT t.i, t.p, t.e, coalesce(t.b, p_default), t.s
        FROM unnest(p_projects, p_ids, p_emails, p_set, p_subscribed) WITH ORDINALITY AS t(p, i, e, s, b, o)
       WHERE t.o = ANY (v_left) ORDER BY t.p, t.e
      ON CONFLICT (project_id, email) DO NOTHING
      RETURNING c.project_id, c.email, c.id, true, c.subscribed, c.subscribed
    LOOP
      v_found := v_found || (project_id || email);
      RETURN NEXT;
    END LOOP;
    IF cardinality(v_found) < cardinality(v_left) THEN
      FOR project_id, email, id, is_new, was_subscribed, is_subscribed IN
        WITH known AS MATERIALIZED (
          SELECT c.id, c.project_id, c.email, c.subscribed, c.snoozed_until, c.data, t.b,
                 (CASE WHEN t.u IS NULL THEN c.data ELSE c.data - ARRAY(SELECT jsonb_array_elements_text(t.u)) END) || t.s AS merged
            FROM unnest(p_projects, p_emails, p_set, p_unset, p_subscribed) WITH ORDINALITY AS t(p, e, s, u, b, o)
            JOIN contacts c ON c.project_id = t.p AND c.email = t.e
           WHERE t.o = ANY (v_left) AND t.p || t.e <> ALL (v_found)
           ORDER BY t.p, t.e FOR NO KEY UPDATE OF c
        ), changed AS (
          UPDATE contacts c
             SET data = k.merged,
                 subscribed = coalesce(k.b, k.subscribed),
                 snoozed_until = CASE WHEN k.b IS NULL THEN k.snoozed_until END,
                 updated_at = clock_timestamp()
            FROM known k
           WHERE c.id = k.id AND (k.merged IS DISTINCT FROM k.data OR k.b <> k.subscribed OR k.b IS NOT NULL AND k.snoozed_until IS NOT NULL)
        )
        SELECT k.project_id, k.email, k.id, false, k.subscribed, coalesce(k.b, k.subscribed) FROM known k
      LOOP
        v_found := v_found || (project_id || email);
        RETURN NEXT;
      END LOOP;
    END IF;
    v_left := ARRAY(SELECT o FROM unnest(v_left) AS o WHERE p_projects[o] || p_emails[o] <> ALL (v_found));
  END LOOP;
  IF EXISTS (
    SELECT FROM unnest(p_projects, p_emails, p_set) AS t(p, e, s) JOIN contacts c ON c.project_id = t.p AND c.email = t.e
     WHERE t.s <> '{}'::jsonb AND (octet_length(c.data::text) > 65536 OR (SELECT count(*) FROM jsonb_object_keys(c.data)) > 100)
  ) THEN
    RAISE EXCEPTION 'contact data too large' USING ERRCODE = 'SL001';
  END IF;
  IF true = ANY (p_must_be_subscribed) AND EXISTS (
    SELECT FROM unnest(p_projects, p_emails, p_must_be_subscribed) AS t(p, e, m) JOIN contacts c ON c.project_id = t.p AND c.email = t.e WHERE t.m AND NOT c.subscribed
  ) THEN
    RAISE EXCEPTION 'contact not subscribed' USING ERRCODE = 'SL002';
  END IF;
END $$;
