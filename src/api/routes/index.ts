/** All routes. */
import type { FastifyPluginAsync } from 'fastify';
import type { Context } from '../../context.js';
import { authRoutes } from './auth.js';
import { campaignRoutes } from './campaigns.js';
import { configRoutes } from './config.js';
import { domainRoutes } from './domains.js';
import { contactFieldRoutes } from './contact-fields.js';
import { contactJobRoutes } from './contact-jobs.js';
import { contactRoutes } from './contacts.js';
import { eventRoutes } from './events.js';
import { healthRoutes } from './health.js';
import { publicPageRoutes } from './public-pages.js';
import { segmentRoutes } from './segments.js';
import { sendRoutes } from './send.js';
import { userRoutes } from './users.js';
import { templateRoutes } from './templates.js';

export const routes: FastifyPluginAsync<{ ctx: Context }> = async (app, options) => {
  await app.register(domainRoutes, options);
  await app.register(healthRoutes, options);
  await app.register(authRoutes, options);
  await app.register(configRoutes, options);
  await app.register(userRoutes, options);
  await app.register(sendRoutes, options);
  await app.register(contactRoutes, options);
  await app.register(contactFieldRoutes, options);
  await app.register(contactJobRoutes, options);
  await app.register(eventRoutes, options);
  await app.register(templateRoutes, options);
  await app.register(segmentRoutes, options);
  await app.register(campaignRoutes, options);
  await app.register(publicPageRoutes, options);
};
