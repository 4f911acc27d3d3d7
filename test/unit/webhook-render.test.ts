import { describe, expect, test } from 'vitest';
import { renderRequest } from '../../src/domain/executions/webhook/request.js';
import { compileTemplate, renderTemplate } from '../../src/mail/render.js';
import type { WebhookRequest } from '../../src/domain/workflows/webhook-config.js';
import { webhookFacts, webhookRequest } from '../helpers/webhooks.js';

const ORIGIN = 'https://hooks.example.com';
const render = (
  request: Partial<WebhookRequest>,
  data: Record<string, unknown> = {},
  event: Record<string, unknown> = {},
) => renderRequest(webhookRequest({ url: `${ORIGIN}/in`, ...request }), webhookFacts(data, event));
const url = (template: string, x: unknown) => render({ url: template }, { x }).url.href;
const json = (body: unknown, data: Record<string, unknown> = {}): unknown =>
  JSON.parse(render({ body }, data).body ?? '');

describe('the default body', () => {
  test('has the contact, the workflow, the execution, and the context', () => {
    const { body, headers } = render({}, { plan: 'pro "x"' }, { amount: 5, id: 'evil' });
    expect(JSON.parse(body ?? '')).toEqual({
      contact: {
        id: '01890000-0000-7000-8000-00000000c001',
        email: 'ada@example.test',
        subscribed: true,
        data: { plan: 'pro "x"' },
      },
      workflow: { id: '01890000-0000-7000-8000-00000000f001', name: 'Welcome' },
      execution: { id: '01890000-0000-7000-8000-00000000e001', startedAt: '2026-03-01T09:00:00.000Z' },
      event: { amount: 5, id: 'evil' },
    });
    expect(headers).toEqual({ accept: '*/*', 'user-agent': 'Sendloom-Webhook/1', 'content-type': 'application/json' });
  });

  test('keeps braces in the contact data', () => {
    expect(json(undefined, { note: '{{ email }}' })).toMatchObject({ contact: { data: { note: '{{ email }}' } } });
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('is sent with %s', (method) => {
    expect(render({ method })).toMatchObject({ method, body: expect.stringContaining('ada@example.test') });
  });

  test('is not sent with GET, nor is a content type', () => {
    expect(render({ method: 'GET' })).toMatchObject({
      body: null,
      headers: { accept: '*/*', 'user-agent': 'Sendloom-Webhook/1' },
    });
    expect(render({ method: 'GET' }).headers).not.toHaveProperty('content-type');
  });
});

test('has the same contact.*, event.*, and workflow.* as a CONDITION', () => {
  const body = {
    of: '{{ contact.email }} {{ contact.data.plan }} {{ event.total }} {{ workflow.total }} {{ workflow.name }}',
  };
  expect(JSON.parse(render({ body }, { plan: 'pro' }, { total: 5, name: 'evil' }).body ?? '')).toEqual({
    of: 'ada@example.test pro 5 5 Welcome',
  });
});

describe('values in the URL', () => {
  test.each([
    ['a b&c=d', 'a%20b%26c%3Dd'],
    ['ä/€?#', '%C3%A4%2F%E2%82%AC%3F%23'],
    ['//evil.com', '%2F%2Fevil.com'],
    ['@evil.com', '%40evil.com'],
    ['..\\..', '..%5C..'],
    ['100%25', '100%2525'],
    ["a'b", "a'b"],
    ['a\r\nb\tc', 'a%0D%0Ab%09c'],
    ['\ud83d', '%EF%BF%BD'],
    [0, '0'],
    [false, 'false'],
    [['a', 'b c'], 'a%2C%20b%20c'],
    [{ a: 1 }, '%7B%22a%22%3A1%7D'],
    [null, ''],
    [undefined, ''],
  ])('%j is percent-encoded in path and query', (value, encoded) => {
    expect(url(`${ORIGIN}/a{{ data.x }}/b?x={{ x }}`, value)).toBe(
      `${ORIGIN}/a${encoded}/b?x=${encoded.replaceAll("'", '%27')}`,
    );
  });

  test('are encoded once after a filter or a condition, also after url_encode', () => {
    expect(url(`${ORIGIN}/{{ x | downcase }}/{% if x %}{{ x }}{% endif %}?q={{ x | url_encode }}`, 'A b')).toBe(
      `${ORIGIN}/a%20b/A%20b?q=A%20b`,
    );
  });

  test('are encoded if they are a default, and the text of the template is not', () => {
    expect(url(`${ORIGIN}/a/b?x={{ x ?? "a&b" }}&c=1`, null)).toBe(`${ORIGIN}/a/b?x=a%26b&c=1`);
  });

  test.each([
    '{{ x }}',
    'https://{{ x }}/',
    'https://{{ x }}.example.com/',
    '{{ x }}://example.com/',
    '{% if x %}https://example.com{% endif %}/',
    'ftp://example.com/{{ x }}',
    'javascript:{{ x }}',
    '/relative/{{ x }}',
  ])('cannot be the scheme or the host: %s', (template) => {
    expect(() => url(template, 'example.org')).toThrow('The URL must start with http:// or https:// and a host');
  });

  test.each([
    [`${ORIGIN}{{ x }}`, '.evil.com'],
    [`${ORIGIN}{{ x }}`, ':8443'],
    [`${ORIGIN}{{{ x }}}`, '.evil.com'],
    [`${ORIGIN}{{{ x }}}`, '@evil.com'],
    [`${ORIGIN}{{ x | raw }}`, ':8443/'],
    [`${ORIGIN}:{{ x }}/`, '8443'],
    [`https://user:{{ x }}@hooks.example.com/`, 'pw'],
    [`https://user{{{ x }}}`, '@user'],
  ])('do not change the host or the port: %s with %s', (template, value) => {
    expect(() => url(template, value)).toThrow('A value would change the host of the URL');
  });

  test.each([
    ['/users/{{ x }}/orders', '..'],
    ['/users/{{ x }}/orders', '.'],
    ['/users/{{ x }}', '..'],
    ['/users/.{{ x }}?a', '.'],
    ['/users/{{{ x }}}/orders', '%2e%2E'],
    ['/users/{{{ x }}}', 'a/../../b'],
  ])('do not leave their path segment: %s with %s', (path, value) => {
    expect(() => url(`${ORIGIN}${path}`, value)).toThrow('would change the path of the URL');
  });

  test.each([
    ['/users/{{ x }}/orders', '...', '/users/.../orders'],
    ['/files/v{{ x }}', '1..2', '/files/v1..2'],
    ['/in?path={{ x }}/', '..', '/in?path=../'],
    ['/a/../b/{{ x }}', 'c', '/b/c'],
  ])('may contain dots elsewhere: %s with %s', (path, value, expected) => {
    expect(url(`${ORIGIN}${path}`, value)).toBe(`${ORIGIN}${expected}`);
  });

  test('are not encoded in three braces, so that an event can provide a part of the path', () => {
    expect(url(`${ORIGIN}/{{{ x }}}`, 'a/b?c=d')).toBe(`${ORIGIN}/a/b?c=d`);
  });

  test('a fragment is not sent', () => {
    expect(url(`${ORIGIN}/a#{{ x }}`, 'b')).toBe(`${ORIGIN}/a`);
  });

  test('a URL of more than 16,384 characters is rejected', () => {
    expect(() => url(`${ORIGIN}/?{{ x }}`, 'x'.repeat(16_384))).toThrow('more than 16384 characters');
  });
});

describe('values in headers', () => {
  const header = (template: string, x: unknown) =>
    render({ headers: { 'X-Value': template } }, { x }).headers['x-value'];

  test.each([
    ['a\r\nX-Evil: 1', 'a X-Evil: 1'],
    ['a\nb\rc', 'a b c'],
    ['\u0000a\u007fb\u2028c', 'a b c'],
    [' a ', 'a'],
    ['"a", b=c', '"a", b=c'],
    [5, '5'],
    [null, ''],
  ])('%j stays on one line', (value, expected) => {
    expect(header('{{ x }}', value)).toBe(expected);
  });

  test('other scripts are sent in UTF-8', () => {
    expect(Buffer.from(header('é {{ x }}', '花子 🌷') ?? '', 'latin1').toString()).toBe('é 花子 🌷');
  });

  test('headers of the connection and the signature cannot be set', () => {
    const headers = {
      Host: 'evil',
      'Content-Length': '5',
      'Transfer-Encoding': 'chunked',
      Connection: 'keep-alive',
      'Webhook-Signature': 'v1,x',
      'Webhook-Id': '1',
      'Proxy-Authorization': 'x',
      Expect: '100-continue',
    };
    expect(Object.keys(render({ headers, method: 'GET' }).headers)).toEqual(['accept', 'user-agent']);
  });

  test('User-Agent and Accept can be set', () => {
    expect(render({ headers: { 'User-Agent': 'Acme', ACCEPT: 'text/plain' }, method: 'GET' }).headers).toEqual({
      'user-agent': 'Acme',
      accept: 'text/plain',
    });
  });

  test('a value of more than 8,192 bytes is rejected', () => {
    expect(() => header('{{ x }}', 'é'.repeat(4097))).toThrow('The header x-value has more than 8192 bytes');
  });
});

const NASTY = [
  `"}, "admin": true, "x": "`,
  '\\',
  '\\"',
  'a\nb\u0000\u2028',
  '{{ email }}',
  '\ud83d',
  '</script>',
  '\u0007',
];

describe('values in a JSON body', () => {
  test('the strings of an object are rendered at any depth; names and other values stay', () => {
    const body = {
      a: '{{ plan }}',
      'b {{ plan }}': ['x {{ data.plan }}', 1, null, true, { c: '{{ event.amount ?? none }}' }],
    };
    expect(json(body, { plan: 'pro' })).toEqual({ a: 'pro', 'b {{ plan }}': ['x pro', 1, null, true, { c: 'none' }] });
  });

  test.each(NASTY)('in a string of an object, %j is text', (value) => {
    expect(json({ note: 'x {{ data.x }}', admin: false }, { x: value })).toEqual({ note: `x ${value}`, admin: false });
  });

  test.each(NASTY)('inside the quotes of a JSON string, %j is text', (value) => {
    const text = value.replace('\ud83d', '\uFFFD');
    expect(json('{"note": "x {{ data.x }} \\" {{ x }}", "admin": false}', { x: value })).toEqual({
      note: `x ${text} " ${text}`,
      admin: false,
    });
    expect(json('{"note": "{% if x %}{{ x | append: "!" }}{% endif %}", "admin": false}', { x: value })).toEqual({
      note: `${text}!`,
      admin: false,
    });
  });

  test.each([...NASTY, 5, 0, true, false, null, ['a', '"'], { a: { b: '"}' } }, '1, "admin": true', '[1]'])(
    'outside quotes, %j is a JSON value',
    (value) => {
      expect(json('{"note": {{ data.x }}, "list": [{{x}}], "admin": false}', { x: value })).toEqual({
        note: value,
        list: [value],
        admin: false,
      });
      expect(json('{"note": {% if true %}{{ data.x }}{% endif %}, "admin": false}', { x: value })).toEqual({
        note: value,
        admin: false,
      });
      expect(json('{"note": {{ x | json }}, "admin": false}', { x: value })).toEqual({ note: value, admin: false });
    },
  );

  test('a missing value is null, or its default: a number, a boolean, or a string', () => {
    const fields =
      '"a": {{ x }}, "b": {{ x ?? 0 }}, "c": {{ x ?? -1.5 }}, "d": {{ x ?? true }}, "e": {{ x ?? none at all }}, "f": {{ x ?? y ?? "" }}, "g": "{{ x ?? 007 }}"';
    const expected = { a: null, b: 0, c: -1.5, d: true, e: 'none at all', f: '', g: '007' };
    expect(json(`{${fields}}`)).toEqual(expected);
    expect(json(`{"h": {% if true %}1{% endif %}, ${fields}}`)).toEqual({ h: 1, ...expected });
  });

  test('loops render lists, and captured text is escaped where it is rendered', () => {
    const body =
      '{% capture all %}{{ items.first }}, "{{ items.last }}"{% endcapture %}{"all": "{{ all }}", "one": {{ all }}, "items": [{% for i in items %}{{ i }}{% unless forloop.last %},{% endunless %}{% endfor %}]}';
    expect(
      JSON.parse(
        render({ body, headers: { 'content-type': 'application/json' } }, { items: ['a"', 'b "c'] }).body ?? '',
      ),
    ).toEqual({ all: 'a", "b "c"', one: 'a", "b "c"', items: ['a"', 'b "c'] });
  });

  test('three braces insert raw JSON, and an invalid result is not sent', () => {
    expect(json('{"a": {{{ x }}}}', { x: '[1, 2]' })).toEqual({ a: [1, 2] });
    expect(json('{"a": {{ x | raw }}}', { x: '[1, 2]' })).toEqual({ a: [1, 2] });
    expect(() => json('{"a": "{{{ x }}}"}', { x: 'a"b' })).toThrow('The rendered body is not valid JSON');
    expect(() => json('{"a": {{ x }}', { x: 1 })).toThrow('The rendered body is not valid JSON');
  });

  test('a string with only an output is a JSON value if the content type is JSON', () => {
    expect(
      render({ body: '{{ data }}', headers: { 'Content-Type': 'application/vnd.x+json; charset=utf-8' } }, { a: '"' }),
    ).toMatchObject({ body: '{"a":"\\""}', headers: { 'content-type': 'application/vnd.x+json; charset=utf-8' } });
  });

  test.each([
    ['a list', ['{{ x }}'], '["1"]'],
    ['a number', 5, '5'],
    ['false', false, 'false'],
  ])('%s is sent as JSON', (_what, body, expected) => {
    expect(render({ body }, { x: 1 })).toMatchObject({
      body: expected,
      headers: { 'content-type': 'application/json' },
    });
  });

  test('the name of a prototype property is an ordinary name', () => {
    expect(render({ body: JSON.parse('{"__proto__": "{{ x }}"}') }, { x: 1 }).body).toBe('{"__proto__":"1"}');
  });

  test('a body of more than 200 levels or 5 MB is rejected', () => {
    const deep = JSON.parse(`${'['.repeat(202)}${']'.repeat(202)}`);
    expect(() => render({ body: deep })).toThrow('more than 200 levels');
    expect(() => render({ body: { a: '{{ x }}{{ x }}', b: '{{ x }}{{ x }}' } }, { x: 'x'.repeat(1_300_000) })).toThrow(
      'larger than 5 MB',
    );
  });

  test('a body with many slow strings is stopped after a second', () => {
    const slow = '{% for i in (1..200) %}{% if i == 0 %}{% endif %}{% endfor %}';
    const begun = performance.now();
    expect(() => render({ body: Array.from({ length: 20_000 }, () => slow) })).toThrow('took too long');
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});

describe('values in other bodies', () => {
  test.each([
    ['application/x-www-form-urlencoded', 'name={{ x }}&a=1', 'a&b=c d', 'name=a%26b%3Dc%20d&a=1'],
    ['text/html; charset=utf-8', '<p>{{ x }}</p>', '<b>"', '<p>&lt;b&gt;&quot;</p>'],
    ['application/xml', '<p>{{ x }}</p>', '</p>&', '<p>&lt;/p&gt;&amp;</p>'],
    ['application/soap+xml', '<p>{{ x }}</p>', '</p>&', '<p>&lt;/p&gt;&amp;</p>'],
    ['text/plain', 'Hi {{ x }}', '"<&', 'Hi "<&'],
  ])('%s', (type, body, x, expected) => {
    expect(render({ body, headers: { 'Content-Type': type } }, { x })).toMatchObject({
      body: expected,
      headers: { 'content-type': type },
    });
  });

  test('text that is not JSON is sent as plain text, unless its content type is given', () => {
    expect(render({ body: 'Hi {{ x }}' }, { x: '"' })).toMatchObject({
      body: 'Hi "',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
    expect(render({ body: '{{ x }} signed up' }, { x: 'Ada' })).toMatchObject({
      body: 'Ada signed up',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
    expect(render({ body: '{{ data | json }}' }, { x: '"' })).toMatchObject({
      body: '{"x":"\\""}',
      headers: { 'content-type': 'application/json' },
    });
  });

  test('an empty string is an empty body without a content type', () => {
    expect(render({ body: '' })).toMatchObject({ body: '' });
    expect(render({ body: '' }).headers).not.toHaveProperty('content-type');
  });
});

describe('the variables of templates', () => {
  test.each([
    [
      '{{ id }} {{ contact.id }} {{ svc_id }}',
      '01890000-0000-7000-8000-00000000c001 01890000-0000-7000-8000-00000000c001 01890000-0000-7000-8000-00000000c001',
    ],
    ['{{ email }} {{ contact.email }} {{ contact.subscribed }}', 'ada@example.test ada@example.test true'],
    ['{{ plan }} {{ data.plan }} {{ contact.data.plan }}', 'gold pro pro'],
    ['{{ event.plan }} {{ amount }}', 'gold 5'],
    ['{{ workflow.name }} {{ execution.startedAt }}', 'Welcome 2026-03-01T09:00:00.000Z'],
    ['{{ event.email }}', 'evil@example.test'],
  ])('%s', (template, expected) => {
    expect(
      render({ body: template }, { plan: 'pro' }, { plan: 'gold', amount: 5, email: 'evil@example.test', id: 'evil' })
        .body,
    ).toBe(expected);
  });
});

test('the compiled templates of the escape modes are cached separately', () => {
  const source = '{{ x }}';
  const print = (escape: 'html' | 'none' | 'url' | 'json') => renderTemplate(source, { x: '<"' }, { escape });
  expect([print('html'), print('none'), print('url'), print('json')]).toEqual(['&lt;&quot;', '<"', '%3C%22', '"<\\""']);
  expect(compileTemplate(source, { escape: 'json' }).segments).not.toBeNull();
});
