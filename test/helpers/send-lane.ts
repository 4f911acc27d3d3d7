/** Sends campaigns as a worker does, without Temporal. */
import type { ApiContext } from '../../src/context.js';
import type { CampaignRun } from '../../src/domain/campaigns/intents.js';
import { startDelivery } from '../../src/domain/delivery/delivery.js';
import type { LaneResult } from '../../src/domain/delivery/send-campaign.js';
import { createComposer } from '../../src/domain/emails/compose.js';
import { newId } from '../../src/ids.js';
import { createCaptureTransport, type CaptureTransport } from './capture-transport.js';

export interface SentLane extends LaneResult {
  /** The recipients of the mail server, sorted. */
  recipients: string[];
}

/** Sends what is due of a campaign. */
export async function sendLane(
  ctx: ApiContext,
  run: CampaignRun,
  client: CaptureTransport = createCaptureTransport(),
): Promise<SentLane> {
  const before = client.mails.length;
  const delivery = startDelivery(ctx, { client, composer: createComposer(ctx), workerId: newId() });
  try {
    const result = await delivery.sendCampaign(run, new AbortController().signal);
    const recipients = client.mails.slice(before).map(({ to }) => to);
    return { ...result, recipients: recipients.sort() };
  } finally {
    await delivery.stop();
  }
}
