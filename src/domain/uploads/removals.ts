/**
 * Removes the uploads of deleted projects. The deletion of a project also inserts a pending removal, so that a crash or
 * an unavailable storage leaves no files behind.
 */
import type { Context } from '../../context.js';
import { deletePendingRemoval, selectPendingRemovals } from './sql.js';
import { startLoop, type Loop } from '../../loop.js';
import { createPulse } from '../../pause.js';

const SWEEP_INTERVAL_MS = 60_000;
const SWEEP_BATCH_SIZE = 100;
const DELETE_WAIT_MS = 5000;
/** An upload in flight during the deletion may be stored after the first removal, but not after this time. */
const SETTLED_SECONDS = 900;

export interface RemovalOptions {
  settledSeconds?: number;
}

/** Removes the pending folders, repeatedly until no upload can be stored in them. The next call retries failures. */
export async function removeUploads(
  ctx: Context,
  { settledSeconds = SETTLED_SECONDS }: RemovalOptions = {},
): Promise<void> {
  for (const { folder, seconds } of await selectPendingRemovals(ctx.pool, SWEEP_BATCH_SIZE)) {
    await ctx.storage.removeFolder(folder);
    if (seconds >= settledSeconds) await deletePendingRemoval(ctx.pool, folder);
  }
}

/** Removes the uploads of a deleted project within 5 s. The sweep removes the rest, and retries failures. */
export async function removeUploadsOf(ctx: Context, projectId: string): Promise<void> {
  const removal = ctx.storage
    .removeFolder(projectId)
    .catch((error: unknown) =>
      ctx.log.warn({ err: error, projectId }, 'The uploads of a deleted project could not be removed yet'),
    );
  const pause = createPulse();
  await Promise.race([removal, pause.wait(DELETE_WAIT_MS)]);
  pause.fire();
}

/** Sweeps every minute. It runs in the API, which has access to the files. */
export const startUploadRemoval = (ctx: Context): Loop =>
  startLoop({
    everyMs: SWEEP_INTERVAL_MS,
    runTurn: () => removeUploads(ctx),
    failed: (error) =>
      ctx.log.warn({ err: error }, 'The uploads of deleted projects could not be removed; the sweep retries'),
  });
