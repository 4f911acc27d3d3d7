/**
 * Delivers events to a webhook endpoint as long as it exists.
 *
 * The rows of the endpoint and its deliveries are the source of truth. The activity reads and changes them; this workflow is
 * only the timer.
 */
import {
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhooks.js';
import type { DeliveryState } from '../src/domain/webhooks/deliver.js';
import { poke } from './signals.js';

export interface WebhookEndpointInput {
  endpointId: string;
  projectId: string;
}

const { deliverWebhooks } = proxyActivities<WebhookActivities>({
  taskQueue: 'webhooks',
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  // It fails only while the database is unreachable, so it is retried without limit.
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '15s' },
  summary: 'Deliver what is due',
});

/** Deliveries to a paused endpoint poke no one. Until its end, the details show what has come meanwhile. */
const PAUSE_LOOK_MS = 60_000;

/** More are counted only up to this number (src/domain/webhooks/sql/queue.ts). */
const MAX_COUNTED = 10_000;

export async function webhookEndpoint(input: WebhookEndpointInput): Promise<void> {
  let poked = false;
  setHandler(poke, () => {
    poked = true;
  });

  try {
    for (;;) {
      // Reset before the delivery: a poke during it requests another one.
      poked = false;
      const state = await deliverWebhooks({ endpointId: input.endpointId, now: Date.now() });
      if (!state) return;
      setCurrentDetails(describe(state));
      // The new run starts with a delivery, so it loses no poke.
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof webhookEndpoint>(input);
      const waitMs = (state.nextAt ?? 0) - Date.now();
      if (state.nextAt === null) await condition(() => poked, '1 day', { summary: 'until the daily look' });
      else if (state.paused && waitMs > PAUSE_LOOK_MS)
        await condition(() => poked, PAUSE_LOOK_MS, { summary: 'until the next look, during a pause' });
      else if (waitMs > 0) await condition(() => poked, waitMs, { summary: 'until the next attempt' });
    }
  } catch (error) {
    // The endpoint was deleted.
    if (isCancellation(error)) return;
    throw error;
  }
}

/** Example: `12 waiting, next attempt 2026-11-23 14:05:00 UTC, failing since 2026-11-23 13:20:00 UTC`. */
function describe({ waiting, nextAt, failingSince, enabled }: DeliveryState): string {
  const parts = [`${waiting > MAX_COUNTED ? `more than ${MAX_COUNTED}` : waiting} waiting`];
  if (!enabled) parts.unshift('disabled');
  else if (nextAt !== null) parts.push(`next attempt ${toText(new Date(nextAt))}`);
  if (failingSince !== null) parts.push(`failing since ${toText(new Date(failingSince))}`);
  return parts.join(', ');
}

const toText = (time: Date): string => `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
