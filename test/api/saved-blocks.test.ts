/** Blocks of designs that are saved under a name. Not part of the specification. */
import { describe, expect, it } from 'vitest';
import type { Block } from '../../packages/email-blocks/src/index.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { EVERY_BLOCK } from '../helpers/designs.js';

const api = useApi();

const text = (id: string, content = 'Regards'): Block => ({
  id,
  type: 'text',
  content: [{ type: 'text', text: content }],
});
const save = (project: TestProject, name: string, blocks: unknown = [text('a')]) =>
  api.as(project, 'POST', '/saved-blocks', { name, blocks });
const list = async (project: TestProject) => (await api.as(project, 'GET', '/saved-blocks')).json().data;

describe('POST /saved-blocks', () => {
  it('saves blocks of every type under a name', async () => {
    const project = await api.project();
    const response = await save(project, '  Everything ', EVERY_BLOCK.blocks);
    expect(response.statusCode, response.body).toBe(201);
    expect(response.json()).toMatchObject({ name: 'Everything', blocks: EVERY_BLOCK.blocks });
    expect(await list(project)).toEqual([response.json()]);
  });

  it('returns 409 for a name that exists in the project, and saves nothing', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await save(project, 'Header');
    const response = await save(project, 'Header', [text('b')]);
    expect(response.statusCode).toBe(409);
    expect(response.json().error.message).toBe('A saved block with the name "Header" exists.');
    expect(await list(project)).toHaveLength(1);
    expect((await save(other, 'Header')).statusCode).toBe(201);
  });

  it('returns 409 for the 201st of a project', async () => {
    const project = await api.project();
    await api.ctx.pool.query(
      `INSERT INTO saved_blocks (id, project_id, name, blocks) SELECT uuid_v7(), $1, n::text, '[]' FROM generate_series(1, 200) n`,
      [project.id],
    );
    expect((await save(project, 'One more')).statusCode).toBe(409);
  });

  it.each<[string, unknown, string]>([
    ['no block', [], 'blocks'],
    ['a link without a scheme', [{ id: 'b', type: 'button', content: [], href: 'example.com' }], 'blocks.0.href'],
    ['two blocks with the same id', [text('a'), text('a')], 'blocks.1.id'],
    [
      'columns inside of columns',
      [{ id: 'a', type: 'columns', columns: [[{ id: 'b', type: 'columns', columns: [[]] }]] }],
      'blocks.0.columns.0.0',
    ],
  ])('returns 422 for %s, with its place', async (_rule, blocks, field) => {
    const project = await api.project();
    const response = await save(project, 'Bad', blocks);
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toContainEqual(expect.objectContaining({ field }));
    expect(await list(project)).toEqual([]);
  });
});

describe('GET /saved-blocks', () => {
  it('returns those of the project by name', async () => {
    const project = await api.project();
    for (const name of ['Header', 'Footer']) await save(project, name);
    expect((await list(project)).map(({ name }: { name: string }) => name)).toEqual(['Footer', 'Header']);
    expect(await list(await api.project())).toEqual([]);
  });
});

describe('PATCH /saved-blocks/:id', () => {
  it('changes only the given fields', async () => {
    const project = await api.project();
    const { id } = (await save(project, 'Header')).json();
    const renamed = await api.as(project, 'PATCH', `/saved-blocks/${id}`, { name: 'Top' });
    expect(renamed.json()).toMatchObject({ id, name: 'Top', blocks: [text('a')] });
    const changed = await api.as(project, 'PATCH', `/saved-blocks/${id}`, { blocks: [text('b', 'Bye')] });
    expect(changed.json()).toMatchObject({ id, name: 'Top', blocks: [text('b', 'Bye')] });
    expect(await list(project)).toEqual([changed.json()]);
  });

  it('returns 409 for the name of another one, and changes nothing', async () => {
    const project = await api.project();
    await save(project, 'Header');
    const { id } = (await save(project, 'Footer')).json();
    const response = await api.as(project, 'PATCH', `/saved-blocks/${id}`, { name: 'Header', blocks: [text('b')] });
    expect(response.statusCode).toBe(409);
    expect((await list(project))[0]).toMatchObject({ name: 'Footer', blocks: [text('a')] });
  });
});

describe('DELETE /saved-blocks/:id', () => {
  it('deletes it', async () => {
    const project = await api.project();
    const { id } = (await save(project, 'Header')).json();
    expect((await api.as(project, 'DELETE', `/saved-blocks/${id}`)).statusCode).toBe(204);
    expect(await list(project)).toEqual([]);
    expect((await api.as(project, 'DELETE', `/saved-blocks/${id}`)).json().error).toMatchObject({
      code: 'SAVED_BLOCK_NOT_FOUND',
      message: 'Saved block not found',
    });
  });
});
