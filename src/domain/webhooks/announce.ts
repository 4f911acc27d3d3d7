/** Notices: what webhooks tell of campaigns, executions, jobs, domains, projects, and endpoints, beyond stored events. */
import type { Queryable } from '../../db/pool.js';
import { newId } from '../../ids.js';

export const NOTICE_TYPES = [
  'campaign.started',
  'campaign.sent',
  'campaign.cancelled',
  'execution.completed',
  'execution.failed',
  'import.completed',
  'domain.verified',
  'domain.failed',
  'project.disabled',
  'webhook.disabled',
] as const;

export type NoticeType = (typeof NOTICE_TYPES)[number];

export interface Notice {
  projectId: string;
  type: NoticeType;
  /** Ids, names, and numbers. */
  data: Record<string, unknown>;
}

/**
 * Stores notices in the caller's transaction, with their deliveries, and wakes the relay after the commit. Projects without
 * endpoints get none.
 */
export async function announce(tx: Queryable, notices: Notice[]): Promise<void> {
  if (notices.length === 0) return;
  await tx.query({
    name: 'webhook-announce',
    text: `WITH wanted AS MATERIALIZED (
             SELECT r.* FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, project_id uuid, type text, data jsonb)
              WHERE EXISTS (SELECT FROM webhook_endpoints w WHERE w.project_id = r.project_id)
           ), stored AS (
             INSERT INTO webhook_notices (id, project_id, type, data) SELECT id, project_id, type, data FROM wanted
           )
           INSERT INTO outbox (workflow_id, action, payload, fairness_key)
           SELECT i.* FROM insert_deliveries(ARRAY(
             SELECT (w.id, w.project_id, NULL, NULL, w.type, '{}', NULL, NULL)::new_event FROM wanted w), true) i`,
    values: [
      JSON.stringify(notices.map(({ projectId, type, data }) => ({ id: newId(), project_id: projectId, type, data }))),
    ],
  });
}
