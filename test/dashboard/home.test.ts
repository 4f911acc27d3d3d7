import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { campaignHelpers } from '../helpers/campaign-api.js';
import { hasChromium } from '../helpers/chromium.js';
import {
  expectNoOverflow,
  findAccessibilityProblems,
  PHONE,
  takePicture,
  untilLive,
  useDashboard,
} from '../helpers/dashboard.js';
import { feedbackHelpers } from '../helpers/feedback.js';

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
    await untilLive(page);
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
  });

  test('a figure leads to a list with the same number, in the days of the project', async () => {
    if (!dashboard.api) throw new Error('The API runs in this process');
    const member = await dashboard.member();
    const { project } = member;
    // Its day began at another time than that of UTC.
    await dashboard.ctx().prisma.project.update({ where: { id: project.id }, data: { timezone: 'Pacific/Auckland' } });
    const { draft, email, contact } = campaignHelpers(dashboard.api);
    const { apply } = feedbackHelpers(dashboard.api);
    const campaign = await draft(project);
    const at = new Date();
    for (let n = 0; n < 4; n++) {
      const contactId = await contact(project, `reader${n}@example.test`);
      const id = await email(project, campaign, { status: 'SENT', createdAt: at, sentAt: at, contactId });
      await apply({ emailId: id, kind: 'delivered', at });
      if (n < 3) await apply({ emailId: id, kind: 'opened', at }, { emailId: id, kind: 'opened', at });
      for (const url of ['https://a.test/', 'https://b.test/'])
        if (n < 2) await apply({ emailId: id, kind: 'clicked', at, url });
      if (n < 1) await apply({ emailId: id, kind: 'bounced', at, bounceType: 'permanent', reason: null });
    }
    const { data } = await member.call<{ data: Array<{ id: string }> }>('GET', '/contacts?search=reader3');
    await member.call('PATCH', `/contacts/${data[0]?.id}`, { subscribed: false });
    const page = await member.open();
    const back = async (): Promise<void> => void (await page.goBack());
    for (const [figure, entries] of [
      ['Delivered: 4', '4 entries'],
      ['Opened by people: 3', '3 entries'],
      ['Bounces: 1', '1 entry'],
      ['Unsubscribed: 1', '1 entry'],
      ['Show all clicks of all links', '4 entries'],
      ['New contacts: 4', '4 contacts'],
    ] as const) {
      await page.getByRole('link', { name: figure }).click();
      await page.getByText(entries, { exact: true }).first().waitFor();
      if (figure.startsWith('Opened')) {
        await expect.poll(() => new URL(page.url()).searchParams.get('kind')).toBe('email.opened');
        await takePicture(page, 'activity-one-type');
      }
      await back();
    }
    await takePicture(page, 'home-figures');
    // An email with two clicked links counts once.
    const clicks = page.locator('dt', { hasText: 'Clicked by people' }).locator('xpath=following-sibling::dd[1]');
    await expect.poll(() => clicks.textContent()).toBe('2');
  });

  test.each([
    [1440, [7]],
    [1280, [4, 3]],
    [390, [1, 2, 2, 2]],
  ])('at %i pixels, no figure stands alone in its row', async (width, expected) => {
    const { open } = await dashboard.member();
    const page = await open('', { viewport: { width, height: 900 }, locale: 'de-DE' });
    await page.getByText('Abmeldungen').first().waitFor();
    const tops = await page.evaluate<number[]>(
      `[...[...document.querySelectorAll('main dl')].find(({ children }) => children.length === 7).children]
        .map((tile) => tile.scrollWidth > tile.clientWidth ? -1 : Math.round(tile.getBoundingClientRect().top))`,
    );
    expect(tops).not.toContain(-1);
    expect([...new Set(tops)].map((top) => tops.filter((one) => one === top).length)).toEqual(expected);
    await takePicture(page, `home-${width}`);
  });

  test('explains why no delivery is counted although emails were sent', async () => {
    if (!dashboard.api) throw new Error('The API runs in this process');
    const member = await dashboard.member();
    const { draft, email } = campaignHelpers(dashboard.api);
    const [at, campaign] = [new Date(), await draft(member.project)];
    await email(member.project, campaign, { status: 'SENT', createdAt: at, sentAt: at });
    const page = await member.open();
    await page.getByRole('button', { name: 'Why is this 0?' }).click();
    const dialog = page.getByRole('dialog', { name: 'Why no delivery is counted' });
    await dialog.getByText('/webhooks/sns').waitFor();
    await dialog.getByRole('link', { name: 'Notifications in the API reference' }).waitFor();
    await takePicture(page, 'home-no-deliveries');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
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
