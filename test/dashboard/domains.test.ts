import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('the pages of domains', () => {
  const dashboard = useDashboard();

  test('a domain is added by keyboard, and its records can be copied', async () => {
    const member = await dashboard.member();
    const page = await member.open('/domains');
    await page.getByRole('button', { name: 'Add a domain' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add a sender domain' });
    await dialog.getByLabel('Domain').fill('not a domain');
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-invalid=true]').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByLabel('Domain').fill('mail.example.test');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'mail.example.test' }).waitFor();
    await page.getByText('Waiting for DNS').waitFor();
    await page.getByRole('button', { name: 'Copy: Signature (DKIM), Value' }).waitFor();
    await takePicture(page, 'domain');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('a verified domain is shown without a reload, and deleted after a question', async () => {
    const member = await dashboard.member();
    const [domain] = await member.call<Array<{ id: string; domain: string }>>(
      'GET',
      `/domains/project/${member.project.id}`,
    );
    const page = await member.open(`/domains/${domain?.id}`, { ...PHONE, colorScheme: 'dark' });
    await page.getByText('Verified', { exact: true }).waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'domain-phone-dark');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dashboard.ctx().prisma.domain.updateMany({
      where: { id: domain?.id ?? '' },
      data: { status: 'PENDING', verifiedAt: null },
    });
    await page.getByText('Waiting for DNS').waitFor();
    await page.getByRole('button', { name: 'Delete the domain' }).click();
    const question = page.getByRole('alertdialog');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await question.getByRole('button', { name: 'Delete the domain' }).click();
    await page.getByText('No domain yet').waitFor();
  });

  test('a member sees the domains and changes none', async () => {
    const member = await dashboard.member({ role: 'MEMBER' });
    const page = await member.open('/domains');
    await page.getByRole('link', { name: member.project.domain }).waitFor();
    await page.getByRole('button', { name: 'Add a domain', disabled: true }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
