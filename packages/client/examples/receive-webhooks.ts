/** A receiver of webhooks, as a handler of web requests: in Workers, in Next.js, in Deno, or in Node with an adapter. */
import { verifyWebhook, WebhookVerificationError } from '../src/index.js';

export interface ReceiverOptions {
  /** `whsec_…`: shown when the endpoint is created and when its secret is rotated. */
  secret: string;
  /**
   * Stores the work and the event's id, which is unique, in one transaction, and does nothing if the id exists. The work
   * is done later, so that the response is sent within 15 seconds.
   */
  enqueueOnce: (eventId: string, work: string) => Promise<void>;
}

/** Verifies a request, and queues its work, once per event. */
export async function receiveWebhook(request: Request, { secret, enqueueOnce }: ReceiverOptions): Promise<Response> {
  try {
    const event = await verifyWebhook<'order_placed'>(await request.text(), request.headers, secret);
    switch (event.type) {
      case 'email.bounced':
        await enqueueOnce(event.id, `call the customer ${event.data.email}`);
        break;
      case 'campaign.sent':
        await enqueueOnce(event.id, `report the campaign ${event.data.campaignId}`);
        break;
      case 'order_placed':
        await enqueueOnce(event.id, `thank the contact ${event.data.contactId}`);
        break;
      default:
        console.log(`Ignored an event of the type ${event.type}.`);
    }
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    // Another status than 2xx: the event is sent again, also after you have corrected your secret.
    return new Response(error.message, { status: error.reason === 'invalid_secret' ? 500 : 401 });
  }
}
