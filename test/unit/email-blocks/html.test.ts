/** The HTML and text of designs. `npx vitest run test/unit/email-blocks -u` updates the golden files. */
import { expect, test } from 'vitest';
import { toHtml, toText, type Block, type Design } from '../../../packages/email-blocks/src/index.js';
import { lightenFor } from '../../../packages/email-blocks/src/colors.js';
import { htmlToText } from '../../../src/mail/html-text.js';
import { compileTemplate, renderTemplate } from '../../../src/mail/render.js';
import { BRAND, EVERY_BLOCK, RIGHT_TO_LEFT } from '../../helpers/designs.js';

const designOf = (...blocks: Block[]): Design => ({ version: 1, blocks });
const paragraph = (value: string): Block => ({ id: 'p', type: 'text', content: [{ type: 'text', text: value }] });
const render = (design: Design, variables: Record<string, unknown>): string =>
  renderTemplate(toHtml(design, BRAND), variables, { escape: 'html' });

test('the HTML of every block matches its golden file', async () => {
  await expect(toHtml(EVERY_BLOCK, BRAND, { preheader: 'New ferns for {{ firstName }} & you' })).toMatchFileSnapshot(
    'golden/every-block.html',
  );
});

test('the HTML of a design from right to left matches its golden file', async () => {
  await expect(toHtml(RIGHT_TO_LEFT, BRAND)).toMatchFileSnapshot('golden/right-to-left.html');
});

test('the text of every block matches its golden file', async () => {
  await expect(toText(EVERY_BLOCK, BRAND)).toMatchFileSnapshot('golden/every-block.txt');
});

test('the HTML and the text of every block are valid templates', () => {
  expect(() => compileTemplate(toHtml(EVERY_BLOCK, BRAND), { escape: 'html' })).not.toThrow();
  expect(() => compileTemplate(toText(EVERY_BLOCK, BRAND), { escape: 'text' })).not.toThrow();
});

test('text is escaped, and placeholders in it are kept', () => {
  const html = toHtml(designOf(paragraph('<script>"&\' {{ name ?? "a > b" }} <b>')), BRAND);
  expect(html).toContain('&lt;script&gt;&quot;&amp;&#39; {{ name ?? "a > b" }} &lt;b&gt;');
});

test('an address with markup, a link with quotes, and an alternative text cannot leave their places', () => {
  const html = toHtml(
    designOf(
      { id: 'i', type: 'image', src: 'https://e.com/"onerror="x', alt: '"><script>', href: 'https://e.com/"><b>' },
      { id: 'f', type: 'footer' },
    ),
    { ...BRAND, name: '</title><script>', postalAddress: '<script>{{ secret }}' },
  );
  expect(html).not.toContain('<script');
  expect(html).not.toContain('"onerror');
  expect(html).not.toContain('{{ secret');
});

test.each(['{{ open', 'a {', '{% if', '{', '{{}}', '{{{ x }}'])(
  'braces outside of templates print as text: %s',
  (text) => {
    const block: Block = {
      id: 'p',
      type: 'text',
      content: [
        { type: 'text', text },
        { type: 'variable', name: 'name' },
      ],
    };
    const html = renderTemplate(toHtml(designOf(block), BRAND), { name: 'Ada' }, { escape: 'html' });
    expect(htmlToText(html)).toBe(`${text}Ada`);
    expect(renderTemplate(toText(designOf(block), BRAND), { name: 'Ada' }, { escape: 'text' })).toBe(`${text}Ada\n`);
  },
);

test.each(['friend', 'a "b" & \'c\'', '}} <b>', 'x | upcase ?? y', '&quot;'])(
  'a fallback prints as it is: %s',
  (fallback) => {
    const block: Block = { id: 'p', type: 'text', content: [{ type: 'variable', name: 'nick', fallback }] };
    expect(htmlToText(render(designOf(block), {}))).toBe(
      htmlToText(`<p>${fallback.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`),
    );
    expect(htmlToText(render(designOf(block), { nick: 'Ada' }))).toBe('Ada');
  },
);

const shownFor = (operator: string, value: unknown, data: Record<string, unknown>): string =>
  htmlToText(
    render(
      designOf({
        id: 'c',
        type: 'conditional',
        condition: { type: 'rule', variable: 'data.a key.plan', operator, value } as never,
        blocks: [paragraph('yes')],
        elseBlocks: [paragraph('no')],
      }),
      { data: { 'a key': data } },
    ),
  );

test.each([
  ['equals', 'a "%}" \\ <b>', 'a "%}" \\ <b>', 'other'],
  ['equals', 5, 5, 6],
  ['equals', true, true, false],
  ['notEquals', 'a', 'b', 'a'],
  ['contains', 'ar', 'bark', 'tree'],
  ['notContains', 'ar', 'tree', 'bark'],
  ['greaterThan', 3, 4, 3],
  ['lessThan', 3, 2, 3],
  ['exists', null, false, ''],
  ['exists', null, 'x', undefined],
  ['notExists', null, undefined, 0],
])('a conditional block with %s %j shows its blocks for %j and not for %j', (operator, value, shown, hidden) => {
  expect(shownFor(operator, value, { plan: shown })).toBe('yes');
  expect(shownFor(operator, value, { plan: hidden })).toBe('no');
});

test('an image without a source, and a conditional block without an else, write nothing', () => {
  const html = toHtml(
    designOf(
      { id: 'i', type: 'image', src: '' },
      { id: 'c', type: 'conditional', condition: { type: 'liquid', expression: 'vip' }, blocks: [] },
    ),
    BRAND,
  );
  expect(html).not.toContain('<img');
  expect(html).not.toContain('{% else %}');
});

test('a color of the author that is too dark for dark mode gets a lighter one there', () => {
  const html = toHtml(EVERY_BLOCK, BRAND);
  expect(html).toContain('class="sl-1e3a8a"');
  expect(html).toContain(`.sl-1e3a8a{color:${lightenFor('#1c1c1f', '#1e3a8a')}!important}`);
});

test('links of a button text are left out, because the button is a link', () => {
  const html = toHtml(
    designOf({
      id: 'b',
      type: 'button',
      href: 'https://example.com/button',
      content: [{ type: 'text', text: 'Go', marks: [{ type: 'link', href: 'https://example.com/text' }] }],
    }),
    BRAND,
  );
  expect(html).not.toContain('https://example.com/text');
});

test('an untracked link has the attribute that excludes it', () => {
  const html = toHtml(
    designOf({
      id: 'b',
      type: 'button',
      href: 'https://e.com',
      tracked: false,
      content: [{ type: 'text', text: 'Go' }],
    }),
    BRAND,
  );
  expect(html).toContain('data-no-track=""');
});
