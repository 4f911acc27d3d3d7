/** Designs as documents of the block editor. */
import { expect, test } from 'vitest';
import { parseDesign } from '../../../packages/email-blocks/src/index.js';
import { designOfHtml } from '../../../packages/dashboard/src/features/editor/content.js';
import { nodeIndexes, toDesign, toDocument } from '../../../packages/dashboard/src/features/editor/blocks/document.js';
import { completeLink, longColor } from '../../../packages/dashboard/src/features/editor/blocks/rules.js';
import { EVERY_BLOCK, RIGHT_TO_LEFT } from '../../helpers/designs.js';

test.each([
  ['every block', EVERY_BLOCK],
  ['right to left', RIGHT_TO_LEFT],
])('the design of %s survives the way through the editor', (_name, design) => {
  const document = toDocument(design);
  expect(toDesign(document, design.settings)).toEqual(design);
  expect(parseDesign(toDesign(document, design.settings))).toEqual({ design });
});

test('containers without blocks have a place for the cursor, which is left out again', () => {
  const design = {
    version: 1 as const,
    blocks: [
      { id: 'c', type: 'columns' as const, columns: [[], []] },
      { id: 'l', type: 'list' as const, items: [] },
      {
        id: 'i',
        type: 'conditional' as const,
        condition: { type: 'liquid' as const, expression: 'vip' },
        blocks: [],
        elseBlocks: [],
      },
    ],
  };
  const document = toDocument(design);
  expect(JSON.stringify(document)).toContain('paragraph');
  expect(toDesign(document)).toEqual(design);
  expect(toDesign(toDocument({ version: 1, blocks: [] }))).toEqual({ version: 1, blocks: [] });
});

test('line breaks, also at the ends of a text, survive', () => {
  const design = {
    version: 1 as const,
    blocks: [
      {
        id: 't',
        type: 'text' as const,
        content: [
          { type: 'text' as const, text: '\nOne\n\nTwo\n' },
          { type: 'text' as const, text: 'bold\n', marks: [{ type: 'bold' as const }] },
        ],
      },
    ],
  };
  expect(toDesign(toDocument(design))).toEqual(design);
});

test.each([
  ['blocks.2.content.0.text', [2]],
  ['blocks.4.columns.1.0.align', [4, 1, 0]],
  ['blocks.3.elseBlocks.2.columns.0.1.src', [3, 1, 2, 0, 1]],
  ['blocks.3.blocks.0', [3, 0, 0]],
  ['blocks', []],
])('the path %s leads to a node', (path, indexes) => {
  expect(nodeIndexes(path)).toEqual(indexes);
});

test('the HTML of a document becomes one block with its styles', () => {
  const html = '<html><head><style>p{color:red}</style></head><body class="a"><p>Hi</p></body></html>';
  expect(designOfHtml(html).blocks).toEqual([
    { id: expect.any(String), type: 'html', html: '<style>p{color:red}</style>\n<p>Hi</p>' },
  ]);
  expect(designOfHtml('<p>Hi</p>').blocks).toMatchObject([{ html: '<p>Hi</p>' }]);
});

test('links and colors are completed', () => {
  expect(
    ['example.com/a?b', 'me@example.com', ' https://a.test ', '{{ url }}', 'nonsense'].map((text) =>
      completeLink(text),
    ),
  ).toEqual(['https://example.com/a?b', 'mailto:me@example.com', 'https://a.test', '{{ url }}', 'nonsense']);
  expect([longColor('#abc'), longColor('#1d4ed8')]).toEqual(['#aabbcc', '#1d4ed8']);
});
