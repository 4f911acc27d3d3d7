/** Sends due emails that belong to no campaign as a worker does, without its other parts. */
import type { ApiContext } from '../../src/context.js';
import { startDispatcher } from '../../src/domain/delivery/dispatcher.js';
import { createComposer } from '../../src/domain/emails/compose.js';
import { newId } from '../../src/ids.js';
import { createCaptureTransport, type CapturedMail } from './capture-transport.js';
import { eventually } from './eventually.js';

/** Sends until no email is due. @returns the emails of the mail server */
export async function sendDue(ctx: ApiContext): Promise<CapturedMail[]> {
  const client = createCaptureTransport();
  const dispatcher = startDispatcher(ctx, {
    client,
    composer: createComposer(ctx),
    workerId: newId(),
    claims: new Map(),
    journal: null,
    pool: ctx.pool,
  });
  await eventually(async () => {
    const { rowCount } = await ctx.pool.query(
      `SELECT FROM emails WHERE campaign_id IS NULL
          AND (status = 'SENDING' OR stage = 'PENDING' AND next_attempt_at <= now()) LIMIT 1`,
    );
    if (rowCount !== 0) throw new Error('An email is due or in flight');
  });
  await dispatcher.stop();
  return client.mails;
}
