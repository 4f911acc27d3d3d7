/**
 * The inbox's web page and JSON API. Mails are untrusted: their HTML is served only for a sandboxed frame, without
 * scripts, forms, or network.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Log } from '../../../../src/log.js';
import { parseMail, readAttachment, type ParsedMail } from './mail.js';
import { framedHtml, listPage, mailPage, messagePage, SCRIPT, STYLE, TABS, type Tab } from './pages.js';
import type { MailEntry, MailStore } from './store.js';

const PAGE_CSP =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const mailCsp = (images: boolean): string =>
  `sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:${images ? ' http: https:' : ''}; font-src data:; form-action 'none'; frame-ancestors 'self'`;
const FILE_CSP = "sandbox; default-src 'none'";

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 1000;

interface Reply {
  status?: number;
  type:
    | 'text/html; charset=utf-8'
    | 'application/json'
    | 'text/css'
    | 'text/javascript'
    | 'text/plain; charset=utf-8'
    | 'application/octet-stream';
  body: string | Buffer;
  csp?: string;
  headers?: Record<string, string>;
}

const json = (value: unknown, status = 200): Reply => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
});
const page = (body: string, status = 200): Reply => ({ status, type: 'text/html; charset=utf-8', body, csp: PAGE_CSP });

/** Creates the server without listening. */
export function createWebServer(store: MailStore, log: Log): Server {
  return createServer((request, response) => {
    routeRequest(request, store).then(
      (reply) => sendReply(response, reply),
      (error: unknown) => {
        log.warn({ err: error }, 'an inbox page failed');
        sendReply(
          response,
          page(messagePage('Something went wrong', 'The mail is not readable. Its source may still be.'), 500),
        );
      },
    );
    request.resume();
  });
}

function sendReply(response: ServerResponse, { status = 200, type, body, csp = FILE_CSP, headers }: Reply): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'content-security-policy': csp,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(body);
}

async function routeRequest(request: IncomingMessage, store: MailStore): Promise<Reply> {
  const host = request.headers.host ?? '';
  // A foreign host name that resolves to 127.0.0.1 must not read mails (DNS rebinding), and a foreign form must not
  // delete them.
  if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(host))
    return json({ error: 'The inbox serves only requests to its own address.' }, 403);
  const { origin } = request.headers;
  if (request.method !== 'GET' && origin !== undefined && origin !== `http://${host}`)
    return json({ error: 'Requests from other sites are not allowed.' }, 403);

  const url = new URL(request.url ?? '/', 'http://inbox');
  const path = url.pathname.split('/').slice(1);
  switch (request.method) {
    case 'GET':
      return path[0] === 'api'
        ? getApi(path.slice(1), url.searchParams, store)
        : getPage(path, url.searchParams, store);
    case 'DELETE':
      if (url.pathname !== '/api/messages') break;
      await store.clear();
      return json({ deleted: true });
    case 'POST':
      if (url.pathname !== '/delete') break;
      await store.clear();
      return { status: 303, type: 'text/plain; charset=utf-8', body: 'Deleted', headers: { location: '/' } };
  }
  return json({ error: 'This page does not exist.' }, 404);
}

async function getApi(path: string[], query: URLSearchParams, store: MailStore): Promise<Reply> {
  const [resource, id, part, index] = path;
  if (resource === 'count') return json({ count: store.count() });
  if (resource !== 'messages') return json({ error: 'This endpoint does not exist.' }, 404);
  if (id === undefined) return json(store.list(listOptions(query)));

  const found = await loadMail(store, id);
  if (!found) return json({ error: 'This mail does not exist.' }, 404);
  if (part === undefined) return json(await parseMail(found.entry, found.source));
  if (part === 'source') return { type: 'text/plain; charset=utf-8', body: found.source };
  if (part === 'attachments') {
    const attachment = await readAttachment(found.source, Number(index));
    if (attachment) {
      const name = encodeURIComponent(attachment.filename ?? `part-${attachment.index}`).replace(
        /['()*]/g,
        (c) => `%${c.charCodeAt(0).toString(16)}`,
      );
      return {
        type: 'application/octet-stream',
        body: attachment.content,
        headers: { 'content-disposition': `attachment; filename*=UTF-8''${name}` },
      };
    }
  }
  return json({ error: 'This part does not exist.' }, 404);
}

async function getPage(path: string[], query: URLSearchParams, store: MailStore): Promise<Reply> {
  const [name = '', id, part] = path;
  if (name === '') {
    const options = listOptions(query);
    const found = store.list({ ...options, limit: PAGE_SIZE });
    return page(
      listPage(found, {
        to: options.to ?? '',
        subject: options.subject ?? '',
        paged: options.cursor !== undefined,
        count: store.count(),
      }),
    );
  }
  if (name === 'style.css') return { type: 'text/css', body: STYLE };
  if (name === 'app.js') return { type: 'text/javascript', body: SCRIPT };

  const found = name === 'messages' && id !== undefined ? await loadMail(store, id) : null;
  if (!found) return page(messagePage('Not found', 'This mail does not exist. It may have been deleted.'), 404);
  const mail = await parseForPage(found);
  const images = query.get('images') === '1';
  if (part === 'html') return { type: 'text/html; charset=utf-8', body: framedHtml(mail), csp: mailCsp(images) };
  const tab = TABS.find((one) => one === query.get('tab')) ?? defaultTab(mail);
  return page(mailPage(mail, tab, found.source, { images }));
}

async function loadMail(store: MailStore, id: string): Promise<{ entry: MailEntry; source: Buffer } | null> {
  const entry = store.find(id);
  const source = await store.readSource(id);
  return entry && source ? { entry, source } : null;
}

// The source of a mail that the parser rejects is still shown.
async function parseForPage({ entry, source }: { entry: MailEntry; source: Buffer }): Promise<ParsedMail> {
  return parseMail(entry, source).catch(() => ({ ...entry, headers: [], text: null, html: null, attachments: [] }));
}

function defaultTab(mail: ParsedMail): Tab {
  if (mail.html !== null) return 'html';
  return mail.text === null ? 'source' : 'text';
}

function listOptions(query: URLSearchParams): { limit: number; cursor?: string; to?: string; subject?: string } {
  const limit = Number(query.get('limit') ?? PAGE_SIZE);
  return {
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, MAX_PAGE_SIZE) : PAGE_SIZE,
    cursor: query.get('cursor') ?? undefined,
    to: query.get('to')?.trim() || undefined,
    subject: query.get('subject')?.trim() || undefined,
  };
}
