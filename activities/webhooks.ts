/** The activity of `webhookEndpoint`. */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Context } from '../src/context.js';
import { deliverDue, type DeliveryState } from '../src/domain/webhooks/deliver.js';

export interface DeliverWebhooksInput {
  endpointId: string;
  /** The workflow's time, in milliseconds since 1970. */
  now: number;
}

export interface WebhookActivities {
  /** Delivers what is due. null: the endpoint was deleted. */
  deliverWebhooks(input: DeliverWebhooksInput): Promise<DeliveryState | null>;
}

const HEARTBEAT_INTERVAL_MS = 2000;

/** @param stopping aborted when the worker stops */
export const createWebhookActivities = (ctx: Context, stopping: AbortSignal): WebhookActivities => ({
  async deliverWebhooks({ endpointId, now }) {
    const beat = setInterval(() => heartbeat(), HEARTBEAT_INTERVAL_MS);
    try {
      return await deliverDue(ctx, endpointId, now, AbortSignal.any([stopping, cancellationSignal()]));
    } finally {
      clearInterval(beat);
    }
  },
});
