import { describe, expect, it } from 'vitest';
import { compileContent } from '../../src/mail/content.js';
import { withPreheader } from '../../src/mail/preheader.js';
import { TemplateError } from '../../src/mail/template-error.js';
import { createLinks } from '../../src/mail/links.js';
import { compileMessage } from '../../src/mail/compiled-message.js';

const BODY = '<p>Body</p>';
const MARK = '<div data-preheader';

/** The body's text before the preheader. */
const before = (html: string): string => html.slice(0, html.indexOf(MARK));

/** The preheader with its escapes and without its padding. */
const textOf = (html: string): string | undefined =>
  /<div data-preheader[^>]*>(.*?)(?:&#847;.*)?<\/div>/.exec(html)?.[1];

describe('a preheader', () => {
  it.each([
    ['', BODY],
    ['<html><body class="x">', `${BODY}</body></html>`],
    ['<BODY\n>', BODY],
    ['<body style="{% if a > b %}margin:0{% endif %}">', BODY],
    ['<!doctype html>', BODY],
    ['<!doctype html><html lang="de">', BODY],
    ['<html><head><title>a > b</title></head>', BODY],
    ['<html><head></head><!-- <body> --><body>', BODY],
    ['<body>', `<p>1</p><body>${BODY}`],
  ])('is the first element after %j', (start, rest) => {
    const html = withPreheader(start + rest, 'Now');
    expect(before(html)).toBe(start);
    expect(html.endsWith(`</div>\n${rest}`)).toBe(true);
  });

  it('changes nothing without a text', () => {
    expect(withPreheader(BODY, null)).toBe(BODY);
  });

  it('is text: tags and character references of the author are shown as they are written', () => {
    expect(textOf(withPreheader(BODY, 'Tips & <b>tricks</b> &amp;'))).toBe(
      'Tips &amp; &lt;b&gt;tricks&lt;/b&gt; &amp;amp;',
    );
  });

  it('is a template, whose values are escaped', () => {
    const { render } = compileContent({
      subject: 's',
      html: withPreheader(BODY, '{{ name ?? "A & B" }}: {% if x %}<1{% endif %}'),
    });
    expect(textOf(render({ name: '</div>', x: true }).html)).toBe('&lt;/div&gt;: &lt;1');
    expect(textOf(render({}).html)).toBe('A &amp; B: ');
  });

  it('is not part of the text alternative', () => {
    const { render } = compileContent({ subject: 's', html: withPreheader(BODY, 'Now {{ name }}') });
    expect(render({ name: 'Ada' }).text).toBe('Body');
    expect(render({ name: 'Ada' }, undefined).html).toContain('Now Ada');
  });

  it('is padded, so that no text of the body follows it in the list of emails', () => {
    const padding = (preheader: string): number => withPreheader(BODY, preheader).split('&#847;').length - 1;
    expect(padding('x'.repeat(40))).toBe(100);
    expect(padding('x'.repeat(255))).toBe(0);
  });

  it('rejects a syntax error', () => {
    expect(() => withPreheader(BODY, '{{ name')).toThrow(TemplateError);
  });

  it('keeps the fast path of compiled messages, and an email has the same bytes in every attempt', () => {
    const links = createLinks({ secretKey: '0123456789abcdef0123456789abcdef', publicUrl: 'https://m.test' });
    const compile = () =>
      compileMessage(
        {
          messageIdDomain: 'a.test',
          from: { address: 'a@a.test' },
          subject: 's',
          html: withPreheader('<p>Hi {{ name }}</p>', 'For {{ name }}'),
          headers: {},
          attachments: [],
          bulk: true,
        },
        links.tracking,
      );
    const email = {
      id: '01890a5d-ac96-774b-bcce-b302099a8058',
      date: new Date(0),
      to: { address: 'b@b.test' },
      variables: { name: 'Ada' },
      tracked: true,
    };
    expect(compile().isStatic(email)).toBe(true);
    expect(compile().write(email)).toEqual(compile().write(email));
    expect(compile().write(email).toString().replaceAll('=\r\n', '')).toContain('>For=20Ada&#847;');
  });
});
