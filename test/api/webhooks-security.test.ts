/** Where deliveries must not go, and receivers that do not end their response (issue: SSRF table). */
import { beforeAll, describe, expect, test } from 'vitest';
import { insertEvents } from '../../src/domain/events/insert.js';
import { deliverDue } from '../../src/domain/webhooks/deliver.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

const api = useApi();
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  return () => receiver.stop();
});

const add = (project: TestProject, url: string) => api.as(project, 'POST', '/webhooks', { url, events: ['*'] });

/** Stores an event and delivers it. @returns the delivery */
async function deliver(project: TestProject, id: string, isPrivateAllowed = false) {
  const eventId = newId();
  await insertEvents(api.ctx.pool, [{ id: eventId, projectId: project.id, contactId: null, name: 'order.placed' }]);
  const config = { ...api.ctx.config, WEBHOOK_ALLOW_PRIVATE: isPrivateAllowed };
  await deliverDue({ ...api.ctx, config }, id, Date.now() + 100, new AbortController().signal);
  return (await api.as(project, 'GET', `/webhooks/${id}/deliveries/${eventId}`)).json();
}

describe('an address that is not public', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/',
    'http://100.64.0.1/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::7f00:1]/',
  ])('%s cannot be the URL of an endpoint', async (url) => {
    const project = await api.project();
    const response = await add(project, url);
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toEqual([expect.objectContaining({ field: 'url' })]);
  });

  test('is not called if a name leads to it', async () => {
    const project = await api.project();
    const { id } = (await add(project, `http://localhost:${receiver.port}/`)).json();
    expect(await deliver(project, id)).toMatchObject({
      status: 'PENDING',
      lastError: 'Not called: localhost resolves to a loopback address.',
    });
    expect(receiver.connections()).toBe(0);
  });

  test('is not called if a receiver redirects to it', async () => {
    const inner = await startReceiver();
    receiver.answer((response) => response.writeHead(307, { location: inner.origin }).end());
    const project = await api.project();
    const { id } = (await add(project, `http://localhost:${receiver.port}/`)).json();
    expect(await deliver(project, id, true)).toMatchObject({ status: 'PENDING', lastStatusCode: 307 });
    expect(inner.connections()).toBe(0);
    await inner.stop();
  });
});

describe('a response', () => {
  test('without an end is cut off after its first 4 KiB', async () => {
    receiver.answer((response) => {
      const timer = setInterval(() => response.write('x'.repeat(1000)), 5);
      response.on('close', () => clearInterval(timer));
    });
    const project = await api.project();
    const { id } = (await add(project, `http://localhost:${receiver.port}/`)).json();
    const { status, log } = await deliver(project, id, true);
    expect(status).toBe('DELIVERED');
    expect(log[0].response).toHaveLength(4096);
    expect(log[0].durationMs).toBeLessThan(5000);
  });

  test('of a byte per second is given up after 15 seconds', async () => {
    receiver.answer((response) => {
      const timer = setInterval(() => response.write('x'), 1000);
      response.on('close', () => clearInterval(timer));
    });
    const project = await api.project();
    const { id } = (await add(project, `http://localhost:${receiver.port}/`)).json();
    const { status, lastError, log } = await deliver(project, id, true);
    expect({ status, lastError }).toEqual({
      status: 'PENDING',
      lastError: 'The receiver did not send a complete response within 15 seconds.',
    });
    expect(log[0].durationMs).toBeGreaterThan(14_500);
    expect(log[0].durationMs).toBeLessThan(17_000);
  });
});
