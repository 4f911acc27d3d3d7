import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';
import { PASSWORD } from '../helpers/session.js';

const TABS = ['', '/members', '/keys', '/billing', '/tracking', '/brand', '/danger'];

describe.skipIf(!hasChromium())('the settings', () => {
  const dashboard = useDashboard();

  const saved = (page: Page): Promise<void> => page.getByText('Saved', { exact: true }).first().waitFor();

  test('general settings and the tracking are saved and stay after a reload', async () => {
    const member = await dashboard.member();
    const page = await member.open('/settings');
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.getByLabel('Postal address').fill('1 Example Street');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
    await page.reload();
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Renamed');
    await page.getByRole('link', { name: 'Tracking', exact: true }).click();
    await page.getByRole('radio', { name: 'Marketing only' }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
    await page.reload();
    await page.getByRole('radio', { name: 'Marketing only', checked: true }).waitFor();
  });

  test('the hours of the project are chosen by day and time, with exceptions', async () => {
    const member = await dashboard.member();
    const page = await member.open('/settings');
    await page.getByRole('checkbox', { name: 'Only send in certain hours' }).check();
    const group = page.getByRole('group', { name: 'Days' });
    expect(await group.getByRole('checkbox', { checked: true }).count()).toBe(5);
    for (const day of ['Mon', 'Tue', 'Wed', 'Thu', 'Fri']) await group.getByRole('checkbox', { name: day }).uncheck();
    await page.getByText('Choose at least one day.').waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await group.getByRole('checkbox', { name: 'Sat' }).check();
    await page.getByLabel('From', { exact: true }).fill('22:00');
    await page.getByLabel('Until').fill('02:00');
    await page.getByText('On the next day').waitFor();
    await page.getByLabel('In the time zone').selectOption('UTC');
    await page.getByLabel('Except on', { exact: true }).fill('2026-12-26');
    await page.getByRole('button', { name: 'Add the date' }).click();
    await page.getByRole('button', { name: 'Remove Dec 26, 2026' }).waitFor();
    await takePicture(page, 'settings-hours');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    await takePicture(page, 'settings-hours-phone');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
    const stored = async () =>
      (await dashboard.ctx().prisma.project.findUniqueOrThrow({ where: { id: member.project.id } })).sendWindow;
    expect(await stored()).toEqual({
      timezone: 'UTC',
      days: ['sat'],
      from: '22:00',
      until: '02:00',
      except: ['2026-12-26'],
    });
    await page.reload();
    await page.getByRole('checkbox', { name: 'Only send in certain hours' }).uncheck();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
    expect(await stored()).toBeNull();
  });

  test('a member is added by address, an unknown address is refused at its field', async () => {
    const [owner, other] = [await dashboard.member(), await dashboard.member()];
    const page = await owner.open('/settings/members');
    const email = page.getByLabel('Email address');
    await email.fill('unknown@users.test');
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByText('No account has this address.').waitFor();
    await page.locator('input[type=email][aria-invalid=true]').waitFor();
    await email.fill(other.email);
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByLabel(`Role of ${other.email}`).selectOption('ADMIN');
    await saved(page);
    await page.getByRole('button', { name: `Remove ${other.email}` }).click();
    await page.getByRole('button', { name: 'Remove the member' }).click();
    await page.getByLabel(`Role of ${other.email}`).waitFor({ state: 'detached' });
  });

  test('replacing the keys shows the new secret once', async () => {
    const member = await dashboard.member();
    const page = await member.open('/settings/keys');
    await page.getByRole('button', { name: 'Replace both keys' }).click();
    await page.getByText('There is no overlap.').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replace both keys' }).click();
    await page.getByText(/^sk_[0-9a-f]{64}$/).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText(/^sk_[0-9a-f]{64}$/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show the secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
  });

  test('the billing link of emails leads to the limits, which are saved, and refused at their field', async () => {
    const member = await dashboard.member();
    const page = await member.open('/billing?checkout=cancelled');
    await page.getByText('The checkout was canceled.').waitFor();
    await page.waitForURL(({ pathname }) => pathname.endsWith('/settings/billing'));
    await page.getByText('This installation has no payment provider.').waitFor();
    const limit = page.getByLabel('Limit of campaigns');
    await limit.fill('-1');
    await page.getByRole('button', { name: 'Save the limits' }).click();
    await page.locator('[aria-invalid=true]').waitFor();
    await limit.fill('500');
    await page.getByRole('button', { name: 'Save the limits' }).click();
    await page.getByText('0 of 500').waitFor();
  });

  test('a color that is not one is refused at its field', async () => {
    const member = await dashboard.member();
    const page = await member.open('/settings/brand');
    await page.getByLabel('Color', { exact: true }).fill('blue');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('must be a color').waitFor();
    await page.getByLabel('Color', { exact: true }).fill('#aa0000');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
  });

  test('the reset and the deletion want the name of the project', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/contacts', { email: 'ada@example.test' });
    const page = await member.open('/settings/danger');
    for (const [action, done] of [
      ['Reset the project', 'The project is empty.'],
      ['Delete the project', 'Create a project'],
    ] as const) {
      await page.getByRole('button', { name: action }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByRole('button', { name: action, disabled: true }).waitFor();
      const { name } = await dashboard.ctx().prisma.project.findUniqueOrThrow({ where: { id: member.project.id } });
      await dialog.getByRole('textbox').fill(name);
      await page.keyboard.press('Enter');
      await page.getByText(done).first().waitFor();
    }
  });

  test('a member reads the settings and cannot change them', async () => {
    const member = await dashboard.member({ role: 'MEMBER' });
    const page = await member.open('/settings');
    await page.getByText('Only the owner and the admins can change').waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  });

  test('the pages have no problems of accessibility, light and dark, in English and German, and fit on a phone', async () => {
    const member = await dashboard.member();
    for (const options of [{ colorScheme: 'light' }, { ...PHONE, locale: 'de-DE', colorScheme: 'dark' }] as const) {
      const page = await member.open('/settings', options);
      for (const tab of [...TABS.map((one) => `/settings${one}`), '/account']) {
        await page.goto(`${dashboard.origin()}/app/projects/${member.project.id}${tab}`);
        await page.getByRole('heading', { level: 2 }).first().waitFor();
        expect([tab, await findAccessibilityProblems(page)]).toEqual([tab, []]);
        await expectNoOverflow(page);
        await takePicture(page, `settings${tab.replaceAll('/', '-')}-${options.colorScheme}`);
      }
    }
  });
});

describe.skipIf(!hasChromium())('the account', () => {
  const dashboard = useDashboard();

  test('a wrong password is refused at its field, and the right one changes the address', async () => {
    const member = await dashboard.member();
    const page = await member.open('/account');
    const card = page.getByRole('region', { name: 'Change the email address' });
    await card.getByLabel('New email address').fill(`new-${member.email}`);
    await card.getByLabel('Current password').fill('wrong password');
    await page.keyboard.press('Enter');
    await card.locator('input[type=password][aria-invalid=true]').waitFor();
    await card.getByLabel('Current password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText(`new-${member.email}`).first().waitFor();
  });

  test('signing out everywhere ends the session', async () => {
    const member = await dashboard.member();
    const page = await member.open('/account');
    await page.getByText('This one').waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Sign in to Sendloom' }).waitFor();
  });
});
