/**
 * The dashboard under /app/: static files, and the application for every other path there. `GET /` leads browsers to it.
 * `npm run build` writes the files, with a compressed one next to each.
 */
import fastifyStatic from '@fastify/static';
import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that contains `src/`, or `dist/src/` when compiled. */
const BASE = fileURLToPath(new URL('../../../', import.meta.url)).replace(/[/\\]$/, '');
const ROOT = path.basename(BASE) === 'dist' ? path.dirname(BASE) : BASE;
const FILES = path.join(ROOT, 'packages/dashboard/dist');
const INDEX = path.join(FILES, 'index.html');

/**
 * No scripts but our own files and the one in index.html. Previews of emails are frames without scripts that show images
 * of any host.
 */
function policyOf(page: string): string {
  const inline = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return (
    `default-src 'self'; script-src 'self'${inline.join('')}; style-src 'self' 'unsafe-inline'; ` +
    "img-src 'self' https: http: data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'none'"
  );
}

const ASSET_MAX_AGE_SECONDS = 365 * 24 * 3600;

export const dashboardPlugin = fp(
  async (app) => {
    await app.register(async (scope) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, auth: 'none' };
        route.schema = { ...route.schema, hide: true };
      });
      scope.get('/', async (request, reply) => {
        if (!/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.callNotFound();
        return reply.redirect('/app/');
      });
      // Without the files (a process that runs from the sources before any build), /app/ is a 404 like other paths.
      if (!existsSync(INDEX)) return;
      const headers = {
        'Content-Security-Policy': policyOf(readFileSync(INDEX, 'utf8')),
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'same-origin',
      };
      await scope.register(fastifyStatic, { root: FILES, serve: false, preCompressed: true, cacheControl: false });

      const sendApplication = (reply: FastifyReply): FastifyReply =>
        reply.headers(headers).header('Cache-Control', 'no-cache').sendFile('index.html');
      scope.get('/app', async (_request, reply) => sendApplication(reply));
      scope.get<{ Params: { '*': string } }>('/app/*', async ({ params: { '*': name } }, reply) => {
        // The names of assets contain a hash of their content.
        if (name.startsWith('assets/'))
          return reply
            .headers(headers)
            .header('Cache-Control', `public, max-age=${ASSET_MAX_AGE_SECONDS}, immutable`)
            .sendFile(name);
        if (PUBLIC_FILES.has(name)) return reply.headers(headers).header('Cache-Control', 'no-cache').sendFile(name);
        return sendApplication(reply);
      });
    });
  },
  { name: 'dashboard' },
);

/** The files of packages/dashboard/public. */
const PUBLIC_FILES: ReadonlySet<string> = new Set(['icon.svg']);
