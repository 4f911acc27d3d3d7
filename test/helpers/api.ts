/** An API on a database of its own, for tests through `inject`. */
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { buildApp, type App } from '../../src/api/app.js';
import type { Config } from '../../src/config.js';
import { createContext, type ApiContext } from '../../src/context.js';
import { createLog } from '../../src/log.js';
import { createTestDatabase } from './database.js';
import { insertProject, testConfig, testDkimKey, type TestProject } from './project.js';

export { insertProject, testConfig, testDkimKey, type TestProject };

export interface TestApi {
  app: App;
  ctx: ApiContext;
  config: Config;
  /** A project with keys and a verified domain, made directly in the database. */
  project(overrides?: { domain?: string; verified?: boolean }): Promise<TestProject>;
  /** A request with the project's secret key. */
  as(
    project: TestProject,
    method: InjectOptions['method'],
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
}

/** Sets up an API for a test file; `overrides` are environment variables. */
export function useApi(overrides: Record<string, string> = {}): TestApi {
  const api: Partial<TestApi> = {};
  let drop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = () => database.drop();
    const config = testConfig(database.url, overrides);
    const ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'test' });
    const app = await buildApp(ctx);
    await app.ready();
    Object.assign(api, { app, ctx, config });
  });
  afterAll(async () => {
    await api.app?.close();
    await api.ctx?.close();
    await drop?.();
  });
  const ready = (): { app: App; ctx: ApiContext } => {
    if (!api.app || !api.ctx) throw new Error('The API is set up in beforeAll');
    return { app: api.app, ctx: api.ctx };
  };
  return Object.assign(api as TestApi, {
    project: (options?: { domain?: string; verified?: boolean }) => insertProject(ready().ctx, options),
    as: (
      project: TestProject,
      method: InjectOptions['method'],
      url: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ) =>
      ready().app.inject({
        method,
        url,
        headers: {
          authorization: `Bearer ${project.secret}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      }),
  });
}
