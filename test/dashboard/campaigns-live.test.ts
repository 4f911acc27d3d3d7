import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { useCluster } from '../helpers/cluster.js';
import {
  expectNoOverflow,
  findAccessibilityProblems,
  PHONE,
  takePicture,
  useDashboard,
  type Member,
} from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('sending campaigns from their pages', () => {
  const cluster = useCluster();
  const dashboard = useDashboard(cluster);

  const prepare = async (member: Member, count: number): Promise<string> => {
    for (let index = 0; index < count; index++)
      await member.call('POST', '/contacts', { email: `person${index}@example.test`, subscribed: true });
    const { data } = await member.call<{ data: { id: string } }>('POST', '/campaigns', {
      draft: true,
      name: 'Autumn news',
      subject: 'Hello',
      body: '<p>Good day</p>',
      from: `news@${member.project.domain}`,
      audienceType: 'ALL',
    });
    return data.id;
  };

  test('a campaign is sent live, reported, and its failed emails are sent again', async () => {
    const member = await dashboard.member();
    const id = await prepare(member, 3);
    const page = await member.open(`/campaigns/${id}/edit?step=review`);
    const release = cluster().sink.hold();
    await page.getByRole('button', { name: 'Send the campaign' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Send the campaign' }).click();
    await page.getByRole('heading', { name: 'Sending', level: 2 }).waitFor();
    const waiting = page.locator('dt', { hasText: 'Waiting' }).locator('xpath=following-sibling::dd');
    await expect.poll(() => waiting.textContent()).toBe('3');
    await takePicture(page, 'campaign-sending');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    cluster().sink.refuse([550, 'no such user']);
    release();
    await page.getByRole('tab', { name: 'Failures (3)' }).click();
    await page.getByText(/no such user/).waitFor();
    await takePicture(page, 'campaign-failures');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    cluster().sink.refuse(null);
    await page.getByRole('button', { name: 'Send failed emails again' }).click();
    await page.getByText('No recipient gets a second email.').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Send failed emails again' }).click();
    await page.getByText('No email failed').waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByText('The first 48 hours').first().waitFor();
    await takePicture(page, 'campaign-report');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.setViewportSize(PHONE.viewport);
    await expectNoOverflow(page);
    await page.getByRole('tab', { name: 'Recipients' }).click();
    await page.getByRole('link', { name: 'person1@example.test' }).waitFor();
    await page.getByLabel('What they did').selectOption('not_opened');
    await page.getByText('3 recipients').waitFor();
    await page.waitForURL((url) => url.search === '?tab=recipients&did=not_opened');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('a cancellation says what was not sent', async () => {
    const member = await dashboard.member();
    const id = await prepare(member, 2);
    const page = await member.open(`/campaigns/${id}`, { locale: 'de-DE', colorScheme: 'dark' });
    await page.getByRole('tab', { name: '4. Prüfen' }).click();
    cluster().sink.refuse([451, 'later']);
    await page.getByRole('button', { name: 'Kampagne senden' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Kampagne senden' }).click();
    await page.getByRole('heading', { name: 'Versand', level: 2 }).waitFor();
    const waiting = page.locator('dt', { hasText: 'Warten' }).locator('xpath=following-sibling::dd');
    await expect.poll(() => waiting.textContent()).toBe('2');
    await takePicture(page, 'campaign-sending-de');
    await page.getByRole('button', { name: 'Kampagne abbrechen' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Kampagne abbrechen' }).click();
    await page.getByText('Nicht gesendet, auch später nicht: 2 E-Mails.').waitFor();
    cluster().sink.refuse(null);
    await page.getByRole('link', { name: 'Zeigen, wer sie nicht bekommen hat' }).click();
    await page.getByRole('link', { name: 'person0@example.test' }).waitFor();
    await takePicture(page, 'campaign-canceled-de');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
