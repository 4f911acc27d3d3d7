/** Calls of WEBHOOK steps for tests, and the network that they see. */
import { createDns } from '../../src/dns.js';
import type { WebhookCall } from '../../src/domain/executions/webhook/call.js';
import { networkOf, type Network } from '../../src/domain/executions/webhook/guard.js';
import type { WebhookFacts } from '../../src/domain/executions/webhook/request.js';
import { newWebhookSecret } from '../../src/domain/executions/webhook/sign.js';
import type { WebhookRequest } from '../../src/domain/workflows/webhook-config.js';

export const webhookFacts = (
  data: Record<string, unknown> = {},
  event: Record<string, unknown> = {},
): WebhookFacts => ({
  contact: { id: '01890000-0000-7000-8000-00000000c001', email: 'ada@example.test', subscribed: true, data },
  workflow: { id: '01890000-0000-7000-8000-00000000f001', name: 'Welcome' },
  execution: { id: '01890000-0000-7000-8000-00000000e001', startedAt: new Date('2026-03-01T09:00:00.000Z') },
  event,
});

export const webhookRequest = (request: Partial<WebhookRequest> & Pick<WebhookRequest, 'url'>): WebhookRequest => ({
  method: 'POST',
  headers: {},
  body: undefined,
  ...request,
});

/** A call with a secret of its own. */
export const webhookCall = (
  request: Partial<WebhookRequest> & Pick<WebhookRequest, 'url'>,
  facts = webhookFacts(),
): WebhookCall => ({
  request: webhookRequest(request),
  facts,
  id: '01890000-0000-7000-8000-00000000a001',
  secret: newWebhookSecret(),
});

/** The network of a process with these name servers (`ip:port`), and nothing else set. */
export function networkWith(nameServers: string, { allowPrivate = false } = {}): Network {
  return networkOf({
    dns: createDns(nameServers),
    config: { DNS_SERVERS: nameServers, WEBHOOK_ALLOW_PRIVATE: allowPrivate },
  });
}
