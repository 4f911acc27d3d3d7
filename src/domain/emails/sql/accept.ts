/** The statement that accepts `POST /v1/send`: everything that a request writes. */
import type { Queryable } from '../../../db/pool.js';
import { claimKeys, type IdempotencyClaim } from '../../idempotency/sql.js';
import type { EmailTypeName, NewMessage } from './emails.js';

/** A checked request. */
export interface SendRequest {
  projectId: string;
  /** Whether the project has a limit for transactional email. */
  limited: boolean;
  senderDomain: string;
  templateId: string | null;
  message: NewMessage;
  attachments: NewAttachment[];
  /** null: immediately. */
  scheduledFor: Date | null;
  /** The sender's name for emails that are canceled together. */
  group: string | null;
  tags: string[];
  /** In the order of the request; an address that is given twice gets two emails. */
  recipients: NewRecipient[];
  /** Those of cc and bcc, which get copies of the email to the only recipient. They do not become contacts. */
  copyRecipients: NewRecipient[];
  /** Ids for the contacts that do not exist yet, by distinct address. */
  newContactIds: ReadonlyMap<string, string>;
  /** Fields to store on each contact. */
  set: Record<string, unknown>;
  /** Fields to delete from each contact. */
  unset: string[];
  /** Undefined: existing contacts keep their state, new ones are not subscribed. */
  subscribed: boolean | undefined;
  /** Raises SL002 if a contact is not subscribed after the upsert. */
  mustBeSubscribed: boolean;
  idempotency: IdempotencyClaim | null;
}

export interface NewRecipient {
  emailId: string;
  address: string;
  name: string | null;
}

export interface NewAttachment {
  filename: string;
  contentType: string;
  contentId: string | null;
  inline: boolean;
  content: Buffer;
}

/** Nothing of a request is written unless its outcome is `accepted`. */
export type StatementOutcome = 'accepted' | 'over_limit' | 'unverified_domain' | 'suppressed' | 'duplicate';

export interface StatementResult {
  outcome: StatementOutcome;
  /** The id of each contact by address; null unless accepted. */
  contactIds: Record<string, string> | null;
}

/*
 * $1: one object per request, numbered by `n`. $2: one object per recipient, with the `n` of its request. Recipients of copies
 * have no `contact_id`.
 *
 * `over_limit` only spares other requests of the statement: the trigger count_usage decides, because it also sees
 * emails that concurrent statements add. If it raises SL003, the whole statement is rolled back.
 */
const ACCEPT = `
WITH request AS MATERIALIZED (
  SELECT r.* FROM jsonb_to_recordset($1::jsonb) AS r (
    n int, project_id uuid, limited boolean, recipients int, sender_domain text, template_id uuid, message_id uuid,
    type email_type, subject text, preheader text, body text, text text, from_email text, from_name text, reply_to text,
    headers jsonb, variables jsonb, has_attachments boolean, copies jsonb, trace text, set jsonb, unset jsonb,
    subscribed boolean, must_be_subscribed boolean, scheduled_for timestamptz, send_group text, tags text[], key text,
    request text, response jsonb, ttl int)
), recipient AS MATERIALIZED (
  SELECT r.* FROM jsonb_to_recordset($2::jsonb) AS r (n int, email_id uuid, contact_id uuid, address text, name text)
), suppressed AS MATERIALIZED (
  -- The scalar subquery makes the planner look up each address instead of joining the whole list.
  SELECT DISTINCT x.n FROM recipient x JOIN request r USING (n)
   WHERE r.type <> 'TRANSACTIONAL'
     AND (SELECT true FROM suppressions s WHERE s.project_id = r.project_id AND s.email = x.address)
), checked AS MATERIALIZED (
  SELECT r.n,
         CASE
           WHEN r.limited AND (SELECT usage_of(p.id, 'TRANSACTIONAL') + r.recipients > usage_limit(p, 'TRANSACTIONAL')
                                 FROM projects p WHERE p.id = r.project_id)
             THEN 'over_limit'
           WHEN NOT EXISTS (SELECT FROM domains d
                             WHERE d.project_id = r.project_id AND d.domain = r.sender_domain AND d.status = 'VERIFIED')
             THEN 'unverified_domain'
           WHEN r.n IN (SELECT n FROM suppressed)
             THEN 'suppressed'
         END AS refusal
    FROM request r
), claimed AS (${claimKeys('request r JOIN checked c ON c.n = r.n AND c.refusal IS NULL')}
), accepted AS MATERIALIZED (
  SELECT r.* FROM request r JOIN checked USING (n)
   WHERE refusal IS NULL
     AND (r.key IS NULL OR EXISTS (SELECT FROM claimed c WHERE c.project_id = r.project_id AND c.key = r.key))
), wanted AS (
  SELECT array_agg(w.project_id) AS projects, array_agg(w.contact_id) AS ids, array_agg(w.address) AS emails,
         array_agg(w.set) AS sets, array_agg(w.unset) AS unsets, array_agg(w.subscribed) AS subscribed,
         array_agg(w.must_be_subscribed) AS must
    FROM (SELECT DISTINCT ON (a.project_id, x.address)
                 a.project_id, x.contact_id, x.address, a.set, a.unset, a.subscribed, a.must_be_subscribed
            FROM recipient x JOIN accepted a USING (n) WHERE x.contact_id IS NOT NULL
           ORDER BY a.project_id, x.address) w
), contact AS MATERIALIZED (
  SELECT u.*
    FROM wanted w, LATERAL upsert_contacts(w.projects, w.ids, w.emails, w.sets, w.unsets, w.subscribed, w.must, false) u
   WHERE w.ids IS NOT NULL
), message AS (
  INSERT INTO messages (id, project_id, type, subject, preheader, body, text, from_email, from_name, reply_to, headers,
                        variables, has_attachments, copies, trace)
  SELECT message_id, project_id, type, subject, preheader, body, text, from_email, from_name, reply_to, headers, variables,
         has_attachments, copies, trace
    FROM accepted
), email AS (
  INSERT INTO emails (id, project_id, message_id, contact_id, template_id, source, type, to_email, to_name, status,
                      next_attempt_at, scheduled_for, send_group, tags, is_ordered)
  SELECT x.email_id, a.project_id, a.message_id, c.id, a.template_id, 'TRANSACTIONAL', a.type, x.address, x.name,
         CASE WHEN a.scheduled_for IS NULL THEN 'PENDING' ELSE 'SCHEDULED' END::email_status,
         coalesce(a.scheduled_for, now()), a.scheduled_for, a.send_group, a.tags, a.recipients > 1
    FROM recipient x JOIN accepted a USING (n)
    LEFT JOIN contact c ON x.contact_id IS NOT NULL AND c.project_id = a.project_id AND c.email = x.address
), tag AS (
  INSERT INTO email_tags (project_id, tag, email_id)
  SELECT a.project_id, t.tag, x.email_id FROM recipient x JOIN accepted a USING (n) CROSS JOIN unnest(a.tags) AS t(tag)
), scheduled AS (
  SELECT uuid_v7(), a.project_id, c.id AS contact_id, x.email_id, 'email.scheduled' AS name,
         jsonb_strip_nulls(jsonb_build_object('templateId', a.template_id, 'tags', to_jsonb(a.tags), 'group', a.send_group,
           'scheduledFor', to_char(a.scheduled_for AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) AS data, NULL::timestamptz AS created_at, NULL::text AS trace
    FROM recipient x JOIN accepted a USING (n)
    LEFT JOIN contact c ON x.contact_id IS NOT NULL AND c.project_id = a.project_id AND c.email = x.address
   WHERE a.scheduled_for IS NOT NULL
), flip AS (
  SELECT uuid_v7(), c.project_id, c.id AS contact_id, NULL::uuid AS email_id,
         CASE WHEN c.is_subscribed THEN 'contact.subscribed' ELSE 'contact.unsubscribed' END AS name,
         '{"source":"send"}'::jsonb AS data, NULL::timestamptz AS created_at, NULL::text AS trace
    FROM contact c WHERE NOT c.is_new AND c.is_subscribed <> c.was_subscribed
), intent AS (
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM insert_events(ARRAY(
    SELECT f::new_event FROM flip f UNION ALL SELECT s::new_event FROM scheduled s)) i
), notified AS (
  SELECT pg_notify('sendloom', 'emails') WHERE $3::boolean AND EXISTS (SELECT FROM accepted)
)
SELECT r.n, coalesce(c.refusal, CASE WHEN a.n IS NULL THEN 'duplicate' ELSE 'accepted' END) AS outcome,
       ids.by_address AS "contactIds"
  FROM request r
  JOIN checked c USING (n)
  -- PostgreSQL runs a SELECT of the WITH list only if something reads it.
  LEFT JOIN notified ON true
  LEFT JOIN accepted a USING (n)
  LEFT JOIN (SELECT x.n, jsonb_object_agg(x.address, k.id) AS by_address
               FROM recipient x JOIN accepted a USING (n)
               JOIN contact k ON k.project_id = a.project_id AND k.email = x.address
              GROUP BY x.n) ids USING (n)
 ORDER BY r.n`;

/**
 * Accepts requests, all in one statement and so in one transaction. No two of them may have the same contact or the
 * same idempotency key. Attachments are not inserted. `isNotifying`: wakes the dispatchers with the commit.
 *
 * @returns one result per request, in their order
 * @throws the SQLSTATEs of upsert_contacts, SL001 (data too large) and SL002 (a contact is not subscribed), and of
 * count_usage, SL003 (over the project's limit); then nothing of any request was written
 */
export async function acceptSends(
  db: Queryable,
  requests: SendRequest[],
  { isNotifying }: { isNotifying: boolean },
): Promise<StatementResult[]> {
  const { rows } = await db.query<StatementResult & { n: number }>({
    name: 'accept-sends',
    text: ACCEPT,
    values: [JSON.stringify(requests.map(requestRow)), JSON.stringify(requests.flatMap(recipientRows)), isNotifying],
  });
  return rows;
}

function requestRow({ message, idempotency, ...request }: SendRequest, index: number): Record<string, unknown> {
  return {
    n: index + 1,
    project_id: request.projectId,
    limited: request.limited,
    recipients: request.recipients.length + request.copyRecipients.length,
    sender_domain: request.senderDomain,
    template_id: request.templateId,
    message_id: message.id,
    type: message.type,
    subject: message.subject,
    preheader: message.preheader,
    body: message.body,
    text: message.text,
    from_email: message.from,
    from_name: message.fromName,
    reply_to: message.replyTo,
    headers: message.headers,
    variables: message.variables,
    has_attachments: request.attachments.length > 0,
    copies: message.copies,
    trace: message.trace,
    set: request.set,
    unset: request.unset.length > 0 ? request.unset : null,
    subscribed: request.subscribed,
    must_be_subscribed: request.mustBeSubscribed,
    scheduled_for: request.scheduledFor,
    send_group: request.group,
    tags: request.tags.length > 0 ? request.tags : null,
    key: idempotency?.key,
    request: idempotency?.request,
    response: idempotency?.response,
    ttl: idempotency?.ttlHours,
  };
}

function recipientRows(
  { recipients, copyRecipients, newContactIds }: SendRequest,
  index: number,
): Array<Record<string, unknown>> {
  const toRow = ({ emailId, address, name }: NewRecipient, contactId: string | undefined) => ({
    n: index + 1,
    email_id: emailId,
    contact_id: contactId,
    address,
    name,
  });
  return [
    ...recipients.map((recipient) => toRow(recipient, newContactIds.get(recipient.address))),
    ...copyRecipients.map((recipient) => toRow(recipient, undefined)),
  ];
}

export async function insertAttachments(
  tx: Queryable,
  projectId: string,
  messageId: string,
  attachments: NewAttachment[],
): Promise<void> {
  await tx.query({
    name: 'attachments-insert',
    text: `
      INSERT INTO attachments (project_id, message_id, position, filename, content_type, content_id, inline, content)
      SELECT $1, $2, * FROM unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::bytea[])`,
    values: [
      projectId,
      messageId,
      attachments.map((_, index) => index),
      attachments.map((a) => a.filename),
      attachments.map((a) => a.contentType),
      attachments.map((a) => a.contentId),
      attachments.map((a) => a.inline),
      attachments.map((a) => a.content),
    ],
  });
}

/** The content that a template gives to an email. */
export interface SendTemplate {
  id: string;
  /** These three are null only in a draft. */
  subject: string | null;
  body: string | null;
  from: string | null;
  preheader: string | null;
  fromName: string | null;
  replyTo: string | null;
  type: EmailTypeName;
  draft: boolean;
}

export async function findSendTemplate(db: Queryable, projectId: string, id: string): Promise<SendTemplate | null> {
  const { rows } = await db.query<SendTemplate>({
    name: 'send-template',
    text: `
      SELECT id, subject, preheader, body, from_email AS "from", from_name AS "fromName", reply_to AS "replyTo", type, draft
        FROM templates WHERE project_id = $1 AND id = $2`,
    values: [projectId, id],
  });
  return rows[0] ?? null;
}
