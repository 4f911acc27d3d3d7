/** Deletes a project's content: first in pages while the project is in use, then the rest in one transaction. */
import type { Queryable } from '../../../db/pool.js';

/** Locks a project, so that no rows can be added to it. Returns false if it does not exist. */
export async function lockProject(tx: Queryable, projectId: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'project-lock',
    text: `SELECT 1 FROM projects WHERE id = $1 FOR UPDATE`,
    values: [projectId],
  });
  return rowCount === 1;
}

/** Returns the ids of the Temporal workflows of a project's domains and webhook endpoints. */
export async function settingsWorkflowIds(tx: Queryable, projectId: string): Promise<string[]> {
  const { rows } = await tx.query<{ workflowId: string }>({
    name: 'project-settings-workflows',
    text: `SELECT 'domain:' || id AS "workflowId" FROM domains WHERE project_id = $1
           UNION ALL SELECT 'webhook:' || id FROM webhook_endpoints WHERE project_id = $1`,
    values: [projectId],
  });
  return rows.map((row) => row.workflowId);
}

/** A position in the order of a table, as returned by the previous page. */
export type Position = string[];

export interface LargeTable {
  name: string;
  /** The columns of the index that its pages follow, with their types. */
  order: ReadonlyArray<readonly [column: string, type: string]>;
  /** The rows `t` of a page that are deleted. */
  only: string;
  /** Statements that delete other rows of a page. */
  along?: readonly string[];
}

const BY_TIME = [
  ['created_at', 'timestamptz'],
  ['id', 'uuid'],
] as const;
const BY_ID = [['id', 'uuid']] as const;

/**
 * Tables that can be large, in an order in which no row references a deleted row. Contacts are not among them, because
 * their deletion also cancels executions.
 */
export const LARGE_TABLES: readonly LargeTable[] = [
  {
    name: 'emails',
    order: BY_TIME,
    only: 'true',
    along: [
      `DELETE FROM tracking_hits h USING page WHERE h.project_id = $1 AND h.email_id = page.id`,
      `DELETE FROM email_server_ids s USING page WHERE s.email_id = page.id`,
      `DELETE FROM email_attempts a USING page WHERE a.email_id = page.id`,
      `DELETE FROM email_unsubscribes u USING page WHERE u.email_id = page.id`,
      `DELETE FROM email_tags t USING page WHERE t.email_id = page.id`,
    ],
  },
  {
    name: 'step_executions',
    order: BY_ID,
    only: `EXISTS (SELECT FROM workflow_executions x
                    WHERE x.id = t.execution_id AND x.status NOT IN ('RUNNING', 'WAITING'))`,
  },
  { name: 'workflow_executions', order: BY_ID, only: `t.status NOT IN ('RUNNING', 'WAITING')` },
  { name: 'events', order: BY_TIME, only: 'true' },
  {
    name: 'messages',
    order: BY_ID,
    only: 'NOT EXISTS (SELECT FROM emails e WHERE e.project_id = t.project_id AND e.message_id = t.id)',
  },
];

/** Deletes a page of a table after the position `after`. Returns the next position, or null after the last page. */
export async function deletePage(
  tx: Queryable,
  projectId: string,
  { name, order, only, along = [] }: LargeTable,
  after: Position | null,
  limit: number,
): Promise<Position | null> {
  const columns = order.map(([column]) => column).join(', ');
  const place = order.map(([, type], index) => `$${index + 3}::${type}`).join(', ');
  const { rows } = await tx.query<{ place: Position | null }>(
    `WITH page AS MATERIALIZED (
       SELECT ${columns}, row_number() OVER (ORDER BY ${columns}) AS n FROM ${name}
        WHERE project_id = $1 ${after ? `AND (${columns}) > (${place})` : ''} ORDER BY ${columns} LIMIT $2
     ), gone AS (
       DELETE FROM ${name} t USING page WHERE t.project_id = $1 AND t.id = page.id AND ${only}
     )${along.map((statement, index) => `, along_${index} AS (${statement})`).join('')}
     SELECT (SELECT ARRAY[${order.map(([column]) => `${column}::text`).join(', ')}] FROM page WHERE n = $2) AS place`,
    [projectId, limit, ...(after ?? [])],
  );
  return rows[0]?.place ?? null;
}

/** Returns the ids of up to `limit` contacts. */
export async function listContactIds(tx: Queryable, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM contacts WHERE project_id = $1 ORDER BY created_at, id LIMIT $2`,
    [projectId, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * The tables of a project's content, in an order in which no row references a deleted row. Foreign keys delete the rest
 * (steps, executions, segment members, attachments).
 */
const CONTENT_TABLES = [
  'tracking_hits',
  'emails',
  'workflows',
  'campaigns',
  'events',
  'segments',
  'contacts',
  'contact_lists',
  'event_deltas',
  'event_days',
  'segment_rechecks',
  // Deltas first: a concurrent fold has then committed, and the next statements find its rows.
  'email_deltas',
  'link_deltas',
  'email_quarters',
  'email_hours',
  'email_days',
  'templates',
  'saved_blocks',
  'webhook_notices',
  'email_tags',
  'messages',
  'idempotency_keys',
  // The deletion of executions has added some. A concurrent fold drops them, because their workflows are deleted.
  'workflow_deltas',
];

/** Tables without an index on the project. */
const TABLES_OF_EMAILS = ['email_server_ids', 'email_attempts', 'email_unsubscribes'];

/** Deletes the rest of a project's content. The jobs `keepJobs` stay without their errors, which contain addresses. */
export async function deleteContent(tx: Queryable, projectId: string, keepJobs: string[]): Promise<void> {
  for (const table of TABLES_OF_EMAILS)
    await tx.query(`DELETE FROM ${table} WHERE email_id IN (SELECT e.id FROM emails e WHERE e.project_id = $1)`, [
      projectId,
    ]);
  // Their index begins with the endpoint.
  await tx.query(
    `DELETE FROM webhook_deliveries WHERE endpoint_id = ANY (ARRAY(SELECT id FROM webhook_endpoints WHERE project_id = $1))`,
    [projectId],
  );
  for (const table of CONTENT_TABLES) await deleteFrom(tx, table, projectId);
  await tx.query(`DELETE FROM jobs WHERE project_id = $1 AND id <> ALL ($2::uuid[])`, [projectId, keepJobs]);
  await tx.query(`UPDATE jobs SET errors = '[]' WHERE project_id = $1 AND errors <> '[]'`, [projectId]);
  for (const table of ['job_contacts', 'job_errors', 'export_parts', 'export_contacts'])
    await deleteFrom(tx, table, projectId);
  await deleteFrom(tx, 'import_files', projectId);
}

/** Tables that no foreign key empties when the project is deleted. */
const UNREFERENCED_TABLES = ['rate_windows', 'send_buckets', 'stat_deltas', 'reputation_suspects'];

/** Deletes a project that has no content, with its members, domains, jobs, and figures. */
export async function deleteProjectRow(tx: Queryable, projectId: string): Promise<void> {
  for (const table of UNREFERENCED_TABLES) await deleteFrom(tx, table, projectId);
  await tx.query({ name: 'project-delete', text: `DELETE FROM projects WHERE id = $1`, values: [projectId] });
}

async function deleteFrom(tx: Queryable, table: string, projectId: string): Promise<void> {
  await tx.query({
    name: `project-delete-${table}`,
    text: `DELETE FROM ${table} WHERE project_id = $1`,
    values: [projectId],
  });
}
