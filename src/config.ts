/**
 * The configuration: environment variables, parsed once at start. `.env.example` lists them all.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import { isAddress, LOCAL_HOST, normalizeAddress, normalizeHost, sendingHost } from './address.js';
import { StartError } from './process.js';
import { parseUploadsUrl } from './storage/url.js';

const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0', ''])
    .optional()
    .transform((value) => (value === undefined || value === '' ? fallback : value === 'true' || value === '1'));

const integer = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .optional()
    .transform((value) => (value === undefined ? fallback : Number(value)))
    .pipe(z.number().min(min).max(max));

const port = (fallback: number) => integer(fallback, 0, 65_535);
const optionalPort = z
  .string()
  .regex(/^\d+$/, 'must be a whole number')
  .transform(Number)
  .pipe(z.number().max(65_535))
  .optional();
const text = z.string().min(1).optional();

const uploadsUrl = z
  .string()
  .superRefine((value, context) => {
    try {
      parseUploadsUrl(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    }
  })
  .optional();

/** Comma-separated addresses and CIDR ranges, or `loopback`. */
const proxies = z
  .string()
  .default('loopback')
  .transform((value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .superRefine((parts, context) => {
    for (const part of parts.filter((one) => !isProxy(one)))
      context.addIssue({
        code: 'custom',
        message: `"${part}" is not an IP address, a CIDR range such as 10.0.0.0/8, or loopback`,
      });
  });

function isProxy(text: string): boolean {
  if (text === 'loopback') return true;
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && (prefix === undefined || Number(prefix) <= (version === 4 ? 32 : 128));
}

/** `accounts@example.com` or `Example <accounts@example.com>`. */
const sender = z
  .string()
  .optional()
  .transform((value, context): PlatformSender | undefined => {
    if (value === undefined) return undefined;
    const [, name = '', address = value] = /^\s*"?([^"<>\r\n]*?)"?\s*<([^<>]+)>\s*$/.exec(value) ?? [];
    const email = normalizeAddress(address);
    if (isAddress(email)) return { email, name: name === '' ? null : name };
    context.addIssue({ code: 'custom', message: 'must be an address, or a name and <address>' });
    return z.NEVER;
  });

const Environment = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: port(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  // Only these may name a client's address in X-Forwarded-For.
  TRUSTED_PROXIES: proxies,
  PUBLIC_URL: z.url().optional(),
  DASHBOARD_URL: z.url().optional(),
  DATABASE_URL: text,
  TEMPORAL_ADDRESS: text,
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_TLS_CERT: text,
  TEMPORAL_TLS_KEY: text,
  TEMPORAL_TLS_CA: text,
  TEMPORAL_TLS_SERVER_NAME: text,
  TEMPORAL_API_KEY: text,
  // Pages for operators, which `GET /config` links to.
  TEMPORAL_UI_URL: z.url({ protocol: /^https?$/ }).optional(),
  INBOX_URL: z.url({ protocol: /^https?$/ }).optional(),
  SMTP_URL: text,
  DNS_SERVERS: z.string().optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  SECRET_KEY: z.string().min(32, 'must have at least 32 characters').optional(),
  WEBHOOK_ALLOW_PRIVATE: flag(false),
  DISABLE_SIGNUPS: flag(false),
  PLATFORM_FROM: sender,
  AUTO_PROJECT_DISABLE: flag(true),
  REQUIRE_EMAIL_VERIFICATION: flag(false),
  // Days after which events and ended emails are deleted; 0 keeps them forever.
  RETENTION_DAYS: integer(0, 0, 36_500),
  // Days for which deliveries of webhooks, and what they tell, are kept.
  WEBHOOK_DELIVERY_DAYS: integer(30, 1, 3650),
  IDEMPOTENCY_TTL_HOURS: integer(24, 1, 24 * 365),
  RATE_LIMIT_PER_MINUTE: integer(1000, 1, 100_000_000),
  SEND_RATE_PER_SECOND: integer(0, 0, 1_000_000),
  MAX_ATTACHMENTS: integer(10, 0, 1000),
  MAX_ATTACHMENTS_MB: integer(10, 0, 40),
  // The maximum size of an imported file.
  IMPORT_MAX_MB: integer(5, 1, 200),
  // file:<folder> or s3://bucket?endpoint=…&region=…; unset: a folder in DATA_DIR.
  UPLOADS_URL: uploadsUrl,
  STRIPE_SECRET_KEY: text,
  STRIPE_WEBHOOK_SECRET: text,
  STRIPE_PRICE_ID: text,
  STRIPE_API_BASE: z.url({ protocol: /^https?$/ }).optional(),
  GOOGLE_CLIENT_ID: text,
  GOOGLE_CLIENT_SECRET: text,
  GITHUB_CLIENT_ID: text,
  GITHUB_CLIENT_SECRET: text,
  // Replaces the origin of all URLs of the provider, for tests.
  GOOGLE_OAUTH_BASE: z.url().optional(),
  GITHUB_OAUTH_BASE: z.url().optional(),
  METRICS_PORT: port(9464),
  // Not HOST: metrics have no authentication.
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  // Seconds for which a stopping API accepts requests while /health/ready returns 503, so that load balancers notice.
  DRAIN_SECONDS: integer(0, 0, 10),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  AMBIGUOUS_SEND: z.enum(['skip', 'resend']).default('skip'),
  // The folder of the workers' journals; empty: none; unset: a folder in DATA_DIR.
  JOURNAL_DIR: z.string().optional(),
  // Milliseconds between two heartbeats of a worker. After five missed ones, other workers settle what it was sending;
  // its leases of campaigns expire after 3.75.
  WORKER_HEARTBEAT_MS: integer(4000, 100, 60_000),
  PASSWORD_HASH_LOG2N: integer(15, 10, 20),
  // Set to false if the SMTP server signs.
  DKIM_SIGNING: flag(true),
  // Connections of one worker to the SMTP server: also the maximum number of emails whose outcome a crash can hide.
  SMTP_CONNECTIONS: integer(50, 1, 500),
  DATABASE_POOL: integer(10, 2, 200),
  // The port on which the worker receives bounces, feedback reports, and inbound mail; unset: none.
  INBOUND_SMTP_PORT: optionalPort,
  INBOUND_SMTP_HOST: text,
  INBOUND_CONNECTIONS: integer(100, 1, 10_000),
  INBOUND_MAX_MB: integer(25, 1, 100),
  // PEM files: the listener offers STARTTLS with them.
  INBOUND_TLS_CERT: text,
  INBOUND_TLS_KEY: text,
  // Hosts whose MX records lead to the listener, comma-separated; unset: the host of PUBLIC_URL.
  INBOUND_MX: text,
  // Whether each email has its own return path; auto: if the listener is configured.
  VERP: z.enum(['auto', 'true', 'false']).default('auto'),
  // Comma-separated. Unset: none in production, otherwise any topic.
  SNS_TOPIC_ARNS: text,
  // Another origin for certificates and confirmations of SNS, for tests and fakes.
  SNS_API_BASE: z.url().optional(),
  // The ports of the embedded servers. A port that is in use is replaced by a free one and logged.
  EMBEDDED_POSTGRES_PORT: port(25_432),
  EMBEDDED_TEMPORAL_PORT: port(7233),
  EMBEDDED_TEMPORAL_UI_PORT: port(8233),
  EMBEDDED_SMTP_PORT: port(2525),
  EMBEDDED_INBOX_PORT: port(8025),
  EMBEDDED_DNS_PORT: port(10_053),
  EMBEDDED_INBOUND_PORT: port(2526),
});

export type Environment = z.infer<typeof Environment>;

export interface PlatformSender {
  email: string;
  name: string | null;
}

/**
 * The environment with all variables that a process needs, from the operator or from the embedded servers.
 */
export interface Config extends Environment {
  PUBLIC_URL: string;
  DASHBOARD_URL: string;
  DATABASE_URL: string;
  TEMPORAL_ADDRESS: string;
  SMTP_URL: string;
  SECRET_KEY: string;
  /** The sender of the platform's own emails. */
  PLATFORM_FROM: PlatformSender;
}

/**
 * Returns a host whose mail comes to the listener of this installation; undefined without a listener. `VERP=true` means
 * that another process has it.
 */
export const inboundHost = ({ INBOUND_MX, INBOUND_SMTP_PORT, VERP, PUBLIC_URL }: Config): string | undefined =>
  INBOUND_SMTP_PORT === undefined && VERP !== 'true' ? undefined : inboundHosts({ INBOUND_MX, PUBLIC_URL })[0];

/** Returns the hosts whose MX records lead to the listener, in lower case. */
export const inboundHosts = ({ INBOUND_MX, PUBLIC_URL }: Pick<Config, 'INBOUND_MX' | 'PUBLIC_URL'>): string[] =>
  (INBOUND_MX ?? sendingHost(PUBLIC_URL)).split(',').map(normalizeHost).filter(Boolean);

/** Whether emails use return paths that lead to the listener, if the sender's domain has the record. */
export const usesReturnPaths = ({ VERP, INBOUND_SMTP_PORT }: Environment): boolean =>
  VERP === 'true' || (VERP === 'auto' && INBOUND_SMTP_PORT !== undefined);

/** The environment is not valid. The message has one line per variable. */
export class ConfigError extends StartError {}

const MAY_BE_EMPTY = new Set(['DNS_SERVERS', 'JOURNAL_DIR']);

/**
 * Reads and checks the environment.
 *
 * An empty variable counts as unset, except `DNS_SERVERS`, where empty means the system's resolver, and `JOURNAL_DIR`,
 * where empty means no journal.
 *
 * @throws ConfigError with each invalid variable and its rule
 */
export function parseEnvironment(env: NodeJS.ProcessEnv): Environment {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' || MAY_BE_EMPTY.has(name)),
  );
  const result = Environment.safeParse(given);
  if (!result.success) {
    throw new ConfigError(
      invalidMessage(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)),
    );
  }
  return result.data;
}

const invalidMessage = (problems: string[]): string =>
  `The configuration is invalid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;

/**
 * Completes the environment for a process that starts no embedded servers.
 *
 * @throws ConfigError with each missing variable, or if PUBLIC_URL is not https in production
 */
export function completeConfig(environment: Environment): Config {
  const { DATABASE_URL, TEMPORAL_ADDRESS, SMTP_URL, SECRET_KEY } = environment;
  if (!DATABASE_URL || !TEMPORAL_ADDRESS || !SMTP_URL || !SECRET_KEY) {
    const missing = Object.entries({ DATABASE_URL, TEMPORAL_ADDRESS, SMTP_URL, SECRET_KEY }).filter(
      ([, value]) => !value,
    );
    throw new ConfigError(invalidMessage(missing.map(([name]) => `${name}: is required outside the embedded default`)));
  }
  const PUBLIC_URL = (
    environment.PUBLIC_URL ??
    `http://${environment.HOST.includes(':') ? `[${environment.HOST}]` : environment.HOST}:${environment.PORT}`
  ).replace(/\/+$/, '');
  if (environment.NODE_ENV === 'production' && !isSecureOrLocal(PUBLIC_URL)) {
    throw new ConfigError(
      invalidMessage(['PUBLIC_URL: must be an https URL in production, because one-click unsubscribing needs https']),
    );
  }
  return {
    ...environment,
    DATABASE_URL,
    TEMPORAL_ADDRESS,
    SMTP_URL,
    SECRET_KEY,
    PUBLIC_URL,
    DASHBOARD_URL: (environment.DASHBOARD_URL ?? `${PUBLIC_URL}/app`).replace(/\/+$/, ''),
    PLATFORM_FROM: environment.PLATFORM_FROM ?? defaultSender(PUBLIC_URL),
  };
}

/** A redirect from http to https breaks the POST of RFC 8058. On loopback, only the operator can follow the links. */
function isSecureOrLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/.test(hostname);
}

/**
 * Returns an address at the operator's own host. A host without a public name gets an address of the development inbox.
 */
function defaultSender(publicUrl: string): PlatformSender {
  const own = `no-reply@${sendingHost(publicUrl)}`;
  return { email: isAddress(own) ? own : `no-reply@${LOCAL_HOST}`, name: 'Sendloom' };
}
