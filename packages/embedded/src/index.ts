/**
 * The embedded default: the servers that no variable replaces, started together, watched, and stopped together.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { completeConfig, ConfigError, type Config, type Environment } from '../../../src/config.js';
import type { Log } from '../../../src/log.js';
import { domainRecords } from './dns-records.js';
import { startDnsStub } from './dns.js';
import { startInboxThread, type InboxThread } from './inbox/index.js';
import { choosePort } from './ports.js';
import { startPostgres } from './postgres.js';
import { claimServer, hasCode } from './processes.js';
import { supervise, type SupervisedServer } from './supervise.js';
import { startTemporal } from './temporal.js';

/** Where the embedded servers answer; a part that a variable replaces is left out. */
export interface EmbeddedAddresses {
  /** Connection URL. */
  database?: string;
  /** `host:port` */
  temporal?: string;
  temporalUi?: string;
  smtp?: string;
  /** The inbox's page and API. */
  inbox?: string;
  /** `host:port` */
  dns?: string;
  /** Where the worker of this process takes bounces and inbound mail. */
  inbound?: string;
}

export interface Embedded {
  config: Config;
  addresses: EmbeddedAddresses;
  /** Resolves when an embedded server died and could not be brought back. */
  failed: Promise<Error>;
  /** Writes all addresses to `DATA_DIR/addresses.json`, for `npm run demo`; `stop` removes the file. */
  publish(more: { api: string }): Promise<void>;
  stop(): Promise<void>;
}

/** What `DATA_DIR/addresses.json` holds while the system runs. */
export const ADDRESSES_FILE = 'addresses.json';

/**
 * Starts what the environment leaves out: PostgreSQL, Temporal, the SMTP inbox, the DNS stub.
 *
 * @throws ConfigError when the environment can't be completed; DataDirInUseError when another process uses DATA_DIR;
 * what a server's start throws, after
 *   the others have been stopped
 */
export async function startEmbedded(environment: Environment, log: Log): Promise<Embedded> {
  const { DATABASE_URL, TEMPORAL_ADDRESS, SMTP_URL, DNS_SERVERS } = environment;
  if (DATABASE_URL && !environment.SECRET_KEY) {
    throw new ConfigError(
      'The configuration is not usable:\n  SECRET_KEY: is required when DATABASE_URL is set (at least 32 characters, the same in every process)',
    );
  }
  // The database lives elsewhere: its data must not depend on a key in this folder. Otherwise the key and the data are
  // kept side by side.
  const dataDir = resolve(environment.DATA_DIR);
  const needsFolder = !DATABASE_URL || !TEMPORAL_ADDRESS || !SMTP_URL;
  await mkdir(dataDir, { recursive: true });
  const claim = needsFolder
    ? await claimServer({ file: join(dataDir, 'sendloom.claim.json'), server: 'Sendloom', steps: [], log })
    : null;

  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });
  const stops: Array<() => Promise<void>> = [];
  const addresses: EmbeddedAddresses = {};

  async function run<T extends SupervisedServer>(name: string, start: (previous?: T) => Promise<T>): Promise<T> {
    const { server, stop } = await supervise({ name, log, start, onFailure: fail });
    stops.push(stop);
    return server;
  }

  async function runPostgres(): Promise<void> {
    const server = await run<Awaited<ReturnType<typeof startPostgres>>>('PostgreSQL', async (previous) => {
      const next = await startPostgres({ dataDir, port: previous?.port ?? environment.EMBEDDED_POSTGRES_PORT, log });
      return atSameAddress(next, previous?.url, next.url);
    });
    addresses.database = server.url;
  }

  async function runTemporal(): Promise<void> {
    const server = await run<Awaited<ReturnType<typeof startTemporal>>>('Temporal', async (previous) => {
      const next = await startTemporal({
        dataDir,
        port: previous ? portOf(`tcp://${previous.address}`) : environment.EMBEDDED_TEMPORAL_PORT,
        uiPort: previous ? portOf(previous.uiUrl) : environment.EMBEDDED_TEMPORAL_UI_PORT,
        namespace: environment.TEMPORAL_NAMESPACE,
        log,
      });
      return atSameAddress(next, previous?.address, next.address);
    });
    addresses.temporal = server.address;
    addresses.temporalUi = server.uiUrl;
  }

  async function runInbox(): Promise<void> {
    const server = await run<InboxThread>('the inbox', async (previous) => {
      const next = await startInboxThread({
        dataDir,
        smtpPort: previous ? portOf(previous.smtpUrl) : environment.EMBEDDED_SMTP_PORT,
        httpPort: previous ? portOf(previous.webUrl) : environment.EMBEDDED_INBOX_PORT,
        log,
      });
      return atSameAddress(next, previous?.smtpUrl, next.smtpUrl);
    });
    addresses.smtp = server.smtpUrl;
    addresses.inbox = server.webUrl;
  }

  async function runDns(databaseUrl: string): Promise<void> {
    const records = domainRecords(databaseUrl, log);
    stops.push(() => records.close());
    const stub = await startDnsStub({ port: environment.EMBEDDED_DNS_PORT, lookup: records.lookup, log });
    stops.push(() => stub.stop());
    addresses.dns = stub.server;
  }

  async function stop(): Promise<void> {
    await rm(join(dataDir, ADDRESSES_FILE), { force: true });
    const results = await Promise.allSettled(stops.map((one) => one()));
    claim?.release();
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  try {
    // All of them settle before anything is judged: a server that comes up late must not be left behind.
    const results = await Promise.allSettled([
      DATABASE_URL ? null : runPostgres(),
      TEMPORAL_ADDRESS ? null : runTemporal(),
      SMTP_URL ? null : runInbox(),
    ]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    const databaseUrl = DATABASE_URL ?? addresses.database;
    if (DNS_SERVERS === undefined && databaseUrl) await runDns(databaseUrl);

    const config = completeConfig({
      ...environment,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: TEMPORAL_ADDRESS ?? addresses.temporal,
      SMTP_URL: SMTP_URL ?? addresses.smtp,
      DNS_SERVERS: DNS_SERVERS ?? addresses.dns,
      INBOUND_SMTP_PORT:
        environment.INBOUND_SMTP_PORT ??
        (await choosePort({
          preferred: environment.EMBEDDED_INBOUND_PORT,
          server: 'the SMTP listener',
          variable: 'EMBEDDED_INBOUND_PORT',
          log,
        })),
      SECRET_KEY: environment.SECRET_KEY ?? (await secretKey(dataDir)),
    });
    addresses.inbound = `smtp://${config.INBOUND_SMTP_HOST ?? config.HOST}:${config.INBOUND_SMTP_PORT}`;
    return {
      config,
      addresses,
      failed,
      stop,
      publish: (more) =>
        replaceFile(
          join(dataDir, ADDRESSES_FILE),
          `${JSON.stringify({ ...addresses, database: config.DATABASE_URL, ...more }, null, 2)}\n`,
        ),
    };
  } catch (error) {
    await stop().catch((cause: unknown) => log.error({ err: cause }, 'an embedded server did not stop'));
    throw error;
  }
}

/** Everything that knows the server has its old address, so a restart elsewhere is none. */
async function atSameAddress<T extends SupervisedServer>(
  server: T,
  before: string | undefined,
  now: string,
): Promise<T> {
  if (before === undefined || before === now) return server;
  await server.stop();
  throw new Error('its port was taken by another program in the meantime');
}

const portOf = (url: string): number => Number(new URL(url).port);

/** The key that was made at the first start: losing it would lose every DKIM key and end every session. */
async function secretKey(dataDir: string): Promise<string> {
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
