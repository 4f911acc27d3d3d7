import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('the help of a page', () => {
  const dashboard = useDashboard();

  test('explains the page and shows its calls with the ids and the public key of the project', async () => {
    const member = await dashboard.member();
    const { id } = await member.call<{ id: string }>('POST', '/segments', {
      name: 'Customers',
      condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }] },
    });
    const page = await member.open(`/segments/${id}`);
    await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Help for this page' }).click();
    const panel = page.getByRole('dialog', { name: 'Help: Segments' });
    await panel.getByText(`/segments/${id}/contacts`).waitFor();
    await takePicture(page, 'help');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await panel.getByLabel('The same through the API').selectOption('TypeScript');
    await panel.getByText(`sendloom.GET('/segments/{id}/contacts'`).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Help for this page' }).click();
    const events = page.getByRole('dialog', { name: 'Help: Events' });
    await events.getByText(`Bearer ${member.project.public}`).waitFor();
    const reference = events.getByRole('link', { name: 'Open the API reference' });
    await expect.poll(() => reference.getAttribute('href')).toBe('/docs#tag/events');
  });

  test('fits on a phone, in German and dark', async () => {
    const member = await dashboard.member();
    const page = await member.open('/emails', { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Hilfe zu dieser Seite' }).click();
    await page.getByRole('dialog', { name: 'Hilfe: E-Mails' }).getByText('/v1/send').waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'help-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
