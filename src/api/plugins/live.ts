/** The open streams of this process. */
import fp from 'fastify-plugin';
import type { ApiContext } from '../../context.js';
import { createLive, type Live } from '../../domain/live/live.js';

declare module 'fastify' {
  interface FastifyInstance {
    live: Live;
  }
}

export const livePlugin = fp<{ ctx: ApiContext }>(
  async (app, { ctx }) => {
    const live = createLive(ctx);
    app.decorate('live', live);
    // Closing the server waits for all responses.
    app.addHook('preClose', async () => live.end());
  },
  { name: 'live' },
);
