/** `GET /projects/:id/stream` over HTTP: credentials, limits, topics with figures, comments, and the end. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLive, type Live } from '../../src/domain/live/live.js';
import type { Topic } from '../../src/domain/live/topics.js';
import { buildApp } from '../../src/api/app.js';
import { newId } from '../../src/ids.js';
import { activityHelpers } from '../helpers/activity.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { newUser, refusal } from '../helpers/session.js';
import { listenDirectly, listenOver, type Received } from '../helpers/stream.js';

const api = useApi();
const { contact, workflow, execution, campaign } = activityHelpers(api);
let live: Live;
let baseUrl: string;
let project: TestProject;

beforeAll(async () => {
  live = createLive(api.ctx, { activityMs: 20, figuresMs: 20, commentMs: 30 });
  baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 });
  project = await api.project();
});
afterAll(() => live.end());

const urlOf = ({ id }: { id: string }, topics: string): string => `/projects/${id}/stream?topics=${topics}`;
const keyOf = ({ secret }: TestProject) => ({ authorization: `Bearer ${secret}` });

async function open(path: string, headers: Record<string, string>) {
  const listener = await listenOver(`${baseUrl}${path}`, headers);
  onTestFinished(listener.close);
  return listener;
}

async function track(of: TestProject): Promise<string> {
  const response = await api.as(of, 'POST', '/events/track', { email: 'ada@x.test', event: 'tested' });
  expect(response.statusCode, response.body).toBe(201);
  return response.json().event;
}

async function listen(topics: Topic[], of: TestProject = project) {
  const listener = await listenDirectly(live, { projectId: of.id, topics });
  onTestFinished(listener.close);
  return listener;
}

describe('a request', () => {
  test('with the secret key opens a stream that proxies do not buffer', async () => {
    const { response, messages, close, done } = await open(urlOf(project, 'activity'), keyOf(project));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
      'ratelimit-remaining': expect.any(String),
    });
    const { topic, data } = await messages.findId(await track(project));
    expect([topic, data.type]).toEqual(['activity', 'event.tracked']);
    expect(messages.text).toMatch(/^retry: 2000\n/);
    close();
    expect(await done).toBe('broken');
  });

  test('with the session of a member needs no X-Project-Id, and non-members get 404', async () => {
    const [member, stranger] = [await newUser(api), await newUser(api)];
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: member.id, role: 'MEMBER' } });
    const { response } = await open(urlOf(project, 'activity'), { cookie: `token=${member.token}` });
    expect(response.status).toBe(200);
    expect(refusal(await stranger.call('GET', urlOf(project, 'activity')))).toEqual([404, 'PROJECT_NOT_FOUND']);
  });

  test('with the key of another project returns 404, and with a public key or none 401', async () => {
    const other = await api.project();
    const get = (headers: Record<string, string>) =>
      api.app.inject({ url: urlOf(project, 'activity'), headers }).then(refusal);
    expect(await get(keyOf(other))).toEqual([404, 'PROJECT_NOT_FOUND']);
    expect(await get({ authorization: `Bearer ${project.public}` })).toEqual([401, 'INVALID_API_KEY']);
    expect(await get({})).toEqual([401, 'INVALID_API_KEY']);
  });

  test.each(['', '?topics=', '?topics=activity,contacts', '?topics=workflow:welcome', '?topics=Activity'])(
    'with an unknown topic or none returns 422: %s',
    async (query) => {
      const response = await api.as(project, 'GET', `/projects/${project.id}/stream${query}`);
      expect(refusal(response).slice(0, 2)).toEqual([422, 'VALIDATION_ERROR']);
      expect(response.body).toContain('"topics');
    },
  );

  test('with more than 20 topics returns 422', async () => {
    const topics = Array.from({ length: 21 }, () => `workflow:${newId()}`).join(',');
    expect(refusal(await api.as(project, 'GET', urlOf(project, topics)))).toEqual([422, 'VALIDATION_ERROR', 'topics']);
  });

  test("with a workflow of another project, or an unknown one, returns 404 like that workflow's own path", async () => {
    const foreign = await workflow(await api.project());
    for (const id of [foreign, newId()])
      expect(refusal(await api.as(project, 'GET', urlOf(project, `activity,workflow:${id}`)))).toEqual([
        404,
        'WORKFLOW_NOT_FOUND',
      ]);
  });

  test.each(['1', 'x'.repeat(50), Buffer.from('["a","b","c","d"]').toString('base64url')])(
    'with a Last-Event-ID that is not from this stream returns 422: %s',
    async (id) => {
      const response = await api.as(project, 'GET', urlOf(project, 'activity'), undefined, { 'last-event-id': id });
      expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', 'Last-Event-ID']);
    },
  );
});

test('an empty Last-Event-ID is ignored', async () => {
  const { response } = await open(urlOf(project, 'activity'), { ...keyOf(project), 'last-event-id': '' });
  expect(response.status).toBe(200);
});

describe('the limits', () => {
  test('a user has at most 6 streams, and one that closes makes room', async () => {
    const user = await newUser(api);
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: user.id, role: 'MEMBER' } });
    const headers = { cookie: `token=${user.token}` };
    const opened = await Promise.all(Array.from({ length: 7 }, () => open(urlOf(project, 'campaigns'), headers)));
    expect(opened.filter(({ response }) => response.status === 200)).toHaveLength(6);
    const refused = opened.find(({ response }) => response.status === 429);
    expect(refused?.response.headers.get('retry-after')).toBe('2');
    expect(await refused?.response.json()).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } });
    opened.find(({ response }) => response.status === 200)?.close();
    await eventually(async () => expect((await open(urlOf(project, 'campaigns'), headers)).response.status).toBe(200));
  });

  test('a project has at most 50 streams, and other projects are not affected', async () => {
    const [busy, other] = [await api.project(), await api.project()];
    for (let n = 0; n < 50; n++) await listen(['campaigns'], busy);
    await expect(listen(['campaigns'], busy)).rejects.toMatchObject({ status: 429 });
    expect((await listen(['campaigns'], other)).ended()).toBeNull();
  });

  test('a client that leaves 4 MB unread is disconnected', async () => {
    let unread = 0;
    const slow = await listenDirectly(
      live,
      { projectId: project.id, topics: ['activity'] },
      { buffered: () => unread },
    );
    await slow.messages.findId(await track(project));
    expect(slow.ended()).toBeNull();
    unread = 5 * 1024 * 1024;
    await track(project);
    await eventually(() => expect(slow.ended()).toBe('destroyed'));
    slow.close();
  });
});

describe('an open stream', () => {
  test('receives comments, and new positions with them', async () => {
    const { messages } = await listen(['activity']);
    const first = messages.lastEventId;
    await eventually(() => expect(messages.text.match(/^:$/gm)?.length).toBeGreaterThan(2));
    await track(await api.project());
    await eventually(() => expect(messages.lastEventId).not.toBe(first));
    expect(messages.all).toEqual([]);
  });

  test('ends when its credential is no longer valid', async () => {
    let isValid = true;
    const listener = await listenDirectly(live, {
      projectId: project.id,
      topics: ['campaigns'],
      isAdmitted: async () => isValid,
    });
    await eventually(() => expect(listener.messages.text).toContain('\n:\n'));
    expect(listener.ended()).toBeNull();
    isValid = false;
    await eventually(() => expect(listener.ended()).toBe('ended'));
    listener.close();
  });

  test.each(['key', 'session', 'membership'] as const)('checks its %s', async (kind) => {
    const own = await api.project();
    const user = await newUser(api);
    await api.ctx.prisma.membership.create({ data: { projectId: own.id, userId: user.id, role: 'MEMBER' } });
    const opened = vi.spyOn(api.app.live, 'open');
    onTestFinished(() => opened.mockRestore());
    await open(urlOf(own, 'campaigns'), kind === 'key' ? keyOf(own) : { cookie: `token=${user.token}` });
    const isAdmitted = opened.mock.calls[0]?.[0].isAdmitted;
    expect(await isAdmitted?.()).toBe(true);
    if (kind === 'key') await api.ctx.pool.query(`UPDATE projects SET secret_hash = '\\x00' WHERE id = $1`, [own.id]);
    else if (kind === 'session') await user.call('POST', '/auth/logout');
    else await api.ctx.prisma.membership.deleteMany({ where: { userId: user.id } });
    expect(await isAdmitted?.()).toBe(false);
  });

  test('ends when the server closes, and a later one ends immediately, so that its client connects elsewhere', async () => {
    const app = await buildApp(api.ctx);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const path = `${url}${urlOf(project, 'activity,campaigns')}`;
    const before = await listenOver(path, keyOf(project));
    app.live.end();
    expect(await before.done).toBe('ended');
    const later = await listenOver(path, keyOf(project));
    expect([later.response.status, await later.done, later.messages.text]).toEqual([200, 'ended', 'retry: 2000\n\n']);
    await app.close();
  });
});

describe('the topic campaigns', () => {
  const statuses = (messages: Received[], id: string) =>
    messages.filter(({ data }) => data.id === id).map(({ data }) => data.status);

  test('reports progress, and one final message that later listeners receive too', async () => {
    const id = await campaign(project, { status: 'SENDING', totalRecipients: 10, sentCount: 3 });
    const { messages } = await listen(['campaigns']);
    await messages.findId(id);
    expect(messages.all[0]).toMatchObject({
      topic: 'campaigns',
      lastEventId: undefined,
      data: {
        id,
        status: 'SENDING',
        totalRecipients: 10,
        sentCount: 3,
        failedCount: 0,
        pendingCount: 0,
        perSecond: 0,
        paused: null,
        secondsLeft: null,
      },
    });
    const set = (columns: string) => api.ctx.pool.query(`UPDATE campaigns SET ${columns} WHERE id = $1`, [id]);
    await api.ctx.pool.query(
      `INSERT INTO campaign_chunks (project_id, campaign_id, chunk, size, settled) VALUES ($1, $2, 1, 5, 3)`,
      [project.id, id],
    );
    await set('sent_count = 8');
    const moving = await messages.find(({ data }) => data.sentCount === 8);
    expect(moving.data).toMatchObject({ pendingCount: 2, perSecond: expect.any(Number) });
    expect(moving.data.perSecond).toBeGreaterThan(0);
    expect(moving.data.secondsLeft).toBeGreaterThan(0);
    await set(`sent_count = 10, status = 'SENT', sent_at = now()`);
    await messages.find(({ data }) => data.status === 'SENT');
    await set('opened_count = 1, sent_count = 11');
    const later = await listen(['campaigns']);
    await later.messages.find(({ data }) => data.id === id && data.status === 'SENT');
    expect(statuses(messages.all, id).filter((status) => status === 'SENT')).toHaveLength(1);
  });

  test('reports the end of a retry that is over within a second', async () => {
    const id = await campaign(project, { status: 'SENT', totalRecipients: 3, sentCount: 0, sentAt: new Date() });
    const { messages } = await listen(['campaigns']);
    await messages.findId(id);
    await api.ctx.pool.query(`UPDATE campaigns SET sent_count = 3, attempt = attempt + 1 WHERE id = $1`, [id]);
    const { data } = await messages.find((message) => message.data.id === id && message.data.sentCount === 3);
    expect(data.status).toBe('SENT');
  });

  test('names the time of the next retry while nothing else is left', async () => {
    const id = await campaign(project, { status: 'SENDING', totalRecipients: 1 });
    await api.ctx.pool.query(`UPDATE campaigns SET snapshot_done = true WHERE id = $1`, [id]);
    const dueAt = new Date(Date.now() + 60_000);
    await api.ctx.pool.query(
      `INSERT INTO campaign_retries (project_id, campaign_id, email_id, due_at) VALUES ($1, $2, $3, $4)`,
      [project.id, id, newId(), dueAt],
    );
    const { messages } = await listen(['campaigns']);
    expect((await messages.findId(id)).data).toMatchObject({
      pendingCount: 1,
      paused: { reason: 'retries', until: dueAt.toISOString() },
    });
    await api.ctx.pool.query(`UPDATE campaigns SET sent_count = 5 WHERE id = $1`, [id]);
    const { data } = await messages.find((message) => message.data.id === id && message.data.sentCount === 5);
    expect(data.perSecond).toBeGreaterThan(0);
    expect(data.secondsLeft).toBeNull();
  });

  test('reports a canceled campaign until its emails in flight are recorded', async () => {
    const id = await campaign(project, { status: 'SENDING', totalRecipients: 4 });
    const { messages } = await listen(['campaigns']);
    const set = (columns: string) => api.ctx.pool.query(`UPDATE campaigns SET ${columns} WHERE id = $1`, [id]);
    await api.ctx.pool.query(
      `INSERT INTO campaign_chunks (project_id, campaign_id, chunk, size, settled) VALUES ($1, $2, 1, 4, 1)`,
      [project.id, id],
    );
    await set(`sent_count = 1, status = 'CANCELLED', updated_at = now()`);
    await messages.find(({ data }) => data.id === id && data.status === 'CANCELLED' && data.pendingCount === 3);
    await api.ctx.pool.query(
      `WITH settled AS (DELETE FROM campaign_chunks WHERE campaign_id = $1) UPDATE campaigns SET sent_count = 2 WHERE id = $1`,
      [id],
    );
    await messages.find(({ data }) => data.id === id && data.pendingCount === 0 && data.sentCount === 2);
  });

  test('has at most one message per campaign and interval', async () => {
    const id = await campaign(project, { status: 'SENDING', totalRecipients: 1000 });
    const rare = createLive(api.ctx, { activityMs: 20, figuresMs: 300, commentMs: 1000 });
    const { messages, close } = await listenDirectly(rare, { projectId: project.id, topics: ['campaigns'] });
    const started = performance.now();
    const ofCampaign = () => messages.all.filter(({ data }) => data.id === id);
    for (let sent = 1; ofCampaign().length < 3; sent++)
      await api.ctx.pool.query(`UPDATE campaigns SET sent_count = $2 WHERE id = $1`, [id, sent]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(598);
    close();
  });
});

describe('the other topics send their state, and then what changes', () => {
  test('jobs', async () => {
    const id = newId();
    await api.ctx.prisma.job.create({
      data: { id, projectId: project.id, kind: 'IMPORT', state: 'active', total: 10, params: {} },
    });
    const { messages } = await listen(['jobs']);
    const first = await messages.findId(id);
    expect(first.data).toEqual((await api.as(project, 'GET', `/jobs/${id}`)).json());
    await api.ctx.pool.query(`UPDATE jobs SET state = 'completed', progress = 100, ended_at = now() WHERE id = $1`, [
      id,
    ]);
    await messages.find(({ data }) => data.id === id && data.state === 'completed');
    expect(messages.all).toHaveLength(2);
  });

  test('domains', async () => {
    const { messages } = await listen(['domains']);
    const { data } = await messages.find(({ topic }) => topic === 'domains');
    expect([data]).toEqual((await api.as(project, 'GET', `/domains/project/${project.id}`)).json());
    await api.ctx.pool.query(`UPDATE domains SET status = 'PENDING' WHERE id = $1`, [data.id]);
    await messages.find((message) => message.data.status === 'PENDING');
  });

  test('reputation', async () => {
    const user = await newUser(api);
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: user.id, role: 'MEMBER' } });
    const { messages } = await listen(['reputation']);
    const { data } = await messages.find(({ topic }) => topic === 'reputation');
    expect(data).toEqual((await user.call('GET', `/projects/${project.id}/security`)).json());
    await api.ctx.pool.query(`UPDATE projects SET disabled = true WHERE id = $1`, [project.id]);
    await messages.find((message) => message.data.disabled === true);
    await api.ctx.pool.query(`UPDATE projects SET disabled = false WHERE id = $1`, [project.id]);
  });

  test('workflow:<id>', async () => {
    const id = await workflow(project);
    const stepId = newId();
    await api.ctx.prisma.workflowStep.create({
      data: { id: stepId, projectId: project.id, workflowId: id, type: 'DELAY', name: 'Wait', config: {} },
    });
    const { messages } = await listen([`workflow:${id}`]);
    expect((await messages.find(() => true)).data).toEqual({ workflowId: id, steps: { [stepId]: { waiting: 0 } } });
    const entered = await execution(project, id, await contact(project), new Date(), { wakeAt: new Date() });
    await api.ctx.pool.query(`UPDATE workflow_executions SET current_step_id = $2 WHERE id = $1`, [entered, stepId]);
    const { topic, data } = await messages.find(() => messages.all.length === 2);
    expect(topic).toBe(`workflow:${id}`);
    expect([data, messages.all[1]?.data]).toContainEqual({ workflowId: id, steps: { [stepId]: { waiting: 1 } } });
  });
});
