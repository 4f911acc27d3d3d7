/** What happens when an endpoint is disabled because it fails: a notice for the others, and an email to the managers. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { managersOf } from '../billing/sql/billing.js';
import { queuePlatformEmail } from '../platform/emails.js';
import { announce } from './announce.js';
import type { DeliveringEndpoint } from './sql/queue.js';

const SUBJECT = 'A webhook endpoint of {{ project }} was disabled';
const BODY = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${SUBJECT}</title></head>
<body style="margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:#1f2328">
<h1 style="margin:0 0 12px;font-size:22px;line-height:1.25">A webhook endpoint was disabled</h1>
<p>{{ url }} gets no more events. {{ reason }}</p>
<p>The events are kept for {{ days }} days. Enable the endpoint again when its receiver works: what waits is then delivered, and you
can replay what happened meanwhile.</p>
<p><a href="{{ link }}">{{ link }}</a></p>
</body>
</html>
`;

/** Writes the notice and the emails in the caller's transaction. Wake the dispatcher (topic `emails`) after the commit. */
export async function reportDisabled(
  tx: Queryable,
  config: Context['config'],
  { id, projectId, url }: DeliveringEndpoint,
  reason: string,
): Promise<void> {
  await announce(tx, { projectId, type: 'webhook.disabled', data: { webhookId: id, url, reason } });
  const { rows } = await tx.query<{ name: string }>({
    name: 'webhook-project-name',
    text: `SELECT name FROM projects WHERE id = $1`,
    values: [projectId],
  });
  const variables = {
    project: rows[0]?.name ?? '',
    url,
    reason,
    days: config.WEBHOOK_DELIVERY_DAYS,
    link: `${config.DASHBOARD_URL}/projects/${projectId}/webhooks/${id}`,
  };
  for (const to of await managersOf(tx, projectId))
    await queuePlatformEmail(tx, config, { to, subject: SUBJECT, body: BODY, variables });
}
