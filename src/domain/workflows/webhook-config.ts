/** The config of a WEBHOOK step: the URL, method, headers, and body of its request, which are templates. Pure. */
import { z } from 'zod';
import { compileTemplate } from '../../mail/render.js';
import { TemplateError } from '../../mail/template-error.js';
import { scanTemplate } from '../../mail/template-scan.js';
import { choice, report, requiredText } from './config-schema.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type WebhookMethod = (typeof METHODS)[number];

export interface WebhookRequest {
  /** A template with a literal `http://` or `https://` and host, without user name and password. */
  url: string;
  method: WebhookMethod;
  /** Values are templates. */
  headers: Record<string, string>;
  /** Texts at any depth are templates. undefined is the default body. Always undefined with GET. */
  body: unknown;
}

const MAX_URL_LENGTH = 4096;
const MAX_HEADERS = 50;
export const MAX_HEADER_VALUE_LENGTH = 8192;
/** A token (RFC 9110, 5.6.2). */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,100}$/;
// oxlint-disable-next-line no-control-regex -- a header cannot contain control characters (RFC 9110, 5.5)
const CONTROL_CHARACTER = /[\u0000-\u0008\u000a-\u001f\u007f]/;

export const Webhook = z
  .object({
    type: z.literal('WEBHOOK'),
    url: requiredText(MAX_URL_LENGTH).superRefine((url, ctx) => {
      if (url !== '' && checkTemplate(url, ctx, [])) checkUrl(url, ctx);
    }),
    method: choice(METHODS)
      .nullish()
      .transform((method) => method ?? 'POST'),
    body: z
      .unknown()
      .optional()
      .superRefine((body, ctx) => checkTexts(body, ctx, []))
      .transform((body) => body ?? undefined),
    headers: z
      .record(z.string(), z.unknown(), 'must be an object of texts')
      .superRefine(checkHeaders)
      .nullish()
      .transform((headers) =>
        Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)])),
      ),
  })
  .refine(({ method, body }) => method !== 'GET' || (body ?? undefined) === undefined, {
    path: ['body'],
    error: 'must not be set, because a GET request has no body',
    params: { code: 'custom' },
    // Also checked if another field is not valid.
    when: () => true,
  });

function checkHeaders(headers: Record<string, unknown>, ctx: z.RefinementCtx): void {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) report(ctx, { code: 'too_big', message: `must have at most ${MAX_HEADERS} headers` });
  const usedNames = new Set<string>();
  for (const name of names) {
    checkHeader(name, headers[name], usedNames, ctx);
    usedNames.add(name.toLowerCase());
  }
}

function checkHeader(name: string, value: unknown, usedNames: ReadonlySet<string>, ctx: z.RefinementCtx): void {
  const path = [name];
  if (!HEADER_NAME.test(name))
    report(ctx, { code: 'invalid_string', message: 'is not a valid header name', path, input: value });
  else if (isReservedHeader(name.toLowerCase()))
    report(ctx, { code: 'custom', message: 'is a header that the service sets', path, input: value });
  else if (usedNames.has(name.toLowerCase()))
    report(ctx, { code: 'custom', message: 'is given twice', path, input: value });
  else if (typeof value !== 'string')
    report(ctx, { code: 'invalid_type', message: 'must be text', path, input: value });
  else if (value.length > MAX_HEADER_VALUE_LENGTH)
    report(ctx, {
      code: 'too_big',
      message: `must have at most ${MAX_HEADER_VALUE_LENGTH} characters`,
      path,
      input: value,
    });
  else if (CONTROL_CHARACTER.test(value))
    report(ctx, {
      code: 'invalid_string',
      message: 'must not contain line breaks or other control characters',
      path,
      input: value,
    });
  else checkTemplate(value, ctx, path);
}

/** Checks the texts of a body at any depth. Keys are not templates. */
function checkTexts(value: unknown, ctx: z.RefinementCtx, path: string[]): void {
  if (typeof value === 'string') checkTemplate(value, ctx, path);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) checkTexts(item, ctx, [...path, key]);
}

/** Reports a text that is not a valid template, with its line and column. @returns whether it is valid */
function checkTemplate(text: string, ctx: z.RefinementCtx, path: string[]): boolean {
  try {
    compileTemplate(text, { escape: 'none' });
    return true;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    report(ctx, { code: 'custom', message: error.message, path, input: text });
    return false;
  }
}

/** Checks the literal part of a URL. The address that the URL leads to is checked when it is called. */
function checkUrl(template: string, ctx: z.RefinementCtx): void {
  if (literalOrigin(template) === null) {
    report(ctx, {
      code: 'invalid_string',
      message: 'must start with http:// or https:// and a host; placeholders can only follow the host',
    });
    return;
  }
  const [literal] = scanTemplate(template);
  const { username, password } = new URL(literal?.text ?? '');
  if (username !== '' || password !== '')
    report(ctx, {
      code: 'custom',
      message: 'must not contain a user name or password; use a header such as Authorization',
    });
}

/**
 * Returns the scheme, host, and port of a URL's template before its first placeholder; null if the template has no such
 * origin, for example because a placeholder is part of the host.
 */
export function literalOrigin(template: string): string | null {
  const [first] = scanTemplate(template);
  if (first?.kind !== 'text' || !URL.canParse(first.text)) return null;
  const { protocol, origin } = new URL(first.text);
  return protocol === 'http:' || protocol === 'https:' ? origin : null;
}

/** Headers of the connection, of the message's length, and of our signature. Steps cannot set them. */
const RESERVED_HEADERS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]);

/** @param name in lower case */
export const isReservedHeader = (name: string): boolean => RESERVED_HEADERS.has(name) || name.startsWith('proxy-');
