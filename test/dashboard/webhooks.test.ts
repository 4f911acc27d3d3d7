/** The pages of webhook endpoints. No worker delivers: the tests do. */
import { beforeAll, describe, expect, test } from 'vitest';
import { deliverDue } from '../../src/domain/webhooks/deliver.js';
import { runReplay } from '../../src/domain/webhooks/replay.js';
import { hasChromium } from '../helpers/chromium.js';
import {
  expectNoOverflow,
  findAccessibilityProblems,
  PHONE,
  takePicture,
  untilLive,
  useDashboard,
} from '../helpers/dashboard.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

const SCRIPT = `<img src=x onerror="top['stolen']=1">`;

describe.skipIf(!hasChromium())('webhooks', () => {
  const dashboard = useDashboard();
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    return () => receiver.stop();
  });

  const deliver = (id: string) => {
    const ctx = dashboard.ctx();
    const config = { ...ctx.config, WEBHOOK_ALLOW_PRIVATE: true };
    return deliverDue({ ...ctx, config }, id, Date.now() + 100, new AbortController().signal);
  };

  const finishReplay = async (projectId: string) => {
    const ctx = dashboard.ctx();
    const { id: jobId } = await ctx.prisma.job.findFirstOrThrow({ where: { projectId, kind: 'REPLAY' } });
    await runReplay(ctx, { jobId, projectId });
  };

  test('an endpoint is added, its secret is shown once, and a test arrives and is shown', async () => {
    receiver.answer((response) => response.writeHead(200).end(SCRIPT));
    const member = await dashboard.member();
    const page = await member.open('/webhooks');
    await page.getByRole('heading', { name: 'No endpoint yet' }).waitFor();
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add a webhook endpoint' });
    await dialog.getByLabel('URL').fill(`http://localhost:${receiver.port}/hook`);
    await dialog.getByLabel('Single events').fill('email.bounce');
    await dialog.getByLabel('Description').fill(SCRIPT);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
    await dialog.getByText('Unknown type. Did you mean "email.bounced"?').waitFor();
    await dialog.getByLabel('Single events').fill('order_placed, order_paid');
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click();

    const shown = page.getByRole('dialog', { name: 'Signing secret' });
    await shown.getByText(/^whsec_/).waitFor();
    await takePicture(page, 'webhook-secret');
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: `http://localhost:${receiver.port}/hook`, level: 1 }).waitFor();
    await page.getByText('order_paid').waitFor();
    expect(await page.getByText(/whsec_/).count()).toBe(0);

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').getByLabel('Event').selectOption('email.bounced');
    await page.getByRole('dialog').getByRole('button', { name: 'Send a test' }).click();
    const row = page.getByRole('row', { name: /email\.bounced/ });
    await row.getByText('Waiting').waitFor();
    const { data } = await member.call<{ data: Array<{ id: string }> }>('GET', '/webhooks');
    await deliver(data[0]?.id ?? '');
    // The page looks by itself while something waits.
    await row.getByText('Delivered').waitFor();
    await row.getByRole('button', { name: 'email.bounced' }).click();
    const panel = page.getByRole('dialog', { name: 'Delivery' });
    await panel.getByText('"bounceType": "permanent"').waitFor();
    await panel.getByText('webhook-signature: v1,').waitFor();
    await panel.getByText(SCRIPT).waitFor();
    await takePicture(page, 'webhook-delivery');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Deliver again' }).click();
    await panel.getByText('Waiting').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate(`window.stolen`)).toBeUndefined();
    expect(receiver.requests).toHaveLength(1);
  });

  test('a failing endpoint says why, and is disabled, enabled, changed, and deleted', async () => {
    receiver.answer((response) => response.writeHead(500).end('broken'));
    const member = await dashboard.member();
    const url = `http://localhost:${receiver.port}/broken`;
    const { id } = await member.call<{ id: string }>('POST', '/webhooks', { url, events: ['email.*'] });
    await member.call('POST', `/webhooks/${id}/test`, { type: 'email.sent' });
    await deliver(id);
    const page = await member.open(`/webhooks/${id}`);
    await page.getByText('Fails', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'The receiver responded with 500 Internal Server Error.' }).waitFor();
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Disable');
    await page.getByText('Disabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Delivers', { exact: true }).waitFor();
    await choose('Edit');
    const dialog = page.getByRole('dialog', { name: 'Edit the endpoint' });
    await dialog.getByRole('checkbox', { name: 'Everything, also what is added later' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await member.call('GET', `/webhooks/${id}`)).toMatchObject({ events: ['email.*', '*'] });
    await choose('New secret');
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('Former secret signs until').waitFor();
    await choose('Delete the endpoint');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the endpoint' }).click();
    await page.getByRole('heading', { name: 'No endpoint yet' }).waitFor();
  });

  test('a delivery appears by itself', async () => {
    receiver.answer((response) => response.end());
    const member = await dashboard.member();
    const url = `http://localhost:${receiver.port}/live`;
    const { id } = await member.call<{ id: string }>('POST', '/webhooks', { url, events: ['custom.*'] });
    const page = await member.open(`/webhooks/${id}`);
    await page.getByRole('heading', { name: 'No delivery yet' }).waitFor();
    await untilLive(page);
    await member.call('POST', '/events/track', { email: 'a@inbox.test', event: 'order_placed' });
    const row = page.getByRole('row', { name: /order_placed/ });
    await row.getByText('Waiting').waitFor();
    await deliver(id);
    await row.getByText('Delivered').waitFor();
  });

  test('a replay says how many deliveries it repeats before it does', async () => {
    receiver.answer((response) => response.end());
    const member = await dashboard.member();
    const url = `http://localhost:${receiver.port}/replay`;
    const { id } = await member.call<{ id: string }>('POST', '/webhooks', { url, events: ['custom.*'] });
    for (const email of ['a@inbox.test', 'b@inbox.test'])
      await member.call('POST', '/events/track', { email, event: 'order_placed' });
    await deliver(id);
    const before = receiver.requests.length;
    const page = await member.open(`/webhooks/${id}`);
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay events' });
    await dialog.getByRole('button', { name: 'Count them' }).click();
    await dialog.getByText('0 deliveries').waitFor();
    expect(await dialog.getByRole('button', { name: 'Replay' }).isDisabled()).toBe(true);
    await dialog.getByLabel('What is delivered again').selectOption('ALL');
    await dialog.getByRole('button', { name: 'Count them' }).click();
    await dialog.getByText('2 deliveries').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('2 deliveries queued').waitFor();
    await finishReplay(member.project.id);
    await deliver(id);
    expect(receiver.requests).toHaveLength(before + 2);
  });

  test('fits on a phone, in German and dark, and members only look', async () => {
    const member = await dashboard.member();
    const { id } = await member.call<{ id: string }>('POST', '/webhooks', {
      url: `https://example.com/${'long/'.repeat(30)}`,
      events: ['email.*', 'contact.*', 'custom.*', '*'],
    });
    await member.call('POST', `/webhooks/${id}/test`, { type: 'campaign.sent' });
    const page = await member.open('/webhooks', { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.getByText('Stellt zu').waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'webhooks-phone-german');
    await page.getByRole('link', { name: /^https:/ }).click();
    await page.getByRole('heading', { name: 'Zustellungen' }).waitFor();
    await page.getByRole('cell', { name: 'campaign.sent' }).waitFor();
    await untilLive(page);
    await expectNoOverflow(page);
    await takePicture(page, 'webhook-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    const colleague = await dashboard.member({ role: 'MEMBER' });
    const other = await colleague.open('/webhooks');
    await expect.poll(() => other.getByRole('button', { name: 'Add an endpoint' }).first().isDisabled()).toBe(true);
  });
});
