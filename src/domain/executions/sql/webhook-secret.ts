/** The secret that a project's webhook requests are signed with; encrypted. */
import type { Queryable } from '../../../db/pool.js';

/** @returns null when the project has none yet, or is gone */
export async function findWebhookSecret(db: Queryable, projectId: string): Promise<string | null> {
  const { rows } = await db.query<{ secret: string | null }>({
    name: 'webhook-secret',
    text: `SELECT webhook_secret AS secret FROM projects WHERE id = $1`,
    values: [projectId],
  });
  return rows[0]?.secret ?? null;
}

/** Gives the project a secret, unless it has got one: of several at once the first one stays. */
export async function offerWebhookSecret(db: Queryable, projectId: string, secret: string): Promise<void> {
  await db.query({
    name: 'webhook-secret-offer',
    text: `UPDATE projects SET webhook_secret = $2, updated_at = now() WHERE id = $1 AND webhook_secret IS NULL`,
    values: [projectId, secret],
  });
}
