-- Accounts: mails that are to be written to a user's address, and the accounts of other providers that one signs in with.

CREATE TABLE "account_mails" (
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_mails_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "account_mails_kind_check" CHECK (kind IN ('verification', 'password-reset'))
);

CREATE TABLE "identities" (
    "provider" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("provider","subject")
);
-- One account of a provider for each user: a second one with the same address is somebody else's, or was given to somebody else.
CREATE UNIQUE INDEX "identities_user_id_provider_key" ON "identities"("user_id", "provider");
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "auth_tokens_expires_at_idx" ON "auth_tokens"("expires_at");
