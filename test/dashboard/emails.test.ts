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

const SCRIPT = '<script>document.title = "stolen"</script><img src=x onerror="parent.document.title=\'stolen\'">';

describe.skipIf(!hasChromium())('the email log', () => {
  const dashboard = useDashboard();

  const send = (member: Member, to: string, subject = 'Your order') =>
    member.call('POST', '/v1/send', {
      to,
      subject,
      body: `<p>Thank you</p>${SCRIPT}`,
      from: `shop@${member.project.domain}`,
    });

  test('says what it is for before the first email', async () => {
    const member = await dashboard.member();
    const page = await member.open('/emails');
    await page.getByRole('heading', { name: 'No email was sent yet' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('filters are in the URL, and an email shows its content without its scripts', async () => {
    const member = await dashboard.member();
    for (const name of ['ada', 'grace']) await send(member, `${name}@example.test`);
    const page = await member.open('/emails');
    await page.getByRole('link', { name: 'ada@example.test' }).waitFor();
    await takePicture(page, 'emails');
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByRole('searchbox').fill('grace@example.test');
    await page.getByRole('link', { name: 'ada@example.test' }).waitFor({ state: 'detached' });
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.waitForURL(/[?&]status=FAILED(&|$)/);
    await page.getByRole('button', { name: 'Clear the filters' }).click();

    await page.getByRole('link', { name: 'ada@example.test' }).click();
    await page.getByRole('heading', { name: 'Your order' }).waitFor();
    const frame = page.frameLocator('iframe');
    await frame.getByText('Thank you').waitFor();
    await expect.poll(() => page.title()).toBe('Your order · Sendloom');
    await takePicture(page, 'email');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Headers' }).click();
    await page.getByText('Subject: Your order').waitFor();
  });

  test('a scheduled email is moved and canceled', async () => {
    const member = await dashboard.member();
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString();
    const content = { subject: 'Later', body: '<p>Hello</p>', from: `shop@${member.project.domain}` };
    await member.call('POST', '/v1/send', { to: 'ada@example.test', ...content, scheduledFor, group: 'order 17' });
    const page = await member.open('/emails?status=SCHEDULED');
    await page.getByRole('link', { name: 'ada@example.test' }).click();
    await page.getByText('order 17').waitFor();
    await page.getByText('Scheduled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Move' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move the email' });
    await dialog.getByLabel('Scheduled for').fill('2020-01-01T09:00');
    await dialog.getByRole('button', { name: 'Move' }).click();
    await dialog.getByText('must not be in the past').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await dialog.getByLabel('Scheduled for').fill(new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 16));
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByText('Email moved').waitFor();
    await page.getByRole('button', { name: 'Cancel the email' }).click();
    const question = page.getByRole('alertdialog', { name: 'Cancel this email?' });
    await question.getByRole('button', { name: 'Cancel the email' }).click();
    await page.getByText('Canceled', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Move' }).count()).toBe(0);
  });

  test('the emails of a group are canceled together', async () => {
    const member = await dashboard.member();
    const content = { subject: 'Later', body: '<p>Hello</p>', from: `shop@${member.project.domain}` };
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString();
    const to = ['ada@example.test', 'eve@example.test'];
    await member.call('POST', '/v1/send', { to, ...content, scheduledFor, group: 'order 17' });
    const page = await member.open('/emails');
    await page.getByRole('link', { name: 'ada@example.test' }).click();
    await page.getByRole('link', { name: 'order 17' }).click();
    await page.getByText('2 emails').waitFor();
    await page.getByRole('button', { name: 'Cancel the group' }).click();
    const question = page.getByRole('alertdialog', { name: 'Cancel the emails of the group “order 17”?' });
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel the group' }).click();
    await page.getByText('2 emails canceled').waitFor();
    await expect.poll(() => page.getByRole('row').getByText('Canceled', { exact: true }).count()).toBe(2);
  });

  test('an email shows its copies and tags, and leads to others with the same tag', async () => {
    const member = await dashboard.member();
    const content = { subject: 'Invoice', body: '<p>Hello</p>', from: `shop@${member.project.domain}` };
    const copies = { cc: 'grace@example.test', bcc: 'archive@example.test', tags: ['invoice', 'november'] };
    await member.call('POST', '/v1/send', { to: 'ada@example.test', ...content, ...copies });
    await member.call('POST', '/v1/send', { to: 'eve@example.test', ...content, tags: ['november'] });
    const page = await member.open('/emails');
    await page.getByRole('link', { name: 'archive@example.test' }).click();
    await page.getByRole('link', { name: 'the original email' }).click();
    await page.getByRole('link', { name: 'Copy 2' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'email-copies');
    await page.getByRole('link', { name: 'november' }).click();
    await page.getByText('4 emails').waitFor();
    await page.getByRole('link', { name: 'eve@example.test' }).waitFor();
  });

  test('an email leads to what it was made of', async () => {
    const member = await dashboard.member();
    const content = { subject: 'Hello', body: '<p>Hello</p>', from: `shop@${member.project.domain}` };
    const template = await member.call<{ id: string }>('POST', '/templates', {
      ...content,
      name: 'Receipt',
      type: 'TRANSACTIONAL',
    });
    await member.call('POST', '/v1/send', { to: 'ada@example.test', template: template.id });
    const page = await member.open('/emails');
    await page.getByRole('link', { name: 'ada@example.test' }).click();
    await page.getByRole('link', { name: 'API' }).click();
    await page.waitForURL(new RegExp(`/templates/${template.id}$`));
  });

  test('an email fits on a phone, in German and dark', async () => {
    const member = await dashboard.member();
    await send(member, 'a-very-long-name-of-a-recipient@a-very-long-domain.example.test', 'x'.repeat(150));
    const page = await member.open('/emails', { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
    await page.getByRole('link', { name: /a-very-long/ }).click();
    await page.getByRole('heading', { name: 'Verlauf' }).waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'email-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('an email that does not exist shows the error with its request id', async () => {
    const member = await dashboard.member();
    const page = await member.open('/emails/00000000-0000-4000-8000-000000000000');
    await page
      .getByText(/^Request /)
      .first()
      .waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
