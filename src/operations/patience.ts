/** Waiting with an end: for answers that somebody waits for in turn. */

/** What `work` resolves to; null when it fails, or takes longer than `ms` milliseconds. */
export async function withPatience<T>(ms: number, work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work.catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}
