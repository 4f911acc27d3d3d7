/**
 * The pump between a real queue and a scripted mail server: its behavior while the server is down or slow, and when the
 * run ends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { claimDue } from '../../src/domain/emails/sql/delivery.js';
import { insertEmail, insertMessage } from '../../src/domain/emails/sql/emails.js';
import { startDispatcher } from '../../src/domain/emails/dispatcher.js';
import type { Loop } from '../../src/loop.js';
import { createMailer } from '../../src/domain/emails/mailer.js';
import { pump, type PumpTools } from '../../src/domain/emails/pump.js';
import { createSlots } from '../../src/domain/emails/slots.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import type { Transport } from '../../src/mail/smtp/transport.js';
import { TransportError } from '../../src/mail/smtp/errors.js';
import { createOutage } from '../../src/mail/smtp/outage.js';
import { useApi } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';

const api = useApi({ DATABASE_POOL: '10' });

/** The behavior of the scripted server for a mail to an address. */
type Server = (to: string) => Promise<void>;
const down = (): TransportError => new TransportError('connect ECONNREFUSED', { kind: 'connection', stage: 'connect' });

function toolsFor(server: Server, connections = 20): PumpTools & { tried: string[]; most: () => number } {
  const tried: string[] = [];
  let underWay = 0;
  let most = 0;
  const transport: Transport = {
    async send({ to }) {
      tried.push(to);
      most = Math.max(most, ++underWay);
      try {
        await server(to);
        return { response: '250 taken', server: 'test' };
      } finally {
        underWay--;
      }
    },
    idle: () => connections - underWay,
    verify: async () => undefined,
    close: async () => undefined,
  };
  return {
    pool: api.ctx.pool,
    log: createLog('silent'),
    workerId: newId(),
    mailer: createMailer(api.ctx, transport),
    slots: createSlots(connections),
    outage: createOutage(),
    held: new Set(),
    tried,
    most: () => most,
  };
}

const claimFor = (tools: PumpTools) => (limit: number, results: Parameters<typeof claimDue>[1]['results']) =>
  claimDue(api.ctx.pool, { workerId: tools.workerId, limit, results, automation: false });

const dispatchers: Loop[] = [];
let release: () => void = () => undefined;
afterEach(async () => {
  release();
  for (const dispatcher of dispatchers.splice(0)) await dispatcher.stop();
  await api.ctx.pool.query(`UPDATE emails SET status = 'CANCELLED' WHERE status IN ('PENDING', 'SENDING')`);
});
const held = (): Promise<void> =>
  new Promise((resolve) => {
    release = resolve;
  });

/** Accepts a request for each address. @returns the emails' ids */
async function accept(to: string[], body: Record<string, unknown> = {}): Promise<string[]> {
  const project = await api.project();
  const ids: string[] = [];
  for (const address of to) {
    const response = await api.as(project, 'POST', '/v1/send', {
      to: address,
      from: `team@${project.domain}`,
      subject: 's',
      body: 'b',
      ...body,
    });
    expect(response.statusCode).toBe(200);
    ids.push(response.json().data.emails[0].email);
  }
  return ids;
}

const range = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}@x.test`);
const statuses = async (ids: string[]): Promise<Record<string, number>> => {
  const rows = await api.ctx.prisma.email.groupBy({ by: ['status'], where: { id: { in: ids } }, _count: true });
  return Object.fromEntries(rows.map(({ status, _count }) => [status, _count]));
};

describe('a server that is down', () => {
  // The race: its last connection neither replies nor closes (a half-open socket), while the others have failed.
  it('gets its mails when it is back, even if an earlier mail still hangs', async () => {
    const hung = held();
    let isDown = true;
    const tools = toolsFor(async (to) => {
      if (to === 'hung@x.test') return hung;
      if (isDown) throw down();
    });
    const [hanging = '', ...others] = await accept(['hung@x.test', ...range(5, 'down')]);
    dispatchers.push(startDispatcher(api.ctx, tools));
    await eventually(() => expect(tools.outage.failures).toBeGreaterThan(0));
    isDown = false;
    await eventually(async () => expect(await statuses(others)).toEqual({ SENT: 5 }), { within: 15_000 });
    expect(await statuses([hanging])).toEqual({ SENDING: 1 });
    expect(tools.outage.failures).toBe(0);
  });

  it('is probed with one mail at a time', async () => {
    // Long enough for others to be tried concurrently.
    const tools = toolsFor(async () => {
      await sleep(50);
      throw down();
    });
    await accept(range(40, 'probe'));
    tools.outage.failures = 1;
    dispatchers.push(startDispatcher(api.ctx, tools));
    await eventually(() => expect(tools.tried.length).toBeGreaterThanOrEqual(3));
    expect(tools.most()).toBe(1);
  });

  it('ends the run with the time until the next one, and the pauses grow', async () => {
    const tools = toolsFor(async () => {
      throw down();
    });
    await accept(range(3, 'pause'));
    const pauses: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      tools.outage.until = 0;
      const { reason, pausedMs, sent } = await pump(tools, {
        claim: claimFor(tools),
        signal: new AbortController().signal,
        reserve: 0,
      });
      expect({ reason, sent }).toEqual({ reason: 'outage', sent: 0 });
      pauses.push(pausedMs);
      await api.ctx.pool.query(`UPDATE emails SET next_attempt_at = now() WHERE status = 'PENDING'`);
    }
    expect(pauses[1]).toBeGreaterThan(pauses[0] ?? 0);
    expect(pauses[2]).toBeGreaterThan(pauses[1] ?? 0);
  });

  it('stays down after a mail that never reached it', async () => {
    const tools = toolsFor(async () => {
      throw down();
    });
    const [id = ''] = await accept(['broken@x.test'], {
      body: '{% for a in (1..100000) %}{% for b in (1..100000) %}{{ b }}{% endfor %}{% endfor %}',
    });
    tools.outage.failures = 3;
    await pump(tools, { claim: claimFor(tools), signal: new AbortController().signal, reserve: 0 });
    expect(await statuses([id])).toEqual({ FAILED: 1 });
    expect([tools.tried, tools.outage.failures]).toEqual([[], 3]);
  });
});

describe('projects that wait for retries', () => {
  it('use no part of a claim: due emails of another project are claimed immediately', async () => {
    const waiting = await Promise.all(range(30, 'waiting').map((to) => accept([to])));
    await api.ctx.pool.query(`UPDATE emails SET next_attempt_at = now() + interval '1 hour' WHERE id = ANY ($1)`, [
      waiting.flat(),
    ]);
    const [due = ''] = await accept(['due@x.test']);
    const claimed = await claimDue(api.ctx.pool, { workerId: newId(), limit: 1, results: [], automation: false });
    expect(claimed.map(({ id }) => id)).toEqual([due]);
  });
});

describe('transactional mail', () => {
  // One connection, which the first automation mail keeps busy while the others queue up.
  it('is sent before automation mail that has waited longer', async () => {
    const busy = held();
    const tools = toolsFor((to) => (to === 'auto0@x.test' ? busy : Promise.resolve()), 1);
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
    dispatchers.push(startDispatcher(api.ctx, tools));
    await eventually(() => expect(tools.tried).toEqual(['auto0@x.test']));
    await accept(['now@x.test']);
    release();
    await eventually(() => expect(tools.tried).toHaveLength(6));
    expect(tools.tried.slice(0, 2)).toEqual(['auto0@x.test', 'now@x.test']);
  });
});

describe('a run', () => {
  it('uses all connections and no more', async () => {
    const all = held();
    const tools = toolsFor(() => all, 7);
    const ids = await accept(range(20, 'many'));
    dispatchers.push(startDispatcher(api.ctx, tools));
    await eventually(() => expect(tools.tried).toHaveLength(7));
    expect(await statuses(ids)).toEqual({ SENDING: 7, PENDING: 13 });
    release();
    await eventually(async () => expect(await statuses(ids)).toEqual({ SENT: 20 }));
    expect(tools.most()).toBe(7);
    await eventually(() => expect(tools.held.size).toBe(0));
  });

  it('that is aborted finishes and records the emails in flight and claims no more', async () => {
    const all = held();
    const tools = toolsFor(() => all, 4);
    const ids = await accept(range(10, 'abort'));
    const abort = new AbortController();
    const running = pump(tools, { claim: claimFor(tools), signal: abort.signal, reserve: 0 });
    await eventually(() => expect(tools.tried).toHaveLength(4));
    abort.abort();
    release();
    expect(await running).toMatchObject({ sent: 4, reason: 'aborted' });
    expect(await statuses(ids)).toEqual({ SENT: 4, PENDING: 6 });
  });

  it('claims at most its limit', async () => {
    const tools = toolsFor(async () => undefined, 4);
    const ids = await accept(range(10, 'limit'));
    expect(
      await pump(tools, { claim: claimFor(tools), signal: new AbortController().signal, reserve: 0, limit: 6 }),
    ).toMatchObject({ sent: 6, reason: 'limit' });
    expect(await statuses(ids)).toEqual({ SENT: 6, PENDING: 4 });
  });

  it('whose claim fails throws the error after the emails in flight are recorded', async () => {
    const all = held();
    const tools = toolsFor(() => all, 4);
    const ids = await accept(range(4, 'fail'));
    const claim = claimFor(tools);
    let claims = 0;
    const running = pump(tools, {
      claim: async (limit, results) => {
        if (++claims > 1) throw new Error('The database is gone');
        return claim(limit, results);
      },
      signal: new AbortController().signal,
      reserve: 0,
    });
    const outcome = expect(running).rejects.toThrow('The database is gone');
    await eventually(() => expect(tools.tried).toHaveLength(4));
    release();
    await outcome;
    expect(await statuses(ids)).toEqual({ SENT: 4 });
    expect(tools.held.size).toBe(0);
    // Its slots are free for the next run.
    expect(tools.slots.join(0).take(10)).toBe(4);
  });
});
