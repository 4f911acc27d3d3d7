/** The pixel and the redirects of tracked emails. The signed token in the path names the email and the target. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { CLICK_DELAY_MS, classifyRequest, isLocalUrl } from '../../domain/tracking/classify.js';
import { createHitRecorder } from '../../domain/tracking/record.js';
import { newId } from '../../ids.js';
import { acceptedLanguage } from '../../pages/language.js';
import { plainPage } from '../../pages/subscription.js';
import { htmlPage } from '../error-replies.js';

/** Every open and click must reach the server. The URL contains a token, so it must not reach referrers or indexes. */
const HEADERS = {
  'Cache-Control': 'no-store, no-cache, must-revalidate, private, max-age=0',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** One transparent pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Longer than the user agent of any browser. */
const MAX_USER_AGENT_LENGTH = 500;

const TokenParams = z.object({ token: z.string() });

interface TokenRoute {
  Params: { token: string };
}

export const trackingRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (app, { ctx }) => {
  const { tracking } = ctx.links;
  const local = isLocalUrl(ctx.config.PUBLIC_URL);
  const recorder = createHitRecorder({ pool: ctx.pool, log: ctx.log, wake: ctx.wake });
  app.addHook('onClose', () => recorder.close());

  const record = (
    request: FastifyRequest,
    { emailId, url = null, label }: { emailId: string; url?: string | null; label?: string },
  ): Promise<void> => {
    const kind = url === null ? 'open' : 'click';
    const verdict = classifyRequest({ kind, method: request.method, headers: request.headers, local });
    const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null;
    return recorder.record({
      id: newId(),
      emailId,
      kind,
      url,
      label,
      ...verdict,
      userAgent,
      ip: request.ip,
      delayMs: kind === 'click' && !verdict.machine ? CLICK_DELAY_MS : 0,
    });
  };

  const sendInvalid = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .code(404)
      .headers({ ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' })
      .send(plainPage(acceptedLanguage(request.headers['accept-language']), 'invalid'));

  app.get<TokenRoute>(
    '/o/:token',
    {
      config: { auth: 'none' },
      schema: {
        tags: ['Tracking'],
        summary: 'Open pixel of a tracked email',
        description: 'Records that the email was opened. The token ends with `.gif`. An invalid token returns 404.',
        params: TokenParams,
        response: {
          200: {
            description: 'A transparent GIF of one pixel.',
            content: { 'image/gif': { schema: z.unknown().meta({ type: 'string', format: 'binary' }) } },
          },
          404: htmlPage('The token is not valid.'),
        },
      },
    },
    async (request, reply) => {
      const emailId = tracking.readOpen(request.params.token.replace(/\.gif$/, ''));
      if (emailId === null) return sendInvalid(request, reply);
      await record(request, { emailId });
      return reply
        .headers({ ...HEADERS, 'Content-Type': 'image/gif', 'Cross-Origin-Resource-Policy': 'cross-origin' })
        .send(GIF);
    },
  );

  app.get<TokenRoute>(
    '/c/:token',
    {
      config: { auth: 'none' },
      schema: {
        tags: ['Tracking'],
        summary: 'Link of a tracked email',
        description: 'Records the click and redirects to the original URL. An invalid token returns 404.',
        params: TokenParams,
        response: {
          302: z.null().describe('A redirect to the original URL.'),
          404: htmlPage('The token is not valid.'),
        },
      },
    },
    async (request, reply) => {
      const click = tracking.readClick(request.params.token);
      if (click === null) return sendInvalid(request, reply);
      await record(request, click);
      return reply
        .code(302)
        .headers({ ...HEADERS, Location: click.url })
        .send('');
    },
  );
};
