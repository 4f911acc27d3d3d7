/** Scripts in everything else that users and servers write: pages show them as text and run none. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Prisma } from '../../src/generated/prisma/client.js';
import { newId } from '../../src/ids.js';
import { campaignHelpers } from '../helpers/campaign-api.js';
import { hasChromium } from '../helpers/chromium.js';
import { untilComplete, useDashboard, type Member } from '../helpers/dashboard.js';

/** A script that ends with a mark, which says where it is stored. Names of fields contain no dots. */
const scriptOf = (mark: string): string => `"><img class=stored src=x onerror="top['stolen']=1">${mark}`;

/** What a frame shows as text, also in its fields and labels. */
const READ_TEXTS = `[
  document.body.textContent,
  ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
  ...[...document.querySelectorAll('[aria-label]')].map((element) => element.getAttribute('aria-label')),
].join('\\n')`;

/** Waits until the page shows the scripts with these marks, and checks that none of them became an element. */
async function expectTexts(page: Page, marks: readonly string[]): Promise<void> {
  const { pathname, search } = new URL(page.url());
  const where = decodeURIComponent(pathname + search);
  await untilComplete(page);
  const readMissing = async (): Promise<string[]> => {
    const texts = await Promise.all(page.frames().map((frame) => frame.evaluate<string>(READ_TEXTS)));
    return [where, ...marks.filter((mark) => !texts.join('\n').includes(scriptOf(mark)))];
  };
  await expect.poll(readMissing).toEqual([where]);
  // The policy of the pages stops the script of an element, so look for the elements as well.
  const elements = await Promise.all(page.frames().map((frame) => frame.locator('.stored').count()));
  expect([where, await page.evaluate('window.stolen'), Math.max(...elements)]).toEqual([where, undefined, 0]);
}

describe.skipIf(!hasChromium())('a script is shown as text and does not run', { tags: 'journeys' }, () => {
  const dashboard = useDashboard();

  /** Opens each page of the project, and checks that it shows the scripts with these marks. */
  const visit = async (member: Member, page: Page, expected: Array<[path: string, ...marks: string[]]>) => {
    for (const [path, ...marks] of expected) {
      await page.goto(`${dashboard.origin()}/app/projects/${member.project.id}${path}`);
      await expectTexts(page, marks);
    }
  };
  const create = async (member: Member, path: string, body: unknown): Promise<string> =>
    (await member.call<{ id: string }>('POST', path, body)).id;
  const createTemplate = (member: Member): Promise<string> => {
    const blocks = [{ id: 'a', type: 'text', content: [{ type: 'text', text: scriptOf('text') }] }];
    const content = { subject: 'Hi', type: 'MARKETING', design: { version: 1, blocks } };
    return create(member, '/templates', { ...content, draft: true, name: scriptOf('template') });
  };

  test('in campaigns, emails, and the replies of mail servers', async () => {
    const member = await dashboard.member();
    const { prisma } = dashboard.ctx();
    if (!dashboard.api) throw new Error('The API runs in this process');
    const { draft, email } = campaignHelpers(dashboard.api);
    const { project } = member;
    const projectId = project.id;
    const data = { note: scriptOf('value') };
    const contactId = await create(member, '/contacts', { email: 'ada@example.test', data });
    const message = { subject: scriptOf('subject'), fromName: scriptOf('sender'), body: '<p>{{ note }}</p>' };
    const fields = { ...message, name: scriptOf('campaign'), preheader: scriptOf('preheader') };
    const edit = `/campaigns/${await draft(project, fields)}/edit`;
    const campaignId = await draft(project, fields);
    const report = `/campaigns/${campaignId}`;
    const [now, reply] = [new Date(), scriptOf('reply')];
    const failure = { status: 'FAILED', attempts: 2, error: reply, response: reply } as const;
    const failed = await email(project, campaignId, { ...failure, contactId, toName: scriptOf('recipient') });
    const bounce = { bouncedAt: now, bounceType: 'permanent', bounceReason: scriptOf('bounce') };
    const bounced = await email(project, campaignId, { ...bounce, contactId, status: 'BOUNCED', sentAt: now });
    await prisma.message.updateMany({ where: { projectId }, data: message });
    await prisma.emailAttempt.createMany({
      data: [
        { emailId: failed, projectId, number: 1, at: now, outcome: 'DEFERRED', error: scriptOf('error') },
        { emailId: failed, projectId, number: 2, outcome: 'FAILED', response: reply },
      ],
    });
    const sums = { projectId, campaignId, minute: now, domain: scriptOf('provider'), sent: 1 };
    await prisma.emailDelta.create({ data: { ...sums, source: 'CAMPAIGN', type: 'MARKETING' } });
    await prisma.campaign.update({ where: { id: campaignId }, data: { status: 'SENT', startedAt: now, sentAt: now } });
    const page = await member.open();
    await visit(member, page, [
      ['?groupBy=campaign', 'campaign'],
      ['/activity', 'campaign'],
      ['/deliverability', 'campaign', 'provider'],
      ['/campaigns', 'campaign'],
      [edit, 'campaign', 'subject', 'sender', 'preheader'],
      [`${edit}?step=audience`, 'campaign'],
      [`${edit}?step=schedule`, 'campaign'],
      [`${edit}?step=review`, 'campaign', 'subject', 'sender'],
      [report, 'campaign', 'subject'],
      [`${report}?tab=recipients`, 'reply', 'bounce'],
      [`${report}?tab=failures`, 'reply'],
      ['/emails', 'subject'],
      [`/emails/${failed}`, 'subject', 'sender', 'recipient', 'reply', 'error', 'value'],
      [`/emails/${bounced}`, 'subject', 'bounce'],
      [`/contacts/${contactId}`, 'value'],
    ]);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('stored');
    await page.getByRole('option', { name: 'class=stored' }).first().waitFor();
    await expectTexts(page, ['campaign']);
  });

  test('in fields, jobs, domains, settings, segments, workflows, and suppressions', async () => {
    const member = await dashboard.member();
    const { prisma } = dashboard.ctx();
    const projectId = member.project.id;
    const [field, email] = [scriptOf('field'), 'ada@example.test'];
    const contact = await create(member, '/contacts', { email, data: { [field]: scriptOf('value') } });
    const { id: userId } = await prisma.user.create({ data: { id: newId(), email: scriptOf('member') } });
    await prisma.membership.create({ data: { userId, projectId, role: 'MEMBER' } });
    const job = async (data: Partial<Prisma.JobUncheckedCreateInput>): Promise<string> => {
      const file = { operation: 'import', filename: scriptOf('file'), createdBy: userId };
      return (await prisma.job.create({ data: { id: newId(), projectId, kind: 'IMPORT', ...file, ...data } })).id;
    };
    const errors = [{ row: 2, email: scriptOf('address'), error: scriptOf('row') }];
    const completed = await job({ state: 'completed', endedAt: new Date(), total: 1, failureCount: 1, errors });
    const failed = await job({ state: 'failed', endedAt: new Date(), failedReason: scriptOf('reason') });
    const active = await job({ state: 'active', startedAt: new Date() });
    const record = { type: 'TXT', name: 'x.test', value: 'v=spf1 -all', purpose: 'SPF', required: true };
    const records = [{ ...record, status: 'FAILED', found: [scriptOf('found')] }];
    const keys = { dkimSelector: 's', dkimPrivateKey: 'k' };
    const domain = { id: newId(), projectId, domain: scriptOf('domain') };
    await prisma.domain.create({ data: { ...domain, ...keys, records } });
    const condition = { logic: 'AND', groups: [{ filters: [{ field: 'email', operator: 'equals', value: email }] }] };
    const texts = { name: scriptOf('segment'), description: scriptOf('description') };
    const segment = await create(member, '/segments', { ...texts, condition });
    const trigger = { name: scriptOf('workflow'), eventName: scriptOf('event') };
    const workflow = await create(member, '/workflows', trigger);
    await member.call('PUT', `/workflows/${workflow}/graph`, {
      steps: [
        { key: 'start', type: 'TRIGGER', name: scriptOf('trigger') },
        { key: 'end', type: 'EXIT', name: scriptOf('step'), config: { reason: scriptOf('exit') } },
      ],
      transitions: [{ from: 'start', to: 'end' }],
    });
    const suppression = { email: scriptOf('suppressed'), reason: 'bounce', detail: scriptOf('detail') };
    await prisma.suppression.create({ data: { projectId, ...suppression } });
    const brand = { logoUrl: `https://shop.test/${scriptOf('logo')}`, color: scriptOf('color') };
    const sender = { postalAddress: scriptOf('postal'), defaultFromName: scriptOf('sender') };
    const where = { id: projectId };
    await prisma.project.update({ where, data: { name: scriptOf('project'), ...sender, brand } });
    const page = await member.open();
    await visit(member, page, [
      ['', 'project'],
      [`/contacts?columns=${encodeURIComponent(JSON.stringify([field]))}`, 'field', 'value', 'segment'],
      [`/contacts/${contact}`, 'field', 'value'],
      ['/fields', 'field'],
      [`/fields?field=${encodeURIComponent(`data.${field}`)}`, 'field', 'value'],
      ['/jobs', 'reason', 'member'],
      [`/jobs?job=${completed}`, 'file'],
      [`/jobs?job=${failed}`, 'file', 'reason'],
      [`/contacts/import?jobId=${completed}`, 'address', 'row'],
      [`/contacts/import?jobId=${failed}`, 'reason'],
      [`/contacts/import?jobId=${active}`, 'file'],
      ['/domains', 'domain'],
      [`/domains/${domain.id}`, 'domain', 'found'],
      ['/segments', 'segment'],
      [`/segments/${segment}`, 'segment', 'description'],
      ['/workflows', 'workflow'],
      [`/workflows/${workflow}?view=list`, 'workflow', 'trigger', 'step'],
      [`/workflows/${workflow}?view=graph`, 'workflow', 'trigger', 'step'],
      ['/suppressions', 'suppressed', 'detail'],
      ['/settings', 'project', 'postal', 'sender'],
      ['/settings/brand', 'logo', 'color'],
      ['/settings/members', 'member'],
      ['/settings/danger', 'project'],
      // The editor draws with the brand, and the footer of the email has the postal address.
      [`/templates/${await createTemplate(member)}`, 'template', 'text', 'postal'],
    ]);
    await prisma.project.update({ where, data: { disabled: true, disabledReason: scriptOf('disabled') } });
    await visit(member, page, [
      ['/deliverability', 'disabled'],
      ['/settings', 'disabled'],
    ]);
  });

  test('in the names of chosen and pasted files, of saved blocks, and of saved views', async () => {
    const member = await dashboard.member();
    const content = [{ type: 'text', text: scriptOf('button') }];
    const blocks = [{ id: 'a', type: 'button', href: 'https://shop.test', content }];
    await create(member, '/saved-blocks', { name: scriptOf('saved'), blocks });
    await create(member, '/contacts', { email: 'ada@example.test' });
    const page = await member.open('/contacts/import');
    await page.getByLabel('Choose a file').setInputFiles({
      name: scriptOf('file'),
      mimeType: 'text/csv',
      buffer: Buffer.from(`email;"${scriptOf('header').replaceAll('"', '""')}"\nada@example.test;7\n`),
    });
    await expectTexts(page, ['file', 'header']);

    await visit(member, page, [[`/templates/${await createTemplate(member)}`]]);
    await page.getByRole('textbox', { name: 'Content of the email' }).focus();
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['no image'], ${JSON.stringify(scriptOf('upload'))}, { type: 'image/png' }));
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    })()`);
    await expectTexts(page, ['upload']);
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('/img class');
    await page.getByRole('option', { name: 'class=stored' }).waitFor();
    await expectTexts(page, ['saved']);
    await page.keyboard.press('Enter');
    await page.locator('[data-button]').click();
    await page.getByRole('button', { name: 'Save the block' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(scriptOf('saved'));
    await page.keyboard.press('Enter');
    // The message of the API contains the name.
    await page.getByText('A saved block with the name').waitFor();
    await expectTexts(page, ['saved', 'button']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Saved blocks' }).click();
    await page.getByRole('dialog', { name: 'Saved blocks' }).getByText('class=stored').waitFor();
    await expectTexts(page, ['saved']);

    await visit(member, page, [['/contacts']]);
    await page.getByText('Saved views').click();
    await page.getByLabel('Name of the view').fill(scriptOf('view'));
    await page.getByRole('button', { name: 'Save this view' }).click();
    await visit(member, page, [['/contacts', 'view']]);
  });
});
