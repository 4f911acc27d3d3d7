import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('the page of suppressions', () => {
  const dashboard = useDashboard();

  test('an address is suppressed, found by a part of it, and lifted after a question', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/suppressions', { email: 'bounced@example.test', reason: 'bounce' });
    const page = await member.open('/suppressions');
    await page.getByRole('button', { name: 'Suppress an address' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('a@b');
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-invalid=true]').waitFor();
    await dialog.getByLabel('Address').fill('ada@example.test');
    await page.keyboard.press('Enter');
    await page.getByText('ada@example.test is suppressed').waitFor();
    await page.getByRole('searchbox').fill('ada');
    await page.getByText('bounced@example.test').waitFor({ state: 'detached' });
    await takePicture(page, 'suppressions');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Lift: ada@example.test' }).click();
    await page.getByRole('button', { name: 'Lift the suppression' }).click();
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByText('bounced@example.test').waitFor();
  });

  test('says what it is for while it is empty, on a phone and dark', async () => {
    const member = await dashboard.member();
    const page = await member.open('/suppressions', { ...PHONE, colorScheme: 'dark' });
    await page.getByRole('heading', { name: 'No address is suppressed' }).waitFor();
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
