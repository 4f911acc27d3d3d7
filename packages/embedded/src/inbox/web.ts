/**
 * The inbox's web page and JSON API. Mails are untrusted: their HTML is served only for a sandboxed frame, without
 * scripts, forms, or network.
 */
import { readFile } from 'node:fs/promises';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Log } from '../../../../src/log.js';
import { parseMail } from './mail.js';
import { framedHtml, listPage, mailPage, messagePage, SCRIPT, STYLE } from './pages.js';
import type { MailStore } from './store.js';

const PAGE_CSP =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const FILE_CSP = "sandbox; default-src 'none'";

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 1000;

type Query = Partial<Record<'limit' | 'cursor' | 'to' | 'subject' | 'images', string>>;

interface OfMail {
  Params: { id: string; index?: string };
  Querystring: Query;
}

/** Creates the server without listening. */
export function createWebServer(store: MailStore, log: Log): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': FILE_CSP,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const { host = '', origin } = request.headers;
    // A foreign host name that resolves to 127.0.0.1 must not read mails (DNS rebinding), and a foreign form must not
    // delete them.
    const isOwnHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host);
    const isForeignForm = request.method !== 'GET' && origin !== undefined && origin !== `http://${host}`;
    if (!isOwnHost || isForeignForm)
      return reply.code(403).send({ error: 'The inbox serves only requests from its own address.' });
  });
  // Bodies are not used.
  app.addContentTypeParser('*', (_request, body, done) => {
    body.resume();
    done(null);
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'This page does not exist.' }));
  app.setErrorHandler((error, _request, reply) => {
    log.warn({ err: error }, 'an inbox page failed');
    return sendPage(
      reply.code(500),
      messagePage('Something went wrong', 'The mail is not readable. Its source may still be.'),
    );
  });

  app.get('/api/count', () => ({ count: store.count() }));
  app.get<{ Querystring: Query }>('/api/messages', ({ query }) => store.list(listOptions(query)));
  app.delete('/api/messages', async () => {
    await store.clear();
    return { deleted: true };
  });
  app.get<OfMail>('/api/messages/:id', async ({ params }, reply) => {
    const parsed = await loadMail(params.id);
    return parsed?.mail ?? reply.callNotFound();
  });
  app.get<OfMail>('/api/messages/:id/source', async ({ params }, reply) => {
    if (!store.find(params.id)) return reply.callNotFound();
    return reply.type('text/plain; charset=utf-8').send(await readFile(store.fileOf(params.id)));
  });
  app.get<OfMail>('/api/messages/:id/attachments/:index', async ({ params }, reply) => {
    const parsed = await loadMail(params.id);
    const attachment = parsed?.mail.attachments[Number(params.index)];
    if (!parsed || !attachment) return reply.callNotFound();
    const name = encodeURIComponent(attachment.filename ?? `part-${attachment.index}`).replace(
      /['()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16)}`,
    );
    return reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
      .send(parsed.contents[attachment.index]);
  });

  app.get('/style.css', (_request, reply) => reply.type('text/css').send(STYLE));
  app.get('/app.js', (_request, reply) => reply.type('text/javascript').send(SCRIPT));
  app.get<{ Querystring: Query }>('/', ({ query }, reply) => {
    const { to = '', subject = '', cursor } = listOptions(query);
    const found = store.list({ to, subject, cursor, limit: PAGE_SIZE });
    return sendPage(reply, listPage(found, { to, subject, paged: cursor !== undefined, count: store.count() }));
  });
  app.post('/delete', async (_request, reply) => {
    await store.clear();
    return reply.redirect('/', 303);
  });
  app.get<OfMail>('/messages/:id', async ({ params, query }, reply) => {
    const parsed = await loadMail(params.id);
    if (parsed) return sendPage(reply, mailPage(parsed.mail, { images: query.images === '1' }));
    return sendPage(reply.code(404), messagePage('Not found', 'This mail does not exist. It may have been deleted.'));
  });
  app.get<OfMail>('/messages/:id/html', async ({ params, query }, reply) => {
    const parsed = await loadMail(params.id);
    if (!parsed) return reply.callNotFound();
    const sources = query.images === '1' ? 'data: http: https:' : 'data:';
    return sendPage(
      reply,
      framedHtml(parsed.mail),
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; " +
        `img-src ${sources}; font-src data:; form-action 'none'; frame-ancestors 'self'`,
    );
  });
  return app;

  async function loadMail(id: string): Promise<Awaited<ReturnType<typeof parseMail>> | null> {
    const entry = store.find(id);
    return entry ? parseMail(entry, await readFile(store.fileOf(id))) : null;
  }
}

function sendPage(reply: FastifyReply, html: string, policy = PAGE_CSP): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html);
}

function listOptions(query: Query): { limit: number; cursor?: string; to?: string; subject?: string } {
  const limit = Number(query.limit ?? PAGE_SIZE);
  return {
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, MAX_PAGE_SIZE) : PAGE_SIZE,
    cursor: query.cursor,
    to: query.to?.trim(),
    subject: query.subject?.trim(),
  };
}
