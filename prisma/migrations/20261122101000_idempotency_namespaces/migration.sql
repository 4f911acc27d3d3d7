-- Keys that requests with the public key claimed move to their own namespace, the prefix that
-- src/domain/idempotency/idempotency.ts writes. Keys of the secret key and of sessions stay as they are.
--
-- Old processes that still run during the upgrade neither read nor write the prefix: they claim keys of the public key
-- in the shared namespace, as before, and these claims expire after IDEMPOTENCY_TTL_HOURS.
UPDATE "idempotency_keys" SET "key" = E'public\n' || "key" WHERE "request" = 'POST /v1/track';
