import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('the start page', () => {
  const dashboard = useDashboard();

  test('a user sends an email to themselves, and sees a step completed without a reload', async () => {
    const member = await dashboard.member();
    const page = await member.open();
    await page.getByRole('button', { name: 'Send an email to yourself' }).click();
    await page.getByText(`An email to ${member.email} is on its way.`).waitFor();
    const queued = await dashboard.ctx().prisma.email.findMany({ where: { toEmail: member.email } });
    expect(queued.map(({ source }) => source)).toEqual(['PLATFORM']);
    const step = page.getByRole('listitem').filter({ hasText: 'Track the first event' });
    await step.getByText('Waiting for it…').waitFor();
    await member.call('POST', '/events/track', { email: 'ada@example.test', event: 'signed up' });
    await step.getByText('Seen').waitFor();
    await takePicture(page, 'home-first-steps');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Hide the first steps' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Show the first steps' }).waitFor();
  });

  test('the period, the figure, and the groups are in the URL, and the figures can be downloaded', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/events/track', { email: 'ada@example.test', event: 'bought' });
    const page = await member.open('', { colorScheme: 'dark' });
    await page.getByLabel('Period', { exact: true }).selectOption('7');
    await page.waitForURL(/days=7/);
    await page.getByLabel('Figure in the chart').selectOption('opens');
    await page.waitForURL(/figure=opens/);
    await page.getByText('count as machines and not as people').waitFor();
    await page.getByRole('link', { name: 'bought' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'home-dark');
    await page.getByLabel('Compare by').selectOption('campaign');
    await page.waitForURL(/groupBy=campaign/);
    await page.getByLabel('Period', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const csv = await readFile(await download.path(), 'utf8');
    expect(csv.split('\r\n')[0]).toBe(
      'Day,Group,Sent,Delivered,Opened by people,Opened by machines,Clicked by people,Clicked by machines,Bounces,Complaints,Unsubscribes',
    );
    await page.getByRole('link', { name: /^Bounces/ }).click();
    await page.waitForURL(/emails\?.*status=BOUNCED/);
  });

  test('fits on a phone, in German', async () => {
    const member = await dashboard.member();
    const page = await member.open('', { ...PHONE, locale: 'de-DE' });
    await page.getByRole('heading', { name: 'Erste Schritte' }).waitFor();
    await page.getByRole('heading', { name: 'Häufigste Ereignisse' }).waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'home-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
