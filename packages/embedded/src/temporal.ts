/**
 * The embedded Temporal: the CLI's development server with its Web UI, on a SQLite file in the data folder.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { Log } from '../../../src/log.js';
import { choosePort, isListening, isPortFree, LOOPBACK } from './ports.js';
import {
  claimServer,
  eventually,
  spawnServer,
  type ServerExit,
  type ServerProcess,
  type StopStep,
} from './processes.js';
import { findTemporalCli } from './temporal-cli.js';

export interface TemporalOptions {
  /** The folder that holds the server's data, in `<dataDir>/temporal`; made when it is missing. */
  dataDir: string;
  /** The wanted ports of the server and its Web UI, 0 for any. */
  port: number;
  uiPort: number;
  /** Made when it is missing. */
  namespace: string;
  log: Log;
}

export interface EmbeddedTemporal {
  /** `host:port` of the gRPC frontend. */
  address: string;
  uiUrl: string;
  /** Resolves when the server is gone, asked or unasked. Never rejects. */
  exited: Promise<ServerExit>;
  /** Stops the server; resolves when it is gone. */
  stop(): Promise<void>;
}

/** What operators filter by in the Web UI, on each execution that Sendloom starts. All are keywords. */
export const SEARCH_ATTRIBUTES = ['ProjectId', 'ResourceId', 'ResourceKind', 'SourceWorkflowId', 'ContactId'];

const STOP: readonly StopStep[] = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 10_000],
];
const START_TIMEOUT_MS = 60_000;
const START_ATTEMPTS = 3;

/**
 * Starts the development server on the loopback address.
 *
 * A server that a killed process left behind is stopped first. Taken ports are replaced by free ones, with a warning.
 *
 * @throws DataDirInUseError when another running process uses the folder
 * @throws Error with the end of the server's log when it does not start, or what `findTemporalCli` throws
 */
export async function startTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  const { dataDir, log } = options;
  const program = await findTemporalCli({ log });
  const folder = path.resolve(dataDir, 'temporal');
  mkdirSync(folder, { recursive: true });
  const claim = await claimServer({ file: path.join(folder, 'claim.json'), server: 'Temporal', steps: STOP, log });
  try {
    const { server, address, uiUrl } = await startServer({ ...options, program, folder, record: claim.record });
    // Lets go of the folder first, so that whoever hears of the end can start again.
    return { address, uiUrl, exited: server.exited.finally(() => claim.release()), stop: () => server.stop() };
  } catch (error) {
    claim.release();
    throw error;
  }
}

interface StartOptions extends TemporalOptions {
  program: string;
  folder: string;
  record: (pid: number) => void;
}

interface Started {
  server: ServerProcess;
  address: string;
  uiUrl: string;
}

async function startServer(options: StartOptions): Promise<Started> {
  const { program, folder, namespace, log } = options;
  const logFile = path.join(folder, 'server.log');
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort({
      preferred: options.port,
      server: 'Temporal',
      variable: 'EMBEDDED_TEMPORAL_PORT',
      log,
    });
    const uiPort = await choosePort({
      preferred: options.uiPort,
      server: "Temporal's Web UI",
      variable: 'EMBEDDED_TEMPORAL_UI_PORT',
      log,
    });
    const args = serverArguments({ port, uiPort, namespace, database: path.join(folder, 'temporal.db') });
    const server = await spawnServer({ command: program, args, cwd: folder, logFile, env: process.env, steps: STOP });
    options.record(server.pid);
    const address = `${LOOPBACK}:${port}`;
    try {
      await prepare({ server, port, namespace });
      return { server, address, uiUrl: `http://${LOOPBACK}:${uiPort}` };
    } catch (error) {
      const died = server.hasExited();
      await server.stop();
      // Another process took a port since the look.
      const robbed = died && !((await isPortFree(port)) && (await isPortFree(uiPort)));
      if (!robbed || attempt === START_ATTEMPTS) {
        throw new Error(`Temporal did not start. The end of ${logFile}:\n${server.tail()}`, { cause: error });
      }
    }
  }
}

interface ArgumentOptions {
  port: number;
  uiPort: number;
  namespace: string;
  database: string;
}

function serverArguments({ port, uiPort, namespace, database }: ArgumentOptions): string[] {
  return [
    'server',
    'start-dev',
    `--ip=${LOOPBACK}`,
    `--port=${port}`,
    `--ui-port=${uiPort}`,
    `--namespace=${namespace}`,
    `--db-filename=${database}`,
    // Write-ahead log, flushed at its checkpoints: 55 to 63 workflows a second against 22 with the defaults.
    '--sqlite-pragma=journal_mode=wal',
    '--sqlite-pragma=synchronous=1',
    ...SEARCH_ATTRIBUTES.map((name) => `--search-attribute=${name}=Keyword`),
    '--log-level=warn',
  ];
}

interface PrepareOptions {
  server: ServerProcess;
  port: number;
  namespace: string;
}

/**
 * Waits until the server answers for the namespace, and registers what an older database lacks of the search
 * attributes.
 */
async function prepare({ server, port, namespace }: PrepareOptions): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  // A client that is refused once waits a second before it tries again.
  await eventually(() => server.hasExited() || isListening(port), START_TIMEOUT_MS);
  for (;;) {
    if (server.hasExited()) throw new Error('The server ended');
    try {
      await registerSearchAttributes(`${LOOPBACK}:${port}`, namespace);
      return;
    } catch (error) {
      // Not yet aware of the namespace.
      if (Date.now() >= deadline) throw error;
      await delay(50);
    }
  }
}

/**
 * Registers the search attributes that the namespace lacks: the server registers those of its arguments only where it
 * makes the database.
 */
async function registerSearchAttributes(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '5s' });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = SEARCH_ATTRIBUTES.filter((name) => !(name in customAttributes));
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(
      missing.map((name) => [name, proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD]),
    );
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } finally {
    await connection.close();
  }
}
