import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('the pages of workflows', () => {
  const dashboard = useDashboard();

  test('a workflow is created, enabled, duplicated, and deleted', async () => {
    const member = await dashboard.member();
    const page = await member.open('/workflows');
    await page.getByRole('heading', { name: 'No workflow yet' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'New workflow' }).first().click();
    const dialog = page.getByRole('dialog');
    // The first field of a dialog has the focus.
    await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("name")')).toBe('name');
    await page.keyboard.type('Welcome');
    await dialog.getByLabel('Event that starts it').fill('signup');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'New workflow' }).click();
    await page.getByRole('heading', { name: 'Edit Welcome', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Welcome', exact: true }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await takePicture(page, 'workflow');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: /Welcome.+/, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Welcome', exact: true }).waitFor();
    await expect.poll(() => member.call('GET', '/workflows')).toMatchObject({ total: 1 });
  });

  test('steps are listed with where they lead, on a phone, in German and dark', async () => {
    const member = await dashboard.member();
    const { id } = await member.call<{ id: string }>('POST', '/workflows', { name: 'Willkommen', eventName: 'signup' });
    await member.call('PUT', `/workflows/${id}/graph`, {
      steps: [
        { key: 'start', type: 'TRIGGER' },
        { key: 'pause', type: 'DELAY', name: 'Ein Tag', config: { amount: 1, unit: 'days' } },
        { key: 'end', type: 'EXIT', name: 'Fertig', config: {} },
      ],
      transitions: [
        { from: 'start', to: 'pause' },
        { from: 'pause', to: 'end' },
      ],
    });
    const page = await member.open(`/workflows/${id}`, { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
    await page.getByText('dann Fertig').waitFor();
    await page.getByRole('heading', { name: 'Noch kein Kontakt hat diesen Workflow betreten' }).waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'workflow-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
