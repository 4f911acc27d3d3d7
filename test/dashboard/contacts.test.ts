import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { runImport } from '../helpers/jobs.js';
import {
  expectNoOverflow,
  findAccessibilityProblems,
  PHONE,
  takePicture,
  useDashboard,
  type Member,
} from '../helpers/dashboard.js';

describe.skipIf(!hasChromium())('the pages of contacts', () => {
  const dashboard = useDashboard();

  /** Inserts contacts `c0000@example.test` and so on, of which every second one has the plan "pro". */
  async function insertContacts({ project }: Member, count: number): Promise<void> {
    await dashboard.ctx().pool.query(
      `INSERT INTO contacts (id, project_id, subscribed, email, data)
       SELECT gen_random_uuid(), $1, true, 'c' || lpad(n::text, greatest(4, length($2::text)), '0') || '@example.test',
              jsonb_build_object('plan', CASE n % 2 WHEN 0 THEN 'pro' ELSE 'free' END)
         FROM generate_series(0, $2 - 1) AS n`,
      [project.id, count],
    );
  }

  test('the first contact is added at the page that says what to do first', async () => {
    const member = await dashboard.member();
    const page = await member.open('/contacts');
    await page.getByRole('heading', { name: 'No contact yet' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add a contact' }).first().click();
    await page.getByRole('dialog').getByLabel('Email address').fill('ada@example.test');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'ada@example.test' }).waitFor();
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Name of the field').fill('score');
    await page.getByLabel('Value').fill('7');
    await page.keyboard.press('Enter');
    await page.getByLabel('score', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('cell', { name: 'Unsubscribed' }).first().waitFor();
    await takePicture(page, 'contact');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('all contacts can be reached by keyboard, although only some rows exist', async () => {
    const member = await dashboard.member();
    await insertContacts(member, 3000);
    const page = await member.open('/contacts?sort=email');
    const grid = page.getByRole('grid', { name: 'Contacts' });
    await grid.getByText('c0000@example.test').waitFor();
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('3001');
    await grid.focus();
    await page.keyboard.press('End');
    await grid.getByText('c2999@example.test').waitFor();
    expect(await grid.getByRole('row').count()).toBeLessThan(60);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'c2999@example.test' }).waitFor();
  });

  test('a turn of the wheel moves a very long list by its pixels, although the scrollbar moves by more', async () => {
    const member = await dashboard.member();
    await insertContacts(member, 210_000);
    const page = await member.open('/contacts?sort=email');
    const grid = page.getByRole('grid', { name: 'Contacts' });
    const first = grid.getByText('c000000@example.test');
    await first.waitFor();
    const placeOf = async (address: string) => (await grid.getByText(address).boundingBox())?.y ?? 0;
    const before = await placeOf('c000004@example.test');
    await first.hover();
    await page.mouse.wheel(0, 100);
    await expect.poll(() => placeOf('c000004@example.test')).toBeCloseTo(before - 100, 0);
    await page.mouse.wheel(0, -500);
    await expect.poll(() => placeOf('c000004@example.test')).toBeCloseTo(before, 0);
    await grid.focus();
    await page.keyboard.press('End');
    await grid.getByText('c209999@example.test').waitFor();
    await page.mouse.wheel(0, -400);
    await grid.getByText('c209976@example.test').waitFor();
  });

  test('filters are counted and stay in the URL, and a change of all but one contact becomes a job', async () => {
    const member = await dashboard.member();
    await insertContacts(member, 20);
    const page = await member.open('/contacts?sort=email&columns=["plan"]', { colorScheme: 'dark' });
    await page.getByText('Filters').click();
    await page.getByLabel('Filter 1: Field', { exact: true }).fill('plan');
    await page.getByRole('option', { name: 'plan' }).click();
    await page.getByLabel('Filter 1: Value').fill('pro');
    await page.getByText('10 contacts', { exact: true }).first().waitFor();
    await page.reload();
    await page.getByText('c0002@example.test').waitFor();
    await page.getByText('c0001@example.test').waitFor({ state: 'detached' });
    await takePicture(page, 'contacts-dark');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Choose all 10' }).click();
    await page.getByRole('checkbox', { name: 'Choose c0002@example.test' }).click();
    await page.getByText('9 chosen').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Unsubscribe' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByText('The job has begun').waitFor();
    const { data } = await member.call<{ data: unknown[] }>('GET', '/jobs');
    expect(data).toMatchObject([{ kind: 'bulk', operation: 'unsubscribe' }]);
  });

  test('no letter is lost while the URL takes over what was typed before', async () => {
    const member = await dashboard.member();
    await insertContacts(member, 1);
    const page = await member.open('/contacts');
    const field = page.getByRole('searchbox');
    await field.fill('c0000 ');
    await page.waitForURL((url) => url.searchParams.get('search') === 'c0000');
    await expect.poll(() => field.inputValue()).toBe('c0000 ');
    // Each pause is about as long as the one after which the text is reported.
    const text = 'the quick brown fox jumps over';
    await field.fill('');
    await field.pressSequentially(text, { delay: 255 });
    expect(await field.inputValue()).toBe(text);
    await page.waitForURL((url) => url.searchParams.get('search') === text);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await expect.poll(() => field.inputValue()).toBe('');
    await page.getByText('c0000@example.test').waitFor();
  });

  test('a job is canceled in its panel, which stays open and shows the final state', async () => {
    const member = await dashboard.member();
    // Without a worker, it waits.
    const { jobId } = await member.call<{ jobId: string }>('POST', '/exports', { kind: 'contacts', format: 'csv' });
    const page = await member.open(`/jobs?job=${jobId}`);
    const panel = page.getByRole('dialog', { name: 'Export of contacts' });
    await panel.getByRole('button', { name: 'Cancel: Export of contacts' }).click();
    const question = page.getByRole('alertdialog', { name: 'Cancel “Export of contacts”?' });
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await takePicture(page, 'job-cancel');
    await question.getByRole('button', { name: 'Don’t cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Cancel: Export of contacts' }).click();
    await question.getByRole('button', { name: 'Cancel the job' }).click();
    await question.waitFor({ state: 'detached' });
    await panel.getByText('Canceled').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'Canceled' }).waitFor();
  });

  test('the columns of a file are guessed, can be changed, and are required to have an address', async () => {
    const member = await dashboard.member();
    const page = await member.open('/contacts/import');
    await page.getByLabel('Choose a file').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('E-Mail;Score;Zip;Zeitzone\nada@example.test;7;01067;Mars/Base\n'),
    });
    await page.getByText('Columns: people.csv').waitFor();
    await expect.poll(() => page.getByLabel('Becomes: E-Mail').inputValue()).toBe('email');
    await expect.poll(() => page.getByLabel('Type: Score').inputValue()).toBe('number');
    await expect.poll(() => page.getByLabel('Type: Zip').inputValue()).toBe('string');
    await takePicture(page, 'import');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Becomes: E-Mail').selectOption('Nothing (left out)');
    await page.getByText('One column must be the email address.').waitFor();
    await page.getByRole('button', { name: 'Import', disabled: true }).waitFor();
    await page.getByLabel('Becomes: E-Mail').selectOption('Email address');
    await page.getByRole('button', { name: 'Test without writing' }).click();
    await page.getByText('Waiting for a worker').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    const { data: jobs } = await member.call<{ data: Array<{ id: string }> }>('GET', '/jobs');
    await runImport(dashboard.ctx(), { jobId: jobs[0]?.id ?? '', projectId: member.project.id });
    await page.reload();
    await page.getByText('1 row has a time zone that is not known. It was left out: Mars/Base.').waitFor();
    await takePicture(page, 'import-result');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('the list and a contact fit on a phone, in German', async () => {
    const member = await dashboard.member();
    const email = `${'a'.repeat(60)}@example.test`;
    const { id } = await member.call<{ id: string }>('POST', '/contacts', { email, data: { note: 'x'.repeat(300) } });
    const page = await member.open('/contacts', { ...PHONE, locale: 'de-DE' });
    await page.getByRole('grid').waitFor();
    await expectNoOverflow(page);
    await takePicture(page, 'contacts-phone-german');
    const detail = await member.open(`/contacts/${id}`, { ...PHONE, locale: 'de-DE' });
    await detail.getByRole('heading', { name: email }).waitFor();
    await expectNoOverflow(detail);
    expect(await findAccessibilityProblems(detail)).toEqual([]);
  });
});
