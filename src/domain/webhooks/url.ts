/** The rules for the URL of an endpoint. Where it leads is checked at each delivery, because names change. */
import { isIP } from 'node:net';
import type { Config } from '../../config.js';
import type { FieldError } from '../../errors.js';
import { whyNotPublic } from '../executions/webhook/guard.js';

export const MAX_URL_LENGTH = 2000;

/** Returns why a URL cannot be that of an endpoint, as errors of the field `url`. */
export function checkUrl(
  text: string,
  { NODE_ENV, WEBHOOK_ALLOW_PRIVATE }: Pick<Config, 'NODE_ENV' | 'WEBHOOK_ALLOW_PRIVATE'>,
): FieldError[] {
  const message = problemOf(text, NODE_ENV === 'production', WEBHOOK_ALLOW_PRIVATE);
  return message === null ? [] : [{ field: 'url', message, code: 'invalid_string', received: text }];
}

function problemOf(text: string, needsHttps: boolean, allowsPrivate: boolean): string | null {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && (needsHttps || url.protocol !== 'http:'))
    return needsHttps ? 'must begin with https://' : 'must begin with https:// or http://';
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or a password; verify the signature instead';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const refusal = allowsPrivate || isIP(host) === 0 ? null : whyNotPublic(host);
  return refusal === null ? null : `must lead to the public internet: ${host} is ${refusal}`;
}
