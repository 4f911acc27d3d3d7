import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { useCluster } from '../helpers/cluster.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('the page of jobs', () => {
  const cluster = useCluster({ env: { TEMPORAL_UI_URL: 'https://temporal.example.test' } });
  const dashboard = useDashboard(cluster);

  test('an export is listed while it runs, can be downloaded, and leads to its Temporal workflow', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/contacts', { email: 'ada@example.test' });
    const page = await member.open('/jobs');
    await page.getByRole('heading', { name: 'No jobs yet' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    const { jobId } = await member.call<{ jobId: string }>('POST', '/exports', { kind: 'contacts', format: 'csv' });
    await page.getByText('Export of contacts', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download: Export of contacts' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    await page.getByRole('cell', { name: 'An API key' }).waitFor();
    await page.getByRole('link', { name: 'Export of contacts', exact: true }).click();
    const panel = page.getByRole('dialog', { name: 'Export of contacts' });
    await panel.getByText('An API key').waitFor();
    await takePicture(page, 'job');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    const temporal = page.getByRole('link', { name: 'Open in Temporal: Export of contacts' });
    await expect
      .poll(() => temporal.getAttribute('href'))
      .toBe(`https://temporal.example.test/namespaces/default/workflows?query=ResourceId%3D%22${jobId}%22`);
    await takePicture(page, 'jobs');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByLabel('State').selectOption('Failed');
    await page.getByText('Nothing matches these filters.').waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?state=failed');
  });

  test('fits on a phone, in German and dark', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/exports', { kind: 'suppressions', format: 'csv' });
    const page = await member.open('/jobs', { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
    await page.getByRole('link', { name: 'Herunterladen: Export von Sperren' }).waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'jobs-phone-german');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
