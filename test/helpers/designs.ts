/** Designs for tests of the block editor. */
import type { Brand, Design } from '../../packages/email-blocks/src/index.js';

export const BRAND: Brand = {
  name: 'Ferns & Friends',
  logoUrl: 'https://example.com/logo.png',
  color: '#0f766e',
  postalAddress: 'Ferns & Friends\n1 Green Lane, Leafton',
  language: 'en',
};

const text = (value: string) => ({ type: 'text' as const, text: value });

/** One block of each type, and every formatting. */
export const EVERY_BLOCK: Design = {
  version: 1,
  settings: { logo: 'start' },
  blocks: [
    {
      id: 'title',
      type: 'heading',
      level: 1,
      content: [text('Hello '), { type: 'variable', name: 'firstName', fallback: 'friend' }],
    },
    {
      id: 'intro',
      type: 'text',
      content: [
        text('Fish & <chips>, '),
        { type: 'text', text: 'bold', marks: [{ type: 'bold' }] },
        { type: 'text', text: ' and italic', marks: [{ type: 'bold' }, { type: 'italic' }] },
        text(', '),
        { type: 'text', text: 'underlined', marks: [{ type: 'underline' }] },
        text(', '),
        { type: 'text', text: 'struck', marks: [{ type: 'strike' }] },
        text(', '),
        { type: 'text', text: 'dark blue', marks: [{ type: 'color', color: '#1E3A8A' }] },
        text('.\nA second line with '),
        {
          type: 'text',
          text: 'a link',
          marks: [{ type: 'link', href: 'https://example.com/?a=1&b={{ id }}', label: 'intro' }],
        },
        {
          type: 'text',
          text: ' in bold',
          marks: [{ type: 'bold' }, { type: 'link', href: 'https://example.com/?a=1&b={{ id }}', label: 'intro' }],
        },
        text('. {{ data.city | upcase }} {%- if vip %}!{% endif %}'),
      ],
    },
    {
      id: 'buy',
      type: 'button',
      content: [text('Buy '), { type: 'variable', name: 'data.plan' }],
      href: 'https://example.com/buy?c={{ id }}',
      label: 'cta',
    },
    {
      id: 'photo',
      type: 'image',
      src: 'https://example.com/fern.jpg',
      alt: 'A "fern"',
      href: 'https://example.com/fern',
      radius: 8,
    },
    {
      id: 'pair',
      type: 'columns',
      columns: [
        [
          { id: 'left-image', type: 'image', src: 'https://example.com/left.jpg', alt: 'Left' },
          { id: 'left-text', type: 'text', content: [text('Left')] },
        ],
        [{ id: 'right', type: 'text', content: [text('Right')], align: 'end' }],
      ],
    },
    {
      id: 'three',
      type: 'columns',
      widths: [50, 25, 25],
      gap: 12,
      verticalAlign: 'middle',
      columns: [
        [{ id: 'c1', type: 'heading', level: 3, content: [text('One')] }],
        [{ id: 'c2', type: 'text', content: [text('Two')] }],
        [{ id: 'c3', type: 'text', content: [text('Three')] }],
      ],
    },
    { id: 'line', type: 'divider' },
    { id: 'air', type: 'spacer', height: 32 },
    {
      id: 'points',
      type: 'list',
      items: [[text('First')], [text('Second '), { type: 'variable', name: 'First name' }]],
    },
    { id: 'steps', type: 'list', isOrdered: true, items: [[text('Plant')], [text('Water')]] },
    {
      id: 'networks',
      type: 'social',
      links: [
        { name: 'Mastodon', href: 'https://example.social/@ferns' },
        { name: 'GitHub', href: 'https://example.com/git', icon: 'https://example.com/git.png' },
      ],
    },
    { id: 'own', type: 'html', html: '<em>Own</em> {{ html }}' },
    {
      id: 'branch',
      type: 'conditional',
      condition: { type: 'rule', variable: 'data.plan', operator: 'equals', value: 'pro "%}" <b>' },
      blocks: [{ id: 'pro', type: 'text', content: [text('Thank you for being a pro.')], background: '#fef3c7' }],
      elseBlocks: [{ id: 'free', type: 'text', content: [text('Upgrade today.')] }],
    },
    {
      id: 'end',
      type: 'footer',
      content: [text('You get this because you bought a fern.')],
      preferences: 'Preferences',
    },
  ],
};

/** Right to left, with other settings. */
export const RIGHT_TO_LEFT: Design = {
  version: 1,
  settings: {
    language: 'ar',
    font: 'georgia',
    fontSize: 18,
    pageColor: '#eee',
    contentColor: '#fffbeb',
    linkColor: '#b91c1c',
  },
  blocks: [
    { id: 'a', type: 'heading', level: 2, content: [text('مرحبا')] },
    { id: 'b', type: 'list', items: [[text('واحد')], [text('اثنان')]] },
    {
      id: 'c',
      type: 'button',
      content: [text('شراء')],
      href: 'https://example.com',
      align: 'end',
      buttonColor: '#fde047',
    },
    { id: 'd', type: 'footer', unsubscribe: 'إلغاء الاشتراك', hasAddress: false },
  ],
};
