/**
 * Checks the API against its OpenAPI document with schemathesis: statuses, content types, headers, and bodies of random
 * valid and invalid requests to every operation.
 *
 * Starts PostgreSQL and the API on free ports, with a project, a session, and a little content. Installs schemathesis
 * from PyPI; if that fails, it prints one line and exits with 0. Takes at most three minutes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

const VERSION = '4.32.*';
const SEED = 11;
const MAX_EXAMPLES = 12;
/** Certificates must be of this origin, so that the example of a message of SNS causes no request to Amazon. */
const SNS_API_BASE = 'http://127.0.0.1:9';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

process.chdir(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(path.join(tmpdir(), 'sendloom-schemathesis-'));
register();

/** Installs schemathesis into a virtual environment. @returns its command, or null if that is not possible */
function installSchemathesis() {
  const steps = [
    ['python3', ['-m', 'venv', path.join(folder, 'venv')]],
    [path.join(folder, 'venv/bin/pip'), ['install', '--quiet', '--timeout', '10', `schemathesis==${VERSION}`]],
  ];
  const installed = steps.every(([command, args]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0);
  return installed ? path.join(folder, 'venv/bin/schemathesis') : null;
}

/** Starts the API with a project that has content. @returns its URL, credentials, and a function that stops it */
async function startServer() {
  const { startPostgres } = await import('../packages/embedded/src/postgres.ts');
  const { migrate } = await import('../src/db/migrate.ts');
  const { createLog } = await import('../src/log.ts');
  const { createContext } = await import('../src/context.ts');
  const { buildApp } = await import('../src/api/app.ts');
  const { insertProject, testConfig } = await import('../test/helpers/project.ts');
  const { newUser } = await import('../test/helpers/session.ts');
  const log = createLog('error');
  const postgres = await startPostgres({ dataDir: folder, port: 0, log, durable: false });
  await migrate({ databaseUrl: postgres.url, log });
  const ctx = createContext(testConfig(postgres.url, { DATABASE_POOL: '10', SNS_API_BASE }), log, {
    name: 'schemathesis',
  });
  const app = await buildApp(ctx);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const project = await insertProject(ctx);
  const user = await newUser({ app, ctx });
  await ctx.prisma.membership.create({ data: { projectId: project.id, userId: user.id, role: 'OWNER' } });
  const call = (route, body) =>
    app.inject({ method: 'POST', url: route, headers: { authorization: `Bearer ${project.secret}` }, payload: body });
  const from = `team@${project.domain}`;
  await call('/contacts', { email: 'ada@example.com', data: { plan: 'pro' } });
  await call('/templates', { name: 'Welcome', subject: 'Hello', body: '<p>Hello</p>', from, type: 'MARKETING' });
  await call('/campaigns', { name: 'News', subject: 'News', body: '<p>News</p>', from, audienceType: 'ALL' });
  await call('/segments', { name: 'Everyone', type: 'STATIC' });
  await call('/workflows', { name: 'Onboarding', eventName: 'signed up' });
  return {
    url,
    project,
    token: user.token,
    async stop() {
      await app.close();
      await ctx.close();
      await postgres.stop();
    },
  };
}

/** Runs schemathesis without blocking this process, which serves the requests. @returns the exit code */
function runSchemathesis(command, url, { name, maxSeconds, args }) {
  console.log(`\n> schemathesis: ${name}`);
  const child = spawn(
    command,
    [
      'run',
      `${url}/openapi.json`,
      '--url',
      url,
      '--checks',
      CHECKS.join(','),
      '--phases',
      'examples,coverage,fuzzing',
      '--max-examples',
      String(MAX_EXAMPLES),
      '--max-time',
      String(maxSeconds),
      '--seed',
      String(SEED),
      '--generation-database',
      'none',
      '--suppress-health-check',
      'all',
      '--warnings',
      'off',
      '--continue-on-failure',
      '--no-color',
      ...args,
    ],
    { stdio: 'inherit', cwd: folder },
  );
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** Operations of the second run: they need another credential, or they end the session. */
const OTHER_CREDENTIALS = ['/v1/track', '/auth/logout'];
/** Returns 503, because no Temporal server runs. */
const UNAVAILABLE = ['/health/ready'];

const command = process.env.SCHEMATHESIS ?? installSchemathesis();
if (command === null) {
  console.log('Skipped the schemathesis check: schemathesis could not be installed from PyPI.');
} else {
  const server = await startServer();
  const { url, project, token } = server;
  const codes = [
    await runSchemathesis(command, url, {
      name: 'secret key and session',
      maxSeconds: 120,
      args: [
        ...[...OTHER_CREDENTIALS, ...UNAVAILABLE].flatMap((route) => ['--exclude-path', route]),
        '-H',
        `Authorization: Bearer ${project.secret}`,
        '-H',
        `Cookie: token=${token}`,
        '-H',
        `X-Project-Id: ${project.id}`,
      ],
    }),
    await runSchemathesis(command, url, {
      name: 'public key',
      maxSeconds: 15,
      args: [
        ...OTHER_CREDENTIALS.flatMap((route) => ['--include-path', route]),
        '-H',
        `Authorization: Bearer ${project.public}`,
      ],
    }),
  ];
  await server.stop();
  process.exitCode = Math.max(...codes);
}
rmSync(folder, { recursive: true, force: true });
