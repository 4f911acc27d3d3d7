import { describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { hasChromium } from '../helpers/chromium.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';

const PASSWORD = 'correct horse battery staple';

describe.skipIf(!hasChromium())('the dashboard before the first project', () => {
  const dashboard = useDashboard();

  async function signUp(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByRole('heading', { name: 'Create a project' }).waitFor();
  }

  async function createProject(page: Page, name: string): Promise<void> {
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create the project' }).click();
    await page.getByRole('button', { name: 'I have stored the secret key' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  }

  test('the root of the API leads a browser to it, and no other client', async () => {
    const browser = await fetch(dashboard.origin(), { headers: { accept: 'text/html,*/*' }, redirect: 'manual' });
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/app/']);
    const other = await fetch(dashboard.origin());
    expect(await other.json()).toMatchObject({ error: { code: 'ROUTE_NOT_FOUND' } });
  });

  test('signing up leads to a project with its keys, and to its first steps', async () => {
    const page = await dashboard.open('/auth/signup');
    await signUp(page, 'ada@example.test');
    await page.getByLabel('Name').fill('Shop');
    await page.getByRole('button', { name: 'Create the project' }).click();
    await page.getByText(/^sk_[0-9a-f]{64}$/).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have stored the secret key' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    const chosen = page.getByLabel('Project', { exact: true });
    await expect.poll(async () => page.url().endsWith(`/projects/${await chosen.inputValue()}`)).toBe(true);
    await page.getByText('Verify a sender domain').waitFor();
    await takePicture(page, 'home');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('a wrong password is shown, and the right one leads to the page that asked for the sign-in', async () => {
    const first = await dashboard.open('/auth/signup');
    await signUp(first, 'grace@example.test');
    await createProject(first, 'News');
    const place = new URL(first.url()).pathname.replace('/app', '');

    const page = await dashboard.open(place);
    await page.getByLabel('Email address').fill('grace@example.test');
    await page.getByLabel('Password').fill('wrong password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.waitForURL(`**/app${place}`);
  });

  test('when the session ends, the password is asked in place, and nothing is lost', async () => {
    const page = await dashboard.open('/auth/signup');
    await signUp(page, 'lin@example.test');
    await page.getByLabel('Name').fill('Blog');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create the project' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I have stored the secret key' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByRole('option', { name: 'Blog' }).waitFor({ state: 'attached' });
  });

  test('a password that is too short is refused at its field', async () => {
    const page = await dashboard.open('/auth/signup');
    await page.getByLabel('Email address').fill('short@example.test');
    await page.getByLabel('Password').fill('short');
    await page.keyboard.press('Enter');
    // The hint says "at least 8" from the beginning; the state of the field shows that the response has arrived.
    await page.locator('[name=password][aria-invalid=true]').waitFor();
  });

  test('a link with no token says so, and the error of a provider is shown in words', async () => {
    const reset = await dashboard.open('/auth/reset-password');
    await reset.getByText('This link is incomplete.').waitFor();
    const login = await dashboard.open('/auth/login?error=denied&provider=github');
    await login.getByText('You did not allow the sign-in with GitHub.').waitFor();
  });

  test('is in German for a German browser, and dark on request, on a phone', async () => {
    const page = await dashboard.open('/auth/login', { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
    await page.getByRole('heading', { name: 'Bei Sendloom anmelden' }).waitFor();
    await page.locator('html[lang=de]').waitFor();
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'sign-in-german');
    await page.getByLabel('E-Mail-Adresse').fill('stranger@example.test');
    await page.getByLabel('Passwort').fill('wrong password');
    await page.keyboard.press('Enter');
    await page.getByText('Die E-Mail-Adresse oder das Passwort ist falsch.').waitFor();
  });
});

describe.skipIf(!hasChromium())('the frame of the pages', () => {
  const dashboard = useDashboard();

  test('leads to the content by keyboard, fits on a phone, and has no problems of accessibility', async () => {
    const member = await dashboard.member();
    const page = await member.open('', PHONE);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Home', exact: true }).waitFor();
    await takePicture(page, 'navigation-phone');
    await page.reload();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#content:focus').waitFor();
  });

  test('has a header of one row on a phone, also with an unfinished job, and its preferences in the menu', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/exports', { kind: 'contacts', format: 'csv' });
    const page = await member.open('', { ...PHONE, locale: 'de-DE' });
    await page.getByRole('banner').getByRole('link', { name: '1 Aufgabe: 0 %' }).waitFor();
    await expectNoOverflow(page);
    const middles = await page.evaluate<number[]>(
      `[...document.querySelectorAll('header > *, header > div > *')].map((element) => element.getBoundingClientRect())
        .filter(({ width }) => width > 1).map(({ top, height }) => Math.round(top + height / 2))`,
    );
    expect(middles.length).toBeGreaterThan(4);
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThanOrEqual(1);
    await takePicture(page, 'header-phone-german');
    await page.getByRole('button', { name: 'Menü' }).click();
    await page.getByLabel('Darstellung').filter({ visible: true }).selectOption('Dunkel');
    await takePicture(page, 'menu-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Kontakte', exact: true }).click();
    await page.getByRole('button', { name: 'Menü', expanded: false }).waitFor();
  });

  test('a project of another user does not exist', async () => {
    const [one, other] = [await dashboard.member(), await dashboard.member()];
    const page = await one.open('');
    await page.goto(`${dashboard.origin()}/app/projects/${other.project.id}`);
    await page.getByText('This page does not exist.').waitFor();
  });
});
