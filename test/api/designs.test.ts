/** Designs of the block editor on templates, campaigns, and in POST /render. */
import { describe, expect, it } from 'vitest';
import type { Block, Design } from '../../packages/email-blocks/src/index.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { EVERY_BLOCK } from '../helpers/designs.js';

const api = useApi();

const designOf = (text: string, ...blocks: Block[]): Design => ({
  version: 1,
  blocks: [{ id: 'p', type: 'text', content: [{ type: 'text', text }] }, ...blocks],
});
const DESIGN = designOf('Hello {{ firstName }}');

const content = (project: TestProject, fields: Record<string, unknown>) => ({
  name: 'Welcome',
  subject: 'Hello',
  from: `team@${project.domain}`,
  audienceType: 'ALL',
  ...fields,
});

interface Resource {
  path: string;
  /** Reads the resource from the response of its creation. */
  read: (body: { data?: Record<string, unknown> }) => Record<string, unknown>;
}

const RESOURCES: Resource[] = [
  { path: '/templates', read: (body) => body },
  { path: '/campaigns', read: ({ data }) => data ?? {} },
];

describe.each(RESOURCES)('$path', ({ path, read }) => {
  const post = (project: TestProject, fields: Record<string, unknown>) =>
    api.as(project, 'POST', path, content(project, fields));
  async function create(project: TestProject, fields: Record<string, unknown>) {
    const response = await post(project, fields);
    expect(response.statusCode).toBe(201);
    return read(response.json());
  }
  const patch = (project: TestProject, id: unknown, fields: Record<string, unknown>) =>
    api.as(project, 'PATCH', `${path}/${String(id)}`, fields);

  it('writes the body from a design with every block', async () => {
    const project = await api.project();
    const created = await create(project, { design: EVERY_BLOCK });
    expect(created).toMatchObject({ editor: 'blocks', design: EVERY_BLOCK });
    expect(created.body).toContain('Fish &amp; &lt;chips&gt;');
    const { problems: _, ...stored } = (await api.as(project, 'GET', `${path}/${String(created.id)}`)).json();
    expect(stored).toMatchObject({ editor: 'blocks', design: EVERY_BLOCK, body: created.body });
  });

  it('ignores a body next to a design', async () => {
    const { body } = await create(await api.project(), { editor: 'blocks', design: DESIGN, body: 'other' });
    expect(body).toContain('Hello {{ firstName }}');
    expect(body).not.toContain('other');
  });

  it('writes the body again when the design changes', async () => {
    const project = await api.project();
    const { id } = await create(project, { design: DESIGN });
    const changed = (await patch(project, id, { design: designOf('Bye') })).json();
    expect(changed).toMatchObject({ editor: 'blocks', design: designOf('Bye') });
    expect(changed.body).toContain('Bye');
  });

  it('keeps design and body when other fields change', async () => {
    const project = await api.project();
    const { id, body } = await create(project, { design: DESIGN });
    expect((await patch(project, id, { subject: 'New' })).json()).toMatchObject({
      editor: 'blocks',
      design: DESIGN,
      body,
    });
    expect((await patch(project, id, { body, editor: 'blocks' })).json()).toMatchObject({ design: DESIGN, body });
    expect((await patch(project, id, { body })).json()).toMatchObject({ editor: 'blocks', design: DESIGN, body });
  });

  it('switches to html and keeps no design when the body alone changes', async () => {
    const project = await api.project();
    const { id } = await create(project, { design: DESIGN });
    expect((await patch(project, id, { body: '<p>Mine</p>' })).json()).toMatchObject({
      editor: 'html',
      design: null,
      body: '<p>Mine</p>',
    });
  });

  it.each([{ editor: 'html' }, { design: null }])('switches to html with the same body: %j', async (change) => {
    const project = await api.project();
    const { id, body } = await create(project, { design: DESIGN });
    expect((await patch(project, id, change)).json()).toMatchObject({ editor: 'html', design: null, body });
  });

  it('duplicates the design', async () => {
    const project = await api.project();
    const { id, body } = await create(project, { design: DESIGN });
    const copy = (await api.as(project, 'POST', `${path}/${String(id)}/duplicate`)).json();
    expect(copy).toMatchObject({ editor: 'blocks', design: DESIGN, body });
  });

  const image = { id: 'i', type: 'image', src: 'javascript:x' };
  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown version', { design: { version: 2, blocks: [] } }, 'design.version'],
    [
      'a bad field deep inside',
      { design: { version: 1, blocks: [{ id: 'c', type: 'columns', columns: [[image]] }] } },
      'design.blocks.0.columns.0.0.src',
    ],
    ['text instead of a design', { design: 'text' }, 'design'],
    ['blocks without a design', { editor: 'blocks', body: 'x' }, 'design'],
    ['blocks with a design of null', { editor: 'blocks', design: null, body: 'x' }, 'design'],
    ['a design with the editor html', { editor: 'html', design: DESIGN }, 'design'],
    ['an unknown editor', { editor: 'word', body: 'x' }, 'editor'],
    ['an unknown filter', { design: designOf('{{ a | nope }}') }, 'design.blocks.0.content.0.text'],
    [
      'a broken link',
      {
        design: designOf('x', {
          id: 'b',
          type: 'button',
          href: 'https://example.com/{{ a | nope }}',
          content: [{ type: 'text', text: 'Go' }],
        }),
      },
      'design.blocks.1.href',
    ],
    ['a tag that is not closed', { design: designOf('{% if a %}') }, 'design.blocks.0.content.0.text'],
    ['an empty design', { design: { version: 1, blocks: [] } }, 'design.blocks'],
  ])('returns 422 with the place for %s, and changes nothing', async (_, fields, field) => {
    const project = await api.project();
    const created = await post(project, fields);
    expect(created.statusCode).toBe(422);
    expect(created.json().error.errors.map((error: { field: string }) => error.field)).toContain(field);

    const { id, body } = await create(project, { body: '<p>Before</p>' });
    expect((await patch(project, id, fields)).statusCode).toBe(422);
    expect((await api.as(project, 'GET', `${path}/${String(id)}`)).json()).toMatchObject({ editor: 'html', body });
  });

  it('needs a body or a design', async () => {
    const project = await api.project();
    const response = await post(project, {});
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toMatchObject([{ field: 'body', code: 'required' }]);
  });

  it('saves a draft with an unfinished design, and lists its problems with their places', async () => {
    const project = await api.project();
    const design = designOf('{{ a | nope }}', {
      id: 'c',
      type: 'columns',
      columns: [[{ id: 'i', type: 'image', src: 'https://example.com/x.png' }]],
    });
    const { problems } = await create(project, { draft: true, design });
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'template_syntax', path: 'design.blocks.0.content.0.text' }),
        expect.objectContaining({ code: 'image_without_alt', path: 'design.blocks.1.columns.0.0.alt' }),
      ]),
    );
  });
});

it('a campaign takes the design of its template', async () => {
  const project = await api.project();
  const template = (await api.as(project, 'POST', '/templates', content(project, { design: DESIGN }))).json();
  const fields = { name: 'News', audienceType: 'ALL', templateId: template.id };
  const { data } = (await api.as(project, 'POST', '/campaigns', fields)).json();
  expect(data).toMatchObject({ editor: 'blocks', design: DESIGN, body: template.body });
  const replaced = await api.as(project, 'PUT', `/campaigns/${data.id}`, { ...fields, body: '<p>Mine</p>' });
  expect(replaced.json()).toMatchObject({ editor: 'html', design: null, body: '<p>Mine</p>' });
});

describe('POST /render', () => {
  it('renders a design with the data', async () => {
    const project = await api.project();
    const rendered = (
      await api.as(project, 'POST', '/render', content(project, { design: DESIGN, data: { firstName: '<Ada>' } }))
    ).json();
    expect(rendered.html).toContain('Hello &lt;Ada&gt;');
    expect(rendered.text).toContain('Hello <Ada>');
    expect(rendered.problems.map(({ code }: { code: string }) => code)).not.toContain('missing_body');
  });

  it('names the places of problems in the design', async () => {
    const project = await api.project();
    const design = designOf(
      'Hi {{ firstNmae }}',
      { id: 'b', type: 'button', href: 'http://example.com', content: [{ type: 'text', text: 'Go' }] },
      { id: 'h', type: 'html', html: '<p>\n<img src="https://example.com/x.png"></p>' },
    );
    const { problems } = (await api.as(project, 'POST', '/render', content(project, { design }))).json();
    expect(problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'unknown_variable', path: 'design.blocks.0.content.0.text' }),
        expect.objectContaining({ code: 'insecure_link', path: 'design.blocks.1.href' }),
        expect.objectContaining({ code: 'image_without_alt', path: 'design.blocks.2.html', line: 2, column: 1 }),
      ]),
    );
    expect(problems.filter(({ path }: { path: string }) => path === 'body')).toEqual([]);
  });

  it('names a broken template in a design once, and returns no HTML', async () => {
    const project = await api.project();
    const design = designOf('{{ a | nope }}');
    const { html, problems } = (await api.as(project, 'POST', '/render', content(project, { design }))).json();
    expect(html).toBe(null);
    expect(problems.filter(({ code }: { code: string }) => code === 'template_syntax')).toMatchObject([
      { level: 'error', path: 'design.blocks.0.content.0.text' },
    ]);
  });

  it('returns an empty design as a problem and not as an error', async () => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/render', content(project, { design: { version: 1, blocks: [] } }));
    expect(response.statusCode).toBe(200);
    expect(response.json().problems).toContainEqual(
      expect.objectContaining({ code: 'missing_body', level: 'error', path: 'design.blocks' }),
    );
  });
});
