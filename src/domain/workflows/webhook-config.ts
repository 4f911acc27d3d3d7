/** What a WEBHOOK step requests: address, method, headers and body, all of them templates. Pure. */
import { compileTemplate } from '../../mail/render.js';
import { TemplateError } from '../../mail/template-error.js';
import { scanTemplate } from '../../mail/template-scan.js';
import { isObject, type ConfigReader } from './config-reader.js';

export const WEBHOOK_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type WebhookMethod = (typeof WEBHOOK_METHODS)[number];

export interface WebhookRequest {
  /** A template behind an `http://` or `https://` and a host of the user's own; without user name and password. */
  url: string;
  method: WebhookMethod;
  /** Values are templates. */
  headers: Record<string, string>;
  /** The texts in it, at any depth, are templates; undefined is the default body. Never there with GET. */
  body: unknown;
}

const MAX_URL = 4096;
const MAX_HEADERS = 50;
export const MAX_HEADER_VALUE_LENGTH = 8192;
/** A token (RFC 9110, 5.6.2). */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,100}$/;
// oxlint-disable-next-line no-control-regex -- control characters are what a header can't carry (RFC 9110, 5.5)
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Reads the config of a WEBHOOK step. */
export function readWebhook(config: ConfigReader): WebhookRequest {
  const url = config.text('url', MAX_URL);
  if (url !== '' && parses(config, 'url', url)) checkUrl(config, url);
  const method = config.choice('method', WEBHOOK_METHODS, 'POST');
  const body = config.get('body');
  if (body !== undefined && method === 'GET') config.report('body', 'custom', 'must not be given: a GET has no body');
  checkTexts(config, 'body', body);
  return { url, method, headers: readHeaders(config), body };
}

function readHeaders(config: ConfigReader): Record<string, string> {
  const given = config.get('headers') ?? {};
  if (!isObject(given)) {
    config.report('headers', 'invalid_type', 'must be an object of texts');
    return {};
  }
  const names = Object.keys(given);
  if (names.length > MAX_HEADERS) config.report('headers', 'too_big', `must have at most ${MAX_HEADERS} headers`);
  const seen = new Set<string>();
  for (const name of names) {
    checkHeader(config, name, given[name], seen);
    seen.add(name.toLowerCase());
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
}

function checkHeader(config: ConfigReader, name: string, value: unknown, seen: ReadonlySet<string>): void {
  const field = `headers.${name}`;
  if (!HEADER_NAME.test(name)) config.report(field, 'invalid_string', 'is no name of a header');
  else if (isReservedHeader(name.toLowerCase()))
    config.report(field, 'custom', 'is a header that the service sets itself');
  else if (seen.has(name.toLowerCase())) config.report(field, 'custom', 'is given twice');
  else if (typeof value !== 'string') config.report(field, 'invalid_type', 'must be text');
  else if (value.length > MAX_HEADER_VALUE_LENGTH)
    config.report(field, 'too_big', `must have at most ${MAX_HEADER_VALUE_LENGTH} characters`);
  else if (CONTROL.test(value))
    config.report(field, 'invalid_string', 'must not contain line breaks or other control characters');
  else parses(config, field, value);
}

/** The texts of a body, at any depth; names are no templates. */
function checkTexts(config: ConfigReader, field: string, value: unknown): void {
  if (typeof value === 'string') parses(config, field, value);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) checkTexts(config, `${field}.${key}`, item);
}

/** Whether a text parses as a template; what doesn't is reported with its line and column. */
function parses(config: ConfigReader, field: string, text: string): boolean {
  try {
    compileTemplate(text, { escape: 'none' });
    return true;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    config.report(field, 'custom', error.message);
    return false;
  }
}

/** What can be said of an address before its values are known; where it leads is checked when it is called. */
function checkUrl(config: ConfigReader, template: string): void {
  if (literalOrigin(template) === null) {
    config.report(
      'url',
      'invalid_string',
      'must begin with http:// or https:// and a host; placeholders may follow behind',
    );
    return;
  }
  const [literal] = scanTemplate(template);
  const { username, password } = new URL(literal?.text ?? '');
  if (username !== '' || password !== '')
    config.report('url', 'custom', 'must not contain a user name or password; use a header such as Authorization');
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
