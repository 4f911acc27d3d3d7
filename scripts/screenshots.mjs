/**
 * `npm run screenshots`: starts a Sendloom on a temporary folder, fills a project over the API, and writes pictures of
 * the dashboard's pages into docs/images. Requires Chromium.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
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
const WEBP_QUALITY = 82;

/** The pages of a project: the picture's name, the path, and what is on the page when it is complete. */
const pagesOf = (ids) => [
  ['home', '', 'Home'],
  ['activity', '/activity', 'Activity'],
  ['contacts', '/contacts?columns=["firstName","plan"]', 'Contacts'],
  ['contact', `/contacts/${ids.contact}`, 'ada@'],
  ['import', '/contacts/import', 'Import contacts'],
  ['fields', '/fields', ''],
  ['segments', '/segments', 'Segments'],
  ['segment-new', '/segments/new', ''],
  ['segment', `/segments/${ids.segment}`, 'Paying customers'],
  ['templates', '/templates', 'Templates'],
  ['template', `/templates/${ids.template}`, 'Receipt'],
  ['blocks', `/templates/${ids.blocks}`, 'Welcome'],
  ['campaigns', '/campaigns', 'Campaigns'],
  ['campaign-content', `/campaigns/${ids.draft}/edit`, 'Summer news'],
  ['campaign-audience', `/campaigns/${ids.draft}/edit?step=audience`, 'Summer news'],
  ['campaign-review', `/campaigns/${ids.draft}/edit?step=review`, 'Summer news'],
  ['campaign-report', `/campaigns/${ids.campaign}`, 'Spring sale'],
  ['campaign-links', `/campaigns/${ids.campaign}?tab=links`, 'Spring sale'],
  ['campaign-recipients', `/campaigns/${ids.campaign}?tab=recipients`, 'Spring sale'],
  ['workflows', '/workflows', 'Workflows'],
  ['workflow', `/workflows/${ids.workflow}?view=graph`, 'After a purchase'],
  ['workflow-edit', `/workflows/${ids.workflow}/edit`, ''],
  ['execution', `/workflows/${ids.workflow}/executions/${ids.execution}`, 'ada@'],
  ['workflow-new', '/workflows/new', ''],
  ['events', '/events?name=purchased', 'Events'],
  ['emails', '/emails', 'Emails'],
  ['email', `/emails/${ids.email}`, 'Your receipt'],
  ['jobs', '/jobs', 'Jobs'],
  ['webhooks', '/webhooks', 'Webhooks'],
  ['webhook', `/webhooks/${ids.webhook}`, 'http'],
  ['domains', '/domains', 'Domains'],
  ['domain', `/domains/${ids.domain}`, 'acme'],
  ['deliverability', '/deliverability', 'Deliverability'],
  ['suppressions', '/suppressions', 'Suppressions'],
  ['settings', '/settings', 'Settings'],
  ['members', '/settings/members', 'Settings'],
  ['keys', '/settings/keys', 'Settings'],
  ['billing', '/settings/billing', 'Settings'],
  ['tracking', '/settings/tracking', 'Settings'],
  ['brand', '/settings/brand', 'Settings'],
  ['danger', '/settings/danger', 'Settings'],
  ['account', '/account', ''],
];
const DARK = ['home', 'contacts', 'segment', 'workflow'];
const ON_PHONE = ['home', 'contacts', 'email', 'campaign-links'];
const GERMAN = ['home', 'campaign-review'];

const NAMES = ['Ada', 'Grace', 'Lin', 'Noor', 'Mia', 'Ivo', 'Jun', 'Rosa'];
const emailOf = (n) => `${NAMES[n % NAMES.length].toLowerCase()}.${n}@example.test`;
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
/** Apple's Mail Privacy Protection. */
const MACHINE = 'Mozilla/5.0';

const text = (value) => [{ type: 'text', text: value }];
const DESIGN = {
  version: 1,
  blocks: [
    {
      id: 'title',
      type: 'heading',
      level: 1,
      content: [...text('Hello '), { type: 'variable', name: 'firstName', fallback: 'friend' }],
    },
    {
      id: 'intro',
      type: 'text',
      content: text('The sun is out, and so are our new colors. Here is what waits for you.'),
    },
    { id: 'shop', type: 'button', content: text('See the collection'), href: 'https://example.test/summer' },
    { id: 'line', type: 'divider' },
    { id: 'outro', type: 'text', content: text('See you soon at the sea.') },
    { id: 'end', type: 'footer' },
  ],
};

const BUTTON = 'display:inline-block;background:#1f4fd8;color:#ffffff;padding:12px 24px;border-radius:8px';
const SALE = `<div style="font-family:sans-serif;max-width:420px;margin:0 auto;padding:16px">
  <h1>Spring sale</h1>
  <p>Everything green is 20% cheaper, {{ firstName }}.</p>
  <p><a href="https://example.test/sale" data-link="button" style="${BUTTON}">To the sale</a></p>
  <p>New in the shop: <a href="https://example.test/ferns">ferns</a>, <a href="https://example.test/moss">moss</a>,
    and <a href="https://example.test/pots">pots</a>.</p>
</div>`;

const dataDir = mkdtempSync(join(tmpdir(), 'sendloom-screenshots-'));
// As root, PostgreSQL runs as another user, who must be able to enter.
chmodSync(dataDir, 0o711);
const sendloom = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
  cwd: root,
  env: { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error', WEBHOOK_ALLOW_PRIVATE: 'true' },
  stdio: 'ignore',
});
// The receiver of the webhooks.
const receiver = createServer((request, response) => {
  request.resume();
  response.end('ok');
}).listen(0, '127.0.0.1');
try {
  const { api, inbox } = await waitUntil(
    async () => readAddresses(join(dataDir, 'addresses.json')),
    ({ api: url }) => url !== undefined,
    'The start',
  );
  const { cookie, ids, projectId } = await fill(api, inbox);
  await takePictures(api, { cookie, ids, projectId });
} finally {
  receiver.close();
  receiver.closeAllConnections();
  sendloom.kill('SIGTERM');
  await new Promise((done) => sendloom.once('exit', done));
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

/** Returns the addresses that the started system has written; none before. */
function readAddresses(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Fills a project as a shop would. */
async function fill(url, inbox) {
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
  for (let n = 0; n < CONTACTS; n++) {
    const firstName = NAMES[n % NAMES.length];
    const email = n === 0 ? 'ada@example.test' : emailOf(n);
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
  const webhook = await api.call('POST', '/webhooks', {
    url: `http://localhost:${receiver.address().port}/hooks/sendloom`,
    events: ['email.bounced', 'contact.*', 'custom.*'],
    description: 'Orders of the shop',
  });
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
  const blocks = await api.call('POST', '/templates', {
    name: 'Welcome',
    subject: 'Welcome, {{ firstName }}',
    from,
    design: DESIGN,
  });
  const { data: campaign } = await api.call('POST', '/campaigns', {
    name: 'Spring sale',
    subject: 'Spring is here, {{ firstName ?? friend }}',
    body: SALE,
    from,
    fromName: 'Acme',
    audienceType: 'ALL',
  });
  await api.call('POST', `/campaigns/${campaign.id}/send`, {});
  const { data: draft } = await api.call('POST', '/campaigns', {
    name: 'Summer news',
    subject: 'The summer at Acme, {{ firstName ?? "friend" }}',
    preheader: 'New colors, and a day at the sea',
    design: DESIGN,
    from,
    fromName: 'Acme',
    audienceType: 'SEGMENT',
    segmentId: segment.id,
    draft: true,
  });
  const ids = {
    template: template.id,
    blocks: blocks.id,
    segment: segment.id,
    domain: domain.id,
    campaign: campaign.id,
    draft: draft.id,
    workflow,
    webhook: webhook.id,
  };
  await waitUntil(
    () => api.call('GET', `/campaigns/${campaign.id}`),
    ({ status }) => status === 'SENT',
    'The campaign',
  );
  await readEmails(url, inbox);
  await api.call('POST', '/v1/send', { to: 'ada@example.test', template: template.id });
  await api.call('POST', '/exports', { kind: 'contacts', format: 'csv' });
  await api.call('POST', '/contacts/bulk', { operation: 'set', data: { vip: true }, query: { search: 'grace' } });
  await waitUntil(
    () => api.call('GET', `/campaigns/${campaign.id}/stats`),
    ({ clickedCount }) => clickedCount > 100,
    'The clicks',
  );
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

/** Opens and clicks emails of the campaign as people and machines do. */
async function readEmails(api, inbox) {
  // The links have the address of the configuration, which does not know the port.
  const visit = (link, agent) => {
    const { pathname, search } = new URL(link);
    return fetch(`${api}${pathname}${search}`, { redirect: 'manual', headers: { 'user-agent': agent } });
  };
  const { messages = [] } = await getJson(`${inbox}/api/messages?limit=300&subject=Spring`);
  for (const [n, { id }] of messages.entries()) {
    const { html = '' } = await getJson(`${inbox}/api/messages/${id}`);
    const pixel = /<img src="([^"]+)" width="1"/.exec(html)?.[1];
    const links = [...html.matchAll(/href="([^"]+\/c\/[^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
    if (pixel && n % 2 === 0) await visit(pixel, n % 7 === 0 ? MACHINE : PERSON);
    for (const [index, link] of links.entries())
      if (n % (2 + 3 * index) === 0) await visit(link, n % 7 === 0 ? MACHINE : PERSON);
  }
}

async function getJson(url) {
  return (await fetch(url)).json();
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
      await page.locator('h1', { hasText: title }).waitFor();
      await waitUntil(
        () => page.locator('.animate-pulse').count(),
        (count) => count === 0,
        picture,
      );
      // Charts draw after their data has arrived.
      await page.waitForTimeout(300);
      await save(page, `dashboard-${picture}${suffix}`);
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
  await take(
    pages.filter(([picture]) => GERMAN.includes(picture)).map(([picture, path]) => [picture, path, '']),
    '-german',
    { viewport: SIZE, locale: 'de-DE' },
  );
  await takeSignedOut(browser, url);
  await browser.close();
}

async function takeSignedOut(browser, url) {
  const page = await browser.newPage({ viewport: SIZE, locale: 'en-US' });
  for (const [picture, path] of [
    ['sign-in', 'login'],
    ['sign-up', 'signup'],
    ['forgot-password', 'forgot-password'],
  ]) {
    await page.goto(`${url}/app/auth/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await save(page, `dashboard-${picture}`);
  }
}

/** Saves a picture of what the window shows, as WebP, which is a third of PNG. */
async function save(page, name) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: WEBP_QUALITY });
  writeFileSync(join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'));
  console.log(`${name}.webp`);
}
