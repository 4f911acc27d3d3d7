-- Replays of webhook deliveries are jobs.
ALTER TYPE "job_kind" ADD VALUE 'REPLAY';
