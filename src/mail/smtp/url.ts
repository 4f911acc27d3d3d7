/** SMTP servers as URLs: `smtp://user:pass@host:port?ignoreTLS=true`, `smtps://…`. */
import { isIPv4 } from 'node:net';
import { hostname } from 'node:os';

export interface SmtpServer {
  /** `host:port`, for logs and results. */
  name: string;
  options: SmtpServerOptions;
  credentials?: Credentials;
}

export interface SmtpServerOptions {
  host: string;
  port: number;
  /** Whether the connection begins with TLS. */
  secure: boolean;
  ignoreTLS: boolean;
  /** Takes precedence over `ignoreTLS`. */
  requireTLS: boolean;
  /** The client's name in EHLO. */
  name: string;
  tls?: { rejectUnauthorized: false };
}

export interface Credentials {
  user: string;
  pass: string;
}

const FLAGS = new Set(['ignoreTLS', 'requireTLS', 'rejectUnauthorized']);
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/**
 * Parses a server's URL.
 *
 * `smtp://` (default port 25) upgrades to TLS if the server offers it, `smtps://` (default port 465) begins with TLS.
 * Options with the values `true` and `false`: `ignoreTLS` (never upgrade), `requireTLS` (never send in plain text), and
 * `rejectUnauthorized` (false: accept any certificate). `name` is the client's name in EHLO; default: the
 * host's name if it is fully qualified, otherwise `[127.0.0.1]`.
 *
 * On loopback, the certificate of an optional upgrade is not checked, because development servers use self-signed ones.
 *
 * @throws TypeError; the message does not contain the URL, which may have a password
 */
export function parseSmtpUrl(text: string): SmtpServer {
  if (!URL.canParse(text)) throw new TypeError('The SMTP URL is malformed.');
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  if (!secure && url.protocol !== 'smtp:')
    throw new TypeError(`An SMTP URL must begin with smtp:// or smtps://, not with ${url.protocol}//.`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new TypeError('An SMTP URL must have a host.');
  const port = url.port === '' ? (secure ? 465 : 25) : Number(url.port);
  const flag = (name: string) => url.searchParams.get(name) === 'true';
  for (const [name, value] of url.searchParams) {
    if (FLAGS.has(name) && value !== 'true' && value !== 'false')
      throw new TypeError(`The option ${name} of an SMTP URL must be true or false.`);
    if (!FLAGS.has(name) && name !== 'name') throw new TypeError(`The SMTP URL has an unknown option: ${name}.`);
  }
  const trusts = !secure && !flag('requireTLS') && LOOPBACK.test(host);
  const checks = url.searchParams.get('rejectUnauthorized') ?? String(!trusts);
  return {
    name: `${url.hostname}:${port}`,
    options: {
      host,
      port,
      secure,
      ignoreTLS: flag('ignoreTLS'),
      requireTLS: flag('requireTLS'),
      name: (url.searchParams.get('name') ?? defaultName(hostname())).replaceAll(/[\r\n]/g, ''),
      tls: checks === 'false' ? { rejectUnauthorized: false } : undefined,
    },
    credentials:
      url.username === ''
        ? undefined
        : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
  };
}

function defaultName(host: string): string {
  if (isIPv4(host)) return `[${host}]`;
  return host.includes('.') ? host : '[127.0.0.1]';
}
