/** The headers of a WEBHOOK step's request. Pure. */
import { renderTemplate, type TemplateVariables } from '../../../mail/render.js';
import { WebhookFault } from './fault.js';

/** In lower case. */
export type Headers = Record<string, string>;

/** Of the connection, of the message's length, or of our signature: refused when the step is saved, and never sent. */
const OF_THE_CONNECTION = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
];
const OURS = new Set([...OF_THE_CONNECTION, 'webhook-id', 'webhook-timestamp', 'webhook-signature']);
/** Whether a header, by its name in lower case, is not the user's to set. */
export const isOurs = (name: string): boolean => OURS.has(name) || name.startsWith('proxy-');

/** What any host may see. Every other header that a user set may be a credential, whatever its name. */
const HARMLESS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

const MAX_VALUE = 8192;
/** RFC 9110, 5.6.2 */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

const DEFAULTS: Headers = { accept: '*/*', 'user-agent': 'Sendloom-Webhook/1' };

/**
 * Fills the values in, over what every request has.
 *
 * @throws WebhookFault, TemplateError
 */
export function renderHeaders(templates: Readonly<Record<string, string>>, variables: TemplateVariables): Headers {
  const headers = { ...DEFAULTS };
  for (const [given, template] of Object.entries(templates)) {
    const name = given.toLowerCase();
    if (isOurs(name)) continue;
    if (!TOKEN.test(name)) throw new WebhookFault('The name of a header is not one');
    headers[name] = toHeaderValue(renderTemplate(template, variables, { escape: 'none' }));
    if (headers[name].length > MAX_VALUE) throw new WebhookFault(`The header ${name} has more than ${MAX_VALUE} bytes`);
  }
  return headers;
}

/**
 * On one line, since a line break would begin another header; in UTF-8, one character for each byte, as Node sends
 * them.
 */
function toHeaderValue(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to go
  return Buffer.from(text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim()).toString('latin1');
}

/** What goes along to another host. */
export const harmless = (headers: Headers): Headers => only(headers, (name) => HARMLESS.has(name));

/** What goes along where a redirect has made a GET of the request: nothing that describes a body. */
export const withoutBody = (headers: Headers): Headers => only(headers, (name) => !name.startsWith('content-'));

const only = (headers: Headers, keep: (name: string) => boolean): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => keep(name)));
