/** The graph of a workflow with live figures, and the inspector of its executions, with a worker and Temporal. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { useCluster } from '../helpers/cluster.js';
import {
  expectNoOverflow,
  findAccessibilityProblems,
  PHONE,
  takePicture,
  useDashboard,
  type Member,
} from '../helpers/dashboard.js';

interface Workflow {
  id: string;
  steps: Array<{ id: string; name: string }>;
}

/** Creates an enabled workflow: an event, a wait of a day, a condition with two filters, and an email or the end. */
async function createWorkflow(member: Member): Promise<{ id: string; idOf: (step: string) => string }> {
  const { call, project } = member;
  const { id } = await call<Workflow>('POST', '/workflows', { name: 'Onboarding', eventName: 'signup' });
  const template = await call<{ id: string }>('POST', '/templates', {
    name: 'Welcome',
    subject: 'Welcome to the pro plan',
    body: '<p>Hello</p>',
    from: `news@${project.domain}`,
    type: 'TRANSACTIONAL',
  });
  await call('PUT', `/workflows/${id}/graph`, {
    steps: [
      { key: 'start', type: 'TRIGGER', name: 'Signed up' },
      { key: 'pause', type: 'DELAY', name: 'A day later', config: { amount: 1, unit: 'days' } },
      {
        key: 'plan',
        type: 'CONDITION',
        name: 'Which plan?',
        config: {
          logic: 'OR',
          groups: [
            { filters: [{ field: 'contact.data.plan', operator: 'equals', value: 'pro' }] },
            { filters: [{ field: 'event.bought', operator: 'triggered' }] },
          ],
        },
      },
      { key: 'mail', type: 'SEND_EMAIL', name: 'Welcome', templateId: template.id },
      { key: 'end', type: 'EXIT', name: 'No plan', config: { reason: 'no plan' } },
    ],
    transitions: [
      { from: 'start', to: 'pause' },
      { from: 'pause', to: 'plan' },
      { from: 'plan', to: 'mail', branch: 'yes' },
      { from: 'plan', to: 'end', branch: 'no' },
    ],
  });
  await call('PATCH', `/workflows/${id}`, { enabled: true });
  const { steps } = await call<Workflow>('GET', `/workflows/${id}`);
  return { id, idOf: (name) => steps.find((step) => step.name === name)?.id ?? '' };
}

const signUp = (member: Member, email: string, plan: string) =>
  member.call('POST', '/events/track', { email, event: 'signup', data: { plan: { value: plan, persistent: true } } });

const step = (page: Page, name: string) => page.getByRole('button', { name });

describe.skipIf(!hasChromium())('the graph of a workflow', () => {
  const dashboard = useDashboard(useCluster());

  test('counts live, lists the contacts of a step, and an execution shows its path and is skipped', async () => {
    const member = await dashboard.member();
    const workflow = await createWorkflow(member);
    const page = await member.open(`/workflows/${workflow.id}`);
    await step(page, 'Signed up').waitFor();
    await signUp(member, 'ada@inbox.test', 'pro');
    await step(page, 'A day later 1 day 0 passed').getByText('1 here').waitFor();
    // By keyboard, in the order of the steps.
    await step(page, 'Signed up').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('step')).toBe(workflow.idOf('A day later'));
    await page.getByRole('link', { name: 'ada@inbox.test' }).waitFor();
    await takePicture(page, 'workflow-graph');
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByLabel('Figures from').fill('2099-01-01');
    await step(page, 'Signed up Event: signup 0 passed').waitFor();
    await page.getByRole('button', { name: 'Whole time' }).click();
    await step(page, 'Signed up Event: signup 1 passed').waitFor();

    await page.getByRole('link', { name: 'ada@inbox.test' }).click();
    await page.getByRole('heading', { name: 'ada@inbox.test', level: 1 }).waitFor();
    await takePicture(page, 'execution-waiting');
    await page.getByRole('button', { name: 'Skip the wait' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Skip the wait' }).click();
    await page.getByText('Followed the branch "yes".').waitFor();
    const tested = page.getByRole('group', { name: 'What the condition found' });
    await tested
      .getByText(/^true\s*plan is pro\s*Value then: "pro"$/)
      .first()
      .waitFor();
    await tested
      .getByText(/^false\s*bought happened\s*Last time: never$/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Welcome to the pro plan' }).waitFor();
    // The email is sent meanwhile, and its state follows.
    await page.getByText('Sent', { exact: true }).waitFor();
    await expect.poll(() => page.locator('.graph-passed').count()).toBe(3);
    await takePicture(page, 'execution-done');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('the list says the same on a phone, in German and dark, and an execution is canceled there', async () => {
    const member = await dashboard.member();
    const workflow = await createWorkflow(member);
    await signUp(member, 'max@inbox.test', 'free');
    const page = await member.open(`/workflows/${workflow.id}`, { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
    const delay = page.getByRole('listitem').filter({ hasText: 'A day later' }).last();
    await delay.getByText('1 hier').waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'workflow-list-phone');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Graph' }).click();
    await step(page, 'A day later').waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'workflow-graph-phone');
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByRole('link', { name: 'max@inbox.test' }).click();
    await page.getByRole('button', { name: 'Ausführung abbrechen' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Ausführung abbrechen' }).click();
    await page.getByText('Abgebrochen', { exact: true }).first().waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'execution-phone');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('an execution is started for a contact, and tells the attempts of a request and the branch after it', async () => {
    const member = await dashboard.member();
    const { id } = await member.call<Workflow>('POST', '/workflows', { name: 'Notify', eventName: 'bought' });
    await member.call('PUT', `/workflows/${id}/graph`, {
      steps: [
        { key: 'start', type: 'TRIGGER' },
        { key: 'call', type: 'WEBHOOK', name: 'Tell the shop', config: { url: 'http://127.0.0.1:9/orders' } },
        { key: 'end', type: 'EXIT', name: 'Not told', config: {} },
      ],
      transitions: [
        { from: 'start', to: 'call' },
        { from: 'call', to: 'end', branch: 'error' },
      ],
    });
    await member.call('PATCH', `/workflows/${id}`, { enabled: true });
    const eva = await member.call<{ id: string }>('POST', '/contacts', { email: 'eva@inbox.test' });
    const page = await member.open(`/workflows/${id}`);
    await page.getByRole('button', { name: 'Start for a contact' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox').fill('eva');
    await page.getByRole('option', { name: 'eva@inbox.test' }).click();
    await dialog.getByLabel('Variables, as JSON').fill('[7]');
    await dialog.getByRole('button', { name: 'Start for a contact' }).click();
    await dialog.getByText('This is not a JSON object.').waitFor();
    await dialog.getByLabel('Variables, as JSON').fill('{"order": 7}');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Start for a contact' }).click();
    await page.getByRole('list', { name: 'Attempts' }).waitFor();
    await page.getByText('on an error').first().waitFor();
    await page.getByText('"order": 7').waitFor();
    await page.locator('.graph-passed').nth(1).waitFor();
    await takePicture(page, 'execution-webhook');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'eva@inbox.test' }).click();
    await page.getByRole('tab', { name: 'Workflows' }).click();
    await page.getByRole('link', { name: 'Notify' }).waitFor();
    expect(eva.id).toBe(new URL(page.url()).pathname.split('/').at(-1));
  });
});
