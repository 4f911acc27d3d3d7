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

describe.skipIf(!hasChromium())('the command palette and the shortcuts', () => {
  const dashboard = useDashboard();

  test('the palette finds things while typing, opens pages, and creates, by keyboard alone', async () => {
    const member = await dashboard.member();
    const { id } = await member.call<{ id: string }>('POST', '/contacts', { email: 'ada@example.test' });
    await member.call('POST', '/contacts', { email: 'grace@example.test' });
    const page = await member.open('/segments');
    await page.getByRole('heading', { name: 'Segments', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    const input = page.getByRole('combobox', { name: 'Search for anything, or name an action' });
    await input.and(page.locator(':focus')).waitFor();
    await page.getByRole('group', { name: 'On this page' }).getByRole('option', { name: 'New segment' }).waitFor();
    await takePicture(page, 'palette');
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.keyboard.type('ada@');
    await page.getByRole('option', { name: 'ada@example.test' }).waitFor();
    await page.getByRole('status').getByText('1 result').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'ada@example.test', level: 1 }).waitFor();
    expect(page.url()).toContain(`/contacts/${id}`);

    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type('add a contact');
    await page.getByRole('option', { name: 'Add a contact' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Add a contact' }).getByLabel('Email address').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    const recent = page.getByRole('group', { name: 'Opened last' });
    await recent.getByRole('option', { name: 'ada@example.test' }).waitFor();
    await page.keyboard.type('nothing like it');
    await page.getByText('Nothing matches “nothing like it”.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('shortcuts open pages, focus the search, and create; they do nothing in fields, and can be turned off', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/templates', {
      name: 'Welcome',
      subject: 'Hello',
      body: '<p>Hello</p>',
      from: `news@${member.project.domain}`,
    });
    const page = await member.open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Welcome' }).waitFor();
    await page.keyboard.press('/');
    const search = page.getByRole('searchbox').first();
    await search.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('cg?');
    await expect.poll(() => search.inputValue()).toBe('cg?');
    await search.fill('');
    await search.blur();
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Create a template' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Longer than the focus keeper waits: the field that was left does not get the focus back.
    await page.waitForTimeout(200);
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('Contacts').waitFor();
    await takePicture(page, 'shortcuts');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await list.getByRole('switch').click();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    // Only the palette is open: `c` did nothing.
    await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
  });

  test('an unfinished job is in the header until it ends', async () => {
    const member = await dashboard.member();
    // Nothing works on it: this test has no worker.
    const { jobId } = await member.call<{ jobId: string }>('POST', '/exports', { kind: 'contacts', format: 'csv' });
    const page = await member.open('/settings');
    const indicator = page.getByRole('link', { name: '1 job: 0%' });
    await indicator.waitFor();
    await untilLive(page);
    await indicator.click();
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await member.call('DELETE', `/jobs/${jobId}`);
    await indicator.waitFor({ state: 'detached' });
  });

  test('the palette fits on a phone, in German and dark', async () => {
    const member = await dashboard.member();
    const page = await member.open('/', { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Suchen Ctrl K' }).click();
    await page.getByRole('dialog').getByRole('combobox').fill('kampagne');
    await page.getByRole('option', { name: 'Kampagne anlegen' }).waitFor();
    await page.getByText('Suche läuft …').waitFor({ state: 'detached' });
    await expectNoOverflow(page);
    await takePicture(page, 'palette-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
