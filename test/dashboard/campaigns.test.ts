import { describe, expect, test } from 'vitest';
import { begin, snapshot } from '../../src/domain/campaigns/run.js';
import { drainHits } from '../../src/domain/tracking/drain.js';
import { enqueueHits } from '../../src/domain/tracking/sql.js';
import { newId } from '../../src/ids.js';
import { campaignHelpers } from '../helpers/campaign-api.js';
import { hasChromium } from '../helpers/chromium.js';
import {
  expectNoOverflow,
  findAccessibilityProblems,
  PHONE,
  takePicture,
  useDashboard,
  type Member,
} from '../helpers/dashboard.js';

interface Campaign {
  id: string;
  name: string;
  subject: string | null;
  from: string | null;
  status: string;
  audienceType: string | null;
  segmentId: string | null;
  audienceCondition: unknown;
  scheduledFor: string | null;
  localSchedule: unknown;
  variants: unknown[];
}

describe.skipIf(!hasChromium())('the pages of campaigns', () => {
  const dashboard = useDashboard();

  const create = async (member: Member, fields: object = {}): Promise<Campaign> => {
    const { data } = await member.call<{ data: Campaign }>('POST', '/campaigns', {
      draft: true,
      name: 'Autumn news',
      subject: 'Hello {{ data.first }}',
      body: '<p>Good day, {{ data.first }}</p><p><a href="{{ unsubscribeUrl }}">Unsubscribe</a></p>',
      from: `news@${member.project.domain}`,
      ...fields,
    });
    return data;
  };
  const read = async (member: Member, id: string): Promise<Campaign> => member.call('GET', `/campaigns/${id}`);
  const addContact = (member: Member, email: string, fields: object = {}) =>
    member.call('POST', '/contacts', { email, subscribed: true, ...fields });

  test('the list leads to a first campaign, filters, duplicates, and deletes', async () => {
    const member = await dashboard.member();
    const page = await member.open('/campaigns');
    await page.getByText('No campaigns yet').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'New campaign' }).first().click();
    await page.getByLabel('Name of the campaign').fill('First one');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'First one', level: 1 }).waitFor();
    const other = await create(member, { name: 'Sent one' });
    await dashboard.ctx().prisma.campaign.update({
      where: { id: other.id },
      data: { status: 'SENT', draft: false, incomplete: false, audienceType: 'ALL', totalRecipients: 2 },
    });
    await page.goto(`${dashboard.origin()}/app/projects/${member.project.id}/campaigns`);
    await page.getByRole('link', { name: 'Sent one' }).waitFor();
    await takePicture(page, 'campaigns');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Status').selectOption('SENT');
    await expect.poll(() => page.getByRole('link', { name: 'First one' }).count()).toBe(0);
    await page.waitForURL((url) => url.search === '?status=SENT');
    await page.getByRole('button', { name: 'Actions for Sent one' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'Sent one (copy)', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Actions for Sent one' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('Its report and figures are deleted.').waitFor();
    await page.getByRole('button', { name: 'Delete the campaign' }).click();
    await page.getByText('Nothing matches these filters.').waitFor();
  });

  test('the wizard saves each step, counts the audience, and schedules', async () => {
    const member = await dashboard.member();
    await dashboard
      .ctx()
      .prisma.project.update({ where: { id: member.project.id }, data: { timezone: 'Europe/Berlin' } });
    await addContact(member, 'ada@example.test', { data: { plan: 'pro' } });
    await addContact(member, 'bob@example.test', { data: { plan: 'pro' }, subscribed: false });
    await addContact(member, 'cy@example.test', { data: { plan: 'free' } });
    const { id } = await create(member);
    const page = await member.open(`/campaigns/${id}/edit`, { timezoneId: 'America/New_York' });
    await page.getByLabel('Subject').fill('Good news');
    await page.getByLabel('Sender name').fill('Ada’s shop');
    await page.getByText('Saved', { exact: true }).waitFor();
    await takePicture(page, 'campaign-content');
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByRole('button', { name: 'Next: Audience' }).click();
    await page.getByRole('radio', { name: 'Contacts that match filters' }).check();
    await page.getByRole('combobox', { name: 'Field' }).fill('plan');
    await page.getByRole('option', { name: 'plan' }).click();
    await page.getByText('A filter is incomplete.').waitFor();
    await page.getByLabel('Value').fill('pro');
    const count = (name: string) => page.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd');
    await expect.poll(() => count('Matched').textContent()).toBe('2');
    await expect.poll(() => count('Will receive it').textContent()).toBe('1');
    await expect.poll(() => count('Unsubscribed').textContent()).toBe('1');
    await expect
      .poll(() => read(member, id))
      .toMatchObject({
        subject: 'Good news',
        audienceType: 'FILTERED',
        audienceCondition: { groups: [{ filters: [{ value: 'pro' }] }] },
      });
    await takePicture(page, 'campaign-audience');
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    await takePicture(page, 'campaign-audience-phone');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => page.getByLabel('Value').inputValue()).toBe('pro');

    await page.getByRole('tab', { name: '3. Schedule' }).click();
    await page.getByRole('radio', { name: 'At a time' }).check();
    await page.getByLabel('Date and time').fill('2030-03-31T02:30');
    await page.getByText('The clock skips this time').waitFor();
    await page.getByLabel('Date and time').fill('2030-01-15T09:00');
    await page.getByText(/Jan 15, 2030, 09:00 AM GMT\+1 · Europe\/Berlin/).waitFor();
    await page.getByText(/Jan 15, 2030, 03:00 AM EST · America\/New_York/).waitFor();
    await takePicture(page, 'campaign-schedule');
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByRole('tab', { name: '4. Review' }).click();
    await page.getByText('Everything that is needed is there.').waitFor();
    await page.getByText('1 contact', { exact: true }).waitFor();
    await takePicture(page, 'campaign-review');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Schedule the campaign' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Schedule the campaign' }).click();
    await page.getByText('The campaign is scheduled.').waitFor();
    expect(await read(member, id)).toMatchObject({ status: 'SCHEDULED', scheduledFor: '2030-01-15T08:00:00.000Z' });
    await takePicture(page, 'campaign-scheduled');
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The campaign was canceled before it started.').waitFor();
    expect(await read(member, id)).toMatchObject({ status: 'CANCELLED' });
  });

  test('a campaign at the local time of each recipient shows its waves before and while they are sent', async () => {
    const member = await dashboard.member();
    const zones = ['Asia/Tokyo', 'Europe/Paris', 'Europe/Berlin', 'Europe/Berlin', 'America/New_York', undefined];
    for (const [index, timezone] of zones.entries())
      await addContact(member, `reader${index}@inbox.test`, { ...(timezone && { timezone }) });
    const { id } = await create(member, { audienceType: 'ALL' });
    const page = await member.open(`/campaigns/${id}/edit?step=schedule`);
    const choice = page.getByRole('radio', { name: 'At the local time of each recipient' });
    await choice.check();
    await page.getByLabel('Date and time').fill('2020-01-15T09:00');
    await page.getByText('This time has passed.').waitFor();
    await page.getByLabel('Date and time').fill('2030-01-15T09:00');
    await page.getByText(/In the time zone of each recipient, and for those without one in/).waitFor();
    await page.getByLabel('Where this time has passed').selectOption('skip');
    await page.waitForURL((url) => url.search.includes('past=skip'));
    await page.getByRole('checkbox', { name: 'Only send in certain hours' }).check();
    await page.getByRole('group', { name: 'Days' }).getByRole('checkbox', { name: 'Sun' }).check();
    await page.getByLabel('From', { exact: true }).fill('08:00');
    await expect
      .poll(() => read(member, id))
      .toMatchObject({ sendWindow: { from: '08:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sun'] } });
    await takePicture(page, 'campaign-schedule-recipients');
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    await takePicture(page, 'campaign-schedule-recipients-phone');
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByRole('tab', { name: '4. Review' }).click();
    await page.getByText('Jan 15, 2030, 09:00 AM, in the time zone of each recipient').waitFor();
    await page.getByRole('button', { name: 'Schedule the campaign' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Schedule the campaign' }).click();
    await page.getByText('The campaign is scheduled.').waitFor();
    expect(await read(member, id)).toMatchObject({
      status: 'SCHEDULED',
      localSchedule: { time: '2030-01-15T09:00', timezone: 'recipient', past: 'skip' },
    });
    const waves = page.getByRole('list', { name: 'Waves' }).getByRole('listitem');
    await page.getByText('For the audience as it is now.').waitFor();
    await expect.poll(() => waves.count()).toBe(4);
    expect(await waves.nth(1).textContent()).toContain('3 recipients');
    await page.getByText('1 recipient has no known time zone.').waitFor();
    await takePicture(page, 'campaign-waves-phone');
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByRole('link', { name: 'Change the time' }).click();
    await expect.poll(() => choice.isChecked()).toBe(true);
    expect(await page.getByLabel('Date and time').inputValue()).toBe('2030-01-15T09:00');
    expect(await page.getByLabel('Where this time has passed').inputValue()).toBe('skip');
    await page.goBack();

    const ctx = dashboard.ctx();
    const run = { campaignId: id, projectId: member.project.id, attempt: 1 };
    await begin(ctx, run);
    while (!(await snapshot(ctx, run)).done);
    await ctx.prisma.email.updateMany({
      where: { campaignId: id, toEmail: 'reader0@inbox.test' },
      data: { status: 'SENT', sentAt: new Date() },
    });
    await ctx.prisma.campaignWave.updateMany({
      where: { campaignId: id, zones: { has: 'Asia/Tokyo' } },
      data: { sent: 1 },
    });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByText('1 of 1 sent').waitFor();
    await page.getByText('0 of 3 sent').waitFor();
    await waves.nth(1).getByText('Europe/Berlin and 1 more').click();
    await page.getByText('Europe/Berlin, Europe/Paris').waitFor();
    const card = page.getByRole('region', { name: 'Waves' });
    await card.getByText('6 hours').waitFor();
    await takePicture(page, 'campaign-waves');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('a schedule that the API refuses leads from the review to its field', async () => {
    const member = await dashboard.member();
    await addContact(member, 'ada@inbox.test');
    const { id } = await create(member, { audienceType: 'ALL' });
    const page = await member.open(
      `/campaigns/${id}/edit?step=review&at=2030-01-15T09:00&zone=recipient&fallback=Mars/Base`,
      { ...PHONE, locale: 'de-DE', colorScheme: 'dark' },
    );
    await page.getByRole('button', { name: 'Kampagne planen' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Kampagne planen' }).click();
    // The dialog, which is closing, also has the message.
    const message = page.getByRole('tabpanel').getByText('Muss der Name einer Zeitzone sein, etwa Europe/Berlin.');
    await message.waitFor();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    const zone = page.getByLabel('Zeitzone der Empfänger ohne eigene', { exact: true });
    await zone.and(page.locator(':focus')).waitFor();
    const described = await zone.getAttribute('aria-describedby');
    expect(described?.split(' ')).toContain(await message.getAttribute('id'));
    await takePicture(page, 'campaign-schedule-refused-phone-dark-de');
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await zone.fill('Dubai');
    await page.getByRole('option', { name: 'Asia/Dubai' }).click();
    await expect.poll(() => message.count()).toBe(0);
    await page.getByLabel('Höchste Verspätung (Stunden)').fill('24');
    await page.getByRole('tab', { name: '4. Prüfen' }).click();
    await page.getByText('24 Stunden').waitFor();
    await takePicture(page, 'campaign-review-recipients-phone-dark-de');
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Kampagne planen' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Kampagne planen' }).click();
    await page.getByRole('heading', { name: 'Geplant', level: 2, exact: true }).waitFor();
    expect(await read(member, id)).toMatchObject({
      localSchedule: { fallbackTimezone: 'Asia/Dubai', maxLateness: 24 },
    });
    await takePicture(page, 'campaign-scheduled-recipients-phone-dark-de');
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('versions are compared, and the winner is chosen in the report', async () => {
    const member = await dashboard.member();
    for (let index = 0; index < 40; index++) await addContact(member, `reader${index}@inbox.test`);
    const { id } = await create(member, { audienceType: 'ALL' });
    const page = await member.open(`/campaigns/${id}/edit`);
    await page.getByRole('checkbox', { name: 'Compare several versions' }).check();
    const version = (name: string) => page.getByRole('group', { name: `Version ${name}` });
    await version('A').getByLabel('Subject').fill('Good news');
    await version('B').getByLabel('Subject').fill('Bad news');
    await version('B').getByLabel('Share of the test (%)').fill('40');
    await page.getByText('The shares add up to 90%.').waitFor();
    await version('A').getByLabel('Share of the test (%)').fill('60');
    await page.getByLabel('Part of the audience in the test (%)').fill('50');
    await page.getByLabel('The winner is chosen').selectOption('manual');
    await expect
      .poll(() => read(member, id))
      .toMatchObject({
        variants: [
          { id: 'a', subject: 'Good news', weight: 60 },
          { id: 'b', subject: 'Bad news', weight: 40 },
        ],
        test: { share: 50, metric: 'clicks', decide: 'manual' },
      });
    await takePicture(page, 'campaign-variants');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    await takePicture(page, 'campaign-variants-phone');
    await page.reload();
    await expect.poll(() => version('B').getByLabel('Subject').inputValue()).toBe('Bad news');

    // The content of a version begins with that of the campaign.
    await page.setViewportSize({ width: 1280, height: 900 });
    await version('B').getByRole('checkbox', { name: 'Its own content' }).check();
    const code = version('B').getByRole('textbox', { name: 'HTML of version B' });
    await code.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('Only in B');
    await version('B').getByLabel('Sender address').fill('b@');
    await page.getByText('Incomplete changes of the test are not saved yet.').waitFor();
    await version('B').getByLabel('Sender address').fill(`b@${member.project.domain}`);
    await version('B').getByText('Preview of version B').click();
    await version('B').getByText('Subject: Bad news').waitFor();
    await version('B').frameLocator('iframe').getByText('Only in B').waitFor();
    await expect
      .poll(async () => (await read(member, id)).variants[1])
      .toMatchObject({ from: `b@${member.project.domain}`, body: expect.stringMatching(/.+Only in B/s) });
    await takePicture(page, 'campaign-variant-content');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    await takePicture(page, 'campaign-variant-content-phone');
    await page.setViewportSize({ width: 1280, height: 900 });

    const ctx = dashboard.ctx();
    await page.getByRole('tab', { name: '4. Review' }).click();
    const listed = page.getByRole('list', { name: 'Versions' }).getByRole('listitem');
    expect(await listed.allInnerTexts()).toEqual([
      expect.stringMatching(/^Version A\s+60% of the test, 30% of the audience\s+Good news$/),
      expect.stringMatching(/^Version B\s+40% of the test, 20% of the audience\s+Bad news\s+Sender address: b@/),
    ]);
    await page.getByText('The winner goes to the other 50% of the audience.').waitFor();
    await takePicture(page, 'campaign-review-versions');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    await takePicture(page, 'campaign-review-versions-phone-dark');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByLabel('Version', { exact: true }).selectOption('Version B');
    await page.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText('The test is on its way').waitFor();
    const tested = await ctx.prisma.email.findFirstOrThrow({
      where: { projectId: member.project.id, source: 'TEST' },
      include: { message: true },
    });
    expect(tested.message).toMatchObject({ subject: 'Bad news', from: `b@${member.project.domain}` });

    await page.getByRole('button', { name: 'Send the campaign' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Send the campaign' }).click();
    await question.getByText('Each variant needs at least 100 recipients').waitFor();
    await takePicture(page, 'campaign-variant-too-small');
    expect((await read(member, id)).status).toBe('DRAFT');
    await question.getByRole('button', { name: 'Send anyway' }).click();
    await page.getByText('The campaign is being sent.').waitFor();
    const run = { campaignId: id, projectId: member.project.id, attempt: 1 };
    await begin(ctx, run);
    while (!(await snapshot(ctx, run)).done);
    await ctx.pool.query(
      `WITH sent AS (
         UPDATE emails SET status = 'SENT', sent_at = now() WHERE campaign_id = $1 AND variant IS NOT NULL
         RETURNING project_id, variant)
       INSERT INTO stat_deltas (project_id, campaign_id, variant, day, sent, clicked)
       SELECT project_id, $1, variant, now(), 1, (variant = 'b')::int FROM sent`,
      [id],
    );
    await page.goto(`${dashboard.origin()}/app/projects/${member.project.id}/campaigns/${id}`);
    await page.getByText('Clicked: 100%').waitFor();
    await takePicture(page, 'campaign-variant-results-phone');
    await expectNoOverflow(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    await takePicture(page, 'campaign-variant-results');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Choose as the winner: version B' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Choose as the winner' }).click();
    await page.getByText('Winner', { exact: true }).waitFor();
    expect(await read(member, id)).toMatchObject({ decision: { variant: 'b', by: 'manual' } });
    expect(await page.getByRole('button', { name: 'Choose as the winner: version A' }).count()).toBe(0);
  });

  test('two people edit one campaign: both versions are kept, whichever is chosen', async () => {
    const member = await dashboard.member();
    const { id } = await create(member);
    const subjects = async (): Promise<string[]> => {
      const { data } = await member.call<{ data: Campaign[] }>('GET', '/campaigns?sort=name&dir=asc');
      return data.map(({ name, subject }) => `${name}: ${subject}`);
    };
    const page = await member.open(`/campaigns/${id}/edit`);
    await page.getByLabel('Subject').waitFor();
    await member.call('PATCH', `/campaigns/${id}`, { draft: true, subject: 'Theirs' });
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
    await takePicture(page, 'campaign-conflict');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Use theirs' }).click();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Theirs');
    await expect.poll(subjects).toEqual(['Autumn news: Theirs', 'Autumn news (your version): Mine']);

    await member.call('PATCH', `/campaigns/${id}`, { draft: true, subject: 'Theirs again' });
    await page.getByLabel('Subject').fill('Mine again');
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await expect
      .poll(subjects)
      .toEqual([
        'Autumn news: Mine again',
        'Autumn news (their version): Theirs again',
        'Autumn news (your version): Mine',
      ]);
  });

  test('changes of a campaign that someone has sent in the meantime are kept as a draft', async () => {
    const member = await dashboard.member();
    const { id } = await create(member);
    const page = await member.open(`/campaigns/${id}/edit`);
    await page.getByLabel('Subject').waitFor();
    await dashboard.ctx().prisma.campaign.update({
      where: { id },
      data: { status: 'SENT', draft: false, incomplete: false, audienceType: 'ALL', totalRecipients: 2 },
    });
    await page.getByLabel('Subject').fill('Too late');
    await page.getByRole('button', { name: 'Store my version as a draft' }).click();
    await page.getByRole('heading', { name: 'Autumn news (your version)', level: 1 }).waitFor();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Too late');
  });

  test('a missing postal address leads from the review to its field in the settings', async () => {
    const member = await dashboard.member();
    const { id } = await create(member, { type: 'MARKETING', body: '<p>Good day</p>' });
    const page = await member.open(`/campaigns/${id}/edit?step=review`);
    const link = page.getByRole('link', { name: /^Go to Settings: .*postal address/ });
    await link.waitFor();
    await takePicture(page, 'campaign-review-address');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await link.click();
    const field = page.getByLabel('Postal address');
    await page.locator('textarea[name=postalAddress]:focus').waitFor();
    await field.fill('1 Example Street');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('list', { name: 'Checklist' }).waitFor();
    await expect.poll(() => page.getByText('postal address').count()).toBe(0);
  });

  /** Stores a click of the recipient of an email. */
  const click = async (emailId: string, url: string, label?: string): Promise<void> => {
    const { ctx } = dashboard;
    const hit = { id: newId(), emailId, kind: 'click' as const, url, label, machine: false, reason: null };
    await enqueueHits(ctx().pool, [
      { ...hit, userAgent: 'Browser', ip: '192.0.2.1', ageMs: 0, at: new Date(), delayMs: -10_000_000_000 },
    ]);
    while ((await drainHits(ctx())) > 0);
  };

  test('the chart of a report with figures of a single hour has an axis of hours', async () => {
    if (!dashboard.api) throw new Error('The API runs in this process');
    const member = await dashboard.member();
    const { email } = campaignHelpers(dashboard.api);
    const { id } = await create(member);
    const sentAt = new Date();
    const emailId = await email(member.project, id, { status: 'SENT', sentAt });
    await click(emailId, 'https://shop.test/sale');
    await dashboard.ctx().prisma.campaign.update({
      where: { id },
      data: { status: 'SENT', draft: false, incomplete: false, audienceType: 'ALL', startedAt: sentAt, sentAt },
    });
    const page = await member.open('');
    await page.addInitScript(`{
      const draw = CanvasRenderingContext2D.prototype.fillText;
      window.drawn = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        window.drawn.push(text);
        return draw.call(this, text, ...place);
      };
    }`);
    await page.goto(`${dashboard.origin()}/app/projects/${member.project.id}/campaigns/${id}`);
    const chart = page.getByRole('region', { name: 'The first 48 hours' });
    await chart.locator('canvas').waitFor();
    const readAxis = async (): Promise<string[]> =>
      (await page.evaluate<string[]>('window.drawn')).filter((text) => !/^\d+$/.test(text));
    await expect.poll(readAxis).not.toEqual([]);
    for (const text of await readAxis()) expect(text).toMatch(/^\d\d:\d\d [AP]M$/);
    await chart.getByText('As a table').click();
    expect(await chart.locator('tbody').getByRole('row').count()).toBe(1);
    await takePicture(page, 'campaign-report-single-hour');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('the report draws the clicks over the links of the email, and lists them', async () => {
    if (!dashboard.api) throw new Error('The API runs in this process');
    const member = await dashboard.member();
    const { email } = campaignHelpers(dashboard.api);
    const { id } = await create(member, {
      body: `<table width="520"><tr><td><p>News</p><a href="https://shop.test/sale"><img alt="Sale" width="300" height="120"
        src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 300 120'%3E%3Crect width='300' height='120' fill='teal'/%3E%3C/svg%3E"></a>
        <p><a href="https://shop.test/sale" data-link="text">Everything on sale</a>
        <a href="https://shop.test/account?id={{ contact.id }}">Your account</a></p><p>Or <a href="https://shop.test/go">Go</a> now</p></td></tr></table>`,
    });
    const sentAt = new Date();
    const emails = [];
    for (let n = 0; n < 3; n++) emails.push(await email(member.project, id, { status: 'SENT', sentAt }));
    await dashboard.ctx().prisma.campaign.update({
      where: { id },
      data: { status: 'SENT', draft: false, incomplete: false, audienceType: 'ALL', startedAt: sentAt, sentAt },
    });
    const [one = '', two = '', three = ''] = emails;
    for (const emailId of emails) await click(emailId, 'https://shop.test/sale');
    await click(one, 'https://shop.test/sale', 'text');
    await click(two, 'https://shop.test/account?id=2');
    await click(three, 'https://shop.test/account?id=3');
    await click(three, 'https://other.test/');

    const page = await member.open(`/campaigns/${id}?tab=links`);
    const card = page.getByRole('region', { name: 'Clicks in the email' });
    const mark = (title: string) => card.getByTitle(title, { exact: true });
    await mark('3 people clicked https://shop.test/sale').waitFor();
    await mark('1 person clicked https://shop.test/sale').waitFor();
    await mark('2 people clicked https://shop.test/account?id=').waitFor();
    // The link to unsubscribe is not tracked.
    await expect.poll(() => card.getByTitle(/clicked/).count()).toBe(4);
    await page.getByText('1 clicked link is not in the email as shown here').waitFor();
    const picture = await card.frameLocator('iframe').getByRole('img', { name: 'Sale' }).boundingBox();
    const drawn = await mark('3 people clicked https://shop.test/sale').boundingBox();
    // The mark covers the picture, not only the line of text that holds it.
    expect(drawn?.height).toBeGreaterThanOrEqual(120);
    expect(Math.abs((drawn?.x ?? 0) - (picture?.x ?? 1000))).toBeLessThan(2);
    // Its badge covers no more than a corner of a short word.
    const word = await card.frameLocator('iframe').getByRole('link', { name: 'Go' }).boundingBox();
    const badge = await mark('0 people clicked https://shop.test/go').locator('span').last().boundingBox();
    if (!word || !badge) throw new Error('The link and its badge are shown');
    expect(word.x + word.width - badge.x).toBeLessThanOrEqual(5);
    expect(badge.y + badge.height - word.y).toBeLessThanOrEqual(5);
    await takePicture(page, 'campaign-heatmap');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    await takePicture(page, 'campaign-heatmap-phone');
    await mark('1 person clicked https://shop.test/sale').click();
    await page.getByText('Clicked https://shop.test/sale').waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe('recipients');
  });
});
