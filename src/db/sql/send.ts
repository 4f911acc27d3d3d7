/** Accepting a send request: everything that it writes, in one statement. */
import type { Queryable } from '../pool.js';
import type { EmailTypeName, NewMessage } from './emails.js';

export interface AcceptSend {
  projectId: string;
  senderDomain: string;
  /** Distinct addresses with the id that each gets if it is new. */
  contacts: Array<{ id: string; email: string }>;
  set: Record<string, unknown>;
  unset: string[];
  subscribed: boolean | undefined;
  /** Refuses (SL002) when a contact is not subscribed after the upsert. */
  mustBeSubscribed: boolean;
  message: NewMessage;
  /** In the order of the request; the same address may come twice. */
  emails: Array<{ id: string; email: string; name: string | null }>;
  templateId: string | null;
  idempotency: { key: string; request: string; response: Record<string, unknown>; ttlHours: number } | null;
}

export interface AcceptedSend {
  /** Whether the sender's domain is verified; when not, nothing was written. */
  verified: boolean;
  /** False when the idempotency key was taken; then nothing was written. */
  accepted: boolean;
  /** Ids of the contacts by address. */
  contacts: Map<string, string>;
}

const ACCEPT = `
WITH sender AS (
  SELECT 1 FROM domains WHERE project_id = $1 AND domain = $2 AND status = 'VERIFIED'
), claimed AS (
  -- A parallel request with this key waits here until the first one has committed, and then finds no row to return.
  INSERT INTO idempotency_keys AS k (project_id, key, request, response, expires_at)
  SELECT $1, $3, $4, $5::jsonb, now() + make_interval(hours => $6) FROM sender WHERE $3::text IS NOT NULL
  ON CONFLICT (project_id, key) DO UPDATE
     SET request = excluded.request, response = excluded.response, created_at = now(), expires_at = excluded.expires_at
   WHERE k.expires_at <= now()
  RETURNING 1
), go AS MATERIALIZED (
  SELECT 1 FROM sender WHERE $3::text IS NULL OR EXISTS (SELECT FROM claimed)
), contact AS MATERIALIZED (
  SELECT u.* FROM go, LATERAL upsert_contacts($1, $7::uuid[], $8::text[], $9::jsonb, $10::text[], $11::boolean, false, $12::boolean) u
), message AS (
  INSERT INTO messages (id, project_id, type, subject, body, from_email, from_name, reply_to, headers, variables, has_attachments)
  SELECT $13::uuid, $1, $14::email_type, $15, $16, $17, $18, $19, $20::jsonb, $21::jsonb, $22::boolean FROM go
), email AS (
  INSERT INTO emails (id, project_id, message_id, contact_id, template_id, source, type, to_email, to_name)
  SELECT r.id, $1, $13::uuid, c.id, $23::uuid, 'TRANSACTIONAL', $14::email_type, r.email, r.name
    FROM unnest($24::uuid[], $25::text[], $26::text[]) AS r(id, email, name) JOIN contact c ON c.email = r.email
), flip AS (
  INSERT INTO events (id, project_id, contact_id, name, data)
  SELECT uuid_v7(), $1, c.id, CASE WHEN c.is_subscribed THEN 'contact.subscribed' ELSE 'contact.unsubscribed' END, '{"source":"send"}'::jsonb
    FROM contact c WHERE NOT c.is_new AND c.is_subscribed <> c.was_subscribed
)
SELECT EXISTS (SELECT FROM sender) AS verified, EXISTS (SELECT FROM go) AS accepted, c.id, c.email FROM (SELECT 1) AS one LEFT JOIN contact c ON true`;

/** @throws what upsert_contacts raises: SL001 (data too large), SL002 (a contact is not subscribed) */
export async function acceptSend(db: Queryable, send: AcceptSend, hasAttachments: boolean): Promise<AcceptedSend> {
  const { message, idempotency } = send;
  const { rows } = await db.query<{ verified: boolean; accepted: boolean; id: string | null; email: string | null }>({
    name: 'accept-send',
    text: ACCEPT,
    values: [
      send.projectId,
      send.senderDomain,
      idempotency?.key ?? null,
      idempotency?.request ?? null,
      idempotency ? JSON.stringify(idempotency.response) : null,
      idempotency?.ttlHours ?? 0,
      send.contacts.map((contact) => contact.id),
      send.contacts.map((contact) => contact.email),
      JSON.stringify(send.set),
      send.unset,
      send.subscribed ?? null,
      send.mustBeSubscribed,
      message.id,
      message.type,
      message.subject,
      message.body,
      message.from,
      message.fromName ?? null,
      message.replyTo ?? null,
      message.headers ? JSON.stringify(message.headers) : null,
      message.variables ? JSON.stringify(message.variables) : null,
      hasAttachments,
      send.templateId,
      send.emails.map((email) => email.id),
      send.emails.map((email) => email.email),
      send.emails.map((email) => email.name),
    ],
  });
  const contacts = new Map(rows.flatMap((row) => (row.id && row.email ? [[row.email, row.id] as const] : [])));
  return { verified: rows[0]?.verified ?? false, accepted: rows[0]?.accepted ?? false, contacts };
}

export interface NewAttachment {
  filename: string;
  contentType: string;
  contentId: string | null;
  inline: boolean;
  content: Buffer;
}

export async function insertAttachments(tx: Queryable, projectId: string, messageId: string, attachments: NewAttachment[]): Promise<void> {
  await tx.query({
    name: 'attachments-insert',
    text: `INSERT INTO attachments (project_id, message_id, position, filename, content_type, content_id, inline, content)
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

export interface SendTemplate {
  id: string;
  subject: string;
  body: string;
  from: string;
  fromName: string | null;
  replyTo: string | null;
  type: EmailTypeName;
}

export async function findSendTemplate(db: Queryable, projectId: string, id: string): Promise<SendTemplate | null> {
  const { rows } = await db.query<SendTemplate>({
    name: 'send-template',
    text: `SELECT id, subject, body, from_email AS "from", from_name AS "fromName", reply_to AS "replyTo", type FROM templates WHERE project_id = $1 AND id = $2`,
    values: [projectId, id],
  });
  return rows[0] ?? null;
}
