/** SQL of tracking hits: the queue of unclassified hits, and the stored hits. */
import type { Queryable } from '../../db/pool.js';
import { minuteOf } from '../analytics/sql/email-figures.js';
import { COUNT_LINKS } from '../campaigns/sql/links.js';

/** Whether a machine sent a request, and the reason if it is not obvious. */
export interface Verdict {
  machine: boolean;
  reason: string | null;
}

export interface Hit {
  id: string;
  emailId: string;
  kind: 'open' | 'click';
  /** The target of a click; null for an open. */
  url: string | null;
  /** The `data-link` of the clicked link. */
  label?: string | null;
  userAgent: string | null;
  ip: string | null;
}

/** A new hit, with the classification of its request. */
export interface NewHit extends Hit, Verdict {
  /** Its age in milliseconds. The database's clock dates it, as it dates the sending. */
  ageMs: number;
  /** Its time, if an outside service received and dated it. */
  at?: Date;
  /** How long it waits for nearby hits, in milliseconds. */
  delayMs: number;
}

/** Queues hits. Repeated calls queue each hit once. */
export async function enqueueHits(db: Queryable, hits: readonly NewHit[]): Promise<void> {
  await db.query({
    name: 'tracking-enqueue',
    text: `INSERT INTO tracking_queue (id, email_id, kind, url, label, machine, reason, user_agent, ip, at, due_at)
           SELECT h.id, h.email_id, h.kind, h.url, h.label, h.machine, h.reason, h.user_agent, h.ip, received.at,
                  received.at + h.delay * interval '1 millisecond'
             FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[],
                         $8::text[], $9::float8[], $10::float8[], $11::timestamptz[], $12::text[])
                  AS h(id, email_id, kind, url, machine, reason, user_agent, ip, age, delay, seen_at, label)
            CROSS JOIN LATERAL (
              SELECT coalesce(h.seen_at, clock_timestamp() - h.age * interval '1 millisecond') AS at) AS received
           ON CONFLICT DO NOTHING`,
    values: [
      hits.map((hit) => hit.id),
      hits.map((hit) => hit.emailId),
      hits.map((hit) => hit.kind),
      hits.map((hit) => hit.url),
      hits.map((hit) => hit.machine),
      hits.map((hit) => hit.reason),
      hits.map((hit) => hit.userAgent),
      hits.map((hit) => hit.ip),
      hits.map((hit) => hit.ageMs),
      hits.map((hit) => hit.delayMs),
      hits.map((hit) => hit.at?.toISOString() ?? null),
      hits.map((hit) => hit.label ?? null),
    ],
  });
}

export interface QueuedHit extends Hit, Verdict {
  at: Date;
}

/** Removes up to `limit` due hits from the queue, except those locked by another worker. */
export async function dequeueHits(tx: Queryable, limit: number): Promise<QueuedHit[]> {
  const { rows } = await tx.query<QueuedHit>({
    name: 'tracking-take',
    text: `DELETE FROM tracking_queue q
            WHERE q.id = ANY (ARRAY(
                    SELECT id FROM tracking_queue WHERE due_at <= clock_timestamp()
                     ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED))
        RETURNING q.id, q.email_id AS "emailId", q.kind, q.url, q.label, q.machine, q.reason, q.user_agent AS "userAgent",
                  q.ip, q.at`,
    values: [limit],
  });
  return rows;
}

/** Returns the milliseconds until the next hit is due; null if the queue is empty. */
export async function nextHitDueMs(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ ms: number | null }>({
    name: 'tracking-next-due',
    text: `SELECT extract(epoch FROM min(due_at) - clock_timestamp())::float8 * 1000 AS ms FROM tracking_queue`,
  });
  return rows[0]?.ms ?? null;
}

/** The fields of an email that the classification of its hits needs. */
export interface HitEmail {
  id: string;
  projectId: string;
  ambiguous: boolean;
  claimedAt: Date | null;
  sentAt: Date | null;
  /** Whether it belongs to a campaign and has no recorded result yet. It may have been sent. */
  isUnrecorded?: boolean;
}

/** Locks the emails of hits in the order in which feedback locks them. Deleted emails are missing from the result. */
export async function lockEmailsOfHits(tx: Queryable, emailIds: string[]): Promise<HitEmail[]> {
  const { rows } = await tx.query<HitEmail>({
    name: 'tracking-emails',
    text: `SELECT id, project_id AS "projectId", ambiguous, claimed_at AS "claimedAt", sent_at AS "sentAt",
                  status = 'PENDING' AND campaign_id IS NOT NULL AS "isUnrecorded"
             FROM emails WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    values: [emailIds],
  });
  return rows;
}

/** The fields of a hit that count for the classification of another hit. */
export type NearbyHit = Pick<QueuedHit, 'emailId' | 'kind' | 'url' | 'ip' | 'at'>;

/** Returns the queued and stored hits of these emails after `since`, except those that the transaction dequeued. */
export async function findHitsSince(tx: Queryable, emails: readonly HitEmail[], since: Date): Promise<NearbyHit[]> {
  if (emails.length === 0) return [];
  const { rows } = await tx.query<NearbyHit>({
    name: 'tracking-hits-since',
    text: `SELECT q.email_id AS "emailId", q.kind, q.url, q.ip, q.at
             FROM tracking_queue q WHERE q.email_id = ANY ($1::uuid[]) AND q.at >= $3
            UNION ALL
           SELECT h.email_id, h.kind, h.url, h.ip, h.at
             FROM unnest($1::uuid[], $2::uuid[]) AS e(id, project_id)
             JOIN tracking_hits h ON h.project_id = e.project_id AND h.email_id = e.id AND h.at >= $3`,
    values: [emails.map(({ id }) => id), emails.map(({ projectId }) => projectId), since],
  });
  return rows;
}

/** A classified hit of an existing email. */
export interface ClassifiedHit extends QueuedHit {
  projectId: string;
}

/**
 * Stores hits, counts those of machines on their emails, and adds clicks to the links of their campaigns. The caller has
 * locked the emails. @returns the ids of hits that were not stored before */
export async function storeHits(tx: Queryable, hits: readonly ClassifiedHit[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'tracking-store',
    text: `WITH stored AS (
             INSERT INTO tracking_hits (id, project_id, email_id, kind, url, machine, reason, user_agent, ip, at, label)
             SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::boolean[], $7::text[],
                                  $8::text[], $9::text[], $10::timestamptz[], $11::text[])
             ON CONFLICT DO NOTHING
             RETURNING id, email_id, kind, machine, url, label, at
           ), counted AS (
             UPDATE emails e SET machine_opens = e.machine_opens + m.opens, machine_clicks = e.machine_clicks + m.clicks
               FROM (SELECT email_id, count(*) FILTER (WHERE kind = 'open') AS opens,
                            count(*) FILTER (WHERE kind = 'click') AS clicks,
                            min(at) FILTER (WHERE kind = 'open') AS open_at,
                            min(at) FILTER (WHERE kind = 'click') AS click_at
                       FROM stored WHERE machine GROUP BY email_id) m
              WHERE e.id = m.email_id
             RETURNING e.project_id, e.campaign_id, e.template_id, e.workflow_id, e.source, e.type, e.to_email,
                       CASE WHEN e.machine_opens = m.opens THEN m.open_at END AS first_open_at,
                       CASE WHEN e.machine_clicks = m.clicks THEN m.click_at END AS first_click_at
           ), counted_by_minute AS (
             INSERT INTO email_deltas (project_id, minute, campaign_id, template_id, workflow_id, source, type, domain,
                                       machine_opened, machine_clicked)
             SELECT c.project_id, ${minuteOf('f.at')}, c.campaign_id, c.template_id, c.workflow_id, c.source, c.type,
                    split_part(c.to_email, '@', -1), sum(f.opened), sum(f.clicked)
               FROM counted c
              CROSS JOIN LATERAL (VALUES (c.first_open_at, 1, 0), (c.first_click_at, 0, 1)) AS f(at, opened, clicked)
              WHERE f.at IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
           ), ${COUNT_LINKS}
           SELECT id FROM stored`,
    values: [
      hits.map((hit) => hit.id),
      hits.map((hit) => hit.projectId),
      hits.map((hit) => hit.emailId),
      hits.map((hit) => hit.kind),
      hits.map((hit) => hit.url),
      hits.map((hit) => hit.machine),
      hits.map((hit) => hit.reason),
      hits.map((hit) => hit.userAgent),
      hits.map((hit) => hit.ip),
      hits.map((hit) => hit.at.toISOString()),
      hits.map((hit) => hit.label ?? null),
    ],
  });
  return new Set(rows.map(({ id }) => id));
}
