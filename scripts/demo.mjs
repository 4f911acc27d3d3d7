/**
 * `npm run demo`, against a running system: a throw-away user and project, a verified domain, 1,000 contacts, one
 * campaign, and its figures.
 *
 * SENDLOOM_URL names another API than the one that `npm start` runs here; its domain must then verify by itself within
 * a minute.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));

const CONTACTS = 1000;
// These come with one request to /v1/send, which welcomes them; the others with one request each: together below the
// default rate limit.
const WELCOMED = 100;
const PARALLEL = 8;
const PATIENCE_MS = 120_000;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const number = (value) => value.toLocaleString('en-US');
const interactive = process.stdout.isTTY;

/** A line that the next one replaces, where the terminal can do so. */
function progress(text) {
  if (interactive) process.stdout.write(`\r\x1b[2K  ${text}`);
}

function done(text) {
  process.stdout.write(`${interactive ? '\r\x1b[2K' : ''}✓ ${text}\n`);
}

function readAddresses() {
  const file = resolve(root, process.env.DATA_DIR || '.data', 'addresses.json');
  const found = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const api = process.env.SENDLOOM_URL?.replace(/\/+$/, '') || found.api;
  if (!api)
    throw new Error(
      'Nothing seems to run here: start it with `npm start` in another terminal, or name it with SENDLOOM_URL.',
    );
  return api === found.api ? found : { api };
}

/** A client for the API: JSON in and out; waits when the rate limit asks for it. */
function client(api) {
  const headers = { 'content-type': 'application/json' };
  return {
    headers,
    async call(method, path, body) {
      const request = body ? { method, headers, body: JSON.stringify(body) } : { method, headers };
      for (;;) {
        const answer = await fetch(`${api}${path}`, request).catch((error) => {
          throw new Error(`${api} does not answer (${error.cause?.code ?? error.message}). Does it run?`);
        });
        if (answer.status === 429) {
          const seconds = Number(answer.headers.get('retry-after')) || 1;
          progress(`The rate limit asks for ${seconds} s of patience …`);
          await answer.text();
          await pause(seconds * 1000);
          continue;
        }
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
        const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
        if (cookie) headers.cookie = cookie;
        return text ? JSON.parse(text) : null;
      }
    },
  };
}

/** Asks again until `ready` holds. */
async function until(ask, ready, what) {
  const deadline = Date.now() + PATIENCE_MS;
  for (let wait = 100; ; wait = Math.min(wait * 1.3, 1000)) {
    const value = await ask();
    if (ready(value)) return value;
    if (Date.now() > deadline)
      throw new Error(`${what} took longer than ${PATIENCE_MS / 1000} s: ${JSON.stringify(value)}`);
    await pause(wait);
  }
}

async function main() {
  const addresses = readAddresses();
  const api = client(addresses.api);
  const tag = randomBytes(4).toString('hex');
  const domain = `demo-${tag}.test`;
  const from = `news@${domain}`;
  console.log(`\nA campaign over ${number(CONTACTS)} contacts at ${addresses.api}\n`);

  await api.call('POST', '/auth/signup', {
    email: `demo-${tag}@example.test`,
    password: randomBytes(12).toString('hex'),
  });
  const project = await api.call('POST', '/users/@me/projects', { name: `Demo ${tag}` });
  delete api.headers.cookie;
  api.headers.authorization = `Bearer ${project.secret}`;
  done(`signed up, and made the project "Demo ${tag}"`);

  const added = await api.call('POST', '/domains', { domain });
  await until(
    () => api.call('GET', `/domains/${added.id}/verify`),
    (one) => one.verified,
    'The verification of the domain',
  );
  done(`added the domain ${domain}, verified over DNS`);

  const people = Array.from({ length: CONTACTS }, (_, i) => ({
    email: `person${i + 1}@${domain}`,
    data: { firstName: `Person ${i + 1}` },
  }));
  const welcomed = people.splice(0, WELCOMED);
  await api.call('POST', '/v1/send', {
    to: welcomed.map(({ email }) => email),
    from,
    subject: 'Welcome',
    body: '<h1>Welcome!</h1><p>One request, a mail for each.</p>',
    subscribed: true,
  });
  let saved = WELCOMED;
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (let person = people.pop(); person; person = people.pop()) {
        await api.call('POST', '/contacts', person);
        progress(`contacts: ${number(++saved)} of ${number(CONTACTS)}`);
      }
    }),
  );
  done(`added ${number(CONTACTS)} contacts, ${WELCOMED} of them with a welcome mail through /v1/send`);

  const subject = `News ${tag}`;
  const { data: campaign } = await api.call('POST', '/campaigns', {
    name: `Demo ${tag}`,
    subject: `${subject} for {{ firstName ?? friend }}`,
    body: '<h1>Hello {{ firstName ?? friend }}</h1><p>This went to a thousand people. <a href="https://example.test/more">More</a></p>',
    from,
    fromName: 'Demo',
    audienceType: 'ALL',
  });
  const began = Date.now();
  await api.call('POST', `/campaigns/${campaign.id}/send`, {});
  await until(
    () => api.call('GET', `/campaigns/${campaign.id}`),
    (one) => {
      progress(`${one.status}: ${number(one.sentCount)} of ${number(one.totalRecipients)}`);
      return one.status === 'SENT';
    },
    'The campaign',
  );
  const seconds = (Date.now() - began) / 1000;
  const stats = await api.call('GET', `/campaigns/${campaign.id}/stats`);
  done(`sent the campaign in ${seconds.toFixed(1)} s\n`);

  for (const [name, value] of Object.entries(stats))
    if (typeof value === 'number') console.log(`  ${name.padEnd(20)} ${number(value)}`);
  if (addresses.inbox) {
    const found = await fetch(`${addresses.inbox}/api/messages?limit=1&subject=${encodeURIComponent(subject)}`);
    console.log(`  ${'in the inbox'.padEnd(20)} ${number((await found.json()).total)}`);
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
