/**
 * `npm run screenshots`: starts a Sendloom on a temporary folder, fills a project over the API, and writes pictures of
 * the dashboard's pages into docs/images. Requires Chromium.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { createClient, waitUntil } from './client.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(root, 'docs/images');
const CHROMIUM = '/usr/bin/chromium';
const SIZE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const CONTACTS = 600;

/** The pages of a project: the picture's name, the path, and what is on the page when it is complete. */
const pagesOf = (ids) => [
  ['home', '', 'Home'],
  ['activity', '/activity', 'Activity'],
  ['contacts', '/contacts?columns=["firstName","plan"]', 'Contacts'],
  ['contact', `/contacts/${ids.contact}`, 'ada@'],
  ['import', '/contacts/import', 'Import contacts'],
  ['segments', '/segments', 'Segments'],
  ['segment', `/segments/${ids.segment}`, 'Paying customers'],
  ['templates', '/templates', 'Templates'],
  ['template', `/templates/${ids.template}`, 'Receipt'],
  ['workflow', `/workflows/${ids.workflow}?view=graph`, 'After a purchase'],
  ['execution', `/workflows/${ids.workflow}/executions/${ids.execution}`, 'ada@'],
  ['events', '/events?name=purchased', 'Events'],
  ['emails', '/emails', 'Emails'],
  ['email', `/emails/${ids.email}`, 'Your receipt'],
  ['domains', '/domains', 'Domains'],
  ['domain', `/domains/${ids.domain}`, 'acme'],
  ['deliverability', '/deliverability', 'Deliverability'],
  ['suppressions', '/suppressions', 'Suppressions'],
];
const DARK = ['home', 'contacts', 'segment', 'workflow'];
const ON_PHONE = ['home', 'contacts', 'email'];

const dataDir = mkdtempSync(join(tmpdir(), 'sendloom-screenshots-'));
// As root, PostgreSQL runs as another user, who must be able to enter.
chmodSync(dataDir, 0o711);
const sendloom = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
  cwd: root,
  env: { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' },
  stdio: 'ignore',
});
try {
  const { api } = await waitUntil(
    async () => readAddresses(join(dataDir, 'addresses.json')),
    ({ api: url }) => url !== undefined,
    'The start',
  );
  const { cookie, ids, projectId } = await fill(api);
  await takePictures(api, { cookie, ids, projectId });
} finally {
  sendloom.kill('SIGTERM');
  await new Promise((done) => sendloom.once('exit', done));
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

/** Returns the addresses that the started system has written; none before. */
function readAddresses(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Fills a project as a shop would. */
async function fill(url) {
  const owner = createClient(url);
  await owner.call('POST', '/auth/signup', { email: 'grace@acme.test', password: 'correct horse battery staple' });
  const cookie = owner.headers.cookie;
  const project = await owner.call('POST', '/users/@me/projects', { name: 'Acme Shop' });
  const api = createClient(url);
  api.headers.authorization = `Bearer ${project.secret}`;
  const domain = await api.call('POST', '/domains', { domain: 'acme.test' });
  await waitUntil(
    () => api.call('GET', `/domains/${domain.id}`),
    (one) => one.verified,
    'The verification of the domain',
  );
  const from = 'hello@acme.test';
  const names = ['Ada', 'Grace', 'Lin', 'Noor', 'Mia', 'Ivo', 'Jun', 'Rosa'];
  for (let n = 0; n < CONTACTS; n++) {
    const firstName = names[n % names.length];
    const email = n === 0 ? 'ada@example.test' : `${firstName.toLowerCase()}.${n}@example.test`;
    await api.call('POST', '/contacts', {
      email,
      data: { firstName, plan: n % 3 === 0 ? 'pro' : 'free', orders: n % 9 },
    });
  }
  const template = await api.call('POST', '/templates', {
    name: 'Receipt',
    subject: 'Your receipt, {{ firstName }}',
    body: '<h1>Thank you, {{ firstName }}</h1><p>Your order is on its way.</p>',
    from,
    type: 'TRANSACTIONAL',
  });
  const segment = await api.call('POST', '/segments', {
    name: 'Paying customers',
    condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }] },
  });
  const workflow = await createWorkflow(api, template.id);
  for (let n = 0; n < 40; n++)
    await api.call('POST', '/events/track', {
      email: n % 2 === 0 ? 'ada@example.test' : `grace.${8 * n + 1}@example.test`,
      event: n % 3 === 0 ? 'purchased' : 'viewed page',
      data: { total: 20 + n },
    });
  await api.call('POST', '/suppressions', {
    email: 'former@example.test',
    reason: 'bounce',
    detail: '550 No such user',
  });
  await api.call('POST', '/suppressions', { email: 'angry@example.test', reason: 'complaint' });
  const { data: campaign } = await api.call('POST', '/campaigns', {
    name: 'Spring sale',
    subject: 'Spring is here, {{ firstName ?? friend }}',
    body: '<h1>Spring sale</h1><p><a href="https://example.test/sale">20% off everything</a></p>',
    from,
    fromName: 'Acme',
    audienceType: 'ALL',
  });
  await api.call('POST', `/campaigns/${campaign.id}/send`, {});
  const ids = { template: template.id, segment: segment.id, domain: domain.id, campaign: campaign.id, workflow };
  await waitUntil(
    () => api.call('GET', `/campaigns/${campaign.id}`),
    ({ status }) => status === 'SENT',
    'The campaign',
  );
  await api.call('POST', '/v1/send', { to: 'ada@example.test', template: template.id });
  const { data: contacts } = await api.call('GET', '/contacts?search=ada@example.test');
  const { data: emails } = await api.call('GET', '/emails?to=ada@example.test');
  const { data: executions } = await api.call('GET', `/workflows/${workflow}/executions?search=ada@example.test`);
  const found = { contact: contacts[0].id, email: emails[0].id, execution: executions[0].id };
  return { cookie, projectId: project.id, ids: { ...ids, ...found } };
}

/** An email after a purchase: immediately to paying customers, and after three days to others. */
async function createWorkflow(api, templateId) {
  const { id } = await api.call('POST', '/workflows', { name: 'After a purchase', eventName: 'purchased' });
  await api.call('PUT', `/workflows/${id}/graph`, {
    steps: [
      { key: 'start', type: 'TRIGGER', name: 'Purchase' },
      {
        key: 'plan',
        type: 'CONDITION',
        name: 'Paying customer?',
        config: { field: 'contact.data.plan', operator: 'equals', value: 'pro' },
      },
      { key: 'thanks', type: 'SEND_EMAIL', name: 'Thank you', templateId },
      { key: 'pause', type: 'DELAY', name: 'Three days later', config: { amount: 3, unit: 'days' } },
      { key: 'offer', type: 'SEND_EMAIL', name: 'Offer of the pro plan', templateId },
      { key: 'mark', type: 'UPDATE_CONTACT', name: 'Remember it', config: { updates: { thanked: true } } },
    ],
    transitions: [
      { from: 'start', to: 'plan' },
      { from: 'plan', to: 'thanks', branch: 'yes' },
      { from: 'plan', to: 'pause', branch: 'no' },
      { from: 'pause', to: 'offer' },
      { from: 'thanks', to: 'mark' },
      { from: 'offer', to: 'mark' },
    ],
  });
  await api.call('PATCH', `/workflows/${id}`, { enabled: true });
  return id;
}

async function takePictures(url, { cookie, ids, projectId }) {
  mkdirSync(FOLDER, { recursive: true });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const [name = '', value = ''] = cookie.split('=');
  const take = async (pages, suffix, options) => {
    const context = await browser.newContext({ locale: 'en-US', ...options });
    await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    for (const [picture, path, title] of pages) {
      await page.goto(`${url}/app/projects/${projectId}${path}`);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await waitUntil(
        () => page.locator('.animate-pulse').count(),
        (count) => count === 0,
        picture,
      );
      // Charts draw after their data has arrived.
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(FOLDER, `dashboard-${picture}${suffix}.png`) });
      console.log(`dashboard-${picture}${suffix}.png`);
    }
    await context.close();
  };
  const pages = pagesOf(ids);
  await take(pages, '', { viewport: SIZE });
  await take(
    pages.filter(([picture]) => DARK.includes(picture)),
    '-dark',
    { viewport: SIZE, colorScheme: 'dark' },
  );
  await take(
    pages.filter(([picture]) => ON_PHONE.includes(picture)),
    '-phone',
    { viewport: PHONE },
  );
  await browser.close();
}
