import { expect, it } from 'vitest';
import type { Design } from '../../packages/email-blocks/src/index.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { newUser } from '../helpers/session.js';

const api = useApi();

const DESIGN: Design = {
  version: 1,
  blocks: [{ id: 'p', type: 'text', content: [{ type: 'text', text: 'Hello' }] }],
};

async function create(project: TestProject, fields: Record<string, unknown> = {}) {
  const content = { name: 'Welcome', subject: 'One', body: '<p>One</p>', from: `team@${project.domain}`, ...fields };
  const response = await api.as(project, 'POST', '/templates', content);
  expect(response.statusCode).toBe(201);
  return response.json();
}
const patch = (project: TestProject, id: string, fields: Record<string, unknown>) =>
  api.as(project, 'PATCH', `/templates/${id}`, fields);
const list = async (project: TestProject, id: string, query = '') =>
  (await api.as(project, 'GET', `/templates/${id}/versions${query}`)).json();
const versionsOf = (page: { data: Array<{ version: number }> }) => page.data.map(({ version }) => version);

it('every change creates a version, newest first', async () => {
  const project = await api.project();
  const { id, createdAt } = await create(project);
  await patch(project, id, { subject: 'Two' });
  await patch(project, id, { body: '<p>Three</p>' });
  const page = await list(project, id);
  expect(page).toMatchObject({ cursor: null, hasMore: false, total: 3 });
  expect(page.data).toEqual([
    { version: 3, subject: 'Two', createdAt: expect.any(String), createdBy: null },
    { version: 2, subject: 'Two', createdAt: expect.any(String), createdBy: null },
    { version: 1, subject: 'One', createdAt, createdBy: null },
  ]);
});

it('a version names the user who made the change', async () => {
  const project = await api.project();
  const { id } = await create(project);
  const user = await newUser(api);
  await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: user.id, role: 'MEMBER' } });
  await user.call('PATCH', `/templates/${id}`, { subject: 'Two' }, { 'x-project-id': project.id });
  await patch(project, id, { subject: 'Three' });
  const { data } = await list(project, id);
  expect(data.map(({ createdBy }: { createdBy: string | null }) => createdBy)).toEqual([null, user.id, null]);
});

it('a change to the same values creates no version', async () => {
  const project = await api.project();
  const { id } = await create(project, { design: DESIGN, body: undefined });
  await patch(project, id, { subject: 'One', design: DESIGN });
  expect((await list(project, id)).total).toBe(1);
});

it('a rejected change creates no version', async () => {
  const project = await api.project();
  const { id } = await create(project);
  expect((await patch(project, id, { body: '{{ broken' })).statusCode).toBe(422);
  expect((await list(project, id)).total).toBe(1);
});

it('pages follow their cursor', async () => {
  const project = await api.project();
  const { id } = await create(project);
  for (const subject of ['Two', 'Three', 'Four', 'Five']) await patch(project, id, { subject });
  const first = await list(project, id, '?limit=2');
  expect([versionsOf(first), first.hasMore, first.total]).toEqual([[5, 4], true, 5]);
  await patch(project, id, { subject: 'Six' });
  const second = await list(project, id, `?limit=2&cursor=${first.cursor}`);
  expect([versionsOf(second), second.hasMore, second.total]).toEqual([[3, 2], true, 0]);
  const third = await list(project, id, `?limit=2&cursor=${second.cursor}`);
  expect([versionsOf(third), third.hasMore, third.cursor]).toEqual([[1], false, null]);
});

it.each(['x', Buffer.from('["version","0"]').toString('base64url'), Buffer.from('["x","1"]').toString('base64url')])(
  'a cursor of another list returns 422: %s',
  async (cursor) => {
    const project = await api.project();
    const { id } = await create(project);
    const response = await api.as(project, 'GET', `/templates/${id}/versions?cursor=${cursor}`);
    expect([response.statusCode, response.json().error.errors[0].field]).toEqual([422, 'cursor']);
  },
);

it('a version has the whole content of its time', async () => {
  const project = await api.project();
  const { id, ...created } = await create(project, {
    design: DESIGN,
    body: undefined,
    preheader: 'Hi',
    type: 'HEADLESS',
  });
  await patch(project, id, { body: '<p>Two</p>', type: 'MARKETING', preheader: null });
  expect((await api.as(project, 'GET', `/templates/${id}/versions/1`)).json()).toEqual({
    version: 1,
    subject: 'One',
    preheader: 'Hi',
    editor: 'blocks',
    design: DESIGN,
    body: created.body,
    from: `team@${project.domain}`,
    fromName: null,
    replyTo: null,
    type: 'HEADLESS',
    draft: false,
    createdAt: created.createdAt,
    createdBy: null,
  });
});

it('restoring a version creates a new one with its content, and keeps the name', async () => {
  const project = await api.project();
  const { id, body } = await create(project, { design: DESIGN, body: undefined });
  await patch(project, id, { name: 'Renamed', subject: 'Two', body: '<p>Two</p>' });
  const response = await api.as(project, 'POST', `/templates/${id}/versions/1/restore`);
  expect(response.statusCode).toBe(200);
  expect(response.json()).toMatchObject({ name: 'Renamed', subject: 'One', editor: 'blocks', design: DESIGN, body });
  expect(versionsOf(await list(project, id))).toEqual([3, 2, 1]);
  expect((await api.as(project, 'GET', `/templates/${id}/versions/2`)).json().body).toBe('<p>Two</p>');
});

it('restoring the current content changes nothing', async () => {
  const project = await api.project();
  const { id, updatedAt } = await create(project);
  expect((await api.as(project, 'POST', `/templates/${id}/versions/1/restore`)).json()).toMatchObject({ updatedAt });
  expect((await list(project, id)).total).toBe(1);
});

it('restoring a version that was a draft makes the template a draft', async () => {
  const project = await api.project();
  const { id } = await create(project, { draft: true, body: undefined });
  await patch(project, id, { draft: false, body: '<p>Done</p>' });
  const restored = (await api.as(project, 'POST', `/templates/${id}/versions/1/restore`)).json();
  expect(restored).toMatchObject({ draft: true, body: null });
});

it('restoring a version whose sender domain was removed returns 403, and changes nothing', async () => {
  const project = await api.project();
  const { id } = await create(project);
  await api.ctx.prisma.domain.deleteMany({ where: { projectId: project.id } });
  await patch(project, id, { subject: 'Two' });
  expect((await api.as(project, 'POST', `/templates/${id}/versions/1/restore`)).statusCode).toBe(403);
  expect((await list(project, id)).total).toBe(2);
});

it('restoring with the ETag of an older state returns 412, and changes nothing', async () => {
  const project = await api.project();
  const { id } = await create(project);
  const { etag } = (await api.as(project, 'GET', `/templates/${id}`)).headers;
  await patch(project, id, { subject: 'Two' });
  const response = await api.app.inject({
    method: 'POST',
    url: `/templates/${id}/versions/1/restore`,
    headers: { authorization: `Bearer ${project.secret}`, 'if-match': String(etag) },
  });
  expect(response.statusCode).toBe(412);
  expect((await list(project, id)).total).toBe(2);
});

it.each(['2', '0', '-1', '1.5', 'x', '99999999999'])('the version %s does not exist: 404', async (version) => {
  const project = await api.project();
  const { id } = await create(project);
  const read = await api.as(project, 'GET', `/templates/${id}/versions/${version}`);
  const restored = await api.as(project, 'POST', `/templates/${id}/versions/${version}/restore`);
  expect([read, restored].map((response) => [response.statusCode, response.json().error.code])).toEqual([
    [404, 'VERSION_NOT_FOUND'],
    [404, 'VERSION_NOT_FOUND'],
  ]);
});

it('deleting a template deletes its versions', async () => {
  const project = await api.project();
  const { id } = await create(project);
  expect((await api.as(project, 'DELETE', `/templates/${id}`)).statusCode).toBe(204);
  expect(await api.ctx.prisma.templateVersion.count({ where: { templateId: id } })).toBe(0);
});

it('100 parallel saves leave 100 versions', async () => {
  const project = await api.project();
  const { id } = await create(project);
  const subjects = Array.from({ length: 100 }, (_, index) => `Subject ${index}`);
  const responses = await Promise.all(subjects.map((subject) => patch(project, id, { subject })));
  expect(responses.map(({ statusCode }) => statusCode)).toEqual(subjects.map(() => 200));
  const { data, total } = await list(project, id, '?limit=100');
  expect(total).toBe(101);
  expect(new Set(data.map(({ subject }: { subject: string }) => subject))).toEqual(new Set(subjects));
});
