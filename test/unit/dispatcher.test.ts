/**
 * The dispatcher, between a real database and a scripted mail server: its behavior while the
 * server is down or slow, while statements fail, and when it stops.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { startDispatcher, type Dispatcher } from '../../src/domain/delivery/dispatcher.js';
import type { DispatcherTools } from '../../src/domain/delivery/queue.js';
import { decideReply, releaseClaimed, toDeliveryResult } from '../../src/domain/delivery/decide.js';
import { journalHandOvers, openJournal, type Journal } from '../../src/domain/delivery/journal.js';
import { createComposer } from '../../src/domain/emails/compose.js';
import { claimDue, NO_LANES } from '../../src/domain/emails/sql/claim.js';
import type { DeliveryResult } from '../../src/domain/emails/sql/delivery.js';
import { heartbeat } from '../../src/domain/emails/sql/liveness.js';
import { insertEmail, insertMessage } from '../../src/domain/emails/sql/emails.js';
import type { ApiContext } from '../../src/context.js';
import { transaction } from '../../src/db/pool.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import type { HandOverHook, SmtpClient } from '../../src/mail/smtp/client.js';
import type { SmtpJob, SmtpResult } from '../../src/mail/smtp/job.js';
import type { OutagePause } from '../../src/mail/smtp/outage.js';
import { Reachability } from '../../src/mail/smtp/reachability.js';
import { Turns } from '../../src/mail/smtp/sources.js';
import { useApi } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';

const api = useApi({ DATABASE_POOL: '10', WORKER_HEARTBEAT_MS: '1000' });

/** The behavior of the scripted server for a mail to an address. It rejects if the server is unreachable. */
type Server = (to: string) => Promise<void>;

interface ScriptedClient extends SmtpClient {
  /** The recipients of all emails that it took. */
  tried: string[];
  /** The maximum number of emails in flight. */
  most: () => number;
  reachability: Reachability;
  /** The reply to the content of an email. */
  replyText: string;
}

function createScriptedClient(server: Server, connections: number, pause: OutagePause): ScriptedClient {
  const tried: string[] = [];
  const sources = { urgent: new Turns(), bulk: new Turns() };
  const hooks: HandOverHook[] = [];
  let inFlight = 0;
  let most = 0;
  const hasRoom = (): boolean => inFlight < connections && reachability.canTake;
  const dispatch = (): void => {
    while (hasRoom()) {
      const job = sources.urgent.next() ?? sources.bulk.next();
      if (!job) return;
      void deliver(job).then(dispatch);
    }
  };
  const reachability = new Reachability(pause, dispatch);
  const deliver = async (job: SmtpJob): Promise<void> => {
    reachability.noteTaken(job);
    tried.push(job.to);
    most = Math.max(most, ++inFlight);
    for (const hook of hooks) hook([job]);
    const isWithdrawn = job.canHandOver?.() === false;
    const result = await (isWithdrawn ? down() : server(job.to)).then(
      (): SmtpResult => ({ outcome: 'accepted', response: client.replyText, server: 'test' }),
      (): SmtpResult => {
        if (!isWithdrawn) reachability.noteFailure();
        return { outcome: 'unsent', stage: 'connect', error: 'connect ECONNREFUSED', response: null, server: null };
      },
    );
    inFlight--;
    reachability.noteResult(job, { isReply: result.outcome === 'accepted' });
    job.onResult(result);
  };
  const client: ScriptedClient = {
    addSource(source, { priority }) {
      const handle = sources[priority].add(source, dispatch);
      setImmediate(dispatch);
      return handle;
    },
    onHandOver: (hook) => void hooks.push(hook),
    get isReachable() {
      return reachability.outage.failures === 0;
    },
    verify: async () => undefined,
    close: async () => undefined,
    tried,
    most: () => most,
    reachability,
    replyText: '250 taken',
  };
  return client;
}

interface RunningDispatcher extends ScriptedClient, Pick<DispatcherTools, 'claims' | 'workerId'> {
  dispatcher: Dispatcher;
}

const dispatchers: Dispatcher[] = [];
let release: () => void = () => undefined;
afterEach(async () => {
  release();
  for (const dispatcher of dispatchers.splice(0)) await dispatcher.stop();
  await api.ctx.pool.query(`UPDATE emails SET status = 'CANCELLED' WHERE status IN ('PENDING', 'SENDING')`);
});

/** Creates a dispatcher that sends to a scripted server. It starts with `start`. */
function prepare(
  server: Server,
  {
    connections = 20,
    pool = api.ctx.pool,
    journal = null,
    pause = { minMs: 200, maxMs: 1000 },
  }: { connections?: number; pool?: ApiContext['pool']; journal?: Journal | null; pause?: OutagePause } = {},
) {
  const client = createScriptedClient(server, connections, pause);
  const config = { ...api.ctx.config, SMTP_CONNECTIONS: connections };
  const ctx: ApiContext = { ...api.ctx, pool, config, log: createLog('silent') };
  const claims = new Map<string, number>();
  const workerId = newId();
  return {
    client,
    workerId,
    start: (): RunningDispatcher => {
      const dispatcher = startDispatcher(ctx, {
        client,
        composer: createComposer(ctx),
        workerId,
        claims,
        journal,
        pool,
      });
      dispatchers.push(dispatcher);
      return Object.assign(client, { claims, workerId, dispatcher });
    },
  };
}

const start = (server: Server, connections?: number): RunningDispatcher => prepare(server, { connections }).start();

const held = (): Promise<void> =>
  new Promise((resolve) => {
    release = resolve;
  });
const down = async (): Promise<void> => {
  throw new Error('The server is down');
};

/** Accepts a request for each address. @returns the emails' ids */
async function accept(to: string[], body: Record<string, unknown> = {}): Promise<string[]> {
  const project = await api.project();
  const ids: string[] = [];
  for (const address of to) ids.push(...(await acceptOne(project, address, body)));
  return ids;
}

async function acceptOne(
  project: Awaited<ReturnType<typeof api.project>>,
  to: string | string[],
  body: Record<string, unknown> = {},
): Promise<string[]> {
  const response = await api.as(project, 'POST', '/v1/send', {
    to,
    from: `team@${project.domain}`,
    subject: 's',
    body: 'b',
    ...body,
  });
  expect(response.statusCode).toBe(200);
  return response.json<{ data: { emails: Array<{ email: string }> } }>().data.emails.map(({ email }) => email);
}

/** A pool that passes each statement to `intercept` first. */
function interceptPool(intercept: (name: string) => void): ApiContext['pool'] {
  return new Proxy(api.ctx.pool, {
    get(target, property, receiver) {
      if (property !== 'query') return Reflect.get(target, property, receiver);
      return async (config: { name: string; text: string; values: unknown[] }) => {
        intercept(config.name);
        return target.query(config);
      };
    },
  });
}

const ACCEPTED = { outcome: 'accepted', response: '250 ok', server: 'test' } as const;

const range = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}@x.test`);
const statuses = async (ids: string[]): Promise<Record<string, number>> => {
  const rows = await api.ctx.prisma.email.groupBy({ by: ['status'], where: { id: { in: ids } }, _count: true });
  return Object.fromEntries(rows.map(({ status, _count }) => [status, _count]));
};
/** Returns those that are claimed and have no recorded result, in their order. */
const inFlight = async (ids: string[]): Promise<string[]> => {
  const rows = await api.ctx.prisma.email.findMany({
    where: { id: { in: ids }, status: 'SENDING' },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ id }) => id);
};

describe('a server that is down', () => {
  // The race: its last connection neither replies nor closes (a half-open socket), while the others have failed.
  it('gets its mails when it is back, even if an earlier mail still hangs', async () => {
    const hung = held();
    let isDown = true;
    const [hanging = ''] = await accept(['hung@x.test']);
    const client = start(async (to) => {
      if (to === 'hung@x.test') return hung;
      if (isDown) await down();
    });
    await eventually(() => expect(client.tried).toEqual(['hung@x.test']));
    const others = await accept(range(5, 'down'));
    client.dispatcher.wake();
    await eventually(() => expect(client.isReachable).toBe(false));
    isDown = false;
    await eventually(async () => expect(await statuses(others)).toEqual({ SENT: 5 }), { within: 15_000 });
    expect(await statuses([hanging])).toEqual({ SENDING: 1 });
    expect(client.isReachable).toBe(true);
  });

  it('is probed with one mail at a time, and the others keep their attempts', async () => {
    const ids = await accept(range(40, 'probe'));
    // Long enough for others to be tried concurrently.
    const { client, start: startNow } = prepare(async () => {
      await sleep(50);
      await down();
    });
    client.reachability.noteFailure();
    startNow();
    await eventually(() => expect(client.tried.length).toBeGreaterThanOrEqual(3));
    expect(client.most()).toBe(1);
    const { _sum } = await api.ctx.prisma.email.aggregate({ where: { id: { in: ids } }, _sum: { attempts: true } });
    expect(_sum.attempts).toBeLessThanOrEqual(client.tried.length + 1);
  });

  it('is probed with a transactional mail before one of a campaign after a pause that is longer than a claim is valid', async () => {
    await accept(['urgent@x.test']);
    const pauseMs = 3 * api.ctx.config.WORKER_HEARTBEAT_MS + 500;
    const { client, start: startNow } = prepare(down, { pause: { minMs: pauseMs, maxMs: pauseMs } });
    client.reachability.noteFailure();
    startNow();
    // Its claim begins with the pause.
    const job = { from: 'a@x.test', to: 'bulk@x.test', content: Buffer.alloc(0), onResult: () => undefined };
    const source = client.addSource({ next: () => job }, { priority: 'bulk' });
    await eventually(() => expect(client.tried).toHaveLength(1));
    source.remove();
    expect(client.tried).toEqual(['urgent@x.test']);
  });

  it('stays down after a mail that never reached it', async () => {
    const [id = ''] = await accept(['broken@x.test'], {
      body: '{% for a in (1..100000) %}{% for b in (1..100000) %}{{ b }}{% endfor %}{% endfor %}',
    });
    const { client, start: startNow } = prepare(down);
    client.reachability.noteFailure();
    startNow();
    await eventually(async () => expect(await statuses([id])).toEqual({ FAILED: 1 }));
    expect([client.tried, client.isReachable]).toEqual([[], false]);
  });
});

describe('a claim', () => {
  it('takes no part for projects that wait for retries', async () => {
    const waiting = await Promise.all(range(30, 'waiting').map((to) => accept([to])));
    await api.ctx.pool.query(`UPDATE emails SET next_attempt_at = now() + interval '1 hour' WHERE id = ANY ($1)`, [
      waiting.flat(),
    ]);
    const [due = ''] = await accept(['due@x.test']);
    const claimed = await claimDue(api.ctx.pool, { workerId: newId(), limit: 1, results: [] });
    expect(claimed.map(({ id }) => id)).toEqual([due]);
  });

  it('shows which projects may have more, and contains each content once', async () => {
    const [busy, other] = [await api.project(), await api.project()];
    for (const to of range(5, 'busy')) await acceptOne(busy, to);
    await acceptOne(other, range(3, 'list'));
    const workerId = newId();
    const claimed = await claimDue(api.ctx.pool, { workerId, limit: 6, results: [] });
    expect(claimed.filter(({ projectId }) => projectId === busy.id).map(({ isShareUsed }) => isShareUsed)).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      claimed
        .filter(({ projectId }) => projectId === other.id)
        .map(({ toEmail, isShareUsed, message }) => [toEmail, isShareUsed, message?.subject]),
    ).toEqual([
      ['list0@x.test', true, 's'],
      ['list1@x.test', true, undefined],
      ['list2@x.test', true, undefined],
    ]);
  });

  it('begins at its front, and finds an email that became due before it when the front is reset', async () => {
    const project = await api.project();
    for (const to of range(30, 'queue')) await acceptOne(project, to);
    const front = { lanes: NO_LANES };
    const claim = async (): Promise<string[]> =>
      (await claimDue(api.ctx.pool, { workerId: newId(), limit: 10, results: [], front })).map(
        ({ toEmail }) => toEmail,
      );
    expect(await claim()).toEqual(range(10, 'queue'));
    const [early = ''] = await acceptOne(project, 'early@x.test');
    await api.ctx.pool.query(`UPDATE emails SET next_attempt_at = now() - interval '1 hour' WHERE id = $1`, [early]);
    expect(await claim()).toEqual(range(20, 'queue').slice(10));
    front.lanes = NO_LANES;
    expect((await claim()).toSorted()).toEqual(['early@x.test', ...range(29, 'queue').slice(20)].toSorted());
  });

  it('takes ten emails of a request, and none while another worker holds some of them', async () => {
    const project = await api.project();
    await acceptOne(project, range(25, 'list'));
    const [workerId, other] = [newId(), newId()];
    const claim = async (id: string, results: DeliveryResult[] = [], ended: string[] = []) => {
      const emails = await claimDue(api.ctx.pool, { workerId: id, limit: 100, results, ended, continued: ended });
      return emails.filter(({ projectId }) => projectId === project.id);
    };
    const claimed = await claim(workerId);
    expect(claimed.map(({ toEmail }) => toEmail)).toEqual(range(10, 'list'));
    expect(await claim(other)).toEqual([]);
    expect(await claim(workerId)).toEqual([]);
    const results = claimed.map(({ id }) => toDeliveryResult(id, decideReply(ACCEPTED, 1)));
    const ended = claimed.map(({ claimId }) => claimId);
    expect((await claim(workerId, results, ended)).map(({ toEmail }) => toEmail)).toEqual(range(20, 'list').slice(10));
  });

  it('takes the next emails of a request if the worker knows all claims of it, and continues them', async () => {
    const project = await api.project();
    await acceptOne(project, range(40, 'list'));
    const workerId = newId();
    const claim = async (continued: string[]) => {
      const emails = await claimDue(api.ctx.pool, { workerId, limit: 100, results: [], continued });
      return emails.filter(({ projectId }) => projectId === project.id);
    };
    const first = await claim([]);
    const claimId = first[0]?.claimId ?? '';
    expect(new Set(first.map((email) => email.claimId))).toEqual(new Set([claimId]));
    expect(await claim([])).toEqual([]);
    const second = await claim([claimId]);
    expect(second.map(({ toEmail }) => toEmail)).toEqual(range(20, 'list').slice(10));
    expect(second.every(({ followed }) => followed)).toBe(true);
    // As if the reply of the second claim was lost.
    expect(await claim([claimId])).toEqual([]);
  });

  it('takes no later emails of a request while earlier ones are released for some time, or locked', async () => {
    const project = await api.project();
    const ids = await acceptOne(project, range(20, 'later'));
    const workerId = newId();
    const claim = async (results: DeliveryResult[] = []): Promise<string[]> => {
      const rows = await api.ctx.prisma.emailClaim.findMany({ where: { workerId } });
      const ended = results.length === 0 ? [] : rows.map(({ id }) => id);
      const emails = await claimDue(api.ctx.pool, { workerId, limit: 100, results, ended });
      return emails.filter(({ projectId }) => projectId === project.id).map(({ id }) => id);
    };
    const releaseAll = (claimed: string[], retryMs: number) => claim(claimed.map((id) => releaseClaimed(id, retryMs)));
    expect(await claim()).toEqual(ids.slice(0, 10));
    await releaseAll(ids.slice(0, 10), 300);
    expect(await claim()).toEqual([]);
    await eventually(async () => expect(await claim()).toEqual(ids.slice(0, 10)));
    // The first three are due again, and the next ones are not.
    await releaseAll(ids.slice(0, 10), 0);
    await api.ctx.pool.query(`UPDATE emails SET next_attempt_at = now() + interval '1 hour' WHERE id = ANY ($1)`, [
      ids.slice(3, 10),
    ]);
    expect(await claim()).toEqual(ids.slice(0, 1));
    await releaseAll(ids.slice(0, 1), 0);
    await api.ctx.pool.query(`UPDATE emails SET next_attempt_at = now() WHERE id = ANY ($1)`, [ids.slice(3, 10)]);
    await transaction(api.ctx.pool, async (tx) => {
      await tx.query(`SELECT FROM emails WHERE id = $1 FOR UPDATE`, [ids[5]]);
      expect(await claim()).toEqual(ids.slice(0, 1));
    });
  });

  it('takes released emails of a request before later ones, whatever the limit is', async () => {
    const project = await api.project();
    const ids = await acceptOne(project, range(20, 'list'));
    for (const to of range(20, 'single')) await acceptOne(project, to);
    // As if the first nine had been claimed and released now.
    await api.ctx.pool.query(`UPDATE emails SET next_attempt_at = now() WHERE id = ANY ($1)`, [ids.slice(0, 9)]);
    await api.ctx.pool.query(`UPDATE emails SET next_attempt_at = now() - interval '1 hour' WHERE id = ANY ($1)`, [
      ids.slice(9),
    ]);
    const claimed = await claimDue(api.ctx.pool, { workerId: newId(), limit: 21, results: [] });
    const ofRequest = claimed.map(({ id }) => id).filter((id) => ids.includes(id));
    expect(ofRequest).toEqual(ids.slice(0, ofRequest.length));
    expect(claimed.length).toBeGreaterThan(ofRequest.length);
  });

  it('takes the emails of a request before which another worker does not wait, each by one worker', async () => {
    const project = await api.project();
    const ids = await acceptOne(project, range(40, 'race'));
    const claimed = await Promise.all(
      range(8, '').map(async () => claimDue(api.ctx.pool, { workerId: newId(), limit: 100, results: [] })),
    );
    const ofRequest = claimed.map((emails) => emails.filter(({ id }) => ids.includes(id)).map(({ id }) => id));
    expect(ofRequest.filter((some) => some.length > 0)).toEqual([ids.slice(0, 10)]);
  });
});

describe('mail of a workflow', () => {
  it('that is claimed after its send window closed waits for the next opening, without an attempt', async () => {
    const project = await api.project();
    const message = {
      id: newId(),
      projectId: project.id,
      type: 'MARKETING' as const,
      subject: 's',
      body: '<p>b</p>',
      from: `a@${project.domain}`,
    };
    const id = newId();
    const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    const tomorrow = days[(new Date().getUTCDay() + 1) % 7] ?? '';
    const hours = { timezone: 'UTC', days: [tomorrow], from: '09:00', until: '17:00' };
    const email = { id, projectId: project.id, messageId: message.id, contactId: null, toEmail: 'closed@x.test' };
    await insertMessage(api.ctx.pool, message);
    const variables = { sendWindow: { hours, zone: 'UTC' } };
    await insertEmail(api.ctx.pool, { ...email, source: 'WORKFLOW', type: 'MARKETING', variables });
    const { tried } = start(async () => undefined);
    await eventually(async () => {
      const row = await api.ctx.prisma.email.findUniqueOrThrow({ where: { id } });
      expect(row).toMatchObject({ status: 'PENDING', attempts: 0 });
      expect(row.nextAttemptAt.getTime()).toBeGreaterThan(Date.now());
    });
    expect(tried).not.toContain('closed@x.test');
  });
});

describe('transactional mail', () => {
  // One connection, which the first automation mail keeps busy while the others queue up.
  it('is sent before automation mail that has waited longer', async () => {
    const busy = held();
    const project = await api.project();
    const message = {
      id: newId(),
      projectId: project.id,
      type: 'TRANSACTIONAL' as const,
      subject: 's',
      body: 'b',
      from: `team@${project.domain}`,
    };
    await insertMessage(api.ctx.pool, message);
    for (const toEmail of range(5, 'auto')) {
      await insertEmail(api.ctx.pool, {
        id: newId(),
        projectId: project.id,
        messageId: message.id,
        contactId: null,
        source: 'WORKFLOW',
        type: 'TRANSACTIONAL',
        toEmail,
      });
    }
    const { tried } = start((to) => (to === 'auto0@x.test' ? busy : Promise.resolve()), 1);
    await eventually(() => expect(tried).toEqual(['auto0@x.test']));
    await accept(['now@x.test']);
    release();
    await eventually(() => expect(tried).toHaveLength(6));
    expect(tried.slice(0, 2)).toEqual(['auto0@x.test', 'now@x.test']);
  });
});

describe('the dispatcher', () => {
  it('uses all connections and no more', async () => {
    const all = held();
    const ids = await accept(range(20, 'many'));
    const client = start(() => all, 7);
    await eventually(() => expect(client.tried).toHaveLength(7));
    expect(await statuses(ids)).toEqual({ SENDING: 7, PENDING: 13 });
    release();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 20 }));
    expect(client.most()).toBe(7);
    await eventually(() => expect(client.claims.size).toBe(0));
  });

  it('finishes and records the emails in flight when it stops, and claims no more', async () => {
    const all = held();
    const ids = await accept(range(10, 'stop'));
    const { tried, dispatcher } = start(() => all, 4);
    await eventually(() => expect(tried).toHaveLength(4));
    const stopped = dispatcher.stop();
    release();
    await stopped;
    expect(await statuses(ids)).toEqual({ SENT: 4, PENDING: 6 });
  });

  it('releases the emails that no connection has taken when it stops, without counting an attempt', async () => {
    const ids = await accept(range(3, 'ready'));
    const { client, start: startNow } = prepare(async () => undefined, { connections: 3 });
    // The client begins an outage after the claim, and takes nothing.
    client.addSource = () => ({ wake: () => undefined, remove: () => undefined });
    const { dispatcher, claims } = startNow();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENDING: 3 }));
    expect([...claims.values()]).toEqual([3]);
    await dispatcher.stop();
    expect(await statuses(ids)).toEqual({ PENDING: 3 });
    expect(await api.ctx.prisma.email.count({ where: { id: { in: ids }, attempts: 0 } })).toBe(3);
  });

  it('repeats a failed statement until the results are recorded, and sends nothing twice', async () => {
    const all = held();
    const ids = await accept(range(6, 'fail'));
    let failures = 0;
    let statements = 0;
    const pool = interceptPool((name) => {
      if (!name.startsWith('delivery-settle')) return;
      statements++;
      if (failures++ < 2) throw new Error('The database is gone');
    });
    const client = prepare(() => all, { connections: 4, pool }).start();
    await eventually(() => expect(client.tried).toHaveLength(4));
    release();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 6 }));
    expect(statements).toBeGreaterThan(2);
    expect([...client.tried].sort()).toEqual(range(6, 'fail'));
    await eventually(() => expect(client.claims.size).toBe(0));
  });

  it('records a reply with characters that PostgreSQL rejects', async () => {
    const [id = ''] = await accept(['odd@x.test']);
    const { client, start: startNow } = prepare(async () => undefined);
    client.replyText = '250 a\0b \ud83d';
    startNow();
    await eventually(async () => expect(await statuses([id])).toEqual({ SENT: 1 }));
    const { response } = await api.ctx.prisma.email.findUniqueOrThrow({ where: { id } });
    expect(response).toBe('250 ab \ufffd');
  });

  it('records a result and claims the next email of its request in one statement', async () => {
    const project = await api.project();
    const ids = await acceptOne(project, range(10, 'row'));
    const names: string[] = [];
    const client = prepare(async () => undefined, { pool: interceptPool((name) => void names.push(name)) }).start();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 10 }));
    expect(client.tried).toEqual(range(10, 'row'));
    expect(names.filter((name) => name === 'delivery-settle-and-claim').length).toBeLessThanOrEqual(11);
    expect(names).not.toContain('delivery-message');
  });

  it('offers the next email of a request as the successor of the one that is handed over, once', async () => {
    const project = await api.project();
    const ids = await acceptOne(project, range(10, 'chain'));
    const [other = ''] = await acceptOne(project, 'alone@x.test');
    const all = held();
    const { client, start: startNow } = prepare(() => all);
    const jobs: SmtpJob[] = [];
    const { addSource } = client;
    client.addSource = (source, options) =>
      addSource(
        {
          next: () => {
            const job = source.next();
            if (job) jobs.push(job);
            return job;
          },
        },
        options,
      );
    startNow();
    await eventually(() => expect(jobs).toHaveLength(2));
    const first = jobs.find(({ to }) => to === 'chain0@x.test');
    // Composed meanwhile.
    const second = await eventually(() => {
      const job = first?.takeSuccessor?.();
      expect(job?.to).toBe('chain1@x.test');
      return job;
    });
    expect(first?.takeSuccessor?.()).toBe(null);
    expect(jobs.find(({ to }) => to === 'alone@x.test')?.takeSuccessor?.()).toBe(null);
    second?.onResult(ACCEPTED);
    release();
    await eventually(async () => expect(await statuses([...ids, other])).toEqual({ SENT: 11 }));
    expect(client.tried.filter((to) => to !== 'alone@x.test')).toEqual(range(10, 'chain').toSpliced(1, 1));
  });

  it('claims the next emails of a request before the last one that it holds has a result', async () => {
    const project = await api.project();
    const ids = await acceptOne(project, range(30, 'ahead'));
    const seventh = held();
    const { tried } = start((to) => (to === 'ahead6@x.test' ? seventh : Promise.resolve()));
    await eventually(() => expect(tried).toContain('ahead6@x.test'));
    await eventually(async () => expect(await inFlight(ids)).toEqual(ids.slice(6, 20)));
    release();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 30 }));
    expect(tried).toEqual(range(30, 'ahead'));
  });

  it.each<[string, (dispatcher: Dispatcher) => void]>([
    ['that is announced', (dispatcher) => dispatcher.wake()],
    ['that is not announced', () => undefined],
  ])('claims a new email %s while the emails of a request wait for a slow reply', async (_name, announce) => {
    const project = await api.project();
    const slow = held();
    const ids = await acceptOne(project, range(5, 'slow'));
    let failures = 0;
    const pool = interceptPool((name) => {
      // The first claim of the new email.
      if (name.startsWith('delivery-') && tried.length === 1 && failures++ === 0)
        throw new Error('The database is gone');
    });
    const { client, start: startNow } = prepare((to) => (to === 'slow0@x.test' ? slow : Promise.resolve()), { pool });
    const { tried } = client;
    const { dispatcher } = startNow();
    await eventually(() => expect(tried).toEqual(['slow0@x.test']));
    const [other = ''] = await acceptOne(project, 'quick@x.test');
    announce(dispatcher);
    await eventually(async () => expect(await statuses([other])).toEqual({ SENT: 1 }));
    expect(failures).toBeGreaterThan(0);
    expect(await statuses(ids)).toEqual({ SENDING: 5 });
    release();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 5 }));
  });

  it('composes a new email while large emails of a request wait for a slow reply', async () => {
    const project = await api.project();
    const slow = held();
    const ids = await acceptOne(project, range(10, 'large'), { body: `<p>${'x'.repeat(950_000)}</p>` });
    const { tried, dispatcher } = start((to) => (to === 'large0@x.test' ? slow : Promise.resolve()));
    await eventually(() => expect(tried).toEqual(['large0@x.test']));
    const [other = ''] = await acceptOne(project, 'small@x.test');
    dispatcher.wake();
    await eventually(async () => expect(await statuses([other])).toEqual({ SENT: 1 }));
    expect(await statuses(ids)).toEqual({ SENDING: 10 });
    release();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 10 }));
  });

  it('keeps the order of a request when only the first of its claims becomes too old', async () => {
    const project = await api.project();
    const ids = await acceptOne(project, range(20, 'age'));
    const validMs = 2.5 * api.ctx.config.WORKER_HEARTBEAT_MS;
    // The second claim begins with the result of age4, and the first one expires before that of age5.
    const waitsMs: Record<string, number> = { 'age4@x.test': 0.6 * validMs, 'age5@x.test': 0.6 * validMs };
    const { tried } = start((to) => sleep(waitsMs[to] ?? 0));
    await eventually(() => expect(tried).toContain('age5@x.test'));
    await eventually(async () => expect(await inFlight(ids)).toHaveLength(15));
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 20 }));
    expect(tried).toEqual(range(20, 'age'));
  });

  it('hands over the emails of a request in its order, each after the reply to the one before', async () => {
    const project = await api.project();
    const ids = await acceptOne(project, range(35, 'order'));
    const client = start(() => sleep(Math.random() * 4));
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 35 }));
    expect(client.tried).toEqual(range(35, 'order'));
    expect(client.most()).toBe(1);
  });
});

describe('a dispatcher with a journal', () => {
  /** A worker with a journal in a new folder. */
  async function prepareJournaled(server: Server, options: { connections: number; pool?: ApiContext['pool'] }) {
    const directory = await mkdtemp(path.join(tmpdir(), 'sendloom-journal-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const journal = openJournal({
      directory,
      workerId: newId(),
      database: 'test',
      log: createLog('silent'),
      onFailure: () => undefined,
    });
    if (!journal) throw new Error('This platform has no journal');
    const prepared = prepare(server, { ...options, journal });
    journalHandOvers(prepared.client, journal);
    await heartbeat(api.ctx.pool, prepared.workerId);
    return { ...prepared, journal };
  }
  const isJournaled = async (id: string): Promise<boolean> =>
    (await api.ctx.prisma.workerInstance.findUniqueOrThrow({ where: { id } })).isJournaled;

  it('claims more emails than it has connections while they are finished, and releases what was not handed over', async () => {
    const all = held();
    const ids = await accept(range(60, 'ahead'));
    let accepted = 0;
    const { start: startNow, workerId } = await prepareJournaled(() => (++accepted <= 10 ? Promise.resolve() : all), {
      connections: 7,
    });
    const { tried, dispatcher } = startNow();
    await eventually(async () => expect((await statuses(ids)).SENDING).toBeGreaterThan(7));
    await eventually(() => expect(tried).toHaveLength(17));
    expect(await isJournaled(workerId)).toBe(true);
    const stopped = dispatcher.stop();
    release();
    await stopped;
    expect(await statuses(ids)).toEqual({ SENT: 17, PENDING: 43 });
    expect(await api.ctx.prisma.email.count({ where: { id: { in: ids }, attempts: 0 } })).toBe(43);
  });

  it('claims a new email while the emails of a request that wait for a slow reply are as many as its connections', async () => {
    const project = await api.project();
    const slow = held();
    const ids = await acceptOne(project, range(10, 'wait'));
    const { start: startNow } = await prepareJournaled((to) => (to === 'wait0@x.test' ? slow : Promise.resolve()), {
      connections: 7,
    });
    const { tried, dispatcher } = startNow();
    await eventually(() => expect(tried).toEqual(['wait0@x.test']));
    const others = await accept(range(3, 'quick'));
    dispatcher.wake();
    await eventually(async () => expect(await statuses(others)).toEqual({ SENT: 3 }));
    release();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 10 }));
  });

  it('claims no more emails than it has connections while none is finished', async () => {
    const all = held();
    const ids = await accept(range(20, 'slow'));
    const { start: startNow } = await prepareJournaled(() => all, { connections: 7 });
    const { tried } = startNow();
    await eventually(() => expect(tried).toHaveLength(7));
    await sleep(100);
    expect(await statuses(ids)).toEqual({ SENDING: 7, PENDING: 13 });
    release();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 20 }));
  });

  it('hands nothing over after a failed write until PostgreSQL knows, and then claims one email per connection', async () => {
    const ids = await accept(range(20, 'full'));
    let failures = 0;
    const events: string[] = [];
    const pool = interceptPool((name) => {
      if (name !== 'worker-journal') return;
      if (events.push('told') > 1 && failures++ < 2) throw new Error('The database is gone');
    });
    const {
      client,
      journal,
      start: startNow,
      workerId,
    } = await prepareJournaled(
      async (to) => {
        events.push(to);
        await sleep(5);
      },
      { connections: 4, pool },
    );
    const { openClaim } = journal;
    journal.openClaim = (emails, onFailure) => {
      const file = openClaim(emails, onFailure);
      return file && { ...file, noteHandedOver: onFailure };
    };
    startNow();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 20 }), { within: 15_000 });
    expect(events.slice(0, 4)).toEqual(['told', 'told', 'told', 'told']);
    expect(events.slice(4).sort()).toEqual(range(20, 'full').sort());
    expect(client.most()).toBeLessThanOrEqual(4);
    expect(await isJournaled(workerId)).toBe(false);
    expect(await api.ctx.prisma.email.count({ where: { id: { in: ids }, attempts: 1 } })).toBe(20);
  });

  it('releases emails whose claim is too old to be handed over', async () => {
    const all = held();
    const ids = await accept(range(40, 'stale'));
    let accepted = 0;
    const { start: startNow } = await prepareJournaled(() => (++accepted <= 10 ? Promise.resolve() : all), {
      connections: 1,
    });
    const { tried } = startNow();
    await eventually(() => expect(tried).toHaveLength(11));
    const claimed = await inFlight(ids);
    const ahead = ids.filter((id, index) => claimed.includes(id) && !tried.includes(`stale${index}@x.test`));
    expect(ahead.length).toBeGreaterThan(0);
    await sleep(2.5 * api.ctx.config.WORKER_HEARTBEAT_MS);
    release();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 40 }));
    // They were claimed again.
    const { rows } = await api.ctx.pool.query<{ again: number }>(
      `SELECT count(*)::int AS again FROM emails WHERE id = ANY ($1::uuid[]) AND claimed_at > created_at + $2 * interval '1 millisecond'`,
      [ahead, 2 * api.ctx.config.WORKER_HEARTBEAT_MS],
    );
    expect(rows[0]?.again).toBe(ahead.length);
    expect(tried).toHaveLength(40);
  });
});
