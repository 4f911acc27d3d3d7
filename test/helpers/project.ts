/** A test's configuration, and projects of its own; without the API, which takes long to load. */
import { createHash, randomBytes } from 'node:crypto';
import { completeConfig, parseEnvironment, type Config } from '../../src/config.js';
import type { ApiContext } from '../../src/context.js';
import { newId } from '../../src/ids.js';
import { encryptSecret } from '../../src/mail/secrets.js';
import { generateDkimKey, type DkimKeyPair } from '../../src/mail/sign.js';

export interface TestProject {
  id: string;
  public: string;
  secret: string;
  /** A verified sender domain of the project. */
  domain: string;
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
      PASSWORD_HASH_LOG2N: '10',
      RATE_LIMIT_PER_MINUTE: '1000000',
      JOURNAL_DIR: '',
      ...overrides,
    }),
  );

let dkimKey: Promise<DkimKeyPair> | undefined;

/**
 * The key pair of every domain that `insertProject` makes, with the selector `sl`; made once per test file, in about
 * 100 ms.
 */
export const testDkimKey = (): Promise<DkimKeyPair> => (dkimKey ??= generateDkimKey());

/** Inserts a project with keys and one domain. */
export async function insertProject(
  ctx: ApiContext,
  { domain, verified = true }: { domain?: string; verified?: boolean } = {},
): Promise<TestProject> {
  const id = newId();
  const [publicKey, secret] = ['pk', 'sk'].map((prefix) => `${prefix}_${randomBytes(32).toString('hex')}`);
  const name = domain ?? `${id.slice(-8)}.test`;
  if (!publicKey || !secret) throw new Error('unreachable');
  const { privateKeyPem } = await testDkimKey();
  await ctx.prisma.project.create({
    data: {
      id,
      name: 'Test',
      publicKey,
      secretHash: createHash('sha256').update(secret).digest(),
      secretLast4: secret.slice(-4),
    },
  });
  await ctx.prisma.domain.create({
    data: {
      id: newId(),
      projectId: id,
      domain: name,
      status: verified ? 'VERIFIED' : 'PENDING',
      dkimSelector: 'sl',
      dkimPrivateKey: encryptSecret(ctx.config.SECRET_KEY, privateKeyPem),
      records: [],
      verifiedAt: verified ? new Date() : null,
    },
  });
  return { id, public: publicKey, secret, domain: name };
}
