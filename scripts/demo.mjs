/**
 * `npm run demo`: creates a user, a project, a verified domain, and 1,000 contacts in a running system, sends one
 * campaign, and prints its figures.
 *
 * SENDLOOM_URL selects another API than that of `npm start`. It must verify a domain under `.test` within two minutes.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, waitUntil } from './client.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));

const CONTACTS = 1000;
// One request to /v1/send creates these contacts, and one request each creates the others. All requests stay below the
// default rate limit.
const WELCOMED_CONTACTS = 100;
const PARALLEL_REQUESTS = 8;
const PROBE_TIMEOUT_MS = 3000;

const formatNumber = (value) => value.toLocaleString('en-US');
const interactive = process.stdout.isTTY;

/** Prints a line that the next one replaces. */
function showProgress(text) {
  if (interactive) process.stdout.write(`\r\x1b[2K  ${text}`);
}

function showDone(text) {
  process.stdout.write(`${interactive ? '\r\x1b[2K' : ''}✓ ${text}\n`);
}

/**
 * Finds the running system: SENDLOOM_URL; the addresses that `npm start` wrote to DATA_DIR; or the default URL, because
 * DATA_DIR may be set only for the other process.
 */
async function findSystem() {
  const file = resolve(root, process.env.DATA_DIR || '.data', 'addresses.json');
  const published = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const given = process.env.SENDLOOM_URL?.replace(/\/+$/, '');
  const fallback = `http://127.0.0.1:${process.env.PORT || 3000}`;
  const candidates = given ? [given] : [...new Set([published.api ?? fallback, fallback])];
  for (const api of candidates) if (await responds(api)) return api === published.api ? published : { api };
  throw new Error(
    `No Sendloom responds at ${candidates.join(' or ')}.\n` +
      'Start it with `npm start` in another terminal, or set SENDLOOM_URL to its address.',
  );
}

async function responds(api) {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const response = await fetch(`${api}/health/live`, { signal }).catch(() => null);
  return response?.ok === true;
}

async function main() {
  const addresses = await findSystem();
  const api = createClient(addresses.api, (seconds) => showProgress(`Waiting ${seconds} s for the rate limit …`));
  const tag = randomBytes(4).toString('hex');
  const domain = `demo-${tag}.test`;
  const from = `news@${domain}`;
  console.log(`\nA campaign to ${formatNumber(CONTACTS)} contacts at ${addresses.api}\n`);

  await api.call('POST', '/auth/signup', {
    email: `demo-${tag}@example.test`,
    password: randomBytes(12).toString('hex'),
  });
  const project = await api.call('POST', '/users/@me/projects', { name: `Demo ${tag}` });
  delete api.headers.cookie;
  api.headers.authorization = `Bearer ${project.secret}`;
  showDone(`signed up and created the project "Demo ${tag}"`);

  const added = await api.call('POST', '/domains', { domain });
  await waitUntil(
    () => api.call('GET', `/domains/${added.id}/verify`),
    (one) => one.verified,
    'The verification of the domain',
  );
  showDone(`added the domain ${domain}, verified over DNS`);

  const people = Array.from({ length: CONTACTS }, (_, i) => ({
    email: `person${i + 1}@${domain}`,
    data: { firstName: `Person ${i + 1}` },
  }));
  const welcomed = people.splice(0, WELCOMED_CONTACTS);
  await api.call('POST', '/v1/send', {
    to: welcomed.map(({ email }) => email),
    from,
    subject: 'Welcome',
    body: '<h1>Welcome!</h1><p>One request sends one email to each recipient.</p>',
    subscribed: true,
  });
  let saved = WELCOMED_CONTACTS;
  await Promise.all(
    Array.from({ length: PARALLEL_REQUESTS }, async () => {
      for (let person = people.pop(); person; person = people.pop()) {
        await api.call('POST', '/contacts', person);
        showProgress(`contacts: ${formatNumber(++saved)} of ${formatNumber(CONTACTS)}`);
      }
    }),
  );
  showDone(
    `added ${formatNumber(CONTACTS)} contacts, ${WELCOMED_CONTACTS} of them with a welcome mail through /v1/send`,
  );

  const subject = `News ${tag}`;
  const { data: campaign } = await api.call('POST', '/campaigns', {
    name: `Demo ${tag}`,
    subject: `${subject} for {{ firstName ?? friend }}`,
    body: '<h1>Hello {{ firstName ?? friend }}</h1><p>This email went to 1,000 contacts. <a href="https://example.test/more">More</a></p>',
    from,
    fromName: 'Demo',
    audienceType: 'ALL',
  });
  const began = Date.now();
  await api.call('POST', `/campaigns/${campaign.id}/send`, {});
  await waitUntil(
    () => api.call('GET', `/campaigns/${campaign.id}`),
    (one) => {
      showProgress(`${one.status}: ${formatNumber(one.sentCount)} of ${formatNumber(one.totalRecipients)}`);
      return one.status === 'SENT';
    },
    'The campaign',
  );
  const seconds = (Date.now() - began) / 1000;
  const stats = await api.call('GET', `/campaigns/${campaign.id}/stats`);
  showDone(`sent the campaign in ${seconds.toFixed(1)} s\n`);

  for (const [name, value] of Object.entries(stats))
    if (typeof value === 'number') console.log(`  ${name.padEnd(20)} ${formatNumber(value)}`);
  if (addresses.inbox) {
    const found = await fetch(`${addresses.inbox}/api/messages?limit=1&subject=${encodeURIComponent(subject)}`);
    console.log(`  ${'in the inbox'.padEnd(20)} ${formatNumber((await found.json()).total)}`);
    console.log(`\nThe mails:    ${addresses.inbox}/?subject=${encodeURIComponent(subject)}`);
  }
  if (addresses.temporalUi) {
    const query = encodeURIComponent(`ResourceId="${campaign.id}"`);
    console.log(
      `The workflow: ${addresses.temporalUi}/namespaces/${process.env.TEMPORAL_NAMESPACE || 'default'}/workflows?query=${query}`,
    );
  }
  console.log(`The API:      ${addresses.api}/docs\n`);
}

main().catch((error) => {
  console.error(`\n${error.message}\n`);
  process.exit(1);
});
