-- Whether a worker's journal has every email without a campaign that it hands over (src/domain/delivery/claims.ts).
ALTER TABLE "worker_instances" ADD COLUMN "is_journaled" BOOLEAN NOT NULL DEFAULT false;
