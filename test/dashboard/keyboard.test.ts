import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../helpers/chromium.js';
import { findAccessibilityProblems, takePicture, useDashboard } from '../helpers/dashboard.js';
import { PASSWORD } from '../helpers/session.js';

/** More presses of Tab than any page has targets. */
const MAX_PRESSES = 200;

/** Presses Tab until an element has the focus, as a person does who uses no mouse. */
async function tabTo(target: Locator): Promise<void> {
  await target.first().waitFor();
  const page = target.page();
  for (let press = 0; press < MAX_PRESSES; press++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}

/** Presses Enter on an element. */
async function press(target: Locator): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press('Enter');
}

const expectFocus = async (target: Locator): Promise<void> => target.and(target.page().locator(':focus')).waitFor();

describe.skipIf(!hasChromium())('by keyboard alone', () => {
  const dashboard = useDashboard();

  test('a contact is added, a segment is built, and a campaign is sent to it', async () => {
    const member = await dashboard.member();
    for (const [name, plan] of [
      ['grace', 'pro'],
      ['lin', 'free'],
    ])
      await member.call('POST', '/contacts', { email: `${name}@example.test`, subscribed: true, data: { plan } });
    await member.call('POST', '/campaigns', {
      draft: true,
      name: 'Autumn news',
      body: '<p>Good day</p>',
      from: `news@${member.project.domain}`,
    });
    const page = await member.open();
    const { keyboard } = page;
    const follow = async (name: string): Promise<void> => {
      await press(page.getByRole('navigation').getByRole('link', { name, exact: true }));
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    };

    await follow('Contacts');
    await press(page.getByRole('button', { name: 'Add a contact' }));
    await tabTo(page.getByRole('dialog').getByLabel('Email address'));
    await keyboard.type('ada@example.test');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'ada@example.test' }).waitFor();
    await press(page.getByRole('button', { name: 'Add a field' }));
    await tabTo(page.getByLabel('Name of the field'));
    await keyboard.type('plan');
    await tabTo(page.getByLabel('Value'));
    await keyboard.type('pro');
    await keyboard.press('Enter');
    await page.getByLabel('plan', { exact: true }).waitFor();

    await follow('Segments');
    await press(page.getByRole('link', { name: 'New segment' }));
    await tabTo(page.getByLabel('Name'));
    await keyboard.type('Customers');
    await tabTo(page.getByLabel('Filter 1: Field', { exact: true }));
    await keyboard.type('plan');
    await page.getByRole('option', { name: 'plan' }).waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await tabTo(page.getByLabel('Filter 1: Value'));
    await keyboard.type('pro');
    await page.getByText('2 contacts match').waitFor();
    await press(page.getByRole('button', { name: 'New segment' }));
    await expectFocus(page.getByRole('heading', { name: 'Customers', level: 1 }));

    await follow('Campaigns');
    await press(page.getByRole('link', { name: 'Autumn news' }));
    await tabTo(page.getByLabel('Subject'));
    await keyboard.type('Good news');
    await press(page.getByRole('button', { name: 'Next: Audience' }));
    await tabTo(page.getByRole('radio', { name: 'All contacts' }));
    await keyboard.press('Space');
    await keyboard.press('ArrowDown');
    await tabTo(page.getByLabel('Segment', { exact: true }));
    await keyboard.type('Customers');
    await page.locator('dt', { hasText: 'Will receive it' }).waitFor();
    await press(page.getByRole('button', { name: 'Next: Schedule' }));
    await press(page.getByRole('button', { name: 'Next: Review' }));
    await page.getByText('Everything that is needed is there.').waitFor();
    await press(page.getByRole('button', { name: 'Send the campaign' }));
    await press(page.getByRole('alertdialog').getByRole('button', { name: 'Send the campaign' }));
    await page.getByRole('heading', { name: 'Sending', level: 2 }).waitFor();
    await expect
      .poll(() => dashboard.ctx().prisma.campaign.findFirst({ where: { projectId: member.project.id } }))
      .toMatchObject({ status: 'SENDING', subject: 'Good news', audienceType: 'SEGMENT' });
  });

  test('a campaign at the local time of each recipient gets a zone for the others and a maximum lateness', async () => {
    const member = await dashboard.member();
    for (const [name, timezone] of [['kenji', 'Asia/Tokyo'], ['noor']])
      await member.call('POST', '/contacts', { email: `${name}@example.test`, subscribed: true, timezone });
    const { data } = await member.call<{ data: { id: string } }>('POST', '/campaigns', {
      draft: true,
      name: 'Autumn news',
      subject: 'Good news',
      body: '<p>Good day</p>',
      from: `news@${member.project.domain}`,
      audienceType: 'ALL',
    });
    const page = await member.open(`/campaigns/${data.id}/edit?step=schedule`);
    const { keyboard } = page;
    const radio = (name: string): Locator => page.getByRole('radio', { name, exact: true });
    await tabTo(radio('Now'));
    for (const name of ['At a time', 'At the local time of each recipient']) {
      await keyboard.press('ArrowDown');
      await expect.poll(() => radio(name).isChecked()).toBe(true);
    }

    const time = page.getByLabel('Date and time');
    await tabTo(time);
    // Deleting the day makes the time incomplete, and leaves the field.
    await keyboard.press('Delete');
    await page.getByText('Choose a date and a time.').waitFor();
    for (const part of ['01', '15', '2030', '09', '00', 'A']) {
      await keyboard.type(part);
      if (part === '2030') await keyboard.press('ArrowRight');
    }
    expect(await time.inputValue()).toBe('2030-01-15T09:00');

    const zone = page.getByLabel('Time zone of recipients without one', { exact: true });
    await tabTo(zone);
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type('Dubai');
    await page.getByRole('option', { name: 'Asia/Dubai' }).waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await page.getByText('In the time zone of each recipient, and for those without one in Asia/Dubai').waitFor();
    const lateness = page.getByLabel('Maximum lateness (hours)');
    await tabTo(lateness);
    await keyboard.press('ControlOrMeta+a');
    await keyboard.press('Delete');
    const message = 'Enter the maximum lateness as a whole number of hours from 1 to 72.';
    await page.getByText(message).waitFor();
    await keyboard.type('73');
    await page.getByText(message).waitFor();
    await takePicture(page, 'campaign-schedule-lateness');
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await press(page.getByRole('button', { name: 'Next: Review' }));
    await press(page.getByRole('button', { name: `Go to Schedule: ${message}` }));
    await tabTo(lateness);
    expect(await lateness.inputValue()).toBe('73');
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type('12');
    await expect.poll(() => page.getByText(message).count()).toBe(0);
    await press(page.getByRole('button', { name: 'Next: Review' }));
    const fact = (name: string): Locator =>
      page.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd');
    const expectFacts = async (): Promise<void> => {
      await expect.poll(() => fact('Without a time zone').textContent()).toBe('Asia/Dubai');
      expect(await fact('Maximum lateness').textContent()).toBe('12 hours');
    };
    await expectFacts();
    await press(page.getByRole('button', { name: 'Schedule the campaign' }));
    await press(page.getByRole('alertdialog').getByRole('button', { name: 'Schedule the campaign' }));
    await page.getByRole('heading', { name: 'Scheduled', level: 2, exact: true }).waitFor();
    await expectFacts();
    await expect
      .poll(() => member.call('GET', `/campaigns/${data.id}`))
      .toMatchObject({ localSchedule: { time: '2030-01-15T09:00', fallbackTimezone: 'Asia/Dubai', maxLateness: 12 } });
    await press(page.getByRole('link', { name: 'Change the time' }));
    await expect.poll(() => zone.inputValue()).toBe('Asia/Dubai');
    expect(await lateness.inputValue()).toBe('12');
  });

  test('the focus goes to what the server refused, and to the heading of the next page', async () => {
    const page = await dashboard.open('/auth/signup');
    const { keyboard } = page;
    await expectFocus(page.getByLabel('Email address'));
    await keyboard.type('mara@users.test');
    await tabTo(page.getByLabel('Password'));
    await keyboard.type('short');
    await keyboard.press('Shift+Tab');
    await keyboard.press('Enter');
    await expectFocus(page.getByLabel('Password'));
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await expectFocus(page.getByLabel('Name'));
    await keyboard.type('Shop');
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('heading', { name: 'Your API keys' }));
    await tabTo(page.getByRole('button', { name: 'I have stored the secret key' }));
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('heading', { name: 'Home' }));
    await tabTo(page.getByRole('link', { name: 'Contacts', exact: true }));
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('heading', { name: 'Contacts', exact: true }));
    await tabTo(page.getByRole('button', { name: 'Add a contact' }).first());
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('dialog').getByLabel('Email address'));
    await keyboard.type('ada@example.test');
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('heading', { name: 'ada@example.test' }));
  });

  test('the focus stays near a control that leaves the page', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/contacts', { email: 'ada@example.test' });
    const page = await member.open('/contacts');
    const { keyboard } = page;
    await tabTo(page.getByRole('button', { name: 'Choose all 1' }));
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('button', { name: 'Choose none' }));
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('button', { name: 'Choose all 1' }));
  });

  test('an added filter has the focus, and after its removal the control next to it', async () => {
    const member = await dashboard.member();
    const page = await member.open('/segments/new');
    const { keyboard } = page;
    const field = (number: number): Locator => page.getByLabel(`Filter ${number}: Field`, { exact: true });
    await tabTo(page.getByRole('button', { name: 'Add a filter' }));
    await keyboard.press('Enter');
    await expectFocus(field(2));
    await tabTo(page.getByRole('button', { name: 'Remove this filter: Filter 2' }));
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('button', { name: 'Add a filter' }));
    await tabTo(page.getByRole('button', { name: 'Add groups inside' }));
    await keyboard.press('Enter');
    await expectFocus(field(1).last());
    await tabTo(page.getByRole('button', { name: 'Add a group' }).last());
    await keyboard.press('Enter');
    await expectFocus(field(1).last());
  });

  test('a file is mapped, and the result of its import has the focus', async () => {
    const member = await dashboard.member();
    const page = await member.open('/contacts/import');
    const { keyboard } = page;
    const buffer = Buffer.from('E-Mail;Plan\nada@example.test;pro\n');
    const choose = (): Promise<void> =>
      page.getByLabel('Choose a file').setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer });
    await choose();
    await expectFocus(page.getByRole('heading', { name: 'Columns: customers.csv' }));
    await tabTo(page.getByRole('button', { name: 'Choose another file' }));
    await keyboard.press('Enter');
    await expectFocus(page.getByLabel('Choose a file'));
    await choose();

    const name = page.getByLabel('Name of the field: Plan');
    await tabTo(name);
    await keyboard.press('ControlOrMeta+a');
    await keyboard.press('Delete');
    await page.getByText('Give the field a name, or leave the column out.').waitFor();
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    await keyboard.type('__proto__');
    await tabTo(page.getByRole('button', { name: 'Test without writing' }));
    await keyboard.press('Enter');
    await page.getByText('Contacts cannot have a field of this name.').waitFor();
    await expectFocus(name);
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type('plan');
    await keyboard.press('Enter');
    await expectFocus(page.getByRole('heading', { name: 'Testing the file' }));
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('a missing sender leads to its field, and a tab is marked by the focus on all sides', async () => {
    const member = await dashboard.member();
    const content = { subject: 'Hello', body: '<p>Good day</p>' };
    const { id } = await member.call<{ id: string }>('POST', '/templates', {
      draft: true,
      name: 'Welcome',
      ...content,
    });
    const page = await member.open(`/templates/${id}`);
    await tabTo(page.getByRole('button', { name: 'Show the place: The sender is missing.' }));
    await page.keyboard.press('Enter');
    await expectFocus(page.getByLabel('Sender address'));
    await tabTo(page.getByRole('tab', { name: 'Settings' }));
    expect(await page.evaluate('parseFloat(getComputedStyle(document.activeElement).outlineOffset)')).toBeLessThan(0);
  });

  test('the settings of a block do not cover the caret', async () => {
    const member = await dashboard.member();
    const { id } = await member.call<{ id: string }>('POST', '/templates', {
      draft: true,
      name: 'Welcome',
      subject: 'Hello',
      design: { version: 1, blocks: [] },
    });
    const page = await member.open(`/templates/${id}`, { viewport: { width: 1280, height: 800 } });
    await tabTo(page.getByRole('textbox', { name: 'Content of the email' }));
    const measureGap = (): Promise<number> =>
      page.evaluate(`(() => {
        const caret = getSelection().getRangeAt(0).startContainer;
        const { bottom } = (caret.nodeType === 1 ? caret : caret.parentElement).getBoundingClientRect();
        return document.querySelector('section[aria-label="Selected block"]').getBoundingClientRect().top - bottom;
      })()`);
    for (let line = 1; line <= 12; line++) {
      await page.keyboard.type(`Line ${line}`);
      await page.keyboard.press('Enter');
    }
    await expect.poll(measureGap).toBeGreaterThan(0);
  });
});
