/**
 * Renders the request of a WEBHOOK step from its templates. Values are data and cannot change the request's structure.
 * Pure.
 *
 * - In the URL, values are percent-encoded. The scheme, host, port, and path depth come from the step's own text.
 * - In headers, values stay on one line.
 * - In a JSON body, values are JSON. In an object, each text is rendered before the object becomes JSON. A text is a
 *   JSON template (src/mail/template-json.ts).
 * - In form fields, values are percent-encoded; in HTML and XML, escaped; in other text, unchanged.
 */
import { renderTemplate, type TemplateVariables } from '../../../mail/render.js';
import type { EscapeMode } from '../../../mail/template-value.js';
import {
  HEADER_NAME,
  isReservedHeader,
  literalOrigin,
  MAX_HEADER_VALUE_LENGTH,
  type WebhookMethod,
  type WebhookRequest,
} from '../../workflows/webhook-config.js';

/** A permanent failure of a WEBHOOK step's request. The message is a sentence without addresses and values. */
export class WebhookFault extends Error {}

/** Header values by names in lower case. */
export type Headers = Record<string, string>;

/** The variables of the step's templates. */
export interface WebhookFacts {
  contact: { id: string; email: string; subscribed: boolean; data: Record<string, unknown> };
  workflow: { id: string; name: string };
  execution: { id: string; startedAt: Date };
  /** The execution's context. */
  event: Record<string, unknown>;
}

export interface RenderedRequest {
  /** http or https, without user name, password, and fragment. */
  url: URL;
  method: WebhookMethod;
  headers: Headers;
  body: string | null;
}

const MAX_URL_LENGTH = 16_384;
const MAX_BODY_BYTES = 5_000_000;
const MAX_BODY_DEPTH = 200;
/** For all texts of a body together. Rendering blocks the worker's event loop. */
const RENDER_TIMEOUT_MS = 1000;

const DEFAULT_HEADERS: Headers = { accept: '*/*', 'user-agent': 'Sendloom-Webhook/1' };

/** @throws WebhookFault, TemplateError: both are permanent */
export function renderRequest(
  { url, method, headers: templates, body: template }: WebhookRequest,
  facts: WebhookFacts,
): RenderedRequest {
  const variables = variablesOf(facts);
  const headers = renderHeaders(templates, variables);
  const body = method === 'GET' ? null : renderBody(template, headers['content-type'], facts, variables);
  if (body && Buffer.byteLength(body.text) > MAX_BODY_BYTES)
    throw new WebhookFault(`The body is larger than ${MAX_BODY_BYTES / 1_000_000} MB.`);
  return {
    url: renderUrl(url, variables),
    method,
    headers: body?.type ? { 'content-type': body.type, ...headers } : headers,
    body: body?.text ?? null,
  };
}

/**
 * The variables of an email's templates (contract, section 4) and of the default body. `workflow.` also reads the
 * context, as in CONDITION steps.
 */
function variablesOf({ contact, workflow, execution, event }: WebhookFacts): TemplateVariables {
  const startedAt = execution.startedAt.toISOString();
  const { id, email, data, subscribed } = contact;
  return {
    subscribed,
    ...data,
    ...event,
    data,
    event,
    contact,
    workflow: { ...event, ...workflow },
    execution: { id: execution.id, startedAt },
    id,
    email,
    svc_id: id,
    svc_email: email,
  };
}

function renderUrl(template: string, variables: TemplateVariables): URL {
  const origin = literalOrigin(template);
  if (origin === null)
    throw new WebhookFault('The URL must start with http:// or https:// and a host, without placeholders in them.');
  const text = renderTemplate(template, variables, { escape: 'url' });
  // Percent-encoding keeps dots, and a URL has no way to escape a path segment of one or two dots.
  if (hasDotSegment(text) && !hasDotSegment(template))
    throw new WebhookFault('A value of "." or ".." would change the path of the URL.');
  if (text.length > MAX_URL_LENGTH) throw new WebhookFault(`The URL has more than ${MAX_URL_LENGTH} characters.`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.origin !== origin || url.username !== '' || url.password !== '')
    throw new WebhookFault('A value would change the host of the URL.');
  url.hash = '';
  return url;
}

const hasDotSegment = (url: string): boolean => /[/\\](?:\.|%2e){1,2}(?=[/\\]|$)/i.test(url.split(/[?#]/, 1)[0] ?? '');

function renderHeaders(templates: Readonly<Record<string, string>>, variables: TemplateVariables): Headers {
  const headers = { ...DEFAULT_HEADERS };
  for (const [given, template] of Object.entries(templates)) {
    const name = given.toLowerCase();
    if (isReservedHeader(name)) continue;
    if (!HEADER_NAME.test(name)) throw new WebhookFault('The name of a header is not valid.');
    headers[name] = toHeaderValue(renderTemplate(template, variables, { escape: 'none' }));
    if (headers[name].length > MAX_HEADER_VALUE_LENGTH)
      throw new WebhookFault(`The header ${name} has more than ${MAX_HEADER_VALUE_LENGTH} bytes.`);
  }
  return headers;
}

/** Removes line breaks, which would start another header, and encodes the text as UTF-8 in Node's Latin-1 form. */
function toHeaderValue(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must be removed
  return Buffer.from(text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim()).toString('latin1');
}

interface RenderedBody {
  text: string;
  /** The content type, unless the step sets one. */
  type: string | null;
}

const JSON_TYPE = 'application/json';

function renderBody(
  template: unknown,
  givenType: string | undefined,
  facts: WebhookFacts,
  variables: TemplateVariables,
): RenderedBody {
  if (template === undefined || template === null) return toJson(defaultBody(facts));
  return typeof template === 'string'
    ? renderText(template, givenType, variables)
    : toJson(renderTexts(template, variables));
}

const toJson = (value: unknown): RenderedBody => ({ text: JSON.stringify(value), type: JSON_TYPE });

const defaultBody = ({ contact, workflow, execution, event }: WebhookFacts): unknown => ({
  contact,
  workflow,
  execution,
  event,
});

function renderText(template: string, givenType: string | undefined, variables: TemplateVariables): RenderedBody {
  const escape = givenType === undefined ? (looksLikeJson(template) ? 'json' : 'none') : escapeFor(givenType);
  const text = renderTemplate(template, variables, { escape });
  if (escape === 'json' && !isJson(text)) throw new WebhookFault('The rendered body is not valid JSON.');
  if (text === '') return { text, type: null };
  return { text, type: escape === 'json' || isJson(text) ? JSON_TYPE : 'text/plain; charset=utf-8' };
}

/** Returns whether a text starts as a JSON object, list, or string, and not with `{{` or `{%`. */
const looksLikeJson = (template: string): boolean => /^\s*(?:\{(?![{%])|\[|")/.test(template);

function escapeFor(contentType: string): EscapeMode {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type === JSON_TYPE || type.endsWith('+json')) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'url';
  return /[/+](?:html|xml)$/.test(type) ? 'html' : 'none';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Renders every text in a value. Keys are not templates. */
function renderTexts(value: unknown, variables: TemplateVariables): unknown {
  const deadlineMs = performance.now() + RENDER_TIMEOUT_MS;
  const walk = (item: unknown, depth: number): unknown => {
    if (depth > MAX_BODY_DEPTH) throw new WebhookFault(`The body has more than ${MAX_BODY_DEPTH} levels.`);
    if (performance.now() > deadlineMs) throw new WebhookFault('Rendering the body took too long.');
    if (typeof item === 'string') return renderTemplate(item, variables, { escape: 'none' });
    if (Array.isArray(item)) return item.map((one) => walk(one, depth + 1));
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, one]) => [key, walk(one, depth + 1)]));
  };
  return walk(value, 0);
}
