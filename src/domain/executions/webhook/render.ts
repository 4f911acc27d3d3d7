/**
 * From a WEBHOOK step's templates to a request: values are data, and change nothing but what they stand for. Pure.
 *
 * - In the URL they are percent-encoded. Scheme, host and port are the step's own text, never a value's; so is the
 * depth of the path.
 * - In headers they stay on one line.
 * - In a JSON body they are JSON: the texts of an object are filled in before it becomes JSON, and a JSON text is a
 * JSON template (src/mail/template-json.ts).
 *   In form fields they are percent-encoded, in HTML and XML escaped; in any other text they stand as they are.
 */
import { renderTemplate, type TemplateVariables } from '../../../mail/render.js';
import type { EscapeMode } from '../../../mail/template-value.js';
import type { WebhookMethod, WebhookRequest } from '../../workflows/webhook-config.js';
import { literalOrigin } from '../../workflows/webhook-origin.js';
import { WebhookFault } from './fault.js';
import { renderHeaders, type Headers } from './headers.js';

/** What the execution knows when it is at the step. */
export interface WebhookFacts {
  contact: { id: string; email: string; subscribed: boolean; data: Record<string, unknown> };
  workflow: { id: string; name: string };
  execution: { id: string; startedAt: Date };
  /** The execution's context. */
  event: Record<string, unknown>;
}

export interface RenderedRequest {
  /** http or https, without user name, password and fragment. */
  url: URL;
  method: WebhookMethod;
  headers: Headers;
  body: string | null;
}

const MAX_URL = 16_384;
const MAX_BODY = 5_000_000;
const MAX_DEPTH = 200;
/** Milliseconds for all texts of a body together: a worker does nothing else meanwhile. */
const RENDER_LIMIT = 1000;

/**
 * Fills the values in.
 *
 * @throws WebhookFault, TemplateError: neither goes away by itself
 */
export function renderRequest(
  { url, method, headers: templates, body: template }: WebhookRequest,
  facts: WebhookFacts,
): RenderedRequest {
  const variables = variablesOf(facts);
  const headers = renderHeaders(templates, variables);
  const body = method === 'GET' ? null : renderBody(template, headers['content-type'], facts, variables);
  if (body && Buffer.byteLength(body.text) > MAX_BODY)
    throw new WebhookFault(`The body has more than ${MAX_BODY / 1_000_000} MB`);
  return {
    url: renderUrl(url, variables),
    method,
    headers: body?.type ? { 'content-type': body.type, ...headers } : headers,
    body: body?.text ?? null,
  };
}

/**
 * The names of a mail's templates (contract, section 4), and those of the default body; behind `workflow.` also the
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
    throw new WebhookFault('The URL must begin with http:// or https:// and a host, and neither may come from a value');
  const text = renderTemplate(template, variables, { escape: 'url' });
  // Percent-encoding has nothing against dots, and a URL no way to write a segment of one or two of them.
  if (climbs(text) && !climbs(template))
    throw new WebhookFault('A value would change the path of the URL: it is "." or ".."');
  if (text.length > MAX_URL) throw new WebhookFault(`The URL has more than ${MAX_URL} characters`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.origin !== origin || url.username !== '' || url.password !== '')
    throw new WebhookFault('A value would change the host of the URL');
  url.hash = '';
  return url;
}

const climbs = (url: string): boolean => /[/\\](?:\.|%2e){1,2}(?=[/\\]|$)/i.test(url.split(/[?#]/, 1)[0] ?? '');

interface RenderedBody {
  text: string;
  /** What it is, where the step does not say. */
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
  return typeof template === 'string' ? renderText(template, givenType, variables) : toJson(fill(template, variables));
}

const toJson = (value: unknown): RenderedBody => ({ text: JSON.stringify(value), type: JSON_TYPE });

/** The contract's, section 7. */
const defaultBody = ({ contact, workflow, execution, event }: WebhookFacts): unknown => ({
  contact,
  workflow,
  execution,
  event,
});

function renderText(template: string, givenType: string | undefined, variables: TemplateVariables): RenderedBody {
  const escape = givenType === undefined ? (looksLikeJson(template) ? 'json' : 'none') : escapeFor(givenType);
  const text = renderTemplate(template, variables, { escape });
  if (escape === 'json' && !isJson(text))
    throw new WebhookFault('The body is no JSON any more once its values are filled in');
  if (text === '') return { text, type: null };
  return { text, type: escape === 'json' || isJson(text) ? JSON_TYPE : 'text/plain; charset=utf-8' };
}

/** Text that begins as a JSON object, list or string does, and not with `{{` or `{%`. */
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

/** The value with each text in it filled in; names stay. */
function fill(value: unknown, variables: TemplateVariables): unknown {
  const until = performance.now() + RENDER_LIMIT;
  const walk = (item: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) throw new WebhookFault(`The body has more than ${MAX_DEPTH} levels`);
    if (performance.now() > until) throw new WebhookFault('The texts of the body take too long to fill in');
    if (typeof item === 'string') return renderTemplate(item, variables, { escape: 'none' });
    if (Array.isArray(item)) return item.map((one) => walk(one, depth + 1));
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, one]) => [key, walk(one, depth + 1)]));
  };
  return walk(value, 0);
}
