/** Tracking links and pixels in the HTML of a mail, rendered from compiled content. */
import { describe, expect, it } from 'vitest';
import { compileContent } from '../../src/mail/content.js';
import { createLinks } from '../../src/mail/links.js';

const EMAIL = '01890a5d-ac96-774b-bcce-b302099a8058';
const links = createLinks({ secretKey: '0123456789abcdef0123456789abcdef', publicUrl: 'https://m.test' });
const own = {
  unsubscribeUrl: links.unsubscribeUrl(EMAIL, EMAIL),
  manageUrl: links.manageUrl(EMAIL, EMAIL),
  subscribeUrl: links.subscribeUrl(EMAIL, EMAIL),
};

const render = (html: string, variables: Record<string, unknown> = {}) =>
  compileContent({ subject: 's', html }).render({ ...own, ...variables }, links.tracking.of(EMAIL));

/** The rendered HTML with readable redirects (`→<target>`) and a readable pixel (`[pixel]`). */
function track(html: string, variables: Record<string, unknown> = {}): string {
  return render(html, variables)
    .html.replace(
      /https:\/\/m\.test\/c\/([\w-]+)/g,
      (_match, token: string) => `→${links.tracking.readClick(token)?.url ?? 'nowhere'}`,
    )
    .replace(
      /<img src="https:\/\/m\.test\/o\/([\w-]+)\.gif" width="1" height="1" alt="" style="[^"]*" \/>/g,
      (_match, token: string) => (links.tracking.readOpen(token) === EMAIL ? '[pixel]' : '[broken]'),
    );
}
const tracked = (html: string, variables?: Record<string, unknown>): string =>
  track(html, variables).replace('[pixel]', '');

describe('the pixel', () => {
  it.each([
    ['<html><body><p>x</p></body></html>', '<html><body><p>x</p>[pixel]</body></html>'],
    ['<HTML><BODY>x</BODY\n></HTML>', '<HTML><BODY>x[pixel]</BODY\n></HTML>'],
    ['<p>x</p></html>', '<p>x</p>[pixel]</html>'],
    ['<p>x</p>', '<p>x</p>[pixel]'],
    ['plain', 'plain[pixel]'],
    ['', '[pixel]'],
    ['<body>a<!-- </body> -->b</body>', '<body>a<!-- </body> -->b[pixel]</body>'],
    ['<body><script>"</body>"</script>b</body>', '<body><script>"</body>"</script>b[pixel]</body>'],
    ['<body>a</body><body>b</body>', '<body>a</body><body>b[pixel]</body>'],
    ['<body>{{ "</body>" }}</body>', '<body>&lt;/body&gt;[pixel]</body>'],
  ])('%j', (html, expected) => {
    expect(track(html)).toBe(expected);
  });
});

describe('links', () => {
  it.each([
    ['<a href="https://x.test/a">x</a>', '<a href="→https://x.test/a">x</a>'],
    ["<a class='b' href='http://x.test/a' title='c'>x</a>", "<a class='b' href='→http://x.test/a' title='c'>x</a>"],
    ['<a href=https://x.test/a?b=1>x</a>', '<a href=→https://x.test/a?b=1>x</a>'],
    ['<A\n  HREF = "https://x.test/a"\n>x</A>', '<A\n  HREF = "→https://x.test/a"\n>x</A>'],
    ['<a href=" https://x.test/a ">x</a>', '<a href="→https://x.test/a">x</a>'],
    ['<area href="https://x.test/a">', '<area href="→https://x.test/a">'],
    ['<a href="https://x.test/a"/>x', '<a href="→https://x.test/a"/>x'],
    ['<a title="a > b" href="https://x.test/a">x</a>', '<a title="a > b" href="→https://x.test/a">x</a>'],
    ['<a href="https://x.test/?a=1&amp;b=2">x</a>', '<a href="→https://x.test/?a=1&b=2">x</a>'],
    // Browsers do not parse this as an entity, because a name character follows.
    ['<a href="https://x.test/?a=1&copy=2&amp;lt=3">x</a>', '<a href="→https://x.test/?a=1&copy=2&lt=3">x</a>'],
    ['<a href="https:&#x2F;&#47;x.test/&uuml;">x</a>', '<a href="→https://x.test/%C3%BC">x</a>'],
    [
      '<a href="https://x.test/a"><a href="https://x.test/b">',
      '<a href="→https://x.test/a"><a href="→https://x.test/b">',
    ],
    ['<p>1 < 2 <a href="https://x.test/a">x</a>', '<p>1 < 2 <a href="→https://x.test/a">x</a>'],
    ['<svg><a href="https://x.test/a">x</a></svg>', '<svg><a href="→https://x.test/a">x</a></svg>'],
    [
      '<!--[if mso]><v:roundrect href="https://x.test/a?b=1&amp;c=2" arcsize="10%"><a href="https://x.test/b">x</a></v:roundrect><![endif]-->',
      '<!--[if mso]><v:roundrect href="→https://x.test/a?b=1&c=2" arcsize="10%"><a href="→https://x.test/b">x</a></v:roundrect><![endif]-->',
    ],
    [
      '<!--[if !mso]><!--><a href="https://x.test/a">x</a><!--<![endif]-->',
      '<!--[if !mso]><!--><a href="→https://x.test/a">x</a><!--<![endif]-->',
    ],
    [
      '<![if !mso]><a href="https://x.test/a">x</a><![endif]>',
      '<![if !mso]><a href="→https://x.test/a">x</a><![endif]>',
    ],
  ])('are tracked: %j', (html, expected) => {
    expect(tracked(html)).toBe(expected);
  });

  it.each([
    '<a href="mailto:a@b.test">x</a>',
    '<a href="tel:+4930123">x</a>',
    '<a href="#top">x</a>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="data:text/html,x">x</a>',
    '<a href="/path">x</a>',
    '<a href="//x.test/a">x</a>',
    '<a href="">x</a>',
    '<a href>x</a>',
    '<a name="top">x</a>',
    '<link href="https://x.test/a.css">',
    '<img src="https://x.test/a.png">',
    '<base href="https://x.test/">',
    '<form action="https://x.test/">',
    '<abbr href="https://x.test/">x</abbr>',
    '<!-- <a href="https://x.test/a">x</a> -->',
    '<style>a[href="https://x.test/a"]{}</style>',
    '<script>x = \'<a href="https://x.test/a">\'</script>',
    '<textarea><a href="https://x.test/a"></textarea>',
    '<title><a href="https://x.test/a"></title>',
    'https://x.test/a',
    '<p>&lt;a href="https://x.test/a"&gt;</p>',
    '<a href="https://x.test/a',
    '<a data-href="https://x.test/a">x</a>',
    '<p title=\'<a href="https://x.test/a">\'>x</p>',
    '<a href="https://m.test/unsubscribe/abc">x</a>',
    '<a href="https://m.test/manage/abc">x</a>',
  ])('are not tracked: %s', (html) => {
    expect(tracked(html)).toBe(html);
  });

  it('that are too long for mail clients are not tracked', () => {
    const html = `<a href="https://x.test/${'a'.repeat(3000)}">x</a>`;
    expect(tracked(html)).toBe(html);
  });

  it('to the unsubscribe and preference pages are not tracked, in variables and text', () => {
    const html =
      '<a href="{{ unsubscribeUrl }}">a</a><a href="{{manageUrl}}">b</a><a href="{{ subscribeUrl ?? x }}">c</a><a href="{{{ unsubscribeUrl }}}">d</a><a href="{{ unsubscribeUrl }}?x=1">e</a>';
    expect(tracked(html)).toBe(
      `<a href="${own.unsubscribeUrl}">a</a><a href="${own.manageUrl}">b</a><a href="${own.subscribeUrl}">c</a><a href="${own.unsubscribeUrl}">d</a><a href="${own.unsubscribeUrl}?x=1">e</a>`,
    );
  });

  it('with data-no-track are not tracked, and the attribute is removed', () => {
    const html =
      '<a href="https://x.test/a" data-no-track>a</a><a data-no-track="true" href="https://x.test/b">b</a><A DATA-NO-TRACK=1 HREF="https://x.test/c">c</A><a data-no-track\nhref="https://x.test/d">d</a><a href="https://x.test/e">e</a>';
    expect(tracked(html)).toBe(
      '<a href="https://x.test/a">a</a><a href="https://x.test/b">b</a><A HREF="https://x.test/c">c</A><a\nhref="https://x.test/d">d</a><a href="→https://x.test/e">e</a>',
    );
  });
});

describe('links of templates', () => {
  it('with variables are tracked when they are rendered', () => {
    const html =
      '<a href="https://x.test/{{ id }}?n={{ name }}">a</a><a href="{{ url }}">b</a><a href={{ url }}>c</a><a href="{{ mail }}">d</a>';
    expect(
      tracked(html, { id: 7, name: 'Tom & "Ann" <x>', url: 'https://y.test/?a=1&b=2', mail: 'mailto:a@b.test' }),
    ).toBe(
      '<a href="→https://x.test/7?n=Tom%20&%20%22Ann%22%20%3Cx%3E">a</a><a href="→https://y.test/?a=1&b=2">b</a><a href=→https://y.test/?a=1&b=2>c</a><a href="mailto:a@b.test">d</a>',
    );
  });

  it('in conditions and loops are tracked when they are rendered', () => {
    const html =
      '{% if vip %}<a href="https://x.test/vip">a</a>{% else %}<a href="https://x.test/all">b</a>{% endif %}{% for item in items %}<a href="{{ item.url }}">{{ item.name }}</a>{% endfor %}<a {% if vip %}class="x"{% endif %} href="https://x.test/{% if vip %}1{% else %}2{% endif %}">c</a>';
    expect(
      tracked(html, {
        vip: true,
        items: [
          { url: 'https://y.test/1', name: 'one' },
          { url: 'tel:1', name: 'two' },
        ],
      }),
    ).toBe(
      '<a href="→https://x.test/vip">a</a><a href="→https://y.test/1">one</a><a href="tel:1">two</a><a class="x" href="→https://x.test/1">c</a>',
    );
  });

  it('in HTML values are tracked', () => {
    const html = '<body><a href="https://x.test/a">a</a>{{{ content }}}</body>';
    expect(
      track(html, { content: '<p><a href="https://y.test/">y</a><a data-no-track href="https://y.test/n">n</a></p>' }),
    ).toBe(
      '<body><a href="→https://x.test/a">a</a><p><a href="→https://y.test/">y</a><a href="https://y.test/n">n</a></p>[pixel]</body>',
    );
    expect(tracked('{{ content | raw }}', { content: '<a href="https://y.test/">y</a>' })).toBe(
      '<a href="→https://y.test/">y</a>',
    );
    expect(tracked('{% capture x %}<a href="https://y.test/{{ n }}">y</a>{% endcapture %}{{ x }}', { n: 1 })).toBe(
      '<a href="→https://y.test/1">y</a>',
    );
    expect(tracked('{% raw %}<a href="https://y.test/">{{ y }}</a>{% endraw %}')).toBe(
      '<a href="→https://y.test/">{{ y }}</a>',
    );
  });

  it('in text values are not tracked', () => {
    expect(tracked('<p>{{ x }}</p>', { x: '<a href="https://evil.test/">x</a>' })).toBe(
      '<p>&lt;a href=&quot;https://evil.test/&quot;&gt;x&lt;/a&gt;</p>',
    );
  });

  it('with a tag across the bounds of a removed attribute are still rendered', () => {
    expect(
      tracked('<a data-no-track={% if x %}1{% endif %} href="https://x.test/a">a</a><a href="https://x.test/b">b</a>', {
        x: true,
      }),
    ).toBe('<a href="https://x.test/a">a</a><a href="→https://x.test/b">b</a>');
  });

  it('leave no markers in the output', () => {
    for (const html of [
      '<a href="{{ x | truncate: 9 }}">a</a>',
      '<a href="{{ x | url_encode }}">a</a>',
      '<a href="{{ nothing }}">a</a>',
      '<a href="{{- x -}}">a</a>',
    ])
      expect(render(html, { x: 'https://x.test/abc' }).html, html).not.toMatch(/[\uE000\uE001]/);
  });

  it('are the same in the text alternative with and without tracking', () => {
    const html = '<body><p>Hi {{ name }}</p><a href="https://x.test/{{ id }}">there</a></body>';
    const variables = { ...own, name: 'Ann', id: 7 };
    const { text } = render(html, variables);
    expect(text).toContain('there [https://x.test/7]');
    expect(text).toBe(compileContent({ subject: 's', html }).render(variables).text);
  });

  it('are rendered to the same bytes for the same email, and to other bytes for another', () => {
    const html = '<a href="https://x.test/a">a</a>';
    expect(render(html).html).toBe(render(html).html);
    const other = compileContent({ subject: 's', html }).render(
      {},
      links.tracking.of('01890a5d-ac96-774b-bcce-b302099a8059'),
    ).html;
    expect(other).not.toBe(render(html).html);
  });

  it('are unchanged without tracking, independently of earlier renderings', () => {
    const html = '<body><a href="https://x.test/a" data-no-track>a</a></body>';
    render(html);
    expect(compileContent({ subject: 's', html }).render({}).html).toBe(html);
  });
});

describe('data-link', () => {
  const labels = (html: string, variables: Record<string, unknown> = {}) =>
    [...render(html, variables).html.matchAll(/https:\/\/m\.test\/c\/([\w-]+)/g)].map(([, token = '']) => {
      const { url, label } = links.tracking.readClick(token) ?? {};
      return [label, url];
    });

  it.each([
    ['before the target', '<a data-link="cta" href="https://x.test/">x</a>', {}],
    ['after the target', '<a href="https://x.test/" data-link="cta">x</a>', {}],
    ['of a target with outputs', '<a href="https://x.test/{{ p }}" data-link="cta">x</a>', {}],
    ['with outputs', '<a href="https://x.test/" data-link="{{ name }}">x</a>', { name: 'cta' }],
    ['in rendered HTML', '{{{ html }}}', { html: '<a href="https://x.test/" data-link=" cta ">x</a>' }],
  ])('labels a link: %s', (_, html, variables) => {
    expect(labels(html, variables)).toEqual([['cta', 'https://x.test/']]);
  });

  it('is decoded, limited to 64 characters, and ignored if it is empty', () => {
    expect(labels('<a href="https://x.test/" data-link="a &amp; b">x</a>')).toEqual([['a & b', 'https://x.test/']]);
    expect(labels(`<a href="https://x.test/" data-link="${'x'.repeat(70)}">x</a>`)[0]?.[0]).toHaveLength(64);
    expect(labels('<a href="https://x.test/" data-link=" ">x</a>')).toEqual([[undefined, 'https://x.test/']]);
    expect(labels('<a data-link="own" href="https://m.test/unsubscribe/x">x</a>')).toEqual([]);
  });
});
