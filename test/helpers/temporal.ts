/**
 * Temporal servers and the workflow bundle for tests.
 *
 * Stop the workers of an environment before you call its `teardown()`.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import proto from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundlePath } from '@temporalio/worker';
import { findTemporalCli } from '../../packages/embedded/src/temporal-cli.js';
import { SEARCH_ATTRIBUTE_NAMES } from '../../src/temporal/ids.js';
import { createLog } from '../../src/log.js';
import { timeSkippingServer } from './time-skipping-server.js';

export { timeSkippingServer };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUNDLE_LIFE_MS = 24 * 60 * 60 * 1000;

/**
 * A server whose clock jumps to the next timer while its own client waits in `result()`, `execute()` or `sleep()`.
 *
 * The server has one clock, so a test that depends on the date needs an environment of its own. List, count, and
 * schedules are not supported.
 */
export async function timeSkippingEnvironment(): Promise<TestWorkflowEnvironment> {
  const environment = await startTimeSkipping(await timeSkippingServer());
  const keyword = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;
  await environment.connection.operatorService.addSearchAttributes({
    namespace: environment.namespace ?? 'default',
    searchAttributes: Object.fromEntries(SEARCH_ATTRIBUTE_NAMES.map((name) => [name, keyword])),
  });
  return environment;
}

const START_ATTEMPTS = 5;

/**
 * Retries the start. The SDK gives the server five seconds, which is short for a Java program on a busy machine.
 */
async function startTimeSkipping(path: string): Promise<TestWorkflowEnvironment> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({
        server: { executable: { type: 'existing-path', path } },
      });
    } catch (error) {
      if (attempt === START_ATTEMPTS || !(error instanceof Error && error.message.includes('did not start within')))
        throw error;
    }
  }
}

export interface DevServerOptions {
  /** Number of history events after which the server suggests continue-as-new; the server's default is 4,096. */
  suggestContinueAsNew?: number;
}

/** A development server, in memory, with the system's clock. */
export async function devServerEnvironment({
  suggestContinueAsNew,
}: DevServerOptions = {}): Promise<TestWorkflowEnvironment> {
  const executable = { type: 'existing-path' as const, path: await findTemporalCli({ log: createLog('warn') }) };
  const searchAttributes = SEARCH_ATTRIBUTE_NAMES.map((name) =>
    defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
  );
  const extraArgs =
    suggestContinueAsNew === undefined
      ? []
      : ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${suggestContinueAsNew}`];
  return TestWorkflowEnvironment.createLocal({ server: { executable, searchAttributes, extraArgs } });
}

let bundle: Promise<WorkflowBundlePath> | undefined;

/**
 * The bundle of `workflows/index.ts`, for `Worker.create({ workflowBundle: await workflowBundle(), … })`.
 *
 * Built once for each content of the sources, in about 1.5 s, and shared by all test files through the system's
 * temporary folder.
 */
export function workflowBundle(): Promise<WorkflowBundlePath> {
  bundle ??= cachedBundle();
  return bundle;
}

async function cachedBundle(): Promise<WorkflowBundlePath> {
  const folder = path.join(tmpdir(), `sendloom-bundles-${process.getuid?.() ?? 'user'}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const codePath = path.join(folder, `${sourceHash()}.js`);
  if (await exists(codePath)) return { codePath };
  await removeOld(folder);
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(ROOT, 'workflows', 'index.ts'),
    logger: new DefaultLogger('WARN'),
  });
  // Rename, because another test worker may write the same file.
  await writeFile(`${codePath}.${process.pid}`, code);
  await rename(`${codePath}.${process.pid}`, codePath);
  return { codePath };
}

/** Hashes all modules that a workflow could import, because the imports are known only after bundling. */
function sourceHash(): string {
  const hash = createHash('sha256').update(readFileSync(path.join(ROOT, 'package-lock.json')));
  for (const folder of ['workflows', 'activities', 'src']) {
    const files = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('generated'),
    );
    for (const file of files.sort())
      hash.update(`${folder}/${file}\0`).update(readFileSync(path.join(ROOT, folder, file)));
  }
  return hash.digest('hex').slice(0, 32);
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > BUNDLE_LIFE_MS) await rm(file, { force: true });
  }
}
