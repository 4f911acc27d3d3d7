/** All routes. */
import type { FastifyPluginAsync } from 'fastify';
import type { Context } from '../../context.js';
import { healthRoutes } from './health.js';

export const routes: FastifyPluginAsync<{ ctx: Context }> = async (app, options) => {
  await app.register(healthRoutes, options);
};
