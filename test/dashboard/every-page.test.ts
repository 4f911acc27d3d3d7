/**
 * What holds on every page: no problem of accessibility, light and dark; fits on a phone; wholly German; Tab reaches every
 * control, and the focus can be seen.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { campaignHelpers } from '../helpers/campaign-api.js';
import { hasChromium } from '../helpers/chromium.js';
import {
  findAccessibilityProblems,
  findOverflow,
  PHONE,
  useDashboard,
  type Dashboard,
  type Member,
} from '../helpers/dashboard.js';
import { findKeyboardProblems } from '../helpers/keyboard.js';

/** The addresses of each route, below /app. A new route needs an entry. */
function pagesOf(ids: Record<string, string>): Record<string, string[]> {
  const project = `/projects/${ids.project}`;
  const settings = ['', '/members', '/keys', '/billing', '/tracking', '/brand', '/danger'];
  const of = (path: string, ...searches: string[]): string[] =>
    ['', ...searches].map((search) => `${project}${path}${search}`);
  return {
    // These lead to other pages.
    '/': [],
    '/projects/$projectId/billing': [],
    '/auth/login': ['/auth/login?error=denied&provider=github'],
    '/auth/signup': ['/auth/signup'],
    '/auth/forgot-password': ['/auth/forgot-password'],
    '/auth/reset-password': ['/auth/reset-password?token=x'],
    '/auth/verify-email': ['/auth/verify-email?token=x'],
    '/projects/new': ['/projects/new'],
    '/projects/$projectId': of('', '?groupBy=source', '?figure=opens'),
    '/projects/$projectId/account': of('/account'),
    '/projects/$projectId/activity': of('/activity', '?kind=email'),
    '/projects/$projectId/campaigns': of('/campaigns'),
    '/projects/$projectId/campaigns/$campaignId': of(
      `/campaigns/${ids.sent}`,
      '?tab=links',
      '?tab=recipients',
      '?tab=failures',
    ),
    '/projects/$projectId/campaigns/$campaignId/edit': of(
      `/campaigns/${ids.draft}/edit`,
      '?step=audience',
      '?step=schedule&at=2030-01-15T09:00',
      '?step=schedule&at=2030-01-15T09:00&zone=recipient',
      '?step=review',
    ),
    '/projects/$projectId/contacts': of('/contacts', '?columns=["plan"]'),
    '/projects/$projectId/contacts/$contactId': of(`/contacts/${ids.contact}`),
    '/projects/$projectId/contacts/import': of('/contacts/import'),
    '/projects/$projectId/deliverability': of('/deliverability'),
    '/projects/$projectId/domains': of('/domains'),
    '/projects/$projectId/domains/$domainId': of(`/domains/${ids.domain}`),
    '/projects/$projectId/emails': of('/emails', '?status=FAILED'),
    '/projects/$projectId/emails/$emailId': of(`/emails/${ids.email}`),
    '/projects/$projectId/events': of('/events', '?name=purchased'),
    '/projects/$projectId/fields': of('/fields', '?field=data.plan'),
    '/projects/$projectId/jobs': of('/jobs'),
    '/projects/$projectId/segments': of('/segments'),
    '/projects/$projectId/segments/$segmentId': of(`/segments/${ids.segment}`),
    '/projects/$projectId/segments/new': of('/segments/new'),
    ...Object.fromEntries(settings.map((path) => [`/projects/$projectId/settings${path}`, of(`/settings${path}`)])),
    '/projects/$projectId/suppressions': of('/suppressions'),
    '/projects/$projectId/templates': of('/templates'),
    '/projects/$projectId/templates/$templateId': of(
      `/templates/${ids.template}`,
      '?tab=settings',
      '?tab=versions',
      '?tab=usage',
    ),
    '/projects/$projectId/webhooks': of('/webhooks'),
    '/projects/$projectId/webhooks/$webhookId': of(`/webhooks/${ids.webhook}`, `?delivery=${ids.delivery}`),
    '/projects/$projectId/workflows': of('/workflows'),
    '/projects/$projectId/workflows/$workflowId': of(`/workflows/${ids.workflow}`, '?view=list'),
    '/projects/$projectId/workflows/$workflowId/edit': of(`/workflows/${ids.workflow}/edit`, '?view=list'),
    '/projects/$projectId/workflows/$workflowId/executions/$executionId': of(
      `/workflows/${ids.workflow}/executions/${ids.execution}`,
    ),
    '/projects/$projectId/workflows/new': of('/workflows/new'),
  };
}

/** Fills a project. No name in it has two words, so that texts with two words are those of the pages. */
async function fill({ api, ctx }: Dashboard, member: Member): Promise<Record<string, string>> {
  if (!api) throw new Error('The API runs in this process');
  const { call, project } = member;
  type Created = { id: string };
  const from = `news@${project.domain}`;
  const content = { subject: 'Hello', body: '<p>Hello <a href="https://shop.test/">shop</a> {{ nmae }}</p>', from };
  const contact = await call<Created>('POST', '/contacts', { email: 'ada@example.test', data: { plan: 'pro' } });
  const template = await call<Created>('POST', '/templates', { ...content, name: 'Receipt', type: 'MARKETING' });
  const segment = await call<Created>('POST', '/segments', {
    name: 'Payers',
    condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }] },
  });
  await call('POST', '/events/track', { email: 'ada@example.test', event: 'purchased', data: { total: 20 } });
  const webhook = await call<Created>('POST', '/webhooks', {
    url: 'https://example.com/hook',
    events: ['*', 'signup'],
  });
  const { deliveryId } = await call<{ deliveryId: string }>('POST', `/webhooks/${webhook.id}/test`, {
    type: 'email.bounced',
  });
  await call('POST', '/suppressions', { email: 'former@example.test', reason: 'bounce' });
  await call('POST', '/exports', { kind: 'suppressions', format: 'csv' });
  await call('POST', '/v1/send', { to: 'ada@example.test', subject: 'Hello', body: '<p>Hello</p>', from });
  const draft = await call<{ data: Created }>('POST', '/campaigns', { ...content, name: 'Autumn', draft: true });
  const { draft: create, email } = campaignHelpers(api);
  const sent = await create(project, { ...content, name: 'Spring' });
  const sentAt = new Date();
  const emailId = await email(project, sent, { status: 'SENT', sentAt, contactId: contact.id });
  await email(project, sent, { status: 'FAILED', error: '550', contactId: null });
  await ctx().prisma.campaign.update({ where: { id: sent }, data: { status: 'SENT', startedAt: sentAt, sentAt } });
  const workflow = await call<Created>('POST', '/workflows', { name: 'Onboarding', eventName: 'signup' });
  await call('PUT', `/workflows/${workflow.id}/graph`, {
    steps: [
      { key: 'start', type: 'TRIGGER', name: 'Start' },
      { key: 'pause', type: 'DELAY', name: 'Pause', config: { amount: 1, unit: 'days' } },
      { key: 'mail', type: 'SEND_EMAIL', name: 'Mail', templateId: template.id },
    ],
    transitions: [
      { from: 'start', to: 'pause' },
      { from: 'pause', to: 'mail' },
    ],
  });
  await call('PATCH', `/workflows/${workflow.id}`, { enabled: true });
  const execution = newId();
  await ctx().prisma.workflowExecution.create({
    data: { id: execution, projectId: project.id, workflowId: workflow.id, contactId: contact.id },
  });
  const domain = await ctx().prisma.domain.findFirstOrThrow({ where: { projectId: project.id } });
  return {
    project: project.id,
    contact: contact.id,
    template: template.id,
    segment: segment.id,
    draft: draft.data.id,
    sent,
    email: emailId,
    workflow: workflow.id,
    execution,
    domain: domain.id,
    webhook: webhook.id,
    delivery: deliveryId,
  };
}

/** For the data of one page. */
const TIMEOUT_MS = 20_000;

/** What opens a panel, sometimes after its page. The panel then takes the focus. */
const OPENS_PANEL = /\?(field|delivery)=/;

/** Leads the open application to a page without loading it again, and waits until its data is there. */
async function goTo(page: Page, path: string): Promise<void> {
  // The policy of the pages forbids the strings of waitForFunction.
  await page.evaluate(`new Promise((resolve, reject) => {
    const router = __TSR_ROUTER__;
    const path = ${JSON.stringify(`/app${path}`)};
    const deadline = Date.now() + ${TIMEOUT_MS};
    router.history.push(path);
    const isThere = () =>
      router.state.status === 'idle' && router.state.resolvedLocation?.href === router.state.location.href &&
      document.querySelector('h1') && !document.querySelector('.animate-pulse, [aria-busy=true]') &&
      (!${OPENS_PANEL.test(path)} || document.querySelector('[role=dialog]')?.contains(document.activeElement));
    const check = () => {
      if (isThere()) resolve();
      else if (Date.now() > deadline) reject(new Error('Incomplete: ' + path));
      else setTimeout(check, 20);
    };
    setTimeout(check, 20);
  })`);
}

/** Returns the texts of two words and more, for eyes and for screen readers. Code and emails are not texts of the page. */
const readTexts = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const texts = new Set();
    const NAMES = ['aria-label', 'title', 'placeholder', 'alt', 'aria-valuetext'];
    const add = (text) => {
      const compact = (text ?? '').replace(/\\s+/g, ' ').trim();
      if (/\\p{L}{2,} \\p{L}{2,}/u.test(compact)) texts.add(compact);
    };
    const skipped = 'code, pre, script, style, .cm-editor, .ProseMirror, [lang]:not(html)';
    for (const element of document.body.querySelectorAll('*')) {
      if (element.closest(skipped)) continue;
      for (const name of element.ariaHidden === 'true' ? [] : NAMES) add(element.getAttribute(name));
      add([...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join(' '));
    }
    add(document.title.replace(' · Sendloom', ''));
    return [...texts];
  })()`);

/** Texts that are the same in both languages. */
const ALIKE = /^Mail in Onboarding$/;

describe.skipIf(!hasChromium())('every page', { tags: 'journeys' }, () => {
  const dashboard = useDashboard();

  test(
    'is accessible, fits on a phone, is wholly in German, and shows the focus on each control that Tab reaches',
    { timeout: 240_000 },
    async () => {
      const member = await dashboard.member();
      const pages = pagesOf(await fill(dashboard, member));
      const english = await member.open('');
      const german = await member.open('', { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
      await Promise.all([english, german].map((page) => page.getByRole('main').waitFor()));

      const routes = await english.evaluate<string[]>(
        `Object.values(__TSR_ROUTER__.routesById).filter((route) => !route.children?.length).map((route) => route.fullPath)`,
      );
      const known = new Set(routes.map((path) => (path === '/' ? path : path.replace(/\/$/, ''))));
      expect([...known].sort()).toEqual(Object.keys(pages).sort());

      const problems: string[] = [];
      for (const path of Object.values(pages).flat()) {
        const read = async (page: Page, isPhone: boolean): Promise<string[]> => {
          await goTo(page, path);
          problems.push(...(await findOverflow(page)).map((wide) => `${path}: too wide: ${wide}`));
          // Only the colors differ in the dark.
          const found = await findAccessibilityProblems(page, isPhone ? ['color-contrast'] : undefined);
          problems.push(...found.map((problem) => `${path} ${isPhone ? '(dark, phone)' : ''}: ${problem}`));
          if (!isPhone) problems.push(...(await findKeyboardProblems(page)).map((problem) => `${path}: ${problem}`));
          return readTexts(page);
        };
        const [one, other] = await Promise.all([read(english, false), read(german, true)]);
        const both = one.filter((text) => other.includes(text) && !ALIKE.test(text));
        problems.push(...both.map((text) => `${path}: not German: ${text}`));
      }
      expect(problems).toEqual([]);
    },
  );
});
