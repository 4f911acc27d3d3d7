import { expect, test } from 'vitest';
import {
  findProblems,
  listTemplates,
  parseDesign,
  type Block,
  type Design,
} from '../../../packages/email-blocks/src/index.js';
import { splitTemplates } from '../../../packages/email-blocks/src/liquid.js';
import { scanTemplate } from '../../../src/mail/template-scan.js';
import { EVERY_BLOCK, RIGHT_TO_LEFT } from '../../helpers/designs.js';

const errorsOf = (input: unknown): string[] => {
  const result = parseDesign(input);
  return 'errors' in result ? result.errors.map(({ path, message }) => `${path}: ${message}`) : [];
};
const spacer = (id: string): Block => ({ id, type: 'spacer', height: 8 });
const designOf = (...blocks: unknown[]): unknown => ({ version: 1, blocks });
const nest = (levels: number): unknown =>
  levels === 0
    ? spacer('deepest')
    : {
        id: `level-${levels}`,
        type: 'conditional',
        condition: { type: 'liquid', expression: 'x' },
        blocks: [nest(levels - 1)],
      };

test('designs with every block are valid, and unchanged', () => {
  for (const design of [EVERY_BLOCK, RIGHT_TO_LEFT]) expect(parseDesign(design)).toEqual({ design });
});

test('unknown fields are removed', () => {
  expect(parseDesign({ ...RIGHT_TO_LEFT, extra: 1 })).toEqual({ design: RIGHT_TO_LEFT });
});

test('an error names its place', () => {
  const image = { id: 'i', type: 'image', src: 'javascript:alert(1)' };
  expect(
    errorsOf(designOf(spacer('a'), spacer('b'), { id: 'c', type: 'columns', columns: [[spacer('d'), image]] })),
  ).toEqual(['blocks.2.columns.0.1.src: must start with https://, http://, or a {{ variable }}']);
});

test.each([
  ['another version', { version: 2, blocks: [] }, /^version: /],
  ['no blocks', { version: 1 }, /^blocks: /],
  ['no object', 'text', /^: /],
  ['an unknown type', designOf({ id: 'a', type: 'video' }), /^blocks\.0\.type: /],
  [
    'a script as a link',
    designOf({ id: 'a', type: 'button', content: [], href: 'javascript:x' }),
    /^blocks\.0\.href: must start with/,
  ],
  ['a color in words', designOf({ id: 'a', type: 'divider', color: 'red' }), /^blocks\.0\.color: must be a color/],
  ['a repeated id', designOf(spacer('a'), spacer('a')), /^blocks\.1\.id: must be unique: blocks\.0 has the same id$/],
  ['four columns', designOf({ id: 'a', type: 'columns', columns: [[], [], [], []] }), /^blocks\.0\.columns: /],
  [
    'columns in columns',
    designOf({ id: 'a', type: 'columns', columns: [[{ id: 'b', type: 'columns', columns: [[]] }]] }),
    /^blocks\.0\.columns\.0\.0: must not be columns inside of columns$/,
  ],
  [
    'widths of more than 100 percent',
    designOf({ id: 'a', type: 'columns', columns: [[], []], widths: [60, 60] }),
    /^blocks\.0\.widths: must add up/,
  ],
  [
    'a width too many',
    designOf({ id: 'a', type: 'columns', columns: [[]], widths: [50, 50] }),
    /^blocks\.0\.widths: must have one width/,
  ],
  [
    'too many blocks',
    designOf(...Array.from({ length: 501 }, (_, index) => spacer(`b${index}`))),
    /^blocks\.500: .* at most 500 blocks/,
  ],
  ['seven levels', designOf(nest(6)), /^blocks\.0\.blocks\.0.*: must not be nested deeper than 6 levels$/],
  ['a thousand levels', designOf(nest(1000)), /^blocks: must not be nested deeper than 6 levels$/],
  [
    'too many characters',
    designOf(
      ...Array.from({ length: 4 }, (_, index) => ({ id: `h${index}`, type: 'html', html: 'x'.repeat(150_000) })),
    ),
    /^blocks: must have at most 500000 characters of JSON$/,
  ],
  [
    'a rule without a value',
    designOf({
      id: 'a',
      type: 'conditional',
      blocks: [],
      condition: { type: 'rule', variable: 'x', operator: 'equals' },
    }),
    /^blocks\.0\.condition\.value: is required for the operator equals$/,
  ],
  [
    'an expression that closes its tag',
    designOf({ id: 'a', type: 'conditional', blocks: [], condition: { type: 'liquid', expression: 'x %}<b>' } }),
    /^blocks\.0\.condition\.expression: must be one line without braces of tags$/,
  ],
  [
    'a variable with markup',
    designOf({ id: 'a', type: 'text', content: [{ type: 'variable', name: 'x }}<b>' }] }),
    /^blocks\.0\.content\.0\.name: must be a variable/,
  ],
  [
    'a mark that does not exist',
    designOf({ id: 'a', type: 'text', content: [{ type: 'text', text: '', marks: [{ type: 'blink' }] }] }),
    /^blocks\.0\.content\.0\.marks\.0\.type: /,
  ],
])('the schema rejects %s', (_, design, message) => {
  expect(errorsOf(design)).toEqual([expect.stringMatching(message)]);
});

test('six levels are allowed', () => {
  expect(errorsOf(designOf(nest(5)))).toEqual([]);
});

test('a finished design has no problems', () => {
  expect(findProblems(EVERY_BLOCK)).toEqual([]);
});

test('problems name unfinished and questionable places', () => {
  const design: Design = {
    version: 1,
    blocks: [
      {
        id: 'a',
        type: 'columns',
        columns: [
          [
            { id: 'b', type: 'image', src: 'https://example.com/x.png' },
            { id: 'c', type: 'image', src: '', alt: '' },
          ],
        ],
      },
      { id: 'd', type: 'button', content: [], href: '' },
      {
        id: 'e',
        type: 'text',
        content: [
          { type: 'text', text: 'Hi {{ name', marks: [{ type: 'bold' }, { type: 'link', href: 'http://example.com' }] },
        ],
      },
    ],
  };
  expect(findProblems(design).map(({ code, path }) => [code, path])).toEqual([
    ['image_without_alt', 'blocks.0.columns.0.0.alt'],
    ['missing_image', 'blocks.0.columns.0.1.src'],
    ['empty_link', 'blocks.1.href'],
    ['empty_link', 'blocks.1.content'],
    ['insecure_link', 'blocks.2.content.0.marks.1.href'],
    ['template_syntax', 'blocks.2.content.0.text'],
  ]);
});

test.each([[[]], [[spacer('a')]], [[{ id: 'a', type: 'text', content: [{ type: 'text', text: '  ' }] }] as Block[]]])(
  'a design that shows nothing is empty',
  (blocks) => {
    expect(findProblems({ version: 1, blocks }).map(({ code, level }) => [code, level])).toEqual([
      ['missing_body', 'error'],
    ]);
  },
);

test('the templates of a design have their places', () => {
  expect([...listTemplates(EVERY_BLOCK)]).toContainEqual({
    path: 'blocks.2.href',
    template: 'https://example.com/buy?c={{ id }}',
  });
});

test.each([
  'Hello {{ name }}!',
  '{{ a ?? "}}" }} {{{ raw }}} {% if x %}y{% endif %}',
  "l'ami {{ a ?? l'ami }} it's",
  '{{ a["x}}"] }}',
])('templates in text are found as the template language finds them: %s', (source) => {
  expect(splitTemplates(source)).toEqual(
    scanTemplate(source).map(({ kind, text }) => ({ kind: kind === 'text' ? 'text' : 'template', text })),
  );
});
