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
    await page.waitForURL((url) => url.search === '?type=HEADLESS&state=ready');
  });

  test('edits are saved and previewed as a contact, also on a phone', async () => {
    const member = await dashboard.member();
    const template = await create(member);
    await member.call('POST', '/contacts', { email: 'ada@example.test', data: { first: 'Ada' } });
    const page = await member.open(`/templates/${template.id}`);
    await page.getByLabel('Subject').fill('Hi {{ data.first }}');
    await page.getByLabel('Preheader').fill('Short and sweet');
    await expect
      .poll(() => read(member, template))
      .toMatchObject({ subject: 'Hi {{ data.first }}', preheader: 'Short and sweet' });
    await page.getByLabel('Preview as a contact').fill('ada');
    await page.getByRole('option', { name: 'ada@example.test' }).click();
    await page.getByText('Hi Ada').waitFor();
    await frame(page, 'Desktop').getByText('Good day, Ada').waitFor();
    await takePicture(page, 'template-code');
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Text' }).click();
    await page.getByRole('group', { name: 'Preview: Text' }).getByText('Welcome!').waitFor();
  });

  test('the code editor completes variables and shows the place of a problem', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/contacts', { email: 'ada@example.test', data: { city: 'Ulm' } });
    const template = await create(member, { body: '<p>One</p>\n<p>{{ data.city | nope }}</p>' });
    const page = await member.open(`/templates/${template.id}`);
    const code = page.getByRole('textbox', { name: 'HTML of the email' });
    await code.waitFor();
    await page.getByRole('button', { name: /^Show the place: .*nope/ }).click();
    await expect.poll(() => page.evaluate('document.activeElement?.classList.contains("cm-content")')).toBe(true);
    await page.keyboard.press('Home');
    await page.keyboard.type('{{ data.ci');
    await page.getByRole('option', { name: 'data.city' }).waitFor();
    // Asked for with the keyboard, the variables are before the elements.
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: '<abbr' }).waitFor();
    await page.getByRole('option', { name: 'data.city' }).click();
    await expect.poll(async () => (await read(member, template)).body).toContain('{{ data.city }}');
  });

  test('two people edit one template: the second one sees both versions, and nothing is lost', async () => {
    const member = await dashboard.member();
    const template = await create(member);
    const page = await member.open(`/templates/${template.id}`);
    await page.getByLabel('Subject').waitFor();
    await member.call('PATCH', `/templates/${template.id}`, { draft: true, subject: 'Theirs' });
    await page.getByLabel('Subject').fill('Mine');
    const dialog = page.getByRole('dialog', { name: 'Someone else has changed this' });
    await dialog.waitFor();
    await dialog
      .getByRole('group', { name: 'Your version: Subject' })
      .filter({ hasText: /^Mine$/ })
      .waitFor();
    await dialog
      .getByRole('group', { name: 'Their version: Subject' })
      .filter({ hasText: /^Theirs$/ })
      .waitFor();
    await takePicture(page, 'template-conflict');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Use theirs' }).click();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Theirs');
    const subjects = async (): Promise<string[]> => {
      const { data } = await member.call<{ data: Template[] }>('GET', '/templates?sort=name&dir=asc');
      return data.map(({ name, subject }) => `${name}: ${subject}`);
    };
    await expect.poll(subjects).toEqual(['Welcome: Theirs', 'Welcome (your version): Mine']);
    await member.call('PATCH', `/templates/${template.id}`, { draft: true, subject: 'Theirs again' });
    await page.getByLabel('Subject').fill('Mine again');
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(async () => (await read(member, template)).subject).toBe('Mine again');
  });

  test('an old version is shown and restored, and a test is sent with the data of a contact', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/contacts', { email: 'ada@example.test', data: { first: 'Ada' } });
    const template = await create(member, { from: `hello@${member.project.domain}` });
    await member.call('PATCH', `/templates/${template.id}`, { draft: true, subject: 'Second' });
    const page = await member.open(`/templates/${template.id}?tab=versions`);
    await page.getByRole('button', { name: 'Preview: Version 1' }).click();
    const panel = page.getByRole('dialog', { name: 'Version 1' });
    await panel.frameLocator('iframe').getByText('Welcome!').waitFor();
    await takePicture(page, 'template-version');
    await panel.getByRole('button', { name: 'Restore this version' }).click();
    await page.getByText('Version 1 restored').waitFor();
    expect((await read(member, template)).subject).toBe('Hello {{ data.first }}');

    await page.getByRole('button', { name: 'Send a test' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a test email' });
    await dialog.getByLabel('Send to').fill(member.email);
    await dialog.getByLabel('With the data of').fill('ada');
    await page.getByRole('option', { name: 'ada@example.test' }).click();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText(`Test email sent to ${member.email}`).waitFor();
    const { data } = await member.call<{ data: unknown[] }>('GET', '/emails');
    expect(data).toHaveLength(1);
  });

  test('a draft is finished, refused at its fields, and deleted after a question', async () => {
    const member = await dashboard.member();
    const template = await create(member, { subject: null });
    const page = await member.open(`/templates/${template.id}`, { locale: 'de-DE', colorScheme: 'dark' });
    await page.getByRole('button', { name: 'Entwurf abschließen' }).click();
    await page.getByText('Der Entwurf lässt sich noch nicht abschließen.').waitFor();
    await page.getByLabel('Betreff', { exact: true }).fill('Hallo');
    await page.getByRole('tab', { name: 'Einstellungen' }).click();
    await page.getByLabel('Absenderadresse').fill('not an address');
    await page.getByText('Konnte nicht gespeichert werden').waitFor();
    await expect.poll(() => page.getByLabel('Absenderadresse').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Absenderadresse').fill(`hello@${member.project.domain}`);
    await page.getByText('Gespeichert', { exact: true }).waitFor();
    await takePicture(page, 'template-settings-german-dark');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Entwurf abschließen' }).click();
    await page.getByText('Die Vorlage ist einsatzbereit').waitFor();
    expect(await read(member, template)).toMatchObject({ draft: false, subject: 'Hallo' });
    await page.getByRole('button', { name: 'Weitere Aktionen' }).click();
    await page.getByRole('menuitem', { name: 'Löschen …' }).click();
    await page.getByRole('button', { name: 'Vorlage löschen' }).click();
    await page.getByText('Noch keine Vorlagen').waitFor();
  });
});
