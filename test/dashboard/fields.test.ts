import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('the page of fields', () => {
  const dashboard = useDashboard();

  test('shows types, coverage, values, and usage, and deletes an unused field', async () => {
    const member = await dashboard.member();
    const page = await member.open('/fields');
    await page.getByRole('heading', { name: 'No fields of your own yet' }).waitFor();
    for (const [name, plan] of [
      ['ada', 'pro'],
      ['bob', 'pro'],
      ['eve', 'free'],
    ])
      await member.call('POST', '/contacts', { email: `${name}@example.test`, data: { plan, age: 30 } });
    await member.call('POST', '/segments', {
      name: 'Customers',
      condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }] },
    });
    await page.reload();
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'plan' }) });
    await row.getByText('100%').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'plan' }).click();
    const panel = page.getByRole('dialog', { name: 'plan' });
    await panel.getByRole('list', { name: 'Frequent values' }).getByText('2').waitFor();
    await panel.getByRole('link', { name: 'Customers' }).waitFor();
    await expect.poll(() => panel.getByRole('button', { name: 'Delete the field' }).isDisabled()).toBe(true);
    await takePicture(page, 'fields');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await expect.poll(() => new URL(page.url()).searchParams.get('field')).toBe('data.plan');
    await panel.getByRole('link', { name: 'pro' }).click();
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
    await page.getByText('2 contacts').first().waitFor();

    await page.goBack();
    await page.goBack();
    await page.getByRole('link', { name: 'age' }).click();
    await page.getByRole('dialog', { name: 'age' }).getByRole('button', { name: 'Rename the field' }).click();
    await page.getByRole('textbox', { name: 'New name' }).fill('id');
    await page.keyboard.press('Enter');
    await page.getByText('must not be a reserved name').waitFor();
    await page.getByRole('textbox', { name: 'New name' }).fill('years');
    await page.keyboard.press('Enter');
    await page.getByText('Renamed for 3 contacts').waitFor();
    await page.getByRole('link', { name: 'years' }).click();
    await page.getByRole('dialog', { name: 'years' }).getByRole('button', { name: 'Delete the field' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByLabel('Type “years” to confirm').fill('years');
    await question.getByRole('button', { name: 'Delete the field' }).click();
    await page.getByText('Field deleted').waitFor();
    await page.getByRole('link', { name: 'years' }).waitFor({ state: 'detached' });
  });

  test('fits on a phone, in German and dark', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/contacts', { email: 'ada@example.test', data: { plan: 'pro' } });
    const page = await member.open('/fields?field=data.plan', {
      ...PHONE,
      locale: 'de-DE',
      colorScheme: 'dark',
    });
    await page.getByRole('dialog').getByRole('list', { name: 'Häufige Werte' }).waitFor();
    await takePicture(page, 'fields-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Felder', level: 1 }).waitFor();
    await expectNoOverflow(page);
  });
});
