/** A project's content: removed in pages while it is in use, and what is left of it at once. */
import type { Queryable } from '../../../db/pool.js';

/** Locks a project against new rows of its own; false when there is none. */
export async function lockProject(tx: Queryable, projectId: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'project-lock',
    text: `SELECT 1 FROM projects WHERE id = $1 FOR UPDATE`,
    values: [projectId],
  });
  return rowCount === 1;
}

/** The Temporal workflows that watch over a project's domains. */
export async function domainWorkflowIds(tx: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await tx.query<{ workflowId: string }>({
    name: 'project-domain-workflows',
    text: `SELECT 'domain:' || id AS "workflowId" FROM domains WHERE project_id = $1`,
    values: [projectId],
  });
  return rows.map((row) => row.workflowId);
}

/** A place in the order of a table, as the page before it returned it. */
export type Place = string[];

export interface LargeTable {
  name: string;
  /** The columns of the index that its pages follow, with their types. */
  order: ReadonlyArray<readonly [column: string, type: string]>;
  /** Which rows `t` of a page go. */
  only: string;
  /** What else goes with a page. */
  along?: string;
}

const BY_TIME = [
  ['created_at', 'timestamptz'],
  ['id', 'uuid'],
] as const;
const BY_ID = [['id', 'uuid']] as const;

/**
 * Tables that can be large, in an order in which nothing refers to what goes. Without contacts, which take more along
 * than rows.
 */
export const LARGE: readonly LargeTable[] = [
  {
    name: 'emails',
    order: BY_TIME,
    only: 'true',
    along: `DELETE FROM tracking_hits h USING page WHERE h.project_id = $1 AND h.email_id = page.id`,
  },
  {
    name: 'step_executions',
    order: BY_ID,
    only: `EXISTS (SELECT FROM workflow_executions x WHERE x.id = t.execution_id AND x.status NOT IN ('RUNNING', 'WAITING'))`,
  },
  { name: 'workflow_executions', order: BY_ID, only: `t.status NOT IN ('RUNNING', 'WAITING')` },
  { name: 'events', order: BY_TIME, only: 'true' },
  { name: 'messages', order: BY_ID, only: 'NOT EXISTS (SELECT FROM emails e WHERE e.message_id = t.id)' },
];

/**
 * Deletes the rows of a page of a table, from `after` on. @returns where the next page begins; null when there is none
 */
export async function deletePage(
  tx: Queryable,
  projectId: string,
  { name, order, only, along }: LargeTable,
  after: Place | null,
  limit: number,
): Promise<Place | null> {
  const columns = order.map(([column]) => column).join(', ');
  const place = order.map(([, type], index) => `$${index + 3}::${type}`).join(', ');
  const { rows } = await tx.query<{ place: Place | null }>(
    `WITH page AS MATERIALIZED (
       SELECT ${columns}, row_number() OVER (ORDER BY ${columns}) AS n FROM ${name} WHERE project_id = $1 ${after ? `AND (${columns}) > (${place})` : ''} ORDER BY ${columns} LIMIT $2
     ), gone AS (
       DELETE FROM ${name} t USING page WHERE t.project_id = $1 AND t.id = page.id AND ${only}
     ), along AS (
       ${along ?? 'SELECT'}
     )
     SELECT (SELECT ARRAY[${order.map(([column]) => `${column}::text`).join(', ')}] FROM page WHERE n = $2) AS place`,
    [projectId, limit, ...(after ?? [])],
  );
  return rows[0]?.place ?? null;
}

/** The ids of up to `limit` contacts. */
export async function someContacts(tx: Queryable, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM contacts WHERE project_id = $1 ORDER BY created_at, id LIMIT $2`,
    [projectId, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * What a project's users have made, in an order in which nothing refers to what goes; everything else of it goes along
 * by foreign keys (steps and executions, memberships, attachments).
 */
const CONTENT = [
  'tracking_hits',
  'emails',
  'workflows',
  'campaigns',
  'events',
  'segments',
  'contacts',
  'event_deltas',
  'event_days',
  'segment_rechecks',
  'templates',
  'messages',
  'idempotency_keys',
];

/**
 * Deletes what is left of a project's content; its jobs but those of `keepJobs`, and of these what they say of
 * contacts.
 */
export async function deleteContent(tx: Queryable, projectId: string, keepJobs: string[]): Promise<void> {
  for (const table of CONTENT) await deleteFrom(tx, table, projectId);
  await tx.query(`DELETE FROM jobs WHERE project_id = $1 AND id <> ALL ($2::uuid[])`, [projectId, keepJobs]);
  await tx.query(`UPDATE jobs SET errors = '[]' WHERE project_id = $1 AND errors <> '[]'`, [projectId]);
  await deleteFrom(tx, 'import_files', projectId);
}

/** What belongs to the project itself, and is not deleted with it by a foreign key. */
const OF_THE_PROJECT = ['rate_windows', 'send_buckets', 'stat_deltas', 'reputation_suspects'];

/** Deletes a project without content, with its members, domains, jobs and figures. */
export async function deleteProjectRow(tx: Queryable, projectId: string): Promise<void> {
  for (const table of OF_THE_PROJECT) await deleteFrom(tx, table, projectId);
  await tx.query({ name: 'project-delete', text: `DELETE FROM projects WHERE id = $1`, values: [projectId] });
}

async function deleteFrom(tx: Queryable, table: string, projectId: string): Promise<void> {
  await tx.query({
    name: `project-delete-${table}`,
    text: `DELETE FROM ${table} WHERE project_id = $1`,
    values: [projectId],
  });
}
