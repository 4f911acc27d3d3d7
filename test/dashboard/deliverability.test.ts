import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('the page of the deliverability', () => {
  const dashboard = useDashboard();

  test('shows the level with its limits, in light and on a phone in dark', async () => {
    const member = await dashboard.member();
    const page = await member.open('/deliverability');
    await page.getByText('Warning from 0.075%, critical from 0.15%').waitFor();
    await page.getByRole('slider', { name: 'Bounces and complaints per day' }).press('ArrowRight');
    await takePicture(page, 'deliverability');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    const phone = await member.open('/deliverability', { ...PHONE, colorScheme: 'dark', locale: 'de-DE' });
    await phone.getByText('Warnung ab 0,075').waitFor();
    await expectNoOverflow(phone);
    expect(await findAccessibilityProblems(phone)).toEqual([]);
  });

  test('a disabled project is enabled again after a question, by an owner only', async () => {
    const [owner, member] = [await dashboard.member(), await dashboard.member({ role: 'MEMBER' })];
    await dashboard.ctx().prisma.project.updateMany({
      where: { id: { in: [owner.project.id, member.project.id] } },
      data: { disabled: true, disabledAt: new Date(), disabledReason: 'Too many bounces' },
    });
    const other = await member.open('/deliverability');
    await other.getByRole('button', { name: 'Enable the project again', disabled: true }).waitFor();
    const page = await owner.open('/deliverability');
    await page.getByRole('button', { name: 'Enable the project again' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Enable the project again' }).click();
    await page.getByText('The project is enabled').waitFor();
    await page.getByText('This project is disabled').first().waitFor({ state: 'detached' });
  });
});
