/**
 * Removing the uploads of deleted projects. The note that they are to go is part of the deletion, so that a crash or a
 * storage that is away leaves none behind.
 */
import type { Context } from '../../context.js';
import { forgetRemoval, notedRemovals } from './sql.js';
import { startLoop, type Loop } from '../../loop.js';
import { createPause } from '../../pause.js';

/** Looks for such notes, in milliseconds. */
const EVERY = 60_000;
const AT_ONCE = 100;
/** A deletion waits so long for them, in milliseconds. */
const WAITS = 5000;
/** An upload that was under way when its project was deleted may come after the first removal; none takes that long. */
const SETTLED_SECONDS = 900;

export interface RemovalOptions {
  settledSeconds?: number;
}

/**
 * Removes what is noted; each folder again until nothing can come into it. What fails is tried again by the next call.
 */
export async function removeUploads(
  ctx: Context,
  { settledSeconds = SETTLED_SECONDS }: RemovalOptions = {},
): Promise<void> {
  for (const { folder, seconds } of await notedRemovals(ctx.pool, AT_ONCE)) {
    await ctx.storage.removeFolder(folder);
    if (seconds >= settledSeconds) await forgetRemoval(ctx.pool, folder);
  }
}

/**
 * Removes the uploads of a project that was deleted just now, without keeping a request waiting for thousands of them.
 * What is not done then, or fails, the note does.
 */
export async function removeUploadsOf(ctx: Context, projectId: string): Promise<void> {
  const removal = ctx.storage
    .removeFolder(projectId)
    .catch((error: unknown) =>
      ctx.log.warn({ err: error, projectId }, 'The uploads of a deleted project could not be removed at once'),
    );
  const pause = createPause();
  await Promise.race([removal, pause.wait(WAITS)]);
  pause.end();
}

/** Does so every minute; in the API, whose files they are. */
export const startUploadRemoval = (ctx: Context): Loop =>
  startLoop({
    everyMs: EVERY,
    look: () => removeUploads(ctx),
    failed: (error) =>
      ctx.log.warn({ err: error }, 'The uploads of deleted projects could not be removed; it is tried again'),
  });
