/**
 * Records the results of claimed emails (claim.ts). src/domain/delivery/sql/chunks.ts does so for emails of campaigns, and
 * liveness.ts settles the emails of dead workers.
 */
import type { Queryable } from '../../../db/pool.js';
import { countSent } from '../../analytics/sql/email-figures.js';
import { storeAttempts } from './attempts.js';
import type { Copies } from './copies.js';
import type { EmailSourceName, EmailTypeName } from './emails.js';
import { serverIdOf, storeServerIds } from '../../feedback/sql/origin.js';
import type { SuppressionReason } from '../../suppressions/sql.js';

/** A claimed email with the contact's data for rendering. */
export interface ClaimedEmail {
  id: string;
  claimId: string;
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
  /** Whether its request has other emails: they are handed over in the order of the request. */
  isOrdered: boolean;
  /** Whether its request has later emails, which may wait for its result. */
  followed: boolean;
  /** The content, if it was requested and no earlier email has it. */
  message: MessageRow | null;
  /** False if the send window of a workflow's email has closed. */
  isWindowOpen: boolean;
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

/** When the send window of a workflow's email is open next; null without one (src/domain/executions/sql/send.ts). */
export const WINDOW_OPENS_AT = (email: string, from: string): string =>
  `next_open(${email}.variables #> '{sendWindow,hours}', ${from}, ${email}.variables #>> '{sendWindow,zone}')`;

const RETRY_TIME = `now() + r.retry_ms * interval '1 millisecond'`;
/** When the email `e` with the result `r` is due again. That of a workflow waits for its send window. */
const RETRY_AT = `greatest(${RETRY_TIME}, CASE WHEN e.source = 'WORKFLOW' THEN ${WINDOW_OPENS_AT('e', RETRY_TIME)} END)`;

/**
 * Updates the rows with results, inserts their events, and ends claims. Parameters: $1 the worker, $2 the results, $3 the claims
 * that end. The emails are locked before their claims, as everywhere.
 */
export const SETTLED = `result AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS r (
    id uuid, status email_status, error text, response text, server_id text, retry_ms float8, untried int, ambiguous boolean)
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
   WHERE e.id = r.id AND e.id = ANY (ARRAY(SELECT id FROM result)) AND e.claimed_by = $1
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
), identified AS (${storeServerIds('SELECT id, server_id FROM result WHERE server_id IS NOT NULL')}
), unclaimed AS (
  DELETE FROM email_claims WHERE id = ANY ($3::uuid[])
)`;

export const toJson = (results: readonly DeliveryResult[]): string =>
  JSON.stringify(
    results.map(({ id, status, error, response, retryMs, untried = false, ambiguous = false }) => {
      const storable = toStorable(response);
      return {
        id,
        status,
        error: toStorable(error),
        response: storable,
        server_id: serverIdOf(storable),
        retry_ms: retryMs,
        untried: untried ? 1 : 0,
        ambiguous,
      };
    }),
  );

/** PostgreSQL rejects NUL in texts. A reply of a mail server can contain it. */
export const withoutNul = (text: string | null): string | null =>
  text?.includes('\0') ? text.replaceAll('\0', '') : text;

/** PostgreSQL also rejects unpaired surrogates in JSON. */
const toStorable = (text: string | null): string | null => {
  const storable = withoutNul(text);
  return storable === null ? null : Buffer.from(storable).toString();
};

/**
 * Records results.
 *
 * @param ended the claims whose last emails have results here
 * @returns the ids of the updated rows; the others were already settled
 */
export async function settle(
  db: Queryable,
  workerId: string,
  results: readonly DeliveryResult[],
  ended: readonly string[] = [],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'delivery-settle',
    text: `WITH ${SETTLED} SELECT id FROM settled`,
    values: [workerId, toJson(results), ended],
  });
  return rows.map((row) => row.id);
}

/** Whether the project `p` tracks emails of this type (contract, section 4). */
export const IS_TRACKED = (type: string): string =>
  `(p.tracking = 'ENABLED' OR p.tracking = 'MARKETING_ONLY' AND ${type} <> 'TRANSACTIONAL')`;

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

/** The content of `messages m`, with its project `p`: a MessageRow. */
export const MESSAGE = `json_build_object(
  'id', m.id, 'projectId', m.project_id, 'type', m.type, 'subject', m.subject, 'preheader', m.preheader, 'body', m.body, 'text', m.text, 'from', m.from_email,
  'fromName', m.from_name, 'replyTo', m.reply_to, 'headers', m.headers, 'variables', m.variables, 'trace', m.trace,
  'hasAttachments', m.has_attachments, 'copies', m.copies, 'projectName', p.name, 'language', p.language,
  'postalAddress', p.postal_address)`;

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
