/** Retries over days, on a server that skips time (research, ahead.md, section 3.1). */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createWebhookActivities } from '../../activities/webhooks.js';
import { insertEvents } from '../../src/domain/events/insert.js';
import { addEndpoint } from '../../src/domain/webhooks/manage.js';
import { newId } from '../../src/ids.js';
import type { webhookEndpoint } from '../../workflows/webhook-endpoint.js';
import { insertProject } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { useSystemWorker } from '../helpers/system-worker.js';
import { timeSkippingEnvironment } from '../helpers/temporal.js';

const HOUR = 3_600_000;
const worker = useSystemWorker({
  startServer: timeSkippingEnvironment,
  createActivities: (ctx) => createWebhookActivities(ctx, new AbortController().signal),
  env: { WEBHOOK_ALLOW_PRIVATE: 'true' },
  activityQueue: 'webhooks',
});
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  return () => receiver.stop();
});
afterEach(() => {
  receiver.requests.length = 0;
});

/** An endpoint whose receiver replies 500, and its workflow after its first turn. */
async function start() {
  receiver.answer((response) => response.writeHead(500).end());
  const { ctx, env } = worker;
  const project = await insertProject(ctx);
  const userId = newId();
  const manager = `${userId}@team.test`;
  await ctx.prisma.user.create({ data: { id: userId, email: manager, passwordHash: 'x' } });
  await ctx.prisma.membership.create({ data: { userId, projectId: project.id, role: 'ADMIN' } });
  const endpoint = await addEndpoint(ctx, project.id, {
    url: receiver.origin,
    events: ['*'],
    description: '',
    enabled: true,
  });
  const handle = await env.client.workflow.start<typeof webhookEndpoint>('webhookEndpoint', {
    workflowId: `webhook:${endpoint.id}`,
    taskQueue: 'system',
    args: [{ endpointId: endpoint.id, projectId: project.id }],
  });
  worker.endAfterTest(handle);
  /** Stores an event, and pokes the workflow as the relay does. */
  const occur = async (): Promise<string> => {
    const id = newId();
    await insertEvents(ctx.pool, [{ id, projectId: project.id, contactId: null, name: 'order.placed' }]);
    await handle.signal('poke');
    return id;
  };
  const row = (eventId: string) =>
    ctx.prisma.webhookDelivery.findUniqueOrThrow({
      where: { endpointId_eventId: { endpointId: endpoint.id, eventId } },
    });
  const state = () => ctx.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: endpoint.id } });
  const notices = () => ctx.prisma.email.findMany({ where: { toEmail: manager } });
  return { handle, occur, row, state, notices };
}

interface Logged {
  at: string;
}

describe('over skipped time', () => {
  test('a delivery is attempted ten times within 76 hours, and has then failed', async () => {
    const { handle, occur, row } = await start();
    const id = await occur();
    await eventually(async () => expect((await row(id)).attempts).toBe(1));
    await worker.env.sleep(95 * HOUR);
    await eventually(async () => expect(await row(id)).toMatchObject({ status: 'FAILED', attempts: 10 }));
    const { log } = await row(id);
    const times = (log as unknown as Logged[]).map(({ at }) => Date.parse(at));
    const waits = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1000);
    const expected = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (const [index, wait] of waits.entries()) {
      // A due delivery can wait for the probe of the endpoint.
      expect(wait).toBeGreaterThan((expected[index] ?? 0) * 0.79);
      expect(wait).toBeLessThan((expected[index] ?? 0) * 1.21 + 310);
    }
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    const { events } = await handle.fetchHistory();
    expect(events?.filter((event) => event.timerStartedEventAttributes).length).toBeGreaterThanOrEqual(9);
  });

  test('an endpoint without a success for five days is disabled, the managers are told, and what waits is kept', async () => {
    const { occur, row, state, notices } = await start();
    const first = await occur();
    await eventually(async () => expect((await row(first)).attempts).toBe(1));
    await worker.env.sleep(118 * HOUR);
    const second = await occur();
    await eventually(async () => expect((await row(second)).attempts).toBe(1));
    expect(await state()).toMatchObject({ enabled: true });
    expect(await notices()).toEqual([]);
    await worker.env.sleep(6 * HOUR);
    await eventually(async () =>
      expect(await state()).toMatchObject({
        enabled: false,
        disabledReason: 'No delivery has succeeded for five days.',
      }),
    );
    expect(await row(second)).toMatchObject({ status: 'PENDING' });
    expect(await notices()).toHaveLength(1);
  });
});
