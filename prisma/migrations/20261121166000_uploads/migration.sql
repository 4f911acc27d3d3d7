-- Uploads of deleted projects, which are to be removed from the storage. `folder` is the project's id, without a reference: the project is gone.
CREATE TABLE "upload_removals" (
    "folder" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "upload_removals_pkey" PRIMARY KEY ("folder")
);

-- The trace (W3C traceparent) of the request that a transactional mail belongs to, where traces are on.
ALTER TABLE "messages" ADD COLUMN "trace" TEXT;
