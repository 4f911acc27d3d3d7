/** An API on a database of its own, for tests through `inject`. */
import { createHash, randomBytes } from 'node:crypto';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { buildApp, type App } from '../../src/api/app.js';
import { completeConfig, parseEnvironment, type Config } from '../../src/config.js';
import { createContext, type Context } from '../../src/context.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import { encryptSecret } from '../../src/mail/secrets.js';
import { generateDkimKey, type DkimKeyPair } from '../../src/mail/sign.js';
import { createTestDatabase } from './database.js';

export interface TestProject {
  id: string;
  public: string;
  secret: string;
  /** A verified sender domain of the project. */
  domain: string;
}

export interface TestApi {
  app: App;
  ctx: Context;
  config: Config;
  /** A project with keys and a verified domain, made directly in the database. */
  project(overrides?: { domain?: string; verified?: boolean }): Promise<TestProject>;
  /** A request with the project's secret key. */
  as(project: TestProject, method: InjectOptions['method'], url: string, body?: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
}

export const testConfig = (databaseUrl: string, overrides: Record<string, string> = {}): Config =>
  completeConfig(
    parseEnvironment({
      NODE_ENV: 'test',
      PORT: '3000',
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      SMTP_URL: 'smtp://127.0.0.1:1',
      SECRET_KEY: 'test-secret-key-test-secret-key-test',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      DATABASE_POOL: '5',
      RATE_LIMIT_PER_MINUTE: '1000000',
      ...overrides,
    }),
  );

let dkimKey: Promise<DkimKeyPair> | undefined;

/** The key pair of every domain that `insertProject` makes, with the selector `sl`; made once per test file, in about 100 ms. */
export const testDkimKey = (): Promise<DkimKeyPair> => (dkimKey ??= generateDkimKey());

/** Inserts a project with keys and one domain. */
export async function insertProject(ctx: Context, { domain, verified = true }: { domain?: string; verified?: boolean } = {}): Promise<TestProject> {
  const id = newId();
  const [publicKey, secret] = ['pk', 'sk'].map((prefix) => `${prefix}_${randomBytes(32).toString('hex')}`);
  const name = domain ?? `${id.slice(-8)}.test`;
  if (!publicKey || !secret) throw new Error('unreachable');
  const { privateKeyPem } = await testDkimKey();
  await ctx.prisma.project.create({
    data: { id, name: 'Test', publicKey, secretHash: createHash('sha256').update(secret).digest(), secretLast4: secret.slice(-4) },
  });
  await ctx.prisma.domain.create({
    data: { id: newId(), projectId: id, domain: name, status: verified ? 'VERIFIED' : 'PENDING', dkimSelector: 'sl', dkimPrivateKey: encryptSecret(ctx.config.SECRET_KEY, privateKeyPem), records: [], verifiedAt: verified ? new Date() : null },
  });
  return { id, public: publicKey, secret, domain: name };
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
  const ready = (): { app: App; ctx: Context } => {
    if (!api.app || !api.ctx) throw new Error('The API is set up in beforeAll');
    return { app: api.app, ctx: api.ctx };
  };
  return Object.assign(api as TestApi, {
    project: (options?: { domain?: string; verified?: boolean }) => insertProject(ready().ctx, options),
    as: (project: TestProject, method: InjectOptions['method'], url: string, body?: unknown, headers: Record<string, string> = {}) =>
      ready().app.inject({
        method,
        url,
        headers: { authorization: `Bearer ${project.secret}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      }),
  });
}
