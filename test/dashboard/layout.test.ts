import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { useDashboard } from '../helpers/dashboard.js';

const LONG_EMAIL = `${'name.'.repeat(10)}of.a.person@${'sub-domain.'.repeat(6)}example.test`;

describe.skipIf(!hasChromium())('the layout', () => {
  const dashboard = useDashboard();

  test('the start page begins at its top, with lists below the fold', async () => {
    const { call, open, project } = await dashboard.member();
    const from = `shop@${project.domain}`;
    await call('POST', '/v1/send', { to: 'ada@example.test', subject: 'Hello', body: '<p>Hello</p>', from });
    for (const event of ['one', 'two', 'three', 'four', 'five'])
      await call('POST', '/events/track', { email: 'ada@example.test', event });
    const page = await open();
    await page.getByRole('link', { name: 'three', exact: true }).waitFor();
    // The sizes of rows are measured in the next frames.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await page.evaluate('scrollY')).toBe(0);
  });

  test('the columns of contacts are aligned with their headers if an address is long', async () => {
    const { call, open } = await dashboard.member();
    await call('POST', '/contacts', { email: 'ada@example.test', data: { note: 'short' } });
    await call('POST', '/contacts', { email: LONG_EMAIL, data: { note: 'word '.repeat(60) } });
    const page = await open('/contacts?columns=["note"]');
    await page.getByText('short').waitFor();
    const lefts = await page.evaluate<number[][]>(
      `[...document.querySelectorAll('[role=row]')].map((row) =>
        [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left)))`,
    );
    expect(lefts).toHaveLength(3);
    for (const row of lefts) expect(row).toEqual(lefts[0]);
  });
});
