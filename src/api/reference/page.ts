/** The API reference at /docs: Scalar's page with our name and colors, served without other hosts. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyPluginAsync } from 'fastify';
import type { ApiContext } from '../../context.js';
import { html } from '../../pages/html.js';

/** The bundle that Scalar's Fastify plugin serves. Its own route does not compress these 3.5 MB. */
const BUNDLE = path.join(
  path.dirname(fileURLToPath(import.meta.resolve('@scalar/fastify-api-reference'))),
  'js/standalone.js',
);
const BUNDLE_MAX_AGE_SECONDS = 24 * 3600;

/** The browser loads nothing from other hosts and sends requests only to this API. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'";

const CSS = `
:root { --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; --scalar-font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
.light-mode { --scalar-color-accent: #1f4fd8; --scalar-background-accent: #1f4fd814; --scalar-button-1: #1f4fd8; --scalar-button-1-hover: #1a43b8; --scalar-button-1-color: #fff }
.dark-mode { --scalar-color-accent: #9db8ff; --scalar-background-accent: #9db8ff1f; --scalar-button-1: #9db8ff; --scalar-button-1-hover: #b9ccff; --scalar-button-1-color: #15181c; --scalar-background-1: #15181c; --scalar-background-2: #1f2328; --scalar-background-3: #2b3138; --scalar-border-color: #3a4049 }
`;

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f4fd8"/>' +
    '<path d="M7 10h18v12H7z M7 10l9 7 9-7" fill="none" stroke="#fff" stroke-width="2.4" stroke-linejoin="round"/></svg>',
)}`;

const CONFIGURATION = {
  customCss: CSS,
  theme: 'none',
  withDefaultFonts: false,
  favicon: ICON,
  metaData: { title: 'Sendloom API' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // Each operation has samples for curl and for the typed client.
  hiddenClients: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  persistAuth: false,
  hideModels: true,
  authentication: { preferredSecurityScheme: 'secretKey' },
  telemetry: false,
  agent: { disabled: true },
};

/** @param base the path of the API, without a trailing slash */
const pageOf = (base: string): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Sendloom API</title>
        <link rel="icon" href="${ICON}" />
      </head>
      <body>
        <script
          id="api-reference"
          data-url="${base}/docs/json"
          data-configuration="${JSON.stringify(CONFIGURATION)}"
        ></script>
        <script src="${base}/docs/reference.js"></script>
      </body>
    </html> `.html;

let bundle: Promise<Buffer> | undefined;
/** Reads and compresses the bundle at the first request. */
const readBundle = (): Promise<Buffer> => (bundle ??= readFile(BUNDLE).then(promisify(gzip)));

export const referencePage: FastifyPluginAsync<{ ctx: ApiContext }> = async (app, { ctx }) => {
  const page = pageOf(new URL(ctx.config.PUBLIC_URL).pathname.replace(/\/$/, ''));
  app.get('/docs', async (_request, reply) =>
    reply
      .headers({
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        'X-Content-Type-Options': 'nosniff',
      })
      .send(page),
  );
  app.get('/docs/reference.js', async (_request, reply) =>
    reply
      .headers({
        'Content-Type': 'text/javascript; charset=utf-8',
        'Content-Encoding': 'gzip',
        'Cache-Control': `public, max-age=${BUNDLE_MAX_AGE_SECONDS}`,
        'X-Content-Type-Options': 'nosniff',
      })
      .send(await readBundle()),
  );
};
