/** `GET /segments/:id/explain`, and the executions and emails of a contact. */
import { expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { memberOf, PRO, segmentHelpers } from '../helpers/segment-api.js';

const api = useApi();
const { contact, segment } = segmentHelpers(api);

const explain = async (project: TestProject, id: string, contactId: string): Promise<unknown> => {
  const response = await api.as(project, 'GET', `/segments/${id}/explain?contactId=${contactId}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
};

test('shows the value and the result of each filter, with its place', async () => {
  const project = await api.project();
  const id = await contact(project, 'ada@x.test', { plan: 'pro' });
  await api.as(project, 'POST', '/events/track', { email: 'ada@x.test', event: 'bought' });
  const { id: members } = await segment(project, { type: 'STATIC', name: 'Members' });
  const condition = {
    logic: 'OR',
    groups: [
      {
        filters: [
          { field: 'data.plan', operator: 'equals', value: 'pro' },
          { field: 'data.city', operator: 'notEquals', value: 'Oslo' },
          { field: 'email', operator: 'contains', value: 'bob' },
        ],
      },
      {
        filters: [{ field: 'subscribed', operator: 'equals', value: false }],
        conditions: {
          logic: 'AND',
          groups: [
            { filters: [{ field: 'event.bought', operator: 'triggered' }] },
            { filters: [{ field: `segment.${members}`, operator: 'notMemberOfSegment' }] },
          ],
        },
      },
    ],
  };
  const { id: segmentId } = await segment(project, { condition });
  const at = expect.stringMatching(/^\d{4}-/);
  expect(await explain(project, segmentId, id)).toEqual({
    matches: false,
    groups: [
      {
        matches: false,
        filters: [
          { path: 'groups.0.filters.0', matches: true, actual: 'pro' },
          { path: 'groups.0.filters.1', matches: true, actual: null },
          { path: 'groups.0.filters.2', matches: false, actual: 'ada@x.test' },
        ],
      },
      {
        matches: false,
        filters: [{ path: 'groups.1.filters.0', matches: false, actual: true }],
        conditions: {
          matches: true,
          groups: [
            {
              matches: true,
              filters: [
                {
                  path: 'groups.1.conditions.groups.0.filters.0',
                  matches: true,
                  actual: { firstAt: at, lastAt: at },
                },
              ],
            },
            {
              matches: true,
              filters: [{ path: 'groups.1.conditions.groups.1.filters.0', matches: true, actual: false }],
            },
          ],
        },
      },
    ],
  });
});

test('agrees with the contacts of the segment if groups have no filters', async () => {
  const project = await api.project();
  const id = await contact(project, 'ada@x.test', { plan: 'free' });
  for (const [groups, matches] of [
    [[], true],
    [[{ filters: [] }], true],
    [[{ filters: [] }, ...PRO.groups], false],
  ]) {
    const { id: segmentId, memberCount } = await segment(project, { condition: { logic: 'OR', groups } });
    expect([await explain(project, segmentId, id), memberCount]).toMatchObject([{ matches }, matches ? 1 : 0]);
  }
});

test('shows the membership of a static segment, and of a dynamic segment that a filter names', async () => {
  const project = await api.project();
  const id = await contact(project, 'ada@x.test', { plan: 'pro' });
  const { id: members } = await segment(project, { type: 'STATIC' });
  expect(await explain(project, members, id)).toEqual({ matches: false, groups: [] });
  await api.as(project, 'POST', `/segments/${members}/members`, { emails: ['ada@x.test'] });
  expect(await explain(project, members, id)).toEqual({ matches: true, groups: [] });
  const { id: pros } = await segment(project);
  const { id: nested } = await segment(project, { condition: memberOf(pros) });
  expect(await explain(project, nested, id)).toMatchObject({
    matches: true,
    groups: [{ filters: [{ matches: true, actual: true }] }],
  });
});

test("returns 404 for another project's contact, and 422 without a contact", async () => {
  const [project, other] = [await api.project(), await api.project()];
  const theirs = await contact(other, 'ada@x.test');
  const { id } = await segment(project);
  for (const contactId of [theirs, newId(), 'x'])
    expect(refused(await api.as(project, 'GET', `/segments/${id}/explain?contactId=${contactId}`))).toMatchObject({
      status: 404,
      code: 'CONTACT_NOT_FOUND',
    });
  expect((await api.as(project, 'GET', `/segments/${id}/explain`)).statusCode).toBe(422);
});

test("lists a contact's executions in pages, newest first", async () => {
  const project = await api.project();
  const projectId = project.id;
  const [contactId, otherId] = [await contact(project, 'ada@x.test'), await contact(project, 'bob@x.test')];
  const { prisma } = api.ctx;
  const ids: string[] = [];
  for (const name of ['A', 'B', 'C']) {
    const workflow = await prisma.workflow.create({ data: { id: newId(), projectId, name, eventName: 'e' } });
    for (const one of [contactId, otherId]) {
      const { id } = await prisma.workflowExecution.create({
        data: { id: newId(), projectId, workflowId: workflow.id, contactId: one, status: 'COMPLETED' },
      });
      if (one === contactId) ids.unshift(id);
    }
  }
  const page = async (cursor = '') =>
    (await api.as(project, 'GET', `/contacts/${contactId}/executions?limit=2${cursor}`)).json<{
      data: Array<{ id: string; workflowName: string }>;
      cursor: string | null;
      hasMore: boolean;
      total: number;
    }>();
  const first = await page();
  expect(first).toMatchObject({ hasMore: true, total: 3 });
  expect(first.data.map(({ workflowName }) => workflowName)).toEqual(['C', 'B']);
  const second = await page(`&cursor=${first.cursor}`);
  expect(second).toMatchObject({ hasMore: false, cursor: null, total: 0 });
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
  expect((await api.as(project, 'GET', `/contacts/${contactId}/executions?cursor=x`)).statusCode).toBe(422);
});

test("lists only a contact's emails", async () => {
  const project = await api.project();
  for (const to of ['ada@x.test', 'bob@x.test'])
    await api.as(project, 'POST', '/v1/send', { to, subject: 's', body: 'b', from: `a@${project.domain}` });
  const ada = await api.ctx.prisma.contact.findFirstOrThrow({ where: { projectId: project.id, email: 'ada@x.test' } });
  const { data, total } = (await api.as(project, 'GET', `/contacts/${ada.id}/emails`)).json<{
    data: Array<{ to: string }>;
    total: number;
  }>();
  expect([total, data.map(({ to }) => to)]).toEqual([1, ['ada@x.test']]);
});
