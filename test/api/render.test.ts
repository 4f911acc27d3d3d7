import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, refused } from '../helpers/campaign-api.js';

const api = useApi();
const { snapshot } = campaignHelpers(api);

const BODY = '<p>Hi {{ name ?? you }}, see <a href="https://shop.test/">the shop</a>.</p>';

/** A content without problems, with the changes of a test. */
const content = (project: TestProject, changes: Record<string, unknown> = {}) => ({
  subject: 'News for {{ email }}',
  body: BODY,
  type: 'TRANSACTIONAL',
  from: `news@${project.domain}`,
  data: { name: 'Ada' },
  ...changes,
});

async function render(project: TestProject, changes: Record<string, unknown> = {}) {
  const response = await api.as(project, 'POST', '/render', content(project, changes));
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

const addContact = async (project: TestProject, data: Record<string, string>) => {
  const id = newId();
  const email = `${id}@example.test`;
  await api.ctx.prisma.contact.create({ data: { id, projectId: project.id, email, subscribed: true, data } });
  return { id, email };
};

describe('POST /render', () => {
  test('returns the subject, the HTML, the text alternative, the size, and no problem', async () => {
    const project = await api.project();
    const html = '<p>Hi Ada, see <a href="https://shop.test/">the shop</a>.</p>';
    expect(await render(project, { subject: 'News for {{ name }}' })).toEqual({
      subject: 'News for Ada',
      html,
      text: 'Hi Ada, see the shop [https://shop.test/].',
      bytes: html.length,
      problems: [],
    });
  });

  test('prints the data of the contact, overridden by the data of the request', async () => {
    const project = await api.project();
    const { id, email } = await addContact(project, { name: 'Grace', plan: 'pro', city: 'Rome' });
    const changes = {
      contactId: id,
      subject: '{{ email }} {{ id }}',
      body: '{{ name }} {{ data.plan }} {{ city }}',
      data: { name: 'Ada', plan: { value: 'free', persistent: false }, city: null },
    };
    expect(await render(project, changes)).toMatchObject({
      subject: `${email} ${id}`,
      html: 'Ada free ',
      problems: [],
    });
  });

  test('adds the footer in the language of the project, and the preheader', async () => {
    const project = await api.project();
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { language: 'de' } });
    const { html, text } = await render(project, { type: 'MARKETING', preheader: 'For {{ name }}' });
    expect(html).toMatch(/^<div data-preheader[^>]*>For Ada/);
    expect(html).toContain('>Abmelden</a>');
    expect(text).toMatch(/^Hi Ada[\s\S]*Abmelden/);
  });

  test('leads links to the pages of a contact to the home page', async () => {
    const project = await api.project();
    const { id } = await addContact(project, {});
    const { html } = await render(project, { contactId: id, body: '{{ unsubscribeUrl }} {{ manageUrl }}' });
    expect(html).toBe(`${api.config.PUBLIC_URL} ${api.config.PUBLIC_URL}`);
  });

  test('writes nothing, and disabled projects may use it', async () => {
    const project = await api.project();
    await addContact(project, { name: 'Grace' });
    const before = await snapshot(project);
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    await render(project, { data: { name: 'Ada', other: 1 } });
    expect(await snapshot(project)).toEqual(before);
  });

  test('an unknown contact and a contact of another project return 404', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const foreign = await addContact(other, {});
    for (const contactId of [newId(), 'x', foreign.id])
      expect(refused(await api.as(project, 'POST', '/render', content(project, { contactId })))).toEqual({
        status: 404,
        code: 'CONTACT_NOT_FOUND',
      });
  });

  test.each([
    [{ subject: 1 }, 'subject invalid_type'],
    [{ preheader: 'x'.repeat(256) }, 'preheader too_big'],
    [{ type: 'NEWS' }, 'type invalid_string'],
    [{ data: [] }, 'data invalid_type'],
    [{ data: { text: 'x'.repeat(65_536) } }, 'data too_big'],
  ])('%j returns 422', async (changes, error) => {
    const project = await api.project();
    expect(refused(await api.as(project, 'POST', '/render', content(project, changes)))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [error],
    });
  });
});

describe('the problems of a rendering', () => {
  test.each([
    ['template_syntax', 'error', { subject: 'Hi\t{{ name' }, { path: 'subject', line: 1, column: 4 }],
    ['template_syntax', 'error', { body: '<p>\n  {% if x %}' }, { path: 'body', line: 2, column: 3 }],
    ['template_syntax', 'error', { preheader: '{% foo %}' }, { path: 'preheader', line: 1, column: 1 }],
    [
      'template_syntax',
      'error',
      { body: '{% for i in (1..999999999) %}x{% endfor %}' },
      { path: 'body', line: 1, column: 1 },
    ],
    ['missing_subject', 'error', { subject: undefined }, { path: 'subject' }],
    ['missing_subject', 'error', { subject: '' }, { path: 'subject' }],
    ['missing_body', 'error', { body: null }, { path: 'body' }],
    ['missing_sender', 'error', { from: undefined }, { path: 'from' }],
    ['unverified_sender', 'error', { from: 'a@elsewhere.test' }, { path: 'from' }],
    ['unverified_sender', 'error', { from: '@elsewhere.test' }, { path: 'from' }],
    ['unknown_variable', 'warning', { body: 'Hi\n {{ frist }}' }, { path: 'body', line: 2, column: 2 }],
    ['unknown_variable', 'warning', { subject: '{{ data.frist }}' }, { path: 'subject', line: 1, column: 1 }],
    ['unknown_variable', 'info', { body: '{{ frist ?? you }}' }, { path: 'body', line: 1, column: 1 }],
    ['unknown_variable', 'info', { body: '{% if vip %}x{% endif %}' }, { path: 'body', line: 1, column: 1 }],
    ['unknown_variable', 'warning', { body: '{{ name }} {{ frist | upcase }}' }, { path: 'body', line: 1, column: 12 }],
    [
      'unknown_variable',
      'warning',
      { body: '{% if name %}\n  {{ frist | upcase }}{% endif %}' },
      { path: 'body', line: 2, column: 3 },
    ],
    ['no_unsubscribe_link', 'warning', { type: 'HEADLESS' }, { path: 'body' }],
    ['missing_postal_address', 'warning', { type: 'MARKETING' }, { path: 'body' }],
    ['image_without_alt', 'warning', { body: '<p>\n<img src="x">' }, { path: 'body', line: 2, column: 1 }],
    ['insecure_link', 'warning', { body: '<a href=" HTTP://x.test/">x</a>' }, { path: 'body', line: 1, column: 1 }],
    ['empty_link', 'warning', { body: '<a>x</a>' }, { path: 'body', line: 1, column: 1 }],
    ['empty_link', 'warning', { body: '<a href="#">x</a>' }, { path: 'body', line: 1, column: 1 }],
    ['empty_link', 'warning', { body: '<a href="{{ name ?? "" }}">x</a>', data: { name: ' ' } }, { path: 'body' }],
    ['clipped', 'warning', { body: 'x'.repeat(102 * 1024 + 1) }, { path: 'body' }],
  ])('%s (%s) for %j', async (code, level, changes, place) => {
    const { problems } = await render(await api.project(), changes);
    expect(problems).toEqual([{ code, level, message: expect.stringMatching(/^[A-Z].*[.”}]$/s), ...place }]);
  });

  test.each([
    ['an image with an empty description', { body: '<img src="x" alt="">' }],
    ['a link whose target is a variable', { body: '<a href="{{ name }}">x</a>' }],
    ['an anchor', { body: '<a name="top"></a>' }],
    ['the own variables of the service', { body: '{{ id }} {{ svc_email }} {{ locale }} {{ manageUrl }}' }],
    [
      'variables that the template defines',
      { body: '{% assign a = name %}{{ a }}{% for b in name %}{{ b }}{% endfor %}' },
    ],
    ['a HEADLESS body with its own link', { type: 'HEADLESS', body: '<a href="{{ unsubscribeUrl }}">x</a>' }],
    ['tags inside a comment', { body: '<!-- <img src="x"> -->' }],
    ['exactly 102 KB', { body: 'x'.repeat(102 * 1024) }],
  ])('%s is not a problem', async (_, changes) => {
    const project = await api.project();
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { tracking: 'DISABLED' } });
    expect((await render(project, changes)).problems).toEqual([]);
  });

  test.each(['', '@', 'a@b@', 'Ada <a@', 'a b@'])(
    'a sender that is not an address is a problem, even if it ends with a verified domain: "%s"',
    async (prefix) => {
      const project = await api.project();
      const { problems } = await render(project, { from: `${prefix}${project.domain}` });
      expect(problems).toMatchObject([{ code: 'unverified_sender', message: expect.stringContaining('not an email') }]);
    },
  );

  test('a sender is compared as it is stored, and blank text is missing', async () => {
    const project = await api.project();
    expect((await render(project, { from: ` News@${project.domain.toUpperCase()} ` })).problems).toEqual([]);
    expect((await render(project, { from: ' ' })).problems).toMatchObject([{ code: 'missing_sender' }]);
  });

  test('a subject that does not parse leaves the rest of the rendering', async () => {
    expect(await render(await api.project(), { subject: '{{' })).toMatchObject({ subject: null, html: /Hi Ada/ });
  });

  test('a field of any contact is a known variable', async () => {
    const project = await api.project();
    await addContact(project, { plan: 'pro' });
    expect((await render(project, { body: '{{ plan }}{{ data.plan }}' })).problems).toEqual([]);
  });

  test('tracked links count for the size', async () => {
    const project = await api.project();
    const link = '<a href="https://shop.test/">x</a>';
    const body = link.repeat(Math.floor((102 * 1024) / link.length));
    expect((await render(project, { body })).problems).toMatchObject([{ code: 'clipped' }]);
  });

  test('at most 20 problems of a kind are listed', async () => {
    const { problems } = await render(await api.project(), { body: '<img src="x">'.repeat(30) });
    expect(problems).toHaveLength(20);
  });

  test('a variable that occurs twice is listed once', async () => {
    expect((await render(await api.project(), { body: '{{ frist }} {{ frist }}' })).problems).toHaveLength(1);
  });
});
