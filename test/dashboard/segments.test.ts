import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('the pages of segments', () => {
  const dashboard = useDashboard();

  async function memberWithContacts() {
    const member = await dashboard.member();
    for (const [name, plan] of [
      ['ada', 'pro'],
      ['grace', 'pro'],
      ['lin', 'free'],
    ])
      await member.call('POST', '/contacts', { email: `${name}@example.test`, data: { plan } });
    return member;
  }

  test('each filter and the whole condition are counted while a segment is built by keyboard', async () => {
    const member = await memberWithContacts();
    const page = await member.open('/segments');
    await page.getByRole('heading', { name: 'No segment yet' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'New segment' }).first().click();
    await page.getByLabel('Name').fill('Customers');
    await page.getByLabel('Filter 1: Field', { exact: true }).click();
    await page.keyboard.type('plan');
    await page.getByRole('option', { name: 'plan' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Incomplete, so it is not counted').waitFor();
    await page.getByLabel('Filter 1: Value').fill('pro');
    await page.getByText('2 contacts match').waitFor();
    await page.getByText('2 contacts', { exact: true }).waitFor();
    await page.getByText('plan is pro').waitFor();
    await takePicture(page, 'segment-new');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'New segment' }).click();
    await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor();
    await page.getByLabel('Email address').fill('lin@example.test');
    await page.keyboard.press('Enter');
    await page.getByText('lin@example.test is not in this segment.').waitFor();
    await page.getByText('The contact has: "free"').waitFor();
    await takePicture(page, 'segment');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('an incomplete filter is refused at its place, and nothing that was typed is lost', async () => {
    const member = await memberWithContacts();
    const page = await member.open('/segments/new');
    await page.getByLabel('Name').fill('Draft');
    await page.getByRole('button', { name: 'New segment' }).click();
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Draft');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('the second of two editors learns that the first has saved, and loses nothing', async () => {
    const member = await memberWithContacts();
    const { id } = await member.call<{ id: string }>('POST', '/segments', {
      name: 'Shared',
      condition: { logic: 'AND', groups: [{ filters: [{ field: 'subscribed', operator: 'equals', value: true }] }] },
    });
    const page = await member.open(`/segments/${id}`, { colorScheme: 'dark' });
    await page.getByLabel('Name').fill('Mine');
    await member.call('PATCH', `/segments/${id}`, { name: 'Theirs' });
    await page.getByRole('button', { name: 'Save the segment' }).click();
    await page.getByText('Someone else has saved another version.').waitFor();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Mine');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Replace it with mine' }).click();
    await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor();
    await expect.poll(() => member.call('GET', `/segments/${id}`)).toMatchObject({ name: 'Mine' });
  });

  test('contacts are added to a static segment, on a phone and in German', async () => {
    const member = await memberWithContacts();
    const { id } = await member.call<{ id: string }>('POST', '/segments', { name: 'Fest', type: 'STATIC' });
    const page = await member.open(`/segments/${id}`, { ...PHONE, locale: 'de-DE' });
    await page.getByRole('button', { name: 'Kontakte hinzufügen' }).click();
    await page.getByLabel('E-Mail-Adressen, eine pro Zeile').fill('ada@example.test\nnobody@example.test');
    await page.getByRole('dialog').getByRole('button', { name: 'Kontakte hinzufügen' }).click();
    await page.getByText('1 Kontakt hinzugefügt, 1 Adresse hat keinen Kontakt').waitFor();
    await page.getByRole('cell', { name: 'ada@example.test', exact: true }).waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'segment-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
