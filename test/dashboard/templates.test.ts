import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import {
  expectNoOverflow,
  findAccessibilityProblems,
  PHONE,
  takePicture,
  useDashboard,
  type Member,
} from '../helpers/dashboard.js';

interface Template {
  id: string;
  name: string;
  subject: string | null;
  body: string | null;
  draft: boolean;
}

describe.skipIf(!hasChromium())('the pages of templates', () => {
  const dashboard = useDashboard();

  const create = async (member: Member, fields: object = {}): Promise<Template> =>
    member.call('POST', '/templates', {
      draft: true,
      name: 'Welcome',
      subject: 'Hello {{ data.first }}',
      body: '<p>Good day, {{ data.first }}</p>\n<p>Welcome!</p>',
      ...fields,
    });
  const read = async (member: Member, { id }: Template): Promise<Template> => member.call('GET', `/templates/${id}`);
  const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();
  const frame = (page: Page, name: string) => page.frameLocator(`iframe[title="Preview: ${name}"]`);

  test('the list leads to a first template, and filters by state and type', async () => {
    const member = await dashboard.member();
    const page = await member.open('/templates');
    await page.getByText('No templates yet').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'New template' }).first().click();
    await page.getByLabel('Name').fill('Receipt');
    await page.getByLabel('Edit it as').selectOption('html');
    await page.getByRole('button', { name: 'Create the template' }).click();
    await page.getByRole('heading', { name: 'Receipt', level: 1 }).waitFor();
    await create(member, { name: 'News', type: 'HEADLESS' });
    await page.goBack();
    await page.getByRole('link', { name: 'Receipt' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'News' }).waitFor();
    await takePicture(page, 'templates');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Type').selectOption('HEADLESS');
    await expect.poll(() => page.getByRole('link', { name: 'Receipt' }).count()).toBe(0);
    await page.getByLabel('State', { exact: true }).selectOption('ready');
    await page.getByText('Nothing matches these filters.').waitFor();
    expect(new URL(page.url()).search).toBe('?type=HEADLESS&state=ready');
  });

  test('edits are saved and previewed as a contact, also on a phone', async () => {
    const member = await dashboard.member();
    const template = await create(member);
    await member.call('POST', '/contacts', { email: 'ada@example.test', data: { first: 'Ada' } });
    const page = await member.open(`/templates/${template.id}`);
    await page.getByLabel('Subject').fill('Hi {{ data.first }}');
    await page.getByLabel('Preheader').fill('Short and sweet');
    await saved(page);
    expect(await read(member, template)).toMatchObject({
      subject: 'Hi {{ data.first }}',
      preheader: 'Short and sweet',
    });
    await page.getByLabel('Preview as a contact').fill('ada');
    await page.getByRole('option', { name: 'ada@example.test' }).click();
    await page.getByText('Hi Ada').waitFor();
    await frame(page, 'Desktop').getByText('Good day, Ada').waitFor();
    await takePicture(page, 'template-code');
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Text' }).click();
    await page.getByRole('region', { name: 'Preview: Text' }).getByText('Welcome!').waitFor();
  });

  test('the code editor completes variables and shows the place of a problem', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/contacts', { email: 'ada@example.test', data: { city: 'Ulm' } });
    const template = await create(member, { body: '<p>One</p>\n<p>{{ data.city | nope }}</p>' });
    const page = await member.open(`/templates/${template.id}`);
    const code = page.getByRole('textbox', { name: 'HTML of the email' });
    await code.waitFor();
    await page
      .getByRole('button', { name: /^Show the place/ })
      .first()
      .click();
    await expect.poll(() => page.evaluate('document.activeElement?.classList.contains("cm-content")')).toBe(true);
    await page.keyboard.press('Home');
    await page.keyboard.type('{{ data.ci');
    await page.getByRole('option', { name: 'data.city' }).click();
    await saved(page);
    expect((await read(member, template)).body).toContain('{{ data.city }}');
  });
});
