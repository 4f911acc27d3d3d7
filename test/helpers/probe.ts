/** Several API instances on one database, each with routes that only say what a request went through. */
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { buildApp, type App } from '../../src/api/app.js';
import { withTypes } from '../../src/api/typed.js';
import { createContext, type ApiContext } from '../../src/context.js';
import { createLog } from '../../src/log.js';
import { testConfig } from './api.js';
import { createTestDatabase, type TestDatabase } from './database.js';

export interface Instance {
  app: App;
  ctx: ApiContext;
}

/** Starts an instance with `/probe` (secret key or session) and `/v1/probe` (public key). */
export async function openInstance(databaseUrl: string, overrides: Record<string, string> = {}): Promise<Instance> {
  const config = testConfig(databaseUrl, overrides);
  const ctx = createContext(config, createLog(config.LOG_LEVEL), { name: 'test' });
  const app = await buildApp(ctx);
  await app.register(async (instance) => {
    const probe = withTypes(instance);
    const Body = z.object({ text: z.string().optional(), nested: z.record(z.string(), z.json()).optional() });
    const schema = { hide: true };
    probe.get(
      '/probe',
      { schema: { ...schema, querystring: z.object({ text: z.string().optional() }) } },
      async ({ project, query }) => ({ projectId: project.id, query }),
    );
    probe.post('/probe', { schema: { ...schema, body: Body } }, async ({ project, body }) => ({
      projectId: project.id,
      body,
    }));
    probe.delete('/probe', { schema }, async ({ project, body }) => ({ projectId: project.id, body: body ?? null }));
    probe.get('/probe/failure', { schema }, async () => {
      throw new Error('a secret of the inside');
    });
    probe.get('/probe/prisma', { config: { auth: 'none' }, schema }, async () => ctx.prisma.user.count());
    probe.post('/v1/probe', { config: { auth: 'public' }, schema: { ...schema, body: Body } }, async ({ project }) => ({
      projectId: project.id,
    }));
  });
  await app.ready();
  return { app, ctx };
}

export async function closeInstance({ app, ctx }: Instance): Promise<void> {
  await app.close();
  await ctx.close();
}

/**
 * Sets up `count` instances on one database for a test file; `overrides` are environment variables, as a function where
 * they are known only in `beforeAll`.
 */
export function useInstances(
  count: number,
  overrides: Record<string, string> | (() => Record<string, string>) = {},
): Instance[] {
  const instances: Instance[] = [];
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
    for (let index = 0; index < count; index++)
      instances.push(await openInstance(database.url, typeof overrides === 'function' ? overrides() : overrides));
  });
  afterAll(async () => {
    for (const instance of instances) await closeInstance(instance);
    await database?.drop();
  });
  return instances;
}

/** The first instance of {@link useInstances}. */
export function first(instances: Instance[]): Instance {
  const [instance] = instances;
  if (!instance) throw new Error('The instances are set up in beforeAll');
  return instance;
}
