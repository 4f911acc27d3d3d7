/** Concurrent edits: `ETag` and `If-Match` of templates, campaigns, segments, and workflows (additions, section 2). */
import { describe, expect, test } from 'vitest';
import { foldFigures } from '../../src/domain/analytics/sql/figures.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { workflowHelpers } from '../helpers/workflow-api.js';

const api = useApi();
const { chain, workflow } = workflowHelpers(api);

interface Editable {
  name: string;
  path: string;
  method: 'PATCH' | 'PUT';
  /** Creates a resource. @returns its id */
  create: (project: TestProject) => Promise<string>;
  /** A change of the resource to this name. */
  change: (project: TestProject, name: string) => Record<string, unknown>;
}

const idIn = (value: unknown): string => {
  const { id } = Object(value);
  if (typeof id !== 'string') throw new Error(`No id in ${JSON.stringify(value)}`);
  return id;
};

const contentOf = (project: TestProject, name: string) => ({
  name,
  subject: 's',
  body: '<p>b</p>',
  from: `hi@${project.domain}`,
});
const campaignOf = (project: TestProject, name: string) => ({ ...contentOf(project, name), audienceType: 'ALL' });

const CONDITION = { logic: 'AND', groups: [{ filters: [{ field: 'subscribed', operator: 'equals', value: true }] }] };

const EDITABLE: Editable[] = [
  {
    name: 'a template',
    path: '/templates',
    method: 'PATCH',
    create: async (project) => idIn((await api.as(project, 'POST', '/templates', contentOf(project, 'T'))).json()),
    change: (_project, name) => ({ name }),
  },
  {
    name: 'a campaign',
    path: '/campaigns',
    method: 'PUT',
    create: async (project) =>
      idIn((await api.as(project, 'POST', '/campaigns', campaignOf(project, 'C'))).json().data),
    change: (project, name) => campaignOf(project, name),
  },
  {
    name: 'a segment',
    path: '/segments',
    method: 'PATCH',
    create: async (project) =>
      idIn((await api.as(project, 'POST', '/segments', { name: 'S', condition: CONDITION })).json()),
    change: (_project, name) => ({ name }),
  },
  {
    name: 'a workflow',
    path: '/workflows',
    method: 'PATCH',
    create: async (project) =>
      idIn((await api.as(project, 'POST', '/workflows', { name: 'W', eventName: 'e' })).json()),
    change: (_project, name) => ({ name }),
  },
];

const etagOf = async (project: TestProject, url: string): Promise<string> => {
  const { headers, statusCode } = await api.as(project, 'GET', url);
  expect(statusCode).toBe(200);
  return String(headers.etag);
};

describe.each(EDITABLE)('$name', ({ path, method, create, change }) => {
  const setUp = async () => {
    const project = await api.project();
    const url = `${path}/${await create(project)}`;
    const save = (name: string, ifMatch?: string) =>
      api.as(project, method, url, change(project, name), ifMatch === undefined ? {} : { 'if-match': ifMatch });
    const nameNow = async (): Promise<unknown> => (await api.as(project, 'GET', url)).json().name;
    return { project, url, save, nameNow };
  };

  test('has a strong ETag, and none of its fields shows the revision', async () => {
    const { project, url } = await setUp();
    const response = await api.as(project, 'GET', url);
    expect(response.headers.etag).toMatch(/^"\d+"$/);
    expect(response.json()).not.toHaveProperty('revision');
  });

  test('a save with the current ETag succeeds and returns the next one', async () => {
    const { project, url, save } = await setUp();
    const before = await etagOf(project, url);
    const saved = await save('Second', before);
    expect([saved.statusCode, saved.json().name]).toEqual([200, 'Second']);
    expect(saved.headers.etag).not.toBe(before);
    expect(await etagOf(project, url)).toBe(saved.headers.etag);
  });

  test('a save with an old ETag returns 412 with the current one, and changes nothing', async () => {
    const { project, url, save, nameNow } = await setUp();
    const old = await etagOf(project, url);
    const { headers } = await save('First editor', old);
    const refused = await save('Second editor', old);
    expect([refused.statusCode, refused.json().error.code]).toEqual([412, 'PRECONDITION_FAILED']);
    expect(refused.headers.etag).toBe(headers.etag);
    expect(await nameNow()).toBe('First editor');
  });

  test('a save without If-Match succeeds at every version', async () => {
    const { save, nameNow } = await setUp();
    await save('One');
    expect((await save('Two')).statusCode).toBe(200);
    expect(await nameNow()).toBe('Two');
  });

  test('a save with the same values and an old ETag returns 412', async () => {
    const { project, url, save } = await setUp();
    const old = await etagOf(project, url);
    await save('Same', old);
    expect((await save('Same', old)).statusCode).toBe(412);
  });

  test('of 100 parallel saves with the same ETag, one succeeds and 99 return 412', async () => {
    const { project, url, save, nameNow } = await setUp();
    const etag = await etagOf(project, url);
    const saves = await Promise.all(Array.from({ length: 100 }, (_, index) => save(`Save ${index}`, etag)));
    const successful = saves.filter(({ statusCode }) => statusCode === 200);
    expect(successful).toHaveLength(1);
    expect(saves.filter(({ statusCode }) => statusCode === 412)).toHaveLength(99);
    expect(await nameNow()).toBe(successful[0]?.json().name);
    expect(await etagOf(project, url)).toBe(successful[0]?.headers.etag);
  });

  test('a deletion with an old ETag returns 412 and keeps it, and one with the current ETag deletes it', async () => {
    const { project, url, save } = await setUp();
    const old = await etagOf(project, url);
    const { headers } = await save('Changed', old);
    const refused = await api.as(project, 'DELETE', url, undefined, { 'if-match': old });
    expect([refused.statusCode, refused.headers.etag]).toEqual([412, headers.etag]);
    const deleted = await api.as(project, 'DELETE', url, undefined, { 'if-match': String(headers.etag) });
    expect(deleted.statusCode).toBe(204);
  });

  test('a change with If-Match of an unknown id returns 404', async () => {
    const { project } = await setUp();
    for (const ifMatch of ['*', '"1"'])
      expect(
        (await api.as(project, 'DELETE', `${path}/${newId()}`, undefined, { 'if-match': ifMatch })).statusCode,
      ).toBe(404);
  });
});

describe('If-Match', () => {
  const saveWith = async (ifMatch: (etag: string) => string) => {
    const project = await api.project();
    const { id } = await workflow(project);
    const url = `/workflows/${id}`;
    return api.as(project, 'PATCH', url, { name: 'x' }, { 'if-match': ifMatch(await etagOf(project, url)) });
  };

  test.each([
    ['*', () => '*'],
    ['a list that contains the ETag', (etag: string) => `"other", W/"9" ,${etag}`],
    ['a list with empty elements', (etag: string) => `, ,${etag},`],
  ])('accepts %s', async (_name, ifMatch) => {
    expect((await saveWith(ifMatch)).statusCode).toBe(200);
  });

  test.each([
    ['the weak form of the ETag', (etag: string) => `W/${etag}`],
    ['a list without the ETag', () => '"98", "99"'],
    ['a tag of another origin', () => '"abc-gzip"'],
    ['a tag with a comma', () => '"1,2"'],
    ['the empty tag', () => '""'],
    ['a number that is too large for a revision', () => '"99999999999"'],
  ])('returns 412 for %s', async (_name, ifMatch) => {
    expect((await saveWith(ifMatch)).statusCode).toBe(412);
  });

  test.each([
    ['a tag without quotes', () => '1'],
    ['an open quote', () => '"1'],
    ['text after a tag', (etag: string) => `${etag}x`],
    ['* in a list', () => '"1", *'],
    ['only commas', () => ', ,'],
  ])('returns 422 that names the header for %s', async (_name, ifMatch) => {
    const { statusCode, json } = await saveWith(ifMatch);
    expect([statusCode, json().error.errors]).toEqual([422, [expect.objectContaining({ field: 'If-Match' })]]);
  });

  test('of a request that other rules refuse, the other error is returned', async () => {
    const project = await api.project();
    const id = await EDITABLE[1]?.create(project);
    await api.ctx.prisma.campaign.updateMany({ where: { id }, data: { status: 'SENT' } });
    const old = { 'if-match': '"98"' };
    const put = await api.as(project, 'PUT', `/campaigns/${id}`, campaignOf(project, 'x'), old);
    expect([put.statusCode, put.json().error.code]).toEqual([409, 'CONFLICT']);
    expect((await api.as(project, 'PUT', `/campaigns/${id}`, { name: '' }, old)).statusCode).toBe(422);
  });
});

describe('the ETag', () => {
  test('of a campaign stays when its figures change, and changes when it is scheduled', async () => {
    const project = await api.project();
    const id = (await EDITABLE[1]?.create(project)) ?? '';
    const url = `/campaigns/${id}`;
    const before = await etagOf(project, url);
    await api.ctx.pool.query(
      `INSERT INTO stat_deltas (project_id, campaign_id, day, sent, opened) VALUES ($1, $2, '2026-11-01', 5, 2)`,
      [project.id, id],
    );
    await foldFigures(api.ctx.pool, 100);
    expect((await api.as(project, 'GET', url)).json()).toMatchObject({ sentCount: 5, openedCount: 2 });
    expect(await etagOf(project, url)).toBe(before);
    await api.as(project, 'POST', `${url}/send`, { scheduledFor: '2099-01-01' });
    expect(await etagOf(project, url)).not.toBe(before);
  });

  test('of a campaign changes when the deletion of its segment removes the reference', async () => {
    const project = await api.project();
    const segmentId = (await EDITABLE[2]?.create(project)) ?? '';
    const body = { ...campaignOf(project, 'C'), audienceType: 'SEGMENT', segmentId };
    const url = `/campaigns/${idIn((await api.as(project, 'POST', '/campaigns', body)).json().data)}`;
    const before = await etagOf(project, url);
    await api.as(project, 'DELETE', `/segments/${segmentId}`);
    expect(await etagOf(project, url)).not.toBe(before);
  });

  test('of a segment stays when its members are counted', async () => {
    const project = await api.project();
    const url = `/segments/${await EDITABLE[2]?.create(project)}`;
    const before = await etagOf(project, url);
    await api.as(project, 'POST', '/contacts', { email: 'a@x.test', subscribed: true });
    expect((await api.as(project, 'POST', `${url}/refresh`)).json()).toEqual({ memberCount: 1 });
    expect(await etagOf(project, url)).toBe(before);
  });

  test('of a workflow changes with each change of its steps and transitions', async () => {
    const project = await api.project();
    const made = await workflow(project);
    const url = `/workflows/${made.id}`;
    const seen = new Set([await etagOf(project, url)]);
    const [delay = ''] = await chain(project, made, 'DELAY');
    seen.add(await etagOf(project, url));
    await api.as(project, 'PATCH', `${url}/steps/${delay}`, { position: { x: 5, y: 5 } });
    seen.add(await etagOf(project, url));
    const { transitions } = (await api.as(project, 'GET', url)).json();
    await api.as(project, 'DELETE', `${url}/transitions/${transitions[0].id}`);
    seen.add(await etagOf(project, url));
    await api.as(project, 'DELETE', `${url}/steps/${delay}`);
    seen.add(await etagOf(project, url));
    expect(seen.size).toBe(5);
  });

  test('is readable and If-Match is allowed from the origin of the dashboard', async () => {
    const origin = new URL(api.config.DASHBOARD_URL).origin;
    const { headers } = await api.app.inject({
      method: 'OPTIONS',
      url: `/workflows/${newId()}`,
      headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'if-match' },
    });
    expect(String(headers['access-control-allow-headers'])).toContain('If-Match');
    const response = await api.app.inject({ url: '/config', headers: { origin } });
    expect(String(response.headers['access-control-expose-headers'])).toContain('ETag');
  });
});

test('every operation of such a resource documents ETag and If-Match', async () => {
  const { paths } = (await api.app.inject('/openapi.json')).json();
  for (const path of ['templates', 'campaigns', 'segments', 'workflows'].map((name) => `/${name}/{id}`))
    for (const [method, operation] of Object.entries(Object(paths[path]))) {
      const { parameters = [], responses, description } = Object(operation);
      const name = `${method} ${path}`;
      if (method !== 'delete') expect(responses['200'].headers, name).toHaveProperty('ETag');
      if (method === 'get') continue;
      expect(
        parameters.map((parameter: unknown) => Object(parameter).name),
        name,
      ).toContain('If-Match');
      expect([description, Object.keys(responses)], name).toEqual([
        expect.stringContaining('412 `PRECONDITION_FAILED`'),
        expect.arrayContaining(['412']),
      ]);
    }
});
