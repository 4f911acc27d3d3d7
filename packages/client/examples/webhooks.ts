/** Webhook endpoints: events that Sendloom posts to your product. */
import { unwrap, type SendloomClient } from '../src/index.js';

/** Adds an endpoint. Store the secret: it is not shown again. */
export async function addEndpoint(sendloom: SendloomClient) {
  const body = { url: 'https://shop.example.com/hooks/sendloom', events: ['email.bounced', 'contact.*', 'custom.*'] };
  const { id, secret } = unwrap(await sendloom.POST('/webhooks', { body }));
  return { id, secret };
}

/** Sends an example to the endpoint. @returns its delivery, with the request and the attempts so far */
export async function testEndpoint(sendloom: SendloomClient, id: string) {
  const body = { type: 'email.bounced' };
  const { deliveryId } = unwrap(await sendloom.POST('/webhooks/{id}/test', { params: { path: { id } }, body }));
  const path = { id, deliveryId };
  return unwrap(await sendloom.GET('/webhooks/{id}/deliveries/{deliveryId}', { params: { path } }));
}

/** Repeats one delivery, and all that failed in the last hour. */
export async function deliverAgain(sendloom: SendloomClient, id: string, deliveryId: string) {
  const one = { params: { path: { id, deliveryId } } };
  unwrap(await sendloom.POST('/webhooks/{id}/deliveries/{deliveryId}/retry', one));
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const params = { path: { id } };
  const { count } = unwrap(await sendloom.POST('/webhooks/{id}/replay', { params, body: { since, status: 'FAILED' } }));
  const query = { status: 'PENDING', limit: 10 } as const;
  const { data } = unwrap(await sendloom.GET('/webhooks/{id}/deliveries', { params: { ...params, query } }));
  return { waiting: data.length, replayed: count };
}

/** Pauses an endpoint, replaces its secret, and deletes it. */
export async function manageEndpoint(sendloom: SendloomClient, id: string) {
  const params = { path: { id } };
  unwrap(await sendloom.PATCH('/webhooks/{id}', { params, body: { enabled: false } }));
  // For a day, deliveries are signed by both secrets.
  unwrap(await sendloom.POST('/webhooks/{id}/rotate-secret', { params, body: { graceHours: 24 } }));
  const { enabled } = unwrap(await sendloom.GET('/webhooks/{id}', { params }));
  await sendloom.DELETE('/webhooks/{id}', { params });
  const types = unwrap(await sendloom.GET('/webhooks/types'));
  return {
    enabled,
    left: unwrap(await sendloom.GET('/webhooks')).data.length,
    hasBounces: types.data.some(({ type }) => type === 'email.bounced'),
  };
}
