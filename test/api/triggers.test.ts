/** What starts an execution: every stored event of any origin, for exactly its contact, once (contract, section 7). */
import { beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '../../src/db/pool.js';
import { insertEvents } from '../../src/domain/events/insert.js';
import { trackEvents } from '../../src/domain/events/sql/track.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { computeTrackedSegments } from '../../src/domain/segments/compute.js';
import { followChanges } from '../../src/domain/segments/follow.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { jobHelpers } from '../helpers/jobs.js';
import { segmentHelpers } from '../helpers/segment-api.js';
import { triggerHelpers } from '../helpers/triggers.js';
import { emit, type Graph } from '../helpers/workflow-graph.js';

const api = useApi();
const { track, tracked, insertContact } = eventHelpers(api);
const { importFile, bulk } = jobHelpers(api);
const { segment } = segmentHelpers(api);
const { workflow, begun, expectStarted, waiting, pokesOf } = triggerHelpers(() => api.ctx);

const ADA = 'ada@x.test';
const SUBSCRIBED = 'contact.subscribed';
const UNSUBSCRIBED = 'contact.unsubscribed';

let project: TestProject;
/** Creates two contacts of the project: the subject of the test, and one to which nothing happens. */
let ada: string;
let bystander: string;

beforeEach(async () => {
  project = await api.project();
  ada = await insertContact(project, { email: ADA });
  bystander = await insertContact(project, { email: 'bob@x.test' });
});

const call = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, body?: unknown): Promise<void> => {
  const response = await api.as(project, method, url, body);
  expect(response.statusCode, response.body).toBeLessThan(300);
};
const path = (url: string): string => new URL(url).pathname;
const post = async (url: string, form: Record<string, string> = {}): Promise<void> => {
  const response = await api.app.inject({
    method: 'POST',
    url: path(url),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  });
  expect(response.statusCode, response.body).toBe(200);
};
const unsubscribed = (): Promise<unknown> =>
  api.ctx.prisma.contact.update({ where: { id: ada }, data: { subscribed: false } });

describe('a tracked event starts the workflow', () => {
  test('by POST /v1/track, with its data, including one-time values, as the context', async () => {
    const graph = await workflow(project.id, 'signed up');
    await tracked(project, {
      email: ADA,
      event: 'signed up',
      data: { plan: 'pro', coupon: { value: 'X1', persistent: false } },
    });
    await expectStarted(graph, ADA, { plan: 'pro', coupon: 'X1' });
  });

  test('by POST /events/track', async () => {
    const graph = await workflow(project.id, 'signed up');
    await call('POST', '/events/track', { email: ADA, event: 'signed up', data: { plan: 'pro' } });
    await expectStarted(graph, ADA, { plan: 'pro' });
  });

  test("with the request's trace in the intent", async () => {
    const graph = await workflow(project.id, 'signed up');
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const event = (email: string, trace: string | null) => ({
      projectId: project.id,
      contact: { id: newId(), email },
      set: {},
      unset: [],
      subscribed: undefined,
      isPublic: true,
      event: { id: newId(), name: 'signed up', data: {} },
      idempotency: null,
      trace,
    });
    await trackEvents(api.ctx.pool, [event(ADA, trace), event('bob@x.test', null)]);
    const traces: Array<[email: string, payload: unknown]> = [];
    for (const { id, email } of await begun(graph)) {
      const { payload } = await api.ctx.prisma.outbox.findFirstOrThrow({ where: { workflowId: `execution:${id}` } });
      traces.push([email, payload]);
    }
    expect(traces.toSorted(([a], [b]) => a.localeCompare(b))).toEqual([
      [ADA, expect.objectContaining({ trace })],
      ['bob@x.test', expect.not.objectContaining({ trace: expect.anything() })],
    ]);
  });

  test('for a contact that it creates', async () => {
    const graph = await workflow(project.id, 'signed up');
    await tracked(project, { email: 'new@x.test', event: 'signed up' });
    await expectStarted(graph, 'new@x.test', {});
  });

  test('with a name in any script, trimmed, and not by one in another case', async () => {
    const graph = await workflow(project.id, 'Käufe 購入 🎉');
    await tracked(project, { email: ADA, event: 'KÄUFE 購入 🎉' });
    expect(await begun(graph)).toEqual([]);
    await tracked(project, { email: ADA, event: '  Käufe 購入 🎉 ' });
    await expectStarted(graph, ADA, {});
  });

  test('once per idempotency key: a rejected repeat starts nothing', async () => {
    const graph = await workflow(project.id, 'signed up', { allowReentry: true });
    const answers = [];
    for (let n = 0; n < 3; n++) {
      answers.push(
        (await track(project, { email: ADA, event: 'signed up' }, { 'idempotency-key': 'once' })).statusCode,
      );
      await api.ctx.prisma.workflowExecution.updateMany({
        where: { workflowId: graph.id },
        data: { status: 'COMPLETED' },
      });
    }
    expect(answers).toEqual([200, 409, 409]);
    expect(await begun(graph)).toHaveLength(1);
  });

  test('and not if the request is rejected', async () => {
    const graph = await workflow(project.id, 'signed up');
    expect(
      (await track(project, { email: ADA, event: 'signed up', data: { big: 'x'.repeat(70_000) } })).statusCode,
    ).toBe(422);
    expect(await begun(graph)).toEqual([]);
  });
});

describe('a change of the subscription starts the workflow', () => {
  /** Each way to unsubscribe a contact. */
  const UNSUBSCRIBING: Array<[what: string, act: () => Promise<unknown>, data: Record<string, unknown>]> = [
    ['PATCH /contacts/:id', () => call('PATCH', `/contacts/${ada}`, { subscribed: false }), { source: 'api' }],
    [
      'a snooze by PATCH /contacts/:id',
      () => call('PATCH', `/contacts/${ada}`, { snoozedUntil: '2099-01-01T00:00:00.000Z' }),
      { source: 'api', snoozedUntil: '2099-01-01T00:00:00.000Z' },
    ],
    ['POST /contacts', () => call('POST', '/contacts', { email: ADA, subscribed: false }), { source: 'api' }],
    [
      'POST /v1/send',
      () =>
        call('POST', '/v1/send', { to: ADA, from: `hi@${project.domain}`, subject: 's', body: 'b', subscribed: false }),
      { source: 'send' },
    ],
    ['POST /v1/track', () => tracked(project, { email: ADA, subscribed: false }), { source: 'track' }],
    ['an import', () => importFile(project, `email,subscribed\n${ADA},false\nbob@x.test,\n`), { source: 'import' }],
    ['a bulk job', () => bulk(project, 'unsubscribe', [ada]), { source: 'bulk' }],
    ['the public page', () => post(api.ctx.links.unsubscribeUrl(ada)), { source: 'page' }],
    [
      'one click',
      () => post(api.ctx.links.unsubscribeUrl(ada), { 'List-Unsubscribe': 'One-Click' }),
      { source: 'one_click' },
    ],
  ];
  test.each(UNSUBSCRIBING)('to unsubscribed, by %s', async (_what, act, data) => {
    const [graph, opposite] = [await workflow(project.id, UNSUBSCRIBED), await workflow(project.id, SUBSCRIBED)];
    await act();
    await expectStarted(graph, ADA, data);
    expect(await begun(opposite)).toEqual([]);
  });

  const SUBSCRIBING: typeof UNSUBSCRIBING = [
    ['PATCH /contacts/:id', () => call('PATCH', `/contacts/${ada}`, { subscribed: true }), { source: 'api' }],
    ['POST /contacts', () => call('POST', '/contacts', { email: ADA, subscribed: true }), { source: 'api' }],
    [
      'POST /v1/send',
      () =>
        call('POST', '/v1/send', { to: ADA, from: `hi@${project.domain}`, subject: 's', body: 'b', subscribed: true }),
      { source: 'send' },
    ],
    ['POST /v1/track', () => tracked(project, { email: ADA, subscribed: true }), { source: 'track' }],
    ['an import', () => importFile(project, `email,subscribed\n${ADA},true\n`), { source: 'import' }],
    ['a bulk job', () => bulk(project, 'subscribe', [ada]), { source: 'bulk' }],
    ['the public page', () => post(api.ctx.links.subscribeUrl(ada)), { source: 'page' }],
    [
      'the end of a snooze',
      async () => {
        await api.ctx.prisma.contact.update({
          where: { id: ada },
          data: { snoozedUntil: new Date(Date.now() - 1000) },
        });
        await runMaintenanceTask(api.ctx, 'snooze');
      },
      { source: 'snooze_expired', reason: 'snooze_expired' },
    ],
  ];
  test.each(SUBSCRIBING)('to subscribed, by %s', async (_what, act, data) => {
    await unsubscribed();
    const [graph, opposite] = [await workflow(project.id, SUBSCRIBED), await workflow(project.id, UNSUBSCRIBED)];
    await act();
    await expectStarted(graph, ADA, data);
    expect(await begun(opposite)).toEqual([]);
  });

  test('and not the creation of a contact, nor a write without a change', async () => {
    const graphs = [await workflow(project.id, SUBSCRIBED), await workflow(project.id, UNSUBSCRIBED)];
    await call('POST', '/contacts', { email: 'new@x.test', subscribed: true });
    await tracked(project, { email: 'newer@x.test', subscribed: false });
    await call('PATCH', `/contacts/${ada}`, { subscribed: true });
    await importFile(project, `email,subscribed\n${ADA},true\nnewest@x.test,false\n`);
    for (const graph of graphs) expect(await begun(graph)).toEqual([]);
  });

  test('an import and a bulk job start it for each changed contact', async () => {
    const graph = await workflow(project.id, UNSUBSCRIBED);
    const { rows } = await api.ctx.pool.query<{ id: string }>(
      `INSERT INTO contacts (id, project_id, email, subscribed) SELECT uuid_v7(), $1, 'c' || n || '@x.test', n % 2 = 0 FROM generate_series(1, 400) n RETURNING id`,
      [project.id],
    );
    await importFile(
      project,
      `email,subscribed\n${Array.from({ length: 200 }, (_, n) => `c${n + 1}@x.test,false`).join('\n')}\n`,
    );
    expect(await begun(graph)).toHaveLength(100);
    await bulk(
      project,
      'unsubscribe',
      rows.map(({ id }) => id),
    );
    const all = await begun(graph);
    expect(all).toHaveLength(200);
    expect(new Set(all.map(({ email }) => email)).size).toBe(200);
    expect(all.map(({ starts }) => starts)).toEqual(Array(200).fill(1));
  });
});

describe('joining and leaving a tracked segment starts the workflow', () => {
  const setPlan = (plan: string) => api.ctx.prisma.contact.update({ where: { id: ada }, data: { data: { plan } } });

  test.each(['POST /segments/:id/compute', 'the computation in the background'])(
    'of a dynamic one, by %s',
    async (way) => {
      const { id, slug } = await segment(project, { name: 'Pro users', trackMembership: true });
      const [entry, exit] = [
        await workflow(project.id, `segment.${slug}.entry`),
        await workflow(project.id, `segment.${slug}.exit`),
      ];
      const compute = async () => {
        if (way.startsWith('POST')) await call('POST', `/segments/${id}/compute`);
        else {
          await computeTrackedSegments(api.ctx);
          await followChanges(api.ctx);
        }
      };
      await setPlan('pro');
      await compute();
      await compute();
      await expectStarted(entry, ADA, { segmentId: id, segmentName: 'Pro users' });
      expect(await begun(exit)).toEqual([]);
      await setPlan('free');
      await compute();
      await expectStarted(exit, ADA, { segmentId: id, segmentName: 'Pro users' });
      expect(await begun(entry)).toHaveLength(1);
    },
  );

  test('of a static one, by POST and DELETE /segments/:id/members', async () => {
    const { id, slug } = await segment(project, { name: 'Guests', type: 'STATIC', trackMembership: true });
    const [entry, exit] = [
      await workflow(project.id, `segment.${slug}.entry`),
      await workflow(project.id, `segment.${slug}.exit`),
    ];
    await call('POST', `/segments/${id}/members`, { emails: [ADA, ADA] });
    await expectStarted(entry, ADA, { segmentId: id, segmentName: 'Guests' });
    await call('DELETE', `/segments/${id}/members`, { emails: [ADA] });
    await expectStarted(exit, ADA, { segmentId: id, segmentName: 'Guests' });
  });
});

describe('nothing is started', () => {
  const insert = (contactId: string | null, name: string) =>
    transaction(api.ctx.pool, (tx) => insertEvents(tx, [{ projectId: project.id, contactId, name }]));

  test('by an event of another name, of another project, or of no contact', async () => {
    const other = await api.project();
    const graphs = [await workflow(project.id, 'signed up'), await workflow(other.id, 'signed up')];
    await tracked(project, { email: ADA, event: 'signed up!' });
    await tracked(project, { email: ADA, event: 'signed' });
    await insert(null, 'signed up');
    for (const graph of graphs) expect(await begun(graph)).toEqual([]);
    await tracked(other, { email: ADA, event: 'signed up' });
    expect(await begun(graphs[0] as Graph)).toEqual([]);
    await expectStarted(graphs[1] as Graph, ADA, {});
  });

  test('of a disabled workflow, until it is enabled', async () => {
    const graph = await workflow(project.id, 'signed up', { enabled: false });
    await tracked(project, { email: ADA, event: 'signed up' });
    expect(await begun(graph)).toEqual([]);
    await call('PATCH', `/workflows/${graph.id}`, { enabled: true });
    expect(await begun(graph)).toEqual([]);
    await tracked(project, { email: ADA, event: 'signed up' });
    await expectStarted(graph, ADA, {});
    await call('PATCH', `/workflows/${graph.id}`, { enabled: false });
    await tracked(project, { email: 'bob@x.test', event: 'signed up' });
    expect(await begun(graph)).toHaveLength(1);
  });

  test('in a disabled project, for every source of the event', async () => {
    const graph = await workflow(project.id, 'email.sent');
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    await insert(ada, 'email.sent');
    expect(await begun(graph)).toEqual([]);
  });
});

describe('re-entry', () => {
  const end = (graph: Graph) =>
    api.ctx.prisma.workflowExecution.updateMany({ where: { workflowId: graph.id }, data: { status: 'COMPLETED' } });
  const setReentry = (graph: Graph, allowReentry: boolean) => call('PATCH', `/workflows/${graph.id}`, { allowReentry });
  const event = (email = ADA) => tracked(project, { email, event: 'signed up' });

  test('off: an event starts at most one execution per contact, and later ones are ignored', async () => {
    const graph = await workflow(project.id, 'signed up');
    await event();
    await event();
    await end(graph);
    await event();
    expect((await begun(graph)).map(({ email, starts }) => [email, starts])).toEqual([[ADA, 1]]);
    await event('bob@x.test');
    expect(await begun(graph)).toHaveLength(2);
  });

  test('on: one active at a time', async () => {
    const graph = await workflow(project.id, 'signed up', { allowReentry: true });
    await event();
    await event();
    expect(await begun(graph)).toHaveLength(1);
    await end(graph);
    await event();
    await event();
    expect((await begun(graph)).map(({ status, starts }) => [status, starts])).toEqual([
      ['COMPLETED', 1],
      ['RUNNING', 1],
    ]);
  });

  test('is read when the event arrives: off, a former contact does not enter again; on, all enter', async () => {
    const graph = await workflow(project.id, 'signed up', { allowReentry: true });
    await event();
    await end(graph);
    await setReentry(graph, false);
    await event();
    expect(await begun(graph)).toHaveLength(1);
    await event('bob@x.test');
    await end(graph);
    await event('bob@x.test');
    expect(await begun(graph)).toHaveLength(2);
    await setReentry(graph, true);
    await event();
    await event('bob@x.test');
    expect(await begun(graph)).toHaveLength(4);
    // An active execution prevents the next one in either mode.
    await setReentry(graph, false);
    await event();
    await setReentry(graph, true);
    await event();
    expect(await begun(graph)).toHaveLength(4);
  });

  test('events of one name and contact in one statement start one execution, by the first event', async () => {
    const graphs = [
      await workflow(project.id, 'signed up'),
      await workflow(project.id, 'signed up', { allowReentry: true }),
    ];
    const ids = Array.from({ length: 4 }, newId);
    await transaction(api.ctx.pool, (tx) =>
      insertEvents(
        tx,
        ids.map((id, n) => ({
          id,
          projectId: project.id,
          contactId: n < 3 ? ada : bystander,
          name: 'signed up',
          data: { n },
        })),
      ),
    );
    for (const graph of graphs) {
      const executions = await begun(graph);
      expect(
        executions
          .map(({ email, context, starts }) => ({ email, context, starts }))
          .sort((a, b) => a.email.localeCompare(b.email)),
      ).toEqual([
        { email: ADA, context: { n: 0 }, starts: 1 },
        { email: 'bob@x.test', context: { n: 3 }, starts: 1 },
      ]);
    }
  });
});

describe('an execution that waits for an event', () => {
  test('is poked by an event of that name and contact, and by no other', async () => {
    const other = await api.project();
    const graph = await workflow(project.id, 'never');
    const foreign = await workflow(other.id, 'never');
    const theirs = await insertContact(other, { email: ADA });
    const [mine, elsewhere, bobs, abroad] = [
      await waiting(graph, ada, 'bought'),
      await waiting(await workflow(project.id, 'never'), ada, 'paid'),
      await waiting(graph, bystander, 'bought'),
      await waiting(foreign, theirs, 'bought'),
    ];
    await emit(api.ctx, project.id, ada, 'looked');
    expect(await pokesOf(mine)).toBe(0);
    await tracked(project, { email: ADA, event: 'bought' });
    expect([await pokesOf(mine), await pokesOf(elsewhere), await pokesOf(bobs), await pokesOf(abroad)]).toEqual([
      1, 0, 0, 0,
    ]);
    const [intent] = await api.ctx.prisma.outbox.findMany({ where: { workflowId: `execution:${mine}` } });
    expect(intent).toMatchObject({
      action: 'signal',
      payload: { action: 'signal', workflowId: `execution:${mine}`, signal: 'poke' },
    });
  });

  test('is poked even if its workflow or its project is disabled: the execution decides what to do', async () => {
    const mine = await waiting(await workflow(project.id, 'never', { enabled: false }), ada, 'bought');
    await emit(api.ctx, project.id, ada, 'bought');
    expect(await pokesOf(mine)).toBe(1);
  });

  test('is poked once by a statement with several such events, like every other waiting one', async () => {
    const waits = [];
    for (let n = 0; n < 3; n++) waits.push(await waiting(await workflow(project.id, 'never'), ada, 'bought'));
    await transaction(api.ctx.pool, (tx) =>
      insertEvents(
        tx,
        Array.from({ length: 3 }, () => ({ projectId: project.id, contactId: ada, name: 'bought' })),
      ),
    );
    for (const id of waits) expect(await pokesOf(id)).toBe(1);
  });

  test('is poked by the event that starts another workflow', async () => {
    const mine = await waiting(await workflow(project.id, 'never'), ada, 'bought');
    const started = await workflow(project.id, 'bought');
    await tracked(project, { email: ADA, event: 'bought' });
    expect(await pokesOf(mine)).toBe(1);
    await expectStarted(started, ADA, {});
  });
});
