import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import {
  expectNoOverflow,
  findAccessibilityProblems,
  PHONE,
  takePicture,
  untilLive,
  useDashboard,
} from '../helpers/dashboard.js';

const isStream = (url: string): boolean => /\/projects\/[^/]+\/stream\?/.test(url);

describe.skipIf(!hasChromium())('the page of the activity', () => {
  const dashboard = useDashboard();

  test('shows an event that is tracked while the page is open, and keeps the filter in the URL', async () => {
    const member = await dashboard.member();
    const page = await member.open('/activity');
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await untilLive(page);
    await member.call('POST', '/events/track', { email: 'ada@example.test', event: 'signed up' });
    await page.getByRole('cell', { name: 'ada@example.test' }).first().waitFor();
    await page.getByRole('cell', { name: 'signed up' }).waitFor();
    await takePicture(page, 'activity');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Kind').selectOption('Emails');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.waitForURL(/[?&]kind=email(&|$)/);
  });

  test('pages read after the stream is connected, or again if it is late, so that no event is missed', async () => {
    const member = await dashboard.member();
    const page = await member.open('/activity');
    await untilLive(page);
    const order: string[] = [];
    page.on('response', (response) => void (isStream(response.url()) && order.push('connected')));
    page.on('request', (request) => void (/\/activity\?/.test(request.url()) && order.push('read')));
    await page.reload();
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
    expect(order).toEqual(['connected', 'read']);
    let connect = (): void => undefined;
    const isTracked = new Promise<void>((resolve) => (connect = resolve));
    await page.route(
      (url) => isStream(url.href),
      async (route) => {
        await isTracked;
        await route.continue();
      },
    );
    await page.reload();
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
    await member.call('POST', '/events/track', { email: 'ada@example.test', event: 'signed up' });
    connect();
    await page.getByRole('cell', { name: 'signed up' }).waitFor();
  });

  test('filters by a contact whose address is typed, and keeps it in the URL', async () => {
    const member = await dashboard.member();
    for (const email of ['ada@example.test', 'grace@example.test'])
      await member.call('POST', '/events/track', { email, event: 'bought' });
    const page = await member.open('/activity');
    await page.getByRole('cell', { name: 'grace@example.test' }).waitFor();
    const field = page.getByRole('combobox', { name: 'Contact' });
    await field.fill('ada@');
    await page.getByRole('option', { name: 'ada@example.test' }).waitFor();
    await page.getByRole('option', { name: 'grace@example.test' }).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/[?&]contactId=/);
    await page.getByRole('cell', { name: 'grace@example.test' }).waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'ada@example.test' }).waitFor();
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('ada@example.test');
    await page.getByText('1 entry', { exact: true }).waitFor();
    await takePicture(page, 'activity-contact');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show all contacts' }).click();
    await page.waitForURL((url) => !url.searchParams.has('contactId'));
    await page.getByRole('cell', { name: 'grace@example.test' }).waitFor();
  });

  test('the list does not move under the pointer, and announces new entries', async () => {
    const member = await dashboard.member();
    const track = (email: string) => member.call('POST', '/events/track', { email, event: 'bought' });
    await track('ada@example.test');
    const page = await member.open('/activity?kind=event', { colorScheme: 'dark' });
    await page.getByRole('cell', { name: 'ada@example.test' }).hover();
    await untilLive(page);
    await track('grace@example.test');
    await page.getByRole('button', { name: 'Show 1 new entry' }).click();
    await page.getByRole('cell', { name: 'grace@example.test' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('fits on a phone, in German', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/events/track', { email: `${'a'.repeat(60)}@example.test`, event: 'bought' });
    const page = await member.open('/activity', { ...PHONE, locale: 'de-DE' });
    await page.getByRole('button', { name: 'Ereignis' }).click();
    await page.getByRole('dialog').waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'activity-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
