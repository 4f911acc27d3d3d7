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

describe.skipIf(!hasChromium())('the page of events', () => {
  const dashboard = useDashboard();

  test('a test event is checked at its fields, tracked, and shown with its data', async () => {
    const member = await dashboard.member();
    const page = await member.open('/events');
    await page.getByRole('heading', { name: 'No event was seen yet' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send a test event' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email address of the contact').fill('ada@example.test');
    await dialog.getByLabel('Event').fill('email.sent');
    await dialog.getByLabel('Data (JSON)').fill('[1]');
    await dialog.getByRole('button', { name: 'Send a test event' }).click();
    await dialog.getByText('This is not a JSON object.').waitFor();
    await dialog.getByLabel('Data (JSON)').fill('{ "plan": "pro" }');
    await dialog.getByRole('button', { name: 'Send a test event' }).click();
    await dialog.getByText('reserved').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByLabel('Event').fill('signed up');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'signed up' }).click();
    await page.getByRole('group', { name: 'Data' }).getByText('"plan": "pro"').waitFor();
    await page.getByRole('dialog').getByRole('link', { name: 'ada@example.test' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('new events are announced without a reload, and an unused name can be deleted', async () => {
    const member = await dashboard.member();
    const track = (email: string) => member.call('POST', '/events/track', { email, event: 'bought' });
    await track('ada@example.test');
    const page = await member.open('/events?name=bought', { colorScheme: 'dark' });
    await page.getByRole('button', { name: 'bought' }).first().waitFor();
    await untilLive(page);
    await track('grace@example.test');
    await page.getByRole('button', { name: 'Show 1 new event' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'bought', exact: true }).count()).toBe(2);
    await takePicture(page, 'events-dark');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete all events of this name' }).click();
    await page.getByLabel('Type “bought” to confirm').fill('bought');
    await page.keyboard.press('Enter');
    await page.getByText('2 events deleted').waitFor();
  });

  test('a name shows its trend and where it is used, and an event leads to its contact', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/events/track', { email: 'ada@example.test', event: 'bought' });
    await member.call('POST', '/workflows', { name: 'Thanks', eventName: 'bought' });
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'event.bought', operator: 'triggered' }] }],
    };
    await member.call('POST', '/segments', { name: 'Buyers', type: 'DYNAMIC', condition });
    const page = await member.open('/events?name=bought');
    await page.getByRole('link', { name: 'bought Last 30 days: 1 1' }).getByRole('img').waitFor();
    await page.getByRole('cell').getByRole('link', { name: 'ada@example.test' }).waitFor();
    await takePicture(page, 'events-usage');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    for (const name of ['Thanks', 'Buyers', 'ada@example.test']) {
      await page.getByRole('main').getByRole('link', { name }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.goBack();
    }
  });

  test('fits on a phone, in German', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/events/track', {
      email: 'ada@example.test',
      event: 'x'.repeat(80),
      data: { y: 'z'.repeat(200) },
    });
    const page = await member.open('/events', { ...PHONE, locale: 'de-DE' });
    await page.getByRole('heading', { name: 'Ereignisse', exact: true }).waitFor();
    await page.getByRole('link', { name: /^x+/ }).click();
    await page.getByRole('heading', { name: /^x+/ }).waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'events-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
