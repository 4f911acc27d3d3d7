/** Renders in worker threads: a content that takes long to render blocks its thread, and not the other requests. */
import { Tinypool } from 'tinypool';
import { renderParts, type RenderTask, type RenderedParts } from './render-parts.js';

export interface RenderThreads {
  /** A content that takes longer than 10 s has no parts, and an error. */
  render: (task: RenderTask) => Promise<RenderedParts>;
  close: () => Promise<void>;
}

/** A body of 5 MB takes about 5 s. */
const RENDER_TIMEOUT_MS = 10_000;
const MAX_THREADS = 2;
const MAX_THREAD_HEAP_MB = 512;
/** The previews of an editor follow each other, and a new thread takes about 0.3 s. */
const IDLE_TIMEOUT_MS = 300_000;

const TOO_LONG: RenderedParts = {
  subject: null,
  html: null,
  text: null,
  problems: [
    { code: 'template_syntax', level: 'error', message: 'The content takes too long to render.', path: 'body' },
  ],
  sentBytes: 0,
  emptyLinks: 0,
};

export function createRenderThreads(): RenderThreads {
  // Threads load compiled files only. When the sources run directly, the function runs in the caller's thread.
  const pool = import.meta.url.endsWith('.ts')
    ? null
    : new Tinypool({
        filename: new URL('./render-parts.js', import.meta.url).href,
        minThreads: 0,
        maxThreads: MAX_THREADS,
        idleTimeout: IDLE_TIMEOUT_MS,
        resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_HEAP_MB },
      });
  return {
    async render(task) {
      if (!pool) return renderParts(task);
      const signal = AbortSignal.timeout(RENDER_TIMEOUT_MS);
      try {
        return await pool.run(task, { name: renderParts.name, signal });
      } catch (error) {
        if (signal.aborted) return TOO_LONG;
        throw error;
      }
    },
    async close() {
      await pool?.destroy();
    },
  };
}
