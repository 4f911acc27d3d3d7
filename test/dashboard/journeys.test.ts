/** What people do over several pages, with a worker and a mail server: `npm run test:journeys`. */
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { useCluster } from '../helpers/cluster.js';
import { expectNoOverflow, findAccessibilityProblems, PHONE, takePicture, useDashboard } from '../helpers/dashboard.js';
import { PASSWORD } from '../helpers/session.js';

/** The target for the first email after the sign-up. */
const FIRST_EMAIL_MS = 60_000;

describe.skipIf(!hasChromium())('a journey leads', { tags: 'journeys' }, () => {
  const cluster = useCluster();
  const dashboard = useDashboard(cluster);

  test('from the sign-up to an email in the own mailbox, within a minute', async () => {
    const email = 'founder@example.test';
    const page = await dashboard.open('/auth/signup');
    const started = Date.now();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByLabel('Name').fill('Shop');
    await page.getByRole('button', { name: 'Create the project' }).click();
    await page.getByRole('button', { name: 'I have stored the secret key' }).click();
    await page.getByRole('button', { name: 'Send an email to yourself' }).click();
    await page.getByText(`An email to ${email} is on its way.`).waitFor();
    const sent = (): Promise<object | null> =>
      dashboard.ctx().prisma.email.findFirst({
        where: { toEmail: email, status: 'SENT', message: { subject: 'Your first email from Sendloom' } },
      });
    await expect.poll(sent).not.toBeNull();
    expect(cluster().sink.counts().get(email)).toBeGreaterThan(0);
    expect(Date.now() - started).toBeLessThan(FIRST_EMAIL_MS);
  });

  test('from a file over a segment to a campaign, its live figures, and its report', async () => {
    const member = await dashboard.member();
    const page = await member.open('/contacts/import');
    await page.getByLabel('Choose a file').setInputFiles({
      name: 'customers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'E-Mail;Plan;Points\nada@example.test;pro;7\ngrace@example.test;pro;9\nlin@example.test;free;1\nnot an address;pro;1\n',
      ),
    });
    await page.getByText('Columns: customers.csv').waitFor();
    await page.getByLabel('Becomes: Points').selectOption('Nothing (left out)');
    await page.getByRole('button', { name: 'Test without writing' }).click();
    await page.getByRole('heading', { name: 'Result of the test' }).waitFor();
    expect(await member.call('GET', '/contacts')).toMatchObject({ total: 0 });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Result', exact: true }).waitFor();
    const figure = (name: string) => page.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd');
    await expect.poll(() => figure('New contacts').textContent()).toBe('3');
    await expect.poll(() => figure('Rows with errors').textContent()).toBe('1');
    await takePicture(page, 'journey-import');
    await page.getByRole('link', { name: 'Show the contacts' }).click();
    await page.getByRole('grid').getByText('grace@example.test').waitFor();

    await page.getByRole('navigation').getByRole('link', { name: 'Segments', exact: true }).click();
    await page.getByRole('link', { name: 'New segment' }).first().click();
    await page.getByLabel('Name').fill('Customers');
    await page.getByLabel('Filter 1: Field', { exact: true }).fill('plan');
    await page.getByRole('option', { name: 'plan' }).click();
    await page.getByLabel('Filter 1: Value').fill('pro');
    await page.getByText('2 contacts match').waitFor();
    await page.getByRole('button', { name: 'New segment' }).click();
    await page.getByRole('heading', { name: 'Customers', level: 1 }).waitFor();

    await page.getByRole('navigation').getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('button', { name: 'New campaign' }).first().click();
    await page.getByLabel('Name of the campaign').fill('Autumn news');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Good news');
    await page.getByRole('textbox', { name: 'Sender address' }).fill('news');
    await page.getByRole('textbox', { name: 'Content of the email' }).click();
    await page.keyboard.type('Good day');
    await page.getByRole('textbox', { name: 'Content of the email' }).getByText('Good day').waitFor();
    await page.getByRole('button', { name: 'Next: Audience' }).click();
    await page.getByRole('radio', { name: 'A segment' }).check();
    await page.getByLabel('Segment', { exact: true }).selectOption('Customers');
    await expect.poll(() => figure('Will receive it').textContent()).toBe('2');
    const campaigns = () => member.call<{ data: object[] }>('GET', '/campaigns');
    await expect.poll(campaigns).toMatchObject({
      data: [
        {
          name: 'Autumn news',
          subject: 'Good news',
          body: expect.stringContaining('Good day'),
          audienceType: 'SEGMENT',
        },
      ],
    });
    await page.getByRole('tab', { name: '4. Review' }).click();
    await page.getByText('Everything that is needed is there.').waitFor();
    const release = cluster().sink.hold();
    await page.getByRole('button', { name: 'Send the campaign' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Send the campaign' }).click();
    await page.getByRole('heading', { name: 'Sending', level: 2 }).waitFor();
    await expect.poll(() => figure('Waiting').textContent()).toBe('2');
    await takePicture(page, 'journey-sending');
    release();
    await page.getByRole('tab', { name: 'Recipients' }).click();
    for (const name of ['ada', 'grace']) await page.getByRole('link', { name: `${name}@example.test` }).waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByText('The first 48 hours').first().waitFor();
    await takePicture(page, 'journey-report');
    const counts = cluster().sink.counts();
    expect(['ada', 'grace', 'lin'].map((name) => counts.get(`${name}@example.test`))).toEqual([1, 1, undefined]);
  });

  test('two people through a conflict in one template, and both texts are kept', async () => {
    const member = await dashboard.member();
    const { id } = await member.call<{ id: string }>('POST', '/templates', {
      draft: true,
      name: 'Welcome',
      subject: 'Hello',
      body: '<p>Good day</p>',
    });
    const pages = [await member.open(`/templates/${id}`), await member.open(`/templates/${id}`)] as const;
    for (const page of pages) await page.getByLabel('Subject').waitFor();
    await Promise.all(pages.map((page, index) => page.getByLabel('Subject').fill(`Subject of person ${index}`)));
    const dialogs = pages.map((page) => page.getByRole('dialog', { name: 'Someone else has changed this' }));
    const findSecond = async (): Promise<number> => {
      const shown = await Promise.all(dialogs.map((dialog) => dialog.isVisible()));
      return shown.indexOf(true);
    };
    await expect.poll(findSecond).toBeGreaterThanOrEqual(0);
    const second = await findSecond();
    await pages[second]?.getByRole('button', { name: 'Use theirs' }).click();
    const subjects = async (): Promise<Set<string | null>> => {
      const { data } = await member.call<{ data: Array<{ subject: string | null }> }>('GET', '/templates');
      return new Set(data.map(({ subject }) => subject));
    };
    await expect.poll(subjects).toEqual(new Set(['Subject of person 0', 'Subject of person 1']));
    await expect.poll(() => pages[second]?.getByLabel('Subject').inputValue()).toBe(`Subject of person ${1 - second}`);
  });

  test('through the main pages on a phone, in German and dark', async () => {
    const member = await dashboard.member();
    const email = 'ada.lovelace.with.a.long.name@example.test';
    const contact = await member.call<{ id: string }>('POST', '/contacts', { email, data: { plan: 'pro' } });
    await member.call('POST', '/events/track', { email, event: 'signed up', data: { plan: 'pro' } });
    const segment = await member.call<{ id: string }>('POST', '/segments', {
      name: 'Kundinnen und Kunden',
      condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }] },
    });
    const content = { subject: 'Neuigkeiten', body: '<p>Guten Tag</p>', from: `news@${member.project.domain}` };
    const template = await member.call<{ id: string }>('POST', '/templates', { name: 'Begrüßung', ...content });
    const campaign = await member.call<{ data: { id: string } }>('POST', '/campaigns', {
      draft: true,
      name: 'Herbst',
      ...content,
      audienceType: 'ALL',
    });
    const workflow = await member.call<{ id: string }>('POST', '/workflows', { name: 'Ablauf', eventName: 'signup' });
    await member.call('POST', '/v1/send', { to: email, ...content });
    const page = await member.open('', { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
    const edit = `/campaigns/${campaign.data.id}/edit`;
    for (const path of [
      '',
      '/activity',
      '/contacts',
      `/contacts/${contact.id}`,
      '/contacts/import',
      '/segments',
      `/segments/${segment.id}`,
      '/segments/new',
      '/events',
      '/emails',
      '/domains',
      '/deliverability',
      '/suppressions',
      '/campaigns',
      edit,
      ...['audience', 'schedule', 'review'].map((step) => `${edit}?step=${step}`),
      '/templates',
      `/templates/${template.id}`,
      '/workflows',
      `/workflows/${workflow.id}`,
    ]) {
      await page.goto(`${dashboard.origin()}/app/projects/${member.project.id}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('html[lang=de]').waitFor();
      await expect.poll(() => page.locator('.animate-pulse').count()).toBe(0);
      await expectNoOverflow(page);
      expect([path, await findAccessibilityProblems(page)]).toEqual([path, []]);
      await takePicture(page, `phone-german${path.replaceAll(/[/?=]/g, '-').replaceAll(/[0-9a-f-]{36}/g, 'one')}`);
    }
  });
});
