/**
 * SMTP servers as URLs: `smtp://user:pass@host:port?ignoreTLS=true`, `smtps://…`.
 */
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

export interface SmtpServer {
  /** `host:port`, for logs and results. */
  name: string;
  options: SMTPConnectionOptions;
  credentials?: { user: string; pass: string };
}

const FLAGS = new Set(['ignoreTLS', 'requireTLS', 'rejectUnauthorized']);
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/**
 * Reads a server's URL.
 *
 * `smtp://` (default port 25) upgrades to TLS when the server offers it; `smtps://` (465) begins with it. Options,
 * `true` or `false`:
 * `ignoreTLS` (stay in plain text), `requireTLS` (refuse to), `rejectUnauthorized=false` (take any certificate). `name`
 * is what we call ourselves in EHLO.
 *
 * On loopback the certificate of an upgrade that isn't required is not checked: development servers make one up, and
 * nobody is in between.
 *
 * @throws TypeError; the message doesn't repeat the URL, which may hold a password
 */
export function parseSmtpUrl(text: string): SmtpServer {
  if (!URL.canParse(text)) throw new TypeError('An SMTP URL is not a URL');
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  if (!secure && url.protocol !== 'smtp:')
    throw new TypeError(`An SMTP URL begins with smtp:// or smtps://, not with ${url.protocol}//`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new TypeError('An SMTP URL needs a host');
  const port = url.port === '' ? (secure ? 465 : 25) : Number(url.port);
  const flag = (name: string) => url.searchParams.get(name) === 'true';
  for (const [name, value] of url.searchParams) {
    if (FLAGS.has(name) && value !== 'true' && value !== 'false')
      throw new TypeError(`The option ${name} of an SMTP URL is true or false`);
    if (!FLAGS.has(name) && name !== 'name') throw new TypeError(`An SMTP URL has no option ${name}`);
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
      name: url.searchParams.get('name') ?? undefined,
      tls: checks === 'false' ? { rejectUnauthorized: false } : undefined,
      // In a container, loopback may be the only interface.
      allowInternalNetworkInterfaces: true,
    },
    credentials:
      url.username === ''
        ? undefined
        : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
  };
}
