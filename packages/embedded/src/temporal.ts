/** The embedded Temporal: the CLI's development server with its Web UI, on a SQLite file in the data folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { Log } from '../../../src/log.js';
import { SEARCH_ATTRIBUTE_NAMES } from '../../../src/temporal/ids.js';
import { claimData } from './claim.js';
import { choosePort, isListening, LOOPBACK, retryTakenPort } from './ports.js';
import { endOrphan, spawnServer, waitUntil, type ServerExit, type ServerProcess } from './processes.js';
import { findTemporalCli } from './temporal-cli.js';

export interface TemporalOptions {
  /** The server's data is in `<dataDir>/temporal`, which is created if it does not exist. */
  dataDir: string;
  /** The preferred ports of the server and its Web UI; 0 for any. */
  port: number;
  uiPort: number;
  /** Created if it does not exist. */
  namespace: string;
  log: Log;
}

export interface EmbeddedTemporal {
  /** `host:port` of the gRPC frontend. */
  address: string;
  uiUrl: string;
  /** Resolves when the server has ended for any reason. Never rejects. */
  exited: Promise<ServerExit>;
  /** Stops the server; resolves when it is gone. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;

/**
 * Starts the development server on the loopback address. A server that a killed process left running is stopped first.
 * Ports in use are replaced by free ones, with a warning.
 *
 * @throws DataDirInUseError if another running process uses the folder
 * @throws Error with the end of the server's log if the server does not start, or the error of `findTemporalCli`
 */
export async function startTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  const program = await findTemporalCli(options);
  const folder = path.resolve(options.dataDir, 'temporal');
  mkdirSync(folder, { recursive: true });
  const release = claimData(path.join(folder, 'claim.json'), 'Temporal');
  try {
    // The server also uses ports that it chooses itself, from the range of outgoing connections.
    const server = await retryTakenPort(() => startServer(program, folder, options));
    // Releases the folder first, so that a restart can begin as soon as the promise resolves.
    return { ...server, exited: server.exited.finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function startServer(
  program: string,
  folder: string,
  { port: wantedPort, uiPort: wantedUiPort, namespace, log }: TemporalOptions,
): Promise<EmbeddedTemporal> {
  const pidFile = path.join(folder, 'server.pid');
  const logFile = path.join(folder, 'server.log');
  await endOrphan(pidFile, folder, log);
  const choose = (preferred: number, server: string, variable: string) =>
    choosePort({ preferred, server, variable, log });
  const port = await choose(wantedPort, 'Temporal', 'EMBEDDED_TEMPORAL_PORT');
  const uiPort = await choose(wantedUiPort, "Temporal's Web UI", 'EMBEDDED_TEMPORAL_UI_PORT');
  const args = [
    'server',
    'start-dev',
    `--ip=${LOOPBACK}`,
    `--port=${port}`,
    `--ui-port=${uiPort}`,
    `--namespace=${namespace}`,
    `--db-filename=${path.join(folder, 'temporal.db')}`,
    // A write-ahead log, flushed at checkpoints: 55 to 63 workflows per second, compared to 22 with the defaults.
    '--sqlite-pragma=journal_mode=wal',
    '--sqlite-pragma=synchronous=1',
    ...SEARCH_ATTRIBUTE_NAMES.map((name) => `--search-attribute=${name}=Keyword`),
    '--log-level=warn',
  ];
  const server = await spawnServer({ command: program, args, cwd: folder, logFile, env: process.env });
  writeFileSync(pidFile, `${server.pid}\n`);
  try {
    await prepareNamespace(server, port, namespace);
  } catch (cause) {
    await server.stop();
    throw new Error(`Temporal did not start. The end of ${logFile}:\n${server.tail()}`, { cause });
  }
  return {
    address: `${LOOPBACK}:${port}`,
    uiUrl: `http://${LOOPBACK}:${uiPort}`,
    exited: server.exited,
    stop: () => server.stop(),
  };
}

/** Waits until the server serves the namespace, and registers search attributes that an older database lacks. */
async function prepareNamespace(server: ServerProcess, port: number, namespace: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  // A client waits for a second after a refused connection, so the first attempt must succeed.
  await waitUntil(() => server.hasExited() || isListening(port), START_TIMEOUT_MS);
  for (;;) {
    if (server.hasExited()) throw new Error('The server ended');
    try {
      return await registerSearchAttributes(`${LOOPBACK}:${port}`, namespace);
    } catch (error) {
      // The server does not know the namespace yet.
      if (Date.now() >= deadline) throw error;
      await delay(50);
    }
  }
}

/** The server itself registers the attributes of its arguments only in a new database. */
async function registerSearchAttributes(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '5s' });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = SEARCH_ATTRIBUTE_NAMES.filter((name) => !(name in customAttributes));
    if (missing.length === 0) return;
    const keyword = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, keyword]));
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } finally {
    await connection.close();
  }
}
