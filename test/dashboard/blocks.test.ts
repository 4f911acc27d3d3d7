import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Design } from '../../packages/email-blocks/src/index.js';
import { hasChromium } from '../helpers/chromium.js';
import { EVERY_BLOCK } from '../helpers/designs.js';
import {
  expectNoOverflow,
  findAccessibilityProblems,
  PHONE,
  takePicture,
  useDashboard,
  type Member,
} from '../helpers/dashboard.js';
import { PASTES } from '../helpers/pastes.js';

interface Template {
  id: string;
  editor: string;
  body: string;
  design: Design | null;
}

/** Scripts of the page: a paste into the focused element of what a function puts into the clipboard, and an image. */
const PASTE = `(fill => {
  const data = new DataTransfer();
  fill(data);
  const options = { clipboardData: data, bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new ClipboardEvent('paste', options));
})`;
const DOT_BASE64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const DOT = `new File([Uint8Array.from(atob('${DOT_BASE64}'), c => c.charCodeAt(0))], 'dot.png', { type: 'image/png' })`;

describe.skipIf(!hasChromium())('the block editor', () => {
  const dashboard = useDashboard();

  const create = async (member: Member, design: object): Promise<Template> =>
    member.call('POST', '/templates', { draft: true, name: 'Offer', subject: 'Hi', design });
  const read = async (member: Member, { id }: Template): Promise<Template> => member.call('GET', `/templates/${id}`);
  const canvas = (page: Page) => page.getByRole('textbox', { name: 'Content of the email' });
  const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor();
  const typesOf = async (member: Member, template: Template) =>
    (await read(member, template)).design?.blocks.map(({ type }) => type);

  test('blocks are written, added, moved, duplicated, deleted, and restored by keyboard alone', async () => {
    const member = await dashboard.member();
    await member.call('POST', '/contacts', { email: 'ada@example.test', data: { city: 'Ulm' } });
    const template = await create(member, { version: 1, blocks: [] });
    const page = await member.open(`/templates/${template.id}`);
    await canvas(page).focus();
    await page.keyboard.type('/head');
    await page.getByRole('option', { name: 'Heading' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('Greetings to {{cit');
    await page.getByRole('option', { name: 'data.city' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Body text');
    const blocks = async () => (await read(member, template)).design?.blocks;
    await expect.poll(blocks).toMatchObject([
      {
        type: 'heading',
        level: 2,
        content: [
          { type: 'text', text: 'Greetings to ' },
          { type: 'variable', name: 'data.city' },
        ],
      },
      { type: 'text', content: [{ text: 'Body text' }] },
    ]);
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Control+Shift+D');
    await expect.poll(() => typesOf(member, template)).toEqual(['text', 'text', 'heading']);
    const ids = (await blocks())?.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    await page.getByRole('button', { name: 'Delete the block' }).press('Enter');
    await expect.poll(() => typesOf(member, template)).toEqual(['text', 'heading']);
    await page.keyboard.press('Control+z');
    await expect.poll(() => typesOf(member, template)).toEqual(['text', 'text', 'heading']);
    // Changes in quick succession are undone one by one.
    for (const key of ['Control+Shift+D', 'Alt+ArrowUp', 'Control+z']) await page.keyboard.press(key);
    await expect.poll(() => typesOf(member, template)).toEqual(['text', 'text', 'text', 'heading']);
  });

  test('every block is shown and stays the same, and its settings are in the form', async () => {
    const member = await dashboard.member();
    const template = await create(member, EVERY_BLOCK);
    const page = await member.open(`/templates/${template.id}`);
    await canvas(page).getByText('Thank you for being a pro.').waitFor();
    await takePicture(page, 'blocks');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await canvas(page).locator('[data-button]').click();
    await page.getByLabel('Link', { exact: true }).last().fill('example.org/now');
    await page.getByText('This is not valid yet, so it is not saved.').waitFor();
    await page.keyboard.press('Tab');
    await saved(page);
    const expected = structuredClone(EVERY_BLOCK);
    Object.assign(expected.blocks[2] ?? {}, { href: 'https://example.org/now' });
    await expect.poll(async () => (await read(member, template)).design).toEqual(expected);
    await page.getByRole('button', { name: 'Add a block' }).click();
    await page.getByRole('menuitem', { name: 'Columns' }).click();
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await page.getByLabel('Columns', { exact: true }).selectOption('3');
    await expect
      .poll(async () => (await read(member, template)).design?.blocks[3])
      .toMatchObject({ type: 'columns', columns: [[], [], []] });
  });

  test('the switch to code explains what it costs, and the way back keeps the blocks', async () => {
    const member = await dashboard.member();
    const template = await create(member, {
      version: 1,
      blocks: [{ id: 'a', type: 'text', content: [{ type: 'text', text: 'Keep me' }] }],
    });
    const page = await member.open(`/templates/${template.id}`);
    await canvas(page).getByText('Keep me').waitFor();
    const { body } = await read(member, template);
    await page.getByRole('button', { name: 'Code', exact: true }).click();
    const question = page.getByRole('alertdialog', { name: 'Edit the HTML instead of blocks?' });
    await question.waitFor();
    expect((await read(member, template)).editor).toBe('blocks');
    await takePicture(page, 'switch-to-code');
    await question.getByRole('button', { name: 'Switch to code' }).click();
    await page.getByRole('textbox', { name: 'HTML of the email' }).waitFor();
    await expect.poll(async () => read(member, template)).toMatchObject({ editor: 'html', design: null, body });
    await page.getByRole('button', { name: 'Blocks', exact: true }).click();
    await page.getByRole('button', { name: 'My blocks from before' }).click();
    await canvas(page).getByText('Keep me').waitFor();
    await expect.poll(async () => (await read(member, template)).editor).toBe('blocks');
  });

  test.each(PASTES)('a paste from $source keeps the structure and loses the junk', async ({ html, blocks }) => {
    const member = await dashboard.member();
    const template = await create(member, { version: 1, blocks: [] });
    const page = await member.open(`/templates/${template.id}`);
    await canvas(page).focus();
    await page.evaluate(`${PASTE}(data => data.setData('text/html', ${JSON.stringify(html)}))`);
    await expect
      .poll(async () => (await read(member, template)).design?.blocks.map(({ id: _id, ...block }) => block))
      .toEqual(blocks);
  });

  test('a block is saved under a name, inserted into another template, renamed, and deleted', async () => {
    const member = await dashboard.member();
    const first = await create(member, {
      version: 1,
      blocks: [{ id: 'a', type: 'button', content: [{ type: 'text', text: 'Buy' }], href: 'https://example.test' }],
    });
    const page = await member.open(`/templates/${first.id}`);
    await canvas(page).locator('[data-button]').click();
    await page.getByRole('button', { name: 'Save the block' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop');
    await page.keyboard.press('Enter');
    await page.getByText('"Shop" is saved').waitFor();

    const second = await create(member, { version: 1, blocks: [] });
    await page.goto(page.url().replace(first.id, second.id));
    await canvas(page).focus();
    await page.keyboard.type('/sho');
    await page.getByRole('option', { name: 'Shop' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Saved blocks' }).click();
    const list = page.getByRole('dialog', { name: 'Saved blocks' });
    await list.getByRole('button', { name: 'Insert Shop' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await list.getByRole('button', { name: 'Insert Shop' }).click();
    const designs = async () => (await read(member, second)).design?.blocks;
    const copy = { type: 'button', href: 'https://example.test', content: [{ text: 'Buy' }] };
    await expect.poll(designs).toMatchObject([copy, copy]);
    expect(new Set((await designs())?.map(({ id }) => id)).size).toBe(2);

    await page.getByRole('button', { name: 'Saved blocks' }).click();
    await list.getByRole('button', { name: 'Rename Shop' }).click();
    await list.getByRole('textbox', { name: 'Name' }).fill('Button of the shop');
    await page.keyboard.press('Enter');
    await list.getByRole('button', { name: 'Delete Button of the shop' }).click();
    await list.getByText('Nothing is saved yet.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await list.getByRole('button', { name: 'Insert Button of the shop' }).waitFor();
  });

  test('a pasted image is uploaded and shown, and the editor fits on a phone in German', async () => {
    const member = await dashboard.member();
    const template = await create(member, { version: 1, blocks: [] });
    const page = await member.open(`/templates/${template.id}`, { ...PHONE, locale: 'de-DE', colorScheme: 'dark' });
    const german = page.getByRole('textbox', { name: 'Inhalt der E-Mail' });
    await german.focus();
    await page.evaluate(`${PASTE}(data => data.items.add(${DOT}))`);
    await expect
      .poll(async () => (await read(member, template)).design?.blocks.find(({ type }) => type === 'image'))
      .toMatchObject({ src: expect.stringContaining('/uploads/') });
    await expectNoOverflow(page);
    await takePicture(page, 'blocks-phone-german-dark');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
