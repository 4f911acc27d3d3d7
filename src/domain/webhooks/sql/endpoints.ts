/** Rows of webhook endpoints. */
import type { Queryable } from '../../../db/pool.js';

export interface EndpointRow {
  id: string;
  url: string;
  description: string;
  events: string[];
  enabled: boolean;
  disabledReason: string | null;
  failingSince: Date | null;
  pausedUntil: Date | null;
  lastSuccessAt: Date | null;
  previousSecretUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** Waiting deliveries, counted up to 10,001. */
  waiting: number;
}

const COLUMNS = `w.id, w.url, w.description, w.events, w.enabled, w.disabled_reason AS "disabledReason",
  w.failing_since AS "failingSince", CASE WHEN w.paused_until > now() THEN w.paused_until END AS "pausedUntil",
  w.last_success_at AS "lastSuccessAt",
  CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_until END AS "previousSecretUntil",
  w.created_at AS "createdAt", w.updated_at AS "updatedAt",
  (SELECT count(*)::int FROM (SELECT FROM webhook_deliveries d
                               WHERE d.endpoint_id = w.id AND d.status = 'PENDING' LIMIT 10001) d) AS waiting`;

/** The newest first. */
export async function selectEndpoints(db: Queryable, projectId: string): Promise<EndpointRow[]> {
  const { rows } = await db.query<EndpointRow>({
    name: 'webhook-endpoints',
    text: `SELECT ${COLUMNS} FROM webhook_endpoints w WHERE w.project_id = $1 ORDER BY w.id DESC`,
    values: [projectId],
  });
  return rows;
}

export async function findEndpoint(db: Queryable, projectId: string, id: string): Promise<EndpointRow | null> {
  const { rows } = await db.query<EndpointRow>({
    name: 'webhook-endpoint',
    text: `SELECT ${COLUMNS} FROM webhook_endpoints w WHERE w.project_id = $1 AND w.id = $2`,
    values: [projectId, id],
  });
  return rows[0] ?? null;
}

export interface NewEndpoint {
  id: string;
  projectId: string;
  url: string;
  description: string;
  events: string[];
  enabled: boolean;
  /** Encrypted. */
  secret: string;
}

/** Inserts an endpoint unless the project has `limit` of them. @returns whether it did */
export async function insertEndpoint(tx: Queryable, endpoint: NewEndpoint, limit: number): Promise<boolean> {
  // Two requests at the limit wait for each other.
  await tx.query(`SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE`, [endpoint.projectId]);
  const { rowCount } = await tx.query({
    name: 'webhook-endpoint-insert',
    text: `INSERT INTO webhook_endpoints (id, project_id, url, description, events, enabled, secret)
           SELECT $1, $2, $3, $4, $5, $6, $7
            WHERE (SELECT count(*) FROM webhook_endpoints WHERE project_id = $2) < $8`,
    values: [
      endpoint.id,
      endpoint.projectId,
      endpoint.url,
      endpoint.description,
      endpoint.events,
      endpoint.enabled,
      endpoint.secret,
      limit,
    ],
  });
  return rowCount === 1;
}

export interface EndpointChange {
  url?: string | undefined;
  description?: string | undefined;
  events?: string[] | undefined;
  enabled?: boolean | undefined;
}

/**
 * Changes an endpoint. Enabling it, or another URL, renews it: a pause ends, failures are forgotten, and all that waits is
 * due. An endpoint that fails is attempted rarely, so only few of its deliveries wait for a later attempt.
 *
 * @returns whether it exists
 */
export async function updateEndpoint(
  tx: Queryable,
  projectId: string,
  id: string,
  { url, description, events, enabled }: EndpointChange,
): Promise<boolean> {
  const { rows } = await tx.query<{ renewed: boolean }>({
    name: 'webhook-endpoint-update',
    text: `UPDATE webhook_endpoints
              SET url = coalesce($3, url), description = coalesce($4, description), events = coalesce($5, events),
                  enabled = coalesce($6, enabled), updated_at = now(), idle = false,
                  disabled_reason = CASE WHEN $6 IS NULL THEN disabled_reason END,
                  failures = CASE WHEN renewed THEN 0 ELSE failures END,
                  failing_since = CASE WHEN renewed THEN NULL ELSE failing_since END,
                  paused_until = CASE WHEN renewed THEN NULL ELSE paused_until END,
                  renewed_at = CASE WHEN renewed THEN clock_timestamp() ELSE renewed_at END
             FROM (SELECT coalesce($6 AND NOT enabled, false) OR coalesce($3 <> url, false) AS renewed
                     FROM webhook_endpoints WHERE id = $2) AS change
            WHERE project_id = $1 AND id = $2
           RETURNING renewed`,
    values: [projectId, id, url, description, events, enabled],
  });
  if (rows[0]?.renewed)
    await tx.query(
      `UPDATE webhook_deliveries SET next_attempt_at = now()
        WHERE endpoint_id = $1 AND status = 'PENDING' AND next_attempt_at > now()`,
      [id],
    );
  return rows.length === 1;
}

export async function deleteEndpoint(tx: Queryable, projectId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'webhook-endpoint-delete',
    text: `DELETE FROM webhook_endpoints WHERE project_id = $1 AND id = $2`,
    values: [projectId, id],
  });
  return rowCount === 1;
}

/** Replaces the secret. The former one signs too until a time. @returns whether the endpoint exists */
export async function replaceSecret(
  tx: Queryable,
  projectId: string,
  id: string,
  { secret, until }: { secret: string; until: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'webhook-endpoint-rotate',
    text: `UPDATE webhook_endpoints
              SET previous_secret = secret, previous_secret_until = $4, secret = $3, updated_at = now()
            WHERE project_id = $1 AND id = $2`,
    values: [projectId, id, secret, until],
  });
  return rowCount === 1;
}
