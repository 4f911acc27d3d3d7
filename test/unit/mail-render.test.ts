import { describe, expect, it } from 'vitest';
import { compileContent } from '../../src/mail/content.js';
import { hasUnsubscribeLink, withUnsubscribeFooter } from '../../src/mail/footer.js';
import { compileTemplate, renderTemplate, toSubjectLine } from '../../src/mail/render.js';
import { TemplateError } from '../../src/mail/template-error.js';
import { startCpuTimer } from '../helpers/cpu-time.js';

const html = (source: string, variables: Record<string, unknown> = {}) =>
  renderTemplate(source, variables, { escape: 'html' });
const subject = (source: string, variables: Record<string, unknown> = {}) =>
  renderTemplate(source, variables, { escape: 'none' });
/** Templates with the same output if the engine renders them. */
const engine = (source: string, variables: Record<string, unknown> = {}) =>
  html(`{% if true %}${source}{% endif %}`, variables);

function parseError(source: string): TemplateError {
  try {
    compileTemplate(source);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('The template was taken');
}

const SAME: Array<[string, string, Record<string, unknown>, string]> = [
  ['a key prints its value', 'Hi {{ firstName }}!', { firstName: 'Ada' }, 'Hi Ada!'],
  ['white space around a key is free', '{{firstName}}{{  firstName  }}', { firstName: 'Ada' }, 'AdaAda'],
  ['a dotted path reaches into data', '{{ data.plan.name }}', { data: { plan: { name: 'Pro' } } }, 'Pro'],
  ['a missing value prints its default', '{{ firstName ?? there }}', {}, 'there'],
  ['a null value prints its default', '{{ firstName ?? there }}', { firstName: null }, 'there'],
  ['a value wins over the default', '{{ firstName ?? there }}', { firstName: 'Ada' }, 'Ada'],
  ['a quoted default loses its quotes', '{{ a ?? "good friend" }}, {{ a ?? \'you\' }}', {}, 'good friend, you'],
  ['a default may be a number', '{{ points ?? 0 }}', {}, '0'],
  ['a default of bare words is text even where it names a variable', '{{ a ?? b }}', { b: 'B' }, 'b'],
  ['a chain of defaults tries variables and ends in text', '{{ a ?? b ?? c }}', { b: 'B' }, 'B'],
  ['an apostrophe in a default is text', "{{ a ?? l'ami }}", {}, 'l&#39;ami'],
  ['a quoted default may hold braces', '{{ a ?? "x }} y" }}', {}, 'x }} y'],
  ['a quote that an editor wrote as an entity is a quote', '{{ a ?? &quot;you &amp; me&quot; }}', {}, 'you &amp; me'],
  ['missing and null print nothing', '[{{ a }}{{ b }}{{ c.d.e }}]', { b: null }, '[]'],
  [
    'zero and false print',
    '{{ zero }} {{ no }} {{ zero ?? x }} {{ no ?? x }}',
    { zero: 0, no: false },
    '0 false 0 false',
  ],
  ['an empty string is a value', '[{{ a ?? x }}]', { a: '' }, '[]'],
  [
    'values are escaped in bodies',
    '{{ a }}',
    { a: `<b>"T" & 'C'</b>` },
    '&lt;b&gt;&quot;T&quot; &amp; &#39;C&#39;&lt;/b&gt;',
  ],
  ['three braces opt out of escaping', '{{{ a }}}', { a: '<b>' }, '<b>'],
  ['the raw filter opts out of escaping', '{{ a | raw }}', { a: '<b>' }, '<b>'],
  ['a key may have a hyphen', '{{ first-name }}', { 'first-name': 'Ada' }, 'Ada'],
  [
    'a key may have letters of any script',
    '{{ Straße }} {{ 名前 }}',
    { Straße: 'Hauptstr. 1', 名前: '花子' },
    'Hauptstr. 1 花子',
  ],
  ['a key may be quoted in brackets', '{{ data["x y"] }}', { data: { 'x y': 1 } }, '1'],
  ['a key of several words works as it is', '{{ First name ?? there }}', { 'First name': 'Ada' }, 'Ada'],
  ['a list is printed with commas', '{{ tags }}', { tags: ['a', 'b'] }, 'a, b'],
  [
    'size, first and last work on lists',
    '{{ l.size }}{{ l.first }}{{ l.last }}{{ l[1] }}',
    { l: ['a', 'b', 'c'] },
    '3acb',
  ],
  [
    'inherited properties do not exist',
    '[{{ constructor }}{{ __proto__ }}{{ a.constructor.name }}{{ toString }}{{ l.map }}]',
    { a: {}, l: [] },
    '[]',
  ],
  ['braces in a value stay literal', '{{ a }}', { a: '{{ b }}{% if %}', b: 'evil' }, '{{ b }}{% if %}'],
];

describe('the template language', () => {
  it.each(SAME)('%s', (_rule, source, variables, expected) => {
    expect(html(source, variables)).toBe(expected);
  });

  it.each(SAME)('%s, also next to logic', (_rule, source, variables, expected) => {
    expect(engine(source, variables)).toBe(expected);
  });

  it('values are not escaped in subjects', () => {
    expect(subject('Hi {{ name }}', { name: `O'Brien & Co` })).toBe(`Hi O'Brien & Co`);
  });

  it('only a template with logic or filters needs the engine', () => {
    expect(compileTemplate('Hi {{ a.b ?? you }} {{{ c }}}').segments).not.toBeNull();
    expect(compileTemplate('Hi {{ a | upcase }}').segments).toBeNull();
    expect(compileTemplate('{% if a %}{% endif %}').segments).toBeNull();
  });

  it('supports logic, loops, and filters', () => {
    const source =
      '{% if plan == "pro" %}{% for i in items %}{{ forloop.index }}. {{ i.name | upcase }}; {% endfor %}{% else %}free{% endif %}';
    expect(html(source, { plan: 'pro', items: [{ name: 'a<' }, { name: 'b' }] })).toBe('1. A&lt;; 2. B; ');
    expect(html(source, { plan: 'x' })).toBe('free');
  });

  it('a default may come before filters, and after a filter that returns nothing for a missing value', () => {
    expect(html('{{ name ?? "you" | upcase }} {{ name | capitalize ?? stranger }}', {})).toBe('YOU stranger');
  });

  it('captured text is escaped once', () => {
    expect(
      html('{% capture g %}Hi {{ a }}{% endcapture %}{{ g }} {% if g == "Hi &lt;" %}same{% endif %}', { a: '<' }),
    ).toBe('Hi &lt; same');
  });

  it('echo and cycle also escape their output', () => {
    expect(html('{% echo a %}{% cycle a, "x" %}', { a: '<' })).toBe('&lt;&lt;');
  });

  it('a raw block is literal text', () => {
    expect(html('{% raw %}{{ a }}{{{ b }}}{% endraw %}', { a: 1 })).toBe('{{ a }}{{{ b }}}');
  });

  it('braces in style sheets are literal text', () => {
    const css = '<style>@media print{a{color:red}} p { color: {blue} }</style>';
    expect(html(css)).toBe(css);
  });

  it.each([
    ['an unclosed output', 'Hello\n  {{ name', 2, 3],
    ['an unclosed tag', '{% if x', 1, 1],
    ['an unclosed block', 'a{% if x %}b', 1, 2],
    ['an unknown tag', 'a\nb {% nonsense %}', 2, 3],
    ['an unknown filter', '{{ a | nonsense }}', 1, 1],
    ['an empty output', '{{ }}', 1, 1],
  ])('%s is a parse error with its position', (_name, source, line, column) => {
    const error = parseError(source);
    expect(error).toMatchObject({ kind: 'parse', line, column });
  });

  it.each(['include', 'render', 'layout', 'block'])('the tag %s is rejected', (tag) => {
    expect(parseError(`{% ${tag} "package.json" %}`).message).toContain(tag);
  });

  it('a template that loops too long is stopped', () => {
    const source = '{% for a in (1..9999) %}{% for b in (1..9999) %}{% assign c = a %}{% endfor %}{% endfor %}';
    expect(() => html(source)).toThrow(TemplateError);
  });

  it('a template with too much output is stopped', () => {
    const source = '{% for a in (1..9999) %}{{ big }}{% endfor %}';
    expect(() => html(source, { big: 'x'.repeat(60_000) })).toThrow(/more than|limit/);
    expect(() => html('{{ big }}'.repeat(1000), { big: 'x'.repeat(60_000) })).toThrow(TemplateError);
    expect(() =>
      html(`{% assign a = "xxxxxxxx" %}${'{% capture a %}{{ a }}{{ a }}{% endcapture %}'.repeat(40)}`),
    ).toThrow(TemplateError);
  });

  it('a subject is one line with any values', () => {
    expect(toSubjectLine(subject('Hi {{ a }}', { a: 'x\r\nBcc: evil@example.com\u2028y' }))).toBe(
      'Hi x Bcc: evil@example.com y',
    );
  });
});

describe('compiled content', () => {
  const body = `<html><head><title>T</title><style>p{color:red}</style></head><body><h1>Hello {{ name ?? you }}</h1>
    <p>Plan: <b>{{ plan }}</b></p><ul><li>One</li><li>Two</li></ul><table><tr><td>A</td><td>1</td></tr><tr><td>B</td><td>2</td></tr></table>
    <a href="{{ url }}">Shop &amp; more</a><img src="x.png" alt="Logo"></body></html>`;

  it('the text alternative is derived from the HTML, with links, and unescaped values', () => {
    const { text, html: rendered } = compileContent({ subject: 's', html: body }).render({
      name: `O'Brien <x>`,
      plan: 'R&D',
      url: 'https://a.example/?a=1&b=2',
    });
    expect(text).toContain(`Hello O'Brien <x>`);
    expect(text).toContain('Plan: R&D');
    expect(text).toContain('Shop & more [https://a.example/?a=1&b=2]');
    expect(text).toContain(' * One\n * Two');
    expect(text).toContain('A 1\nB 2');
    expect(text).toContain('Logo');
    expect(text).not.toMatch(/color|title/i);
    expect(rendered).toContain('href="https://a.example/?a=1&amp;b=2"');
  });

  it('the text alternative supports logic', () => {
    const content = compileContent({
      subject: 's',
      html: '<p>A</p>{% if pro %}<p>Pro {{ n }}</p>{% endif %}<p {% if x %}class="y"{% endif %}>B</p>',
    });
    expect(content.render({ pro: true, n: '<1>' }).text).toBe('A\n\nPro <1>\n\nB');
    expect(content.render({}).text).toBe('A\n\nB');
  });

  it('an HTML value is converted to text in the text alternative', () => {
    expect(compileContent({ subject: 's', html: '<p>{{{ a }}}</p>' }).render({ a: '<b>Hi</b> &amp; so' }).text).toBe(
      'Hi & so',
    );
  });

  it('braces written as entities stay literal', () => {
    const { text } = compileContent({ subject: 's', html: '<p>&#123;&#123; a }} {{ a }}</p>' }).render({ a: 'A' });
    expect(text).toBe('{{ a }} A');
  });

  it('a body with tags in unusual places still has a text alternative', () => {
    const content = compileContent({ subject: 's', html: '<p {% if a %}>A{% else %}>B{% endif %}</p>' });
    expect(content.render({ a: true }).text).toBe('A');
  });

  it('a body of only nested elements, quotes, or braces is compiled quickly', () => {
    const cpuMs = startCpuTimer();
    expect(compileContent({ subject: 's', html: `${'<div>'.repeat(50_000)}x` }).render({}).text).toBe('');
    expect(hasUnsubscribeLink('{{'.repeat(300_000))).toBe(false);
    expect(() => compileTemplate(`{{ ${"' ".repeat(300_000)}`)).toThrow(TemplateError);
    expect(cpuMs()).toBeLessThan(5000);
  });

  it('tags that are nested too deeply are an error that says so', () => {
    const deep = `${'{% if a %}'.repeat(20_000)}${'{% endif %}'.repeat(20_000)}`;
    expect(() => compileTemplate(deep)).toThrow(/^the tags are nested too deeply \(line 1, column \d+\)$/);
  });

  it('the subject is rendered without escaping', () => {
    expect(compileContent({ subject: '{{ a }}', html: 'x' }).render({ a: 'a & b\nc' }).subject).toBe('a & b c');
  });
});

describe('the unsubscribe footer', () => {
  it.each([
    '{{ unsubscribeUrl }}',
    '{{{unsubscribeUrl}}}',
    '{{ manageUrl }}',
    '{% if x %}{{unsubscribeUrl | raw}}{% endif %}',
  ])('is not added to a body with %s', (link) => {
    const source = `<body><a href="${link}">x</a></body>`;
    expect(withUnsubscribeFooter(source, { language: 'en', postalAddress: null })).toBe(source);
  });

  it('is added to a body that only contains the word', () => {
    expect(hasUnsubscribeLink('<p>unsubscribeUrl</p>')).toBe(false);
  });

  it('is at the end of the body, in the project language', () => {
    const source = withUnsubscribeFooter('<html><BODY><p>x</p></BODY></html>', {
      language: 'de-AT',
      postalAddress: null,
    });
    expect(source).toMatch(/<p>x<\/p><div.*Abmelden<\/a><\/div>\n<\/BODY><\/html>$/s);
    expect(withUnsubscribeFooter('<p>x</p>', { language: 'xx', postalAddress: null })).toContain('Unsubscribe</a>');
  });

  it('shows the postal address as text, which is neither markup nor a placeholder', () => {
    const html = withUnsubscribeFooter('<p>x</p>', {
      language: 'en',
      postalAddress: 'A & B <Ltd>\n{{ firstName }} St',
    });
    expect(html).toContain('Unsubscribe</a><br>A &#38; B &#60;Ltd&#62;<br>&#123;&#123; firstName }} St</div>');
    expect(compileContent({ subject: 's', html }).render({ firstName: 'Ada' }).text).toContain('{{ firstName }} St');
  });

  it.each(['en', 'de', 'fr', 'es', 'it', 'nl', 'pt'])(
    'exists in %s and is part of the text alternative',
    (language) => {
      const content = compileContent({
        subject: 's',
        html: withUnsubscribeFooter('<p>x</p>', { language, postalAddress: null }),
      });
      expect(content.render({ unsubscribeUrl: 'https://u.example/t' }).text).toContain('[https://u.example/t]');
    },
  );
});
