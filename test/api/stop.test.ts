/** The shutdown of an API: in one process with the test, over real connections. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApi, type RunningApi } from '../../src/api/server.js';
import { createContext, type ApiContext } from '../../src/context.js';
import { createLog } from '../../src/log.js';
import { insertProject, testConfig, type TestProject } from '../helpers/api.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database.js';

const log = createLog('silent');
let database: TestDatabase;
let ctx: ApiContext;
let project: TestProject;
beforeAll(async () => {
  database = await createTestDatabase();
  ctx = createContext(testConfig(database.url), log, { name: 'test' });
  project = await insertProject(ctx);
  // A list of 20 MB: more than the system buffers for a slow reader.
  await ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, data) SELECT uuid_v7(), $1, 'c' || n || '@x.test', true, jsonb_build_object('text', repeat(md5(n::text), 6500)) FROM generate_series(1, 100) n`,
    [project.id],
  );
});
afterAll(async () => {
  await ctx.close();
  await database.drop();
});

/** Starts an API on a free port; `stop` stops it once. */
async function listening(): Promise<Pick<RunningApi, 'url' | 'stop'>> {
  const api = await startApi(testConfig(database.url, { PORT: '0' }), log);
  let stopped: Promise<void> | undefined;
  const stopOnce = (): Promise<void> => (stopped ??= api.stop());
  onTestFinished(stopOnce);
  return { url: api.url, stop: stopOnce };
}

const ask = async (url: string, path: string, agent = new Agent()): Promise<IncomingMessage> => {
  const [response]: IncomingMessage[] = await once(
    get(`${url}${path}`, { agent, headers: { authorization: `Bearer ${project.secret}` } }),
    'response',
  );
  if (!response) throw new Error('There is no answer');
  return response;
};

async function read(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

test('a response that its client has not read yet is not cut off', async () => {
  const api = await listening();
  const response = await ask(api.url, '/contacts?limit=100');
  // The whole response is written, and waits for a reader.
  await sleep(300);
  const stopped = api.stop();
  await sleep(500);
  expect(JSON.parse(await read(response))).toMatchObject({ total: 100, hasMore: false });
  await stopped;
});

test('a request over an open connection gets a response, and no error of another shape', async () => {
  const api = await listening();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const slow = await ask(api.url, '/contacts?limit=100');
  await read(await ask(api.url, '/contacts?limit=1', agent));
  const stopped = api.stop();
  await sleep(50);
  const response = await ask(api.url, '/contacts?limit=1', agent);
  expect([response.statusCode, JSON.parse(await read(response))]).toMatchObject([200, { total: 100 }]);
  await read(slow);
  await stopped;
  await expect(ask(api.url, '/contacts?limit=1')).rejects.toThrow('ECONNREFUSED');
});
