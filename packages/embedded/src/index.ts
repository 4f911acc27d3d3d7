/** The embedded default: the servers that no variable replaces, started, supervised, and stopped together. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { completeConfig, ConfigError, type Config, type Environment } from '../../../src/config.js';
import type { Log } from '../../../src/log.js';
import { claimData } from './claim.js';
import { startDomainDns } from './dns-records.js';
import { startInboxThread, type InboxThread } from './inbox/index.js';
import { choosePort } from './ports.js';
import { startPostgres, type EmbeddedPostgres } from './postgres.js';
import { hasCode } from './processes.js';
import { createSupervisor, settleAll } from './supervise.js';
import { startTemporal, type EmbeddedTemporal } from './temporal.js';

/** Addresses of the embedded servers. A server that a variable replaces has none. */
export interface EmbeddedAddresses {
  /** Connection URL. */
  database?: string;
  /** `host:port` */
  temporal?: string;
  temporalUi?: string;
  smtp?: string;
  /** URL of the inbox's page and API. */
  inbox?: string;
  /** `host:port` */
  dns?: string;
  /** URL of the worker's SMTP listener for bounces and inbound mail. */
  inbound?: string;
}

export interface Embedded {
  config: Config;
  addresses: EmbeddedAddresses;
  /** Resolves if an embedded server died and could not be restarted. */
  failed: Promise<Error>;
  /** Writes all addresses to `DATA_DIR/addresses.json`, for `npm run demo`. `stop` removes the file. */
  publish(more: { api: string }): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL, Temporal, the SMTP inbox, and the DNS stub, except those that a variable replaces.
 *
 * @param signal ends a start that waits for PostgreSQL's recovery
 * @throws ConfigError if the environment cannot be completed; DataDirInUseError if another process uses DATA_DIR; the
 *   error of a server's start, after the other servers have been stopped
 */
export async function startEmbedded(environment: Environment, log: Log, signal?: AbortSignal): Promise<Embedded> {
  const { DATABASE_URL, TEMPORAL_ADDRESS, SMTP_URL, DNS_SERVERS } = environment;
  // A database elsewhere must not depend on a key in DATA_DIR.
  if (DATABASE_URL && !environment.SECRET_KEY)
    throw new ConfigError(
      'The configuration is not valid:\n  SECRET_KEY: is required if DATABASE_URL is set. ' +
        'Use at least 32 characters, and the same key in every process.',
    );
  const dataDir = resolve(environment.DATA_DIR);
  const addressesFile = join(dataDir, 'addresses.json');
  await mkdir(dataDir, { recursive: true });
  const usesFolder = !DATABASE_URL || !TEMPORAL_ADDRESS || !SMTP_URL;
  const releaseClaim = usesFolder ? claimData(join(dataDir, 'sendloom.claim.json'), 'Sendloom') : () => undefined;
  const supervisor = createSupervisor(log);
  const addresses: EmbeddedAddresses = {};
  let stopDns = async (): Promise<void> => undefined;

  async function runPostgres(): Promise<void> {
    const server = await supervisor.run<EmbeddedPostgres>({
      name: 'PostgreSQL',
      start: (previous) =>
        startPostgres({ dataDir, port: previous?.port ?? environment.EMBEDDED_POSTGRES_PORT, log, signal }),
      addressOf: ({ url }) => url,
    });
    addresses.database = server.url;
  }

  async function runTemporal(): Promise<void> {
    const server = await supervisor.run<EmbeddedTemporal>({
      name: 'Temporal',
      start: (previous) =>
        startTemporal({
          dataDir,
          port: previous ? portOf(`tcp://${previous.address}`) : environment.EMBEDDED_TEMPORAL_PORT,
          uiPort: previous ? portOf(previous.uiUrl) : environment.EMBEDDED_TEMPORAL_UI_PORT,
          namespace: environment.TEMPORAL_NAMESPACE,
          log,
        }),
      addressOf: ({ address }) => address,
    });
    addresses.temporal = server.address;
    addresses.temporalUi = server.uiUrl;
  }

  async function runInbox(): Promise<void> {
    const server = await supervisor.run<InboxThread>({
      name: 'the inbox',
      start: (previous) =>
        startInboxThread({
          dataDir,
          smtpPort: previous ? portOf(previous.smtpUrl) : environment.EMBEDDED_SMTP_PORT,
          httpPort: previous ? portOf(previous.webUrl) : environment.EMBEDDED_INBOX_PORT,
          log,
        }),
      addressOf: ({ smtpUrl }) => smtpUrl,
    });
    addresses.smtp = server.smtpUrl;
    addresses.inbox = server.webUrl;
  }

  async function stop(): Promise<void> {
    await rm(addressesFile, { force: true });
    try {
      await settleAll([supervisor.stop(), stopDns()]);
    } finally {
      releaseClaim();
    }
  }

  try {
    await settleAll([
      ...(DATABASE_URL ? [] : [runPostgres()]),
      ...(TEMPORAL_ADDRESS ? [] : [runTemporal()]),
      ...(SMTP_URL ? [] : [runInbox()]),
    ]);
    const databaseUrl = DATABASE_URL ?? addresses.database;
    if (DNS_SERVERS === undefined && databaseUrl) {
      const dns = await startDomainDns({ port: environment.EMBEDDED_DNS_PORT, databaseUrl, log });
      stopDns = () => dns.stop();
      addresses.dns = dns.server;
    }
    const inboundPort = {
      preferred: environment.EMBEDDED_INBOUND_PORT,
      server: 'the SMTP listener',
      variable: 'EMBEDDED_INBOUND_PORT',
      log,
    };
    const config = completeConfig({
      ...environment,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: TEMPORAL_ADDRESS ?? addresses.temporal,
      TEMPORAL_UI_URL: environment.TEMPORAL_UI_URL ?? addresses.temporalUi,
      SMTP_URL: SMTP_URL ?? addresses.smtp,
      INBOX_URL: environment.INBOX_URL ?? addresses.inbox,
      DNS_SERVERS: DNS_SERVERS ?? addresses.dns,
      INBOUND_SMTP_PORT: environment.INBOUND_SMTP_PORT ?? (await choosePort(inboundPort)),
      SECRET_KEY: environment.SECRET_KEY ?? (await readSecretKey(dataDir)),
    });
    addresses.inbound = `smtp://${config.INBOUND_SMTP_HOST ?? config.HOST}:${config.INBOUND_SMTP_PORT}`;
    const publish: Embedded['publish'] = async (more) => {
      const published = { ...addresses, database: config.DATABASE_URL, ...more };
      await replaceFile(addressesFile, `${JSON.stringify(published, null, 2)}\n`);
    };
    return { config, addresses, failed: supervisor.failed, stop, publish };
  } catch (error) {
    await stop().catch((cause: unknown) => log.error({ err: cause }, 'an embedded server did not stop'));
    throw error;
  }
}

const portOf = (url: string): number => Number(new URL(url).port);

/** The key of the first start. Without it, every DKIM key is lost and every session ends. */
async function readSecretKey(dataDir: string): Promise<string> {
  const file = join(dataDir, 'secret.key');
  try {
    const key = (await readFile(file, 'utf8')).trim();
    if (key.length >= 32) return key;
    throw new ConfigError(`The key in ${file} is too short. Restore the file, or set SECRET_KEY.`);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  const key = randomBytes(32).toString('hex');
  await replaceFile(file, `${key}\n`);
  return key;
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
