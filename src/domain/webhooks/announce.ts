/** Notices: what webhooks tell beyond stored events. Changes of a status announce themselves (src/db/functions/announce.sql). */
import type { Queryable } from '../../db/pool.js';
import type { NoticeType } from '../events/name.js';

export interface Notice {
  projectId: string;
  type: NoticeType;
  /** Ids, names, and numbers. */
  data: Record<string, unknown>;
}

/** Stores a notice with its deliveries in the caller's transaction, unless the project has no endpoint. */
export async function announce(tx: Queryable, { projectId, type, data }: Notice): Promise<void> {
  await tx.query({
    name: 'webhook-announce',
    text: `SELECT announce($1, $2, $3)`,
    values: [projectId, type, JSON.stringify(data)],
  });
}
