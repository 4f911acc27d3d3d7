/**
 * Claims emails, records their results, and settles the emails of dead workers.
 *
 * src/domain/delivery/dispatcher.ts uses the claims, and src/domain/delivery/sql/chunks.ts has those of campaigns.
 */
import type { Queryable } from '../../../db/pool.js';
import { countSent } from '../../analytics/sql/email-figures.js';
import { storeAttempts } from './attempts.js';
import type { Copies } from './copies.js';
import type { EmailSourceName, EmailTypeName } from './emails.js';
import { storeServerIds } from '../../feedback/sql/origin.js';
import type { SuppressionReason } from '../../suppressions/sql.js';

/** A claimed email with the contact's data for rendering. */
export interface ClaimedEmail {
  id: string;
  projectId: string;
  messageId: string;
  campaignId: string | null;
  workflowId: string | null;
  templateId: string | null;
  contactId: string | null;
  source: EmailSourceName;
  type: EmailTypeName;
  toEmail: string;
  toName: string | null;
  variables: Record<string, unknown> | null;
  attempts: number;
  /** The header Date: when it was accepted, or the time for which it was scheduled. The same for every attempt. */
  date: Date;
  /** Whether links and opens are tracked. Decided at the first attempt, so that a retry sends the same bytes. */
  tracked: boolean;
  /** Null if the contact was deleted or the address is not a contact. */
  contactData: Record<string, unknown> | null;
  contactSubscribed: boolean | null;
  /** Why the address is suppressed; null if it is not. */
  suppressed: SuppressionReason | null;
  projectDisabled: boolean;
  /** Whether its request has later emails, which may wait for its result. */
  followed: boolean;
  /** The content, if it was requested and no earlier email has it. */
  message: MessageRow | null;
  /** Whether its project used its whole share of the claim, and may have more due emails. */
  isShareUsed: boolean;
}

/** The result of a claimed email. PENDING: it is due again after `retryMs`. */
export interface DeliveryResult {
  id: string;
  status: 'SENT' | 'PENDING' | 'FAILED' | 'CANCELLED';
  error: string | null;
  response: string | null;
  retryMs: number;
  /** The claim is released and does not count as an attempt. */
  untried?: boolean;
  /** The connection broke after the content was written: the server may have accepted it, and a retry may repeat it. */
  ambiguous?: boolean;
}

/** Whether feedback proves that the email `e` was sent, although its outcome was unknown. */
export const IS_PROVEN_SENT =
  'coalesce(e.delivered_at, e.opened_at, e.clicked_at, e.bounced_at, e.complained_at) IS NOT NULL';
/** The status of the sent email `e`. Its recipient may have opened it before it is recorded as sent. */
export const BY_TIMES = `status_by_times(e.opened_at, e.clicked_at, e.delivered_at, e.bounced_at, e.complained_at)`;

/** Whether the result `r` contradicts feedback that arrived in the meantime for an email with an unknown outcome. */
const PROVEN = `r.status <> 'SENT' AND (e.ambiguous OR r.ambiguous) AND ${IS_PROVEN_SENT}`;

/** When the email `e` with the result `r` is due again. That of a workflow waits for its send window (src/domain/executions/sql/send.ts). */
const RETRY_AT = `greatest(
           now() + r.retry_ms * interval '1 millisecond',
           CASE WHEN e.source = 'WORKFLOW' THEN next_open(e.variables #> '{sendWindow,hours}', now() + r.retry_ms * interval '1 millisecond',
                                                          e.variables #>> '{sendWindow,zone}') END)`;

/** Updates the rows with results and inserts their events. Parameters: $1 the worker, $2 the results. */
const SETTLED = `result AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS r (
    id uuid, status email_status, error text, response text, retry_ms float8, untried int, ambiguous boolean)
), settled AS (
  UPDATE emails e
     -- The recipient may open the email before it is recorded as sent. Keep OPENED then.
     SET status = CASE WHEN r.status = 'SENT' OR ${PROVEN} THEN ${BY_TIMES} ELSE r.status END,
         error = CASE WHEN NOT (${PROVEN}) THEN r.error END,
         response = r.response,
         attempts = e.attempts - r.untried,
         ambiguous = e.ambiguous OR r.ambiguous,
         sent_at = CASE WHEN r.status = 'SENT' OR ${PROVEN} THEN now() END,
         next_attempt_at = CASE WHEN r.status = 'PENDING' THEN ${RETRY_AT} ELSE e.next_attempt_at END
    FROM result r
   WHERE e.id = r.id AND e.claimed_by = $1
     -- Second case: another worker assumed that this worker was dead and settled the row as ambiguous.
     AND (e.status = 'SENDING'
          OR e.status IN ('FAILED', 'PENDING', 'CANCELLED') AND e.ambiguous AND r.status = 'SENT')
  RETURNING e.id, e.project_id, e.contact_id, e.source, e.campaign_id, e.template_id,
            CASE WHEN e.sent_at IS NULL THEN r.status ELSE 'SENT' END AS outcome,
            e.attempts, e.response, e.error, r.ambiguous, r.untried, e.workflow_id, e.type, e.to_email, e.sent_at, e.tags
), attempted AS (${storeAttempts(`
    SELECT s.project_id, s.id, s.attempts, CASE WHEN s.ambiguous THEN 'UNKNOWN' WHEN s.outcome = 'PENDING' THEN 'DEFERRED' ELSE 'FAILED' END,
           s.response, s.error
      FROM settled s WHERE s.outcome IN ('PENDING', 'FAILED') AND s.untried = 0 AND s.source <> 'PLATFORM'`)}
), happened AS (
  SELECT uuid_v7(), s.project_id, s.contact_id, s.id AS email_id,
         CASE s.outcome WHEN 'SENT' THEN 'email.sent' ELSE 'email.failed' END AS name,
         jsonb_strip_nulls(jsonb_build_object('campaignId', s.campaign_id, 'templateId', s.template_id,
                                              'tags', to_jsonb(s.tags), 'error', CASE s.outcome WHEN 'FAILED' THEN s.error END)) AS data,
         now() AS created_at, NULL::text AS trace
    FROM settled s WHERE s.outcome IN ('SENT', 'FAILED') AND s.source NOT IN ('TEST', 'PLATFORM')
), intent AS (
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM insert_events(ARRAY(SELECT h::new_event FROM happened h)) i
), counted AS (
  INSERT INTO stat_deltas (project_id, campaign_id, day, sent)
  SELECT s.project_id, s.campaign_id, (now() AT TIME ZONE 'UTC')::date, count(*)
    FROM settled s WHERE s.outcome = 'SENT' AND s.source NOT IN ('TEST', 'PLATFORM')
   GROUP BY s.project_id, s.campaign_id
), counted_by_minute AS (${countSent(`SELECT * FROM settled WHERE outcome = 'SENT' AND source NOT IN ('TEST', 'PLATFORM')`)}
), identified AS (${storeServerIds('result')}
)`;

const toJson = (results: readonly DeliveryResult[]): string =>
  JSON.stringify(
    results.map(({ id, status, error, response, retryMs, untried = false, ambiguous = false }) => ({
      id,
      status,
      error: toStorable(error),
      response: toStorable(response),
      retry_ms: retryMs,
      untried: untried ? 1 : 0,
      ambiguous,
    })),
  );

/** PostgreSQL rejects NUL in texts. A reply of a mail server can contain it. */
export const withoutNul = (text: string | null): string | null =>
  text?.includes('\0') ? text.replaceAll('\0', '') : text;

/** PostgreSQL also rejects unpaired surrogates in JSON. */
const toStorable = (text: string | null): string | null => {
  const storable = withoutNul(text);
  return storable === null ? null : Buffer.from(storable).toString();
};

/** Records results. @returns the ids of the updated rows; the others were already settled */
export async function settle(db: Queryable, workerId: string, results: readonly DeliveryResult[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'delivery-settle',
    text: `WITH ${SETTLED} SELECT id FROM settled`,
    values: [workerId, toJson(results)],
  });
  return rows.map((row) => row.id);
}

/** Whether the project `p` tracks emails of this type (contract, section 4). */
export const IS_TRACKED = (type: string): string =>
  `(p.tracking = 'ENABLED' OR p.tracking = 'MARKETING_ONLY' AND ${type} <> 'TRANSACTIONAL')`;

/** Whether the email `e` is tracked. Test emails and emails of the platform never are. */
const TRACKED = `e.source NOT IN ('TEST', 'PLATFORM')
         AND (SELECT ${IS_TRACKED('e.type')} FROM projects p WHERE p.id = e.project_id)`;

/** The emails of the queue that `lane.automation` names: emails of workflows, or all others. */
const IN_QUEUE = (lane: string): string =>
  `e.stage = 'PENDING' AND e.campaign_id IS NULL AND (e.source = 'WORKFLOW') = ${lane}.automation`;

/** Whether the email is not among those whose results the statement records. */
const IS_UNRECORDED = (email: string, isRecording: boolean): string =>
  isRecording ? ` AND NOT EXISTS (SELECT FROM result r WHERE r.id = ${email}.id)` : '';

/** Whether another email of the request of `e` must be handed over first. A postponed one need not be. */
const IS_PRECEDED = (isRecording: boolean): string => `EXISTS (
           SELECT FROM emails earlier
            WHERE earlier.message_id = e.message_id AND earlier.id < e.id AND earlier.source = 'TRANSACTIONAL'
              AND earlier.stage IN ('PENDING', 'SENDING')
              AND (earlier.stage = 'SENDING' OR earlier.next_attempt_at <= now())${IS_UNRECORDED('earlier', isRecording)})`;

/** Emails of a request that are claimed together. The worker hands them over one after the other. */
const MAX_OF_REQUEST = 10;

/**
 * The next due email of the project and queue `lane`. `last_id` is the last one of its request, whose emails are neighbors in the
 * index. The search continues after it, because a request can have 1,000 emails.
 */
const nextDue = (condition: string): string => `
        SELECT e.id, e.message_id, e.next_attempt_at,
               CASE WHEN e.source = 'TRANSACTIONAL' THEN (
                 SELECT last.id FROM emails last
                  WHERE last.message_id = e.message_id AND last.source = 'TRANSACTIONAL'
                    AND last.stage IN ('PENDING', 'SENDING')
                  ORDER BY last.id DESC LIMIT 1) ELSE e.id END AS last_id
          FROM emails e
         WHERE ${IN_QUEUE('lane')} AND e.project_id = lane.id AND e.next_attempt_at <= now() AND ${condition}
         ORDER BY e.next_attempt_at, e.id LIMIT 1`;

/** The next emails of the request of `head`, if none of it is in flight. */
const following = (isRecording: boolean): string => `
        SELECT e.id FROM emails e
         WHERE head.last_id > head.id AND e.message_id = head.message_id AND e.id > head.id AND e.source = 'TRANSACTIONAL'
           AND e.stage = 'PENDING' AND e.next_attempt_at <= now()
           AND NOT EXISTS (SELECT FROM emails held
                            WHERE held.message_id = head.message_id AND held.source = 'TRANSACTIONAL'
                              AND held.stage = 'SENDING'${IS_UNRECORDED('held', isRecording)})
         ORDER BY e.id LIMIT ${MAX_OF_REQUEST - 1} FOR UPDATE SKIP LOCKED`;

/** The content of `messages m`, with its project `p`. */
const MESSAGE = `json_build_object(
  'id', m.id, 'projectId', m.project_id, 'type', m.type, 'subject', m.subject, 'preheader', m.preheader, 'body', m.body, 'text', m.text, 'from', m.from_email,
  'fromName', m.from_name, 'replyTo', m.reply_to, 'headers', m.headers, 'variables', m.variables, 'trace', m.trace,
  'hasAttachments', m.has_attachments, 'copies', m.copies, 'projectName', p.name, 'language', p.language,
  'postalAddress', p.postal_address)`;

/**
 * Claims due emails. The last parameters are the limit, and whether to return contents.
 *
 * 1. `project` lists the projects of both lanes by skipping from one to the next in the index.
 * 2. `turn` keeps those with a due email, transactional ones first. Each gets a share of the limit, so that a long
 *    queue of one project does not delay the others.
 * 3. `due` locks their oldest due emails, a few of each request. `head` is evaluated only as far as rows are needed.
 *
 * The scalar subqueries make the planner look up single rows instead of joining whole tables.
 */
const claimStatement = (isRecording: boolean): string => {
  const [limit, withContent] = isRecording ? ['$3::int', '$4::boolean'] : ['$2::int', '$3::boolean'];
  return `
WITH RECURSIVE project(automation, id) AS (
  SELECT lane.automation,
         (SELECT e.project_id FROM emails e WHERE ${IN_QUEUE('lane')} ORDER BY e.project_id LIMIT 1)
    FROM (VALUES (false), (true)) AS lane(automation)
  UNION ALL
  SELECT lane.automation,
         (SELECT e.project_id FROM emails e WHERE ${IN_QUEUE('lane')} AND e.project_id > lane.id
           ORDER BY e.project_id LIMIT 1)
    FROM project lane WHERE lane.id IS NOT NULL
), turn AS MATERIALIZED (
  SELECT lane.automation, lane.id, greatest(1, ${limit} / count(*) OVER (PARTITION BY lane.automation)) AS share
    FROM project lane
   WHERE lane.id IS NOT NULL
     -- Not EXISTS, which the planner could make a join that reads all due emails.
     AND (SELECT true FROM emails e
           WHERE ${IN_QUEUE('lane')} AND e.project_id = lane.id AND e.next_attempt_at <= now() LIMIT 1)
   ORDER BY lane.automation, random()
), ${isRecording ? `${SETTLED}, ` : ''}due AS MATERIALIZED (
  SELECT next.id, lane.share, lane.automation FROM turn lane CROSS JOIN LATERAL (
    WITH RECURSIVE head AS (
      (${nextDue('true')})
      UNION ALL
      SELECT n.* FROM head h CROSS JOIN LATERAL (
        ${nextDue('(e.next_attempt_at, e.id) > (h.next_attempt_at, h.last_id)')}) n
    )
    SELECT free.id FROM head CROSS JOIN LATERAL (
      SELECT e.id FROM emails e
       WHERE e.id = head.id AND e.status = 'PENDING'
         AND (e.source <> 'TRANSACTIONAL' OR NOT ${IS_PRECEDED(isRecording)})
       LIMIT 1 FOR UPDATE SKIP LOCKED) AS first
     CROSS JOIN LATERAL (
      SELECT first.id UNION ALL SELECT * FROM (${following(isRecording)}) AS following) AS free
     LIMIT lane.share) AS next
   LIMIT ${limit}
), claimed AS (
  UPDATE emails e
     SET status = 'SENDING', claimed_by = $1, claimed_at = now(), attempts = e.attempts + 1,
         tracked = coalesce(e.tracked, ${TRACKED})
    FROM due WHERE e.id = due.id AND e.status = 'PENDING'
  RETURNING e.id, e.project_id, e.message_id, e.campaign_id, e.workflow_id, e.template_id, e.contact_id, e.source, e.type, e.to_email, e.to_name,
            e.variables, e.attempts, coalesce(e.scheduled_for, e.created_at) AS date, e.tracked, due.share, due.automation
)
SELECT e.id, e.project_id AS "projectId", e.message_id AS "messageId", e.campaign_id AS "campaignId",
       e.workflow_id AS "workflowId", e.template_id AS "templateId",
       e.contact_id AS "contactId", e.source, e.type, e.to_email AS "toEmail", e.to_name AS "toName", e.variables,
       e.attempts, e.date, e.tracked, c.data AS "contactData", c.subscribed AS "contactSubscribed",
       (SELECT s.reason FROM suppressions s WHERE s.project_id = e.project_id AND s.email = e.to_email) AS suppressed,
       (SELECT p.disabled FROM projects p WHERE p.id = e.project_id) AS "projectDisabled",
       e.source = 'TRANSACTIONAL' AND EXISTS (
         SELECT FROM emails later
          WHERE later.message_id = e.message_id AND later.id > e.id AND later.source = 'TRANSACTIONAL'
            AND later.stage IN ('PENDING', 'SENDING')) AS followed,
       CASE WHEN ${withContent} AND e.attempts = 1 AND NOT e.automation
             AND NOT EXISTS (SELECT FROM emails first
                              WHERE first.message_id = e.message_id AND first.campaign_id IS NULL AND first.id < e.id)
            THEN (SELECT ${MESSAGE} FROM messages m JOIN projects p ON p.id = m.project_id
                   WHERE m.project_id = e.project_id AND m.id = e.message_id) END AS message,
       count(*) OVER (PARTITION BY e.automation, e.project_id) >= e.share AS "isShareUsed"
  FROM claimed e LEFT JOIN contacts c ON c.id = e.contact_id ORDER BY e.automation, e.id`;
};

const CLAIM = claimStatement(false);
const SETTLE_AND_CLAIM = claimStatement(true);

/** The input of a claim. The same statement records results, which saves a round trip and a flush. */
export interface Claim {
  workerId: string;
  limit: number;
  results: readonly DeliveryResult[];
  /** Whether to return the content of an email whose message no other email had before. Default: true. */
  withContent?: boolean;
}

/**
 * Records results, and claims due emails that belong to no campaign: first those of no workflow, and from all projects
 * in turn.
 */
export async function claimDue(
  db: Queryable,
  { workerId, limit, results, withContent = true }: Claim,
): Promise<ClaimedEmail[]> {
  const { rows } = await db.query<ClaimedEmail>(
    results.length === 0
      ? { name: 'delivery-claim', text: CLAIM, values: [workerId, limit, withContent] }
      : {
          name: 'delivery-settle-and-claim',
          text: SETTLE_AND_CLAIM,
          values: [workerId, toJson(results), limit, withContent],
        },
  );
  return rows;
}

export async function heartbeat(db: Queryable, workerId: string): Promise<void> {
  await db.query({
    name: 'worker-heartbeat',
    text: `INSERT INTO worker_instances (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET heartbeat_at = now()`,
    values: [workerId],
  });
}

/** Records whether a worker's journal has everything that it hands over. The worker must have a heartbeat. */
export async function declareJournal(db: Queryable, workerId: string, isJournaled: boolean): Promise<void> {
  await db.query({
    name: 'worker-journal',
    text: `UPDATE worker_instances SET is_journaled = $2 WHERE id = $1`,
    values: [workerId, isJournaled],
  });
}

/** A claimed email without a recorded result. */
export interface OpenClaim {
  id: string;
  /** Including this one. */
  attempts: number;
}

/** Returns the emails that a worker with a complete journal claimed over `ageMs` ago, if it has no later heartbeat. */
export async function selectClaimed(db: Queryable, workerId: string, ageMs: number): Promise<OpenClaim[]> {
  const { rows } = await db.query<OpenClaim>(
    `SELECT e.id, e.attempts FROM worker_instances w JOIN emails e ON e.claimed_by = w.id
      WHERE w.id = $1 AND w.is_journaled AND e.stage = 'SENDING'
        AND greatest(w.heartbeat_at, e.claimed_at) <= now() - $2 * interval '1 millisecond'`,
    [workerId, ageMs],
  );
  return rows;
}

export async function endHeartbeat(db: Queryable, workerId: string): Promise<void> {
  await db.query(`DELETE FROM worker_instances WHERE id = $1`, [workerId]);
}

/** The error of an email whose outcome is unknown because of a crash. */
export const AMBIGUOUS_ERROR =
  'The worker crashed while it handed over this email. It is unknown whether the mail server accepted it ' +
  '(AMBIGUOUS_SEND=skip).';

/** Whether the campaign of the email `e` was canceled. Only emails that an earlier version claimed have one. */
const CAMPAIGN_ENDED = `EXISTS (SELECT FROM campaigns c WHERE c.id = e.campaign_id AND c.status = 'CANCELLED')`;

const SETTLE_AMBIGUOUS = `
WITH dead AS (
  SELECT DISTINCT e.claimed_by AS id FROM emails e LEFT JOIN worker_instances w ON w.id = e.claimed_by
   WHERE e.stage = 'SENDING' AND e.claimed_by <> $1 AND (w.id IS NULL OR w.heartbeat_at < now() - make_interval(secs => $2))
     -- After a suspension, a worker claims before its next heartbeat, so recent claims count as alive.
     AND e.claimed_at < now() - make_interval(secs => $2)
), settled AS (
  UPDATE emails e
     SET status = CASE WHEN ${IS_PROVEN_SENT} THEN ${BY_TIMES} WHEN e.source = 'PLATFORM' THEN 'PENDING' WHEN $3::email_status = 'PENDING' AND ${CAMPAIGN_ENDED} THEN 'CANCELLED' ELSE $3::email_status END,
         ambiguous = true, sent_at = CASE WHEN ${IS_PROVEN_SENT} THEN now() END, error = CASE WHEN $3 = 'FAILED' AND e.source <> 'PLATFORM' AND NOT (${IS_PROVEN_SENT}) THEN $4 END, next_attempt_at = now()
    FROM dead WHERE e.stage = 'SENDING' AND e.claimed_by = dead.id AND e.claimed_at < now() - make_interval(secs => $2)
  RETURNING e.id, e.project_id, e.contact_id, e.source, e.campaign_id, e.template_id, e.sent_at IS NOT NULL AS proven,
            e.attempts, e.error, e.workflow_id, e.type, e.to_email, e.sent_at, e.tags
), attempted AS (${storeAttempts(`
    SELECT s.project_id, s.id, s.attempts, 'UNKNOWN', NULL, s.error FROM settled s WHERE NOT s.proven AND s.source <> 'PLATFORM'`)}
), happened AS (
  SELECT uuid_v7(), s.project_id, s.contact_id, s.id AS email_id,
         CASE WHEN s.proven THEN 'email.sent' ELSE 'email.failed' END AS name,
         jsonb_strip_nulls(jsonb_build_object('campaignId', s.campaign_id, 'templateId', s.template_id,
                                              'tags', to_jsonb(s.tags), 'error', CASE WHEN NOT s.proven THEN s.error END,
                                              'ambiguous', CASE WHEN NOT s.proven THEN true END)) AS data,
         now() AS created_at, NULL::text AS trace
    FROM settled s WHERE (s.proven OR $3 = 'FAILED') AND s.source NOT IN ('TEST', 'PLATFORM')
), intent AS (
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM insert_events(ARRAY(SELECT h::new_event FROM happened h)) i
), counted AS (
  INSERT INTO stat_deltas (project_id, campaign_id, day, sent)
  SELECT s.project_id, s.campaign_id, (now() AT TIME ZONE 'UTC')::date, count(*) FROM settled s WHERE s.proven AND s.source NOT IN ('TEST', 'PLATFORM') GROUP BY s.project_id, s.campaign_id
), counted_by_minute AS (${countSent(`SELECT * FROM settled WHERE proven AND source NOT IN ('TEST', 'PLATFORM')`)}
), gone AS (
  -- Also removes workers that died without emails in flight.
  DELETE FROM worker_instances w WHERE w.id IN (SELECT id FROM dead) OR (w.id <> $1 AND w.heartbeat_at < now() - interval '1 hour')
)
SELECT count(*)::int AS count FROM settled`;

/**
 * Settles the emails in flight of dead workers by the documented policy. Emails of the platform are always sent again: a
 * second password link is harmless, but without one the user is locked out.
 *
 * @returns the number of settled emails
 */
export async function settleAmbiguous(
  db: Queryable,
  { workerId, silentSeconds, policy }: { workerId: string; silentSeconds: number; policy: 'skip' | 'resend' },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'delivery-settle-ambiguous',
    text: SETTLE_AMBIGUOUS,
    values: [workerId, silentSeconds, policy === 'skip' ? 'FAILED' : 'PENDING', AMBIGUOUS_ERROR],
  });
  return rows[0]?.count ?? 0;
}

/**
 * Releases rows that a worker claimed without receiving the result, because the connection was lost after the commit.
 * They were never handed over.
 *
 * @param held the emails that the worker knows that it has claimed
 */
export async function releaseUnknownClaims(db: Queryable, workerId: string, held: string[]): Promise<number> {
  const { rowCount } = await db.query({
    name: 'delivery-release-unknown',
    text: `UPDATE emails SET status = 'PENDING', attempts = attempts - 1
            WHERE stage = 'SENDING' AND claimed_by = $1 AND claimed_at < now() - interval '30 seconds'
              AND id <> ALL ($2::uuid[])`,
    values: [workerId, held],
  });
  return rowCount ?? 0;
}

const REFILLED = `least($3::float8, b.tokens + $3::float8 * greatest(0, extract(epoch FROM excluded.updated_at - b.updated_at)))`;

/**
 * Takes up to `want` tokens from a project's bucket, which all workers share. It is refilled at `perSecond` and holds the
 * tokens of one second.
 *
 * @returns the number of granted tokens
 */
export async function takeTokens(db: Queryable, projectId: string, want: number, perSecond: number): Promise<number> {
  const { rows } = await db.query<{ granted: number }>({
    name: 'delivery-tokens',
    text: `INSERT INTO send_buckets AS b (project_id, tokens, granted, updated_at)
           VALUES ($1, $3::float8 - least($2::int, $3::int), least($2::int, $3::int), clock_timestamp())
           ON CONFLICT (project_id) DO UPDATE
              SET tokens = ${REFILLED} - least($2::int, floor(${REFILLED})), granted = least($2::int, floor(${REFILLED})), updated_at = greatest(b.updated_at, excluded.updated_at)
           RETURNING granted`,
    values: [projectId, want, perSecond],
  });
  return rows[0]?.granted ?? 0;
}

/** The content that claimed emails share, with the project's name, language, and postal address. */
export interface MessageRow {
  id: string;
  projectId: string;
  type: EmailTypeName;
  subject: string;
  preheader: string | null;
  body: string;
  /** The text alternative; null: derived from the body. */
  text: string | null;
  from: string;
  fromName: string | null;
  replyTo: string | null;
  headers: Record<string, string> | null;
  variables: Record<string, unknown> | null;
  /** W3C traceparent of the request that created it. */
  trace: string | null;
  hasAttachments: boolean;
  /** The emails of cc and bcc; null without any. */
  copies: Copies | null;
  projectName: string;
  language: string;
  /** Of the project. */
  postalAddress: string | null;
}

export async function loadMessage(db: Queryable, projectId: string, id: string): Promise<MessageRow | null> {
  const { rows } = await db.query<{ message: MessageRow }>({
    name: 'delivery-message',
    text: `SELECT ${MESSAGE} AS message FROM messages m JOIN projects p ON p.id = m.project_id
            WHERE m.project_id = $1 AND m.id = $2`,
    values: [projectId, id],
  });
  return rows[0]?.message ?? null;
}

export interface AttachmentRow {
  filename: string;
  contentType: string;
  contentId: string | null;
  inline: boolean;
  content: Buffer;
}

export async function loadAttachments(db: Queryable, messageId: string): Promise<AttachmentRow[]> {
  const { rows } = await db.query<AttachmentRow>({
    name: 'delivery-attachments',
    text: `SELECT filename, content_type AS "contentType", content_id AS "contentId", inline, content FROM attachments WHERE message_id = $1 ORDER BY position`,
    values: [messageId],
  });
  return rows;
}
