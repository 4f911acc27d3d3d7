/** Accepting send requests: everything that they write, in one statement. */
import type { Queryable } from '../../../db/pool.js';
import type { EmailTypeName, NewMessage } from './emails.js';
import { claimKeys, type IdempotencyClaim } from '../../idempotency/sql.js';

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
  hasAttachments: boolean;
  /** In the order of the request; the same address may come twice. */
  emails: Array<{ id: string; email: string; name: string | null }>;
  templateId: string | null;
  idempotency: IdempotencyClaim | null;
  /** Whether the project has a limit for transactional mail. */
  limited: boolean;
}

export interface AcceptedSend {
  /** Whether the sender's domain is verified; when not, nothing was written. */
  verified: boolean;
  /** Whether one of the addresses is suppressed, and the mail is no transactional one; then nothing was written. */
  suppressed: boolean;
  /** False when the idempotency key was taken; then nothing was written. */
  accepted: boolean;
  /** Ids of the contacts by address. */
  contacts: Map<string, string>;
}

const ACCEPT = `
WITH request AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::int[], $7::uuid[], $8::email_type[], $9::text[], $10::text[], $11::text[],
                       $12::text[], $13::text[], $14::jsonb[], $15::jsonb[], $16::boolean[], $17::uuid[], $29::text[]) WITH ORDINALITY
         AS r(project_id, domain, key, request, response, ttl, message_id, type, subject, body, from_email, from_name, reply_to, headers, variables, has_attachments, template_id, trace, n)
), sender AS MATERIALIZED (
  SELECT r.n FROM request r WHERE EXISTS (SELECT FROM domains d WHERE d.project_id = r.project_id AND d.domain = r.domain AND d.status = 'VERIFIED')
), suppressed AS MATERIALIZED (
  -- A subquery: the planner makes a look-up of each address of it, and no join with the whole list.
  SELECT DISTINCT x.n FROM unnest($18::int[], $20::text[]) AS x(n, email) JOIN request r USING (n)
   WHERE r.type <> 'TRANSACTIONAL' AND (SELECT true FROM suppressions s WHERE s.project_id = r.project_id AND s.email = x.email)
), fit AS MATERIALIZED (
  SELECT n FROM sender WHERE n NOT IN (SELECT n FROM suppressed)
), claimed AS (${claimKeys('request r JOIN fit USING (n)')}
), go AS MATERIALIZED (
  SELECT r.* FROM request r JOIN fit USING (n) WHERE r.key IS NULL OR EXISTS (SELECT FROM claimed c WHERE c.project_id = r.project_id AND c.key = r.key)
), wanted AS (
  SELECT array_agg(go.project_id) AS projects, array_agg(x.id) AS ids, array_agg(x.email) AS emails, array_agg(x.set) AS sets, array_agg(x.unset) AS unsets,
         array_agg(x.subscribed) AS subscribed, array_agg(x.must) AS must
    FROM unnest($18::int[], $19::uuid[], $20::text[], $21::jsonb[], $22::jsonb[], $23::boolean[], $24::boolean[]) AS x(n, id, email, set, unset, subscribed, must) JOIN go USING (n)
), contact AS MATERIALIZED (
  SELECT u.* FROM wanted w, LATERAL upsert_contacts(w.projects, w.ids, w.emails, w.sets, w.unsets, w.subscribed, w.must, false) u WHERE w.ids IS NOT NULL
), message AS (
  INSERT INTO messages (id, project_id, type, subject, body, from_email, from_name, reply_to, headers, variables, has_attachments, trace)
  SELECT message_id, project_id, type, subject, body, from_email, from_name, reply_to, headers, variables, has_attachments, trace FROM go
), email AS (
  INSERT INTO emails (id, project_id, message_id, contact_id, template_id, source, type, to_email, to_name)
  SELECT e.id, go.project_id, go.message_id, c.id, go.template_id, 'TRANSACTIONAL', go.type, e.email, e.name
    FROM unnest($25::int[], $26::uuid[], $27::text[], $28::text[]) AS e(n, id, email, name) JOIN go USING (n) JOIN contact c ON c.project_id = go.project_id AND c.email = e.email
), flip AS (
  -- Of two that flip a contact at once, the one that waited for the other may have begun before it: with the time of the statement it would come first.
  INSERT INTO events (id, project_id, contact_id, name, data, created_at)
  SELECT uuid_v7(), c.project_id, c.id, CASE WHEN c.is_subscribed THEN 'contact.subscribed' ELSE 'contact.unsubscribed' END, '{"source":"send"}'::jsonb, clock_timestamp()
    FROM contact c WHERE NOT c.is_new AND c.is_subscribed <> c.was_subscribed
)
SELECT 's' AS kind, n::int, NULL::uuid AS "projectId", NULL::uuid AS id, NULL AS email FROM sender
UNION ALL SELECT 'x', n::int, NULL, NULL, NULL FROM suppressed
UNION ALL SELECT 'g', n::int, NULL, NULL, NULL FROM go
UNION ALL SELECT 'c', NULL, project_id, id, email FROM contact`;

interface AcceptRow {
  kind: 's' | 'x' | 'g' | 'c';
  n: number | null;
  projectId: string | null;
  id: string | null;
  email: string | null;
}

const json = (value: object | null | undefined): string | null => (value ? JSON.stringify(value) : null);

/**
 * Accepts requests, all in one statement and so in one transaction. No two of them may name the same contact or the
 * same idempotency key.
 *
 * @throws what upsert_contacts raises: SL001 (data too large), SL002 (a contact is not subscribed); and what counts the
 * emails: SL003 (more than a project's limit allows); then nothing of any of them was written
 */
export async function acceptSends(db: Queryable, sends: AcceptSend[]): Promise<AcceptedSend[]> {
  const contacts = sends.flatMap((send, index) => send.contacts.map((contact) => ({ n: index + 1, send, ...contact })));
  const emails = sends.flatMap((send, index) => send.emails.map((email) => ({ n: index + 1, ...email })));
  const { rows } = await db.query<AcceptRow>({
    name: 'accept-sends',
    text: ACCEPT,
    values: [
      sends.map((s) => s.projectId),
      sends.map((s) => s.senderDomain),
      sends.map((s) => s.idempotency?.key ?? null),
      sends.map((s) => s.idempotency?.request ?? null),
      sends.map((s) => json(s.idempotency?.response)),
      sends.map((s) => s.idempotency?.ttlHours ?? 0),
      sends.map((s) => s.message.id),
      sends.map((s) => s.message.type),
      sends.map((s) => s.message.subject),
      sends.map((s) => s.message.body),
      sends.map((s) => s.message.from),
      sends.map((s) => s.message.fromName ?? null),
      sends.map((s) => s.message.replyTo ?? null),
      sends.map((s) => json(s.message.headers)),
      sends.map((s) => json(s.message.variables)),
      sends.map((s) => s.hasAttachments),
      sends.map((s) => s.templateId),
      contacts.map((c) => c.n),
      contacts.map((c) => c.id),
      contacts.map((c) => c.email),
      contacts.map((c) => JSON.stringify(c.send.set)),
      contacts.map((c) => (c.send.unset.length > 0 ? JSON.stringify(c.send.unset) : null)),
      contacts.map((c) => c.send.subscribed ?? null),
      contacts.map((c) => c.send.mustBeSubscribed),
      emails.map((e) => e.n),
      emails.map((e) => e.id),
      emails.map((e) => e.email),
      emails.map((e) => e.name),
      sends.map((s) => s.message.trace ?? null),
    ],
  });
  const verified = new Set(rows.flatMap((row) => (row.kind === 's' ? [row.n] : [])));
  const suppressed = new Set(rows.flatMap((row) => (row.kind === 'x' ? [row.n] : [])));
  const accepted = new Set(rows.flatMap((row) => (row.kind === 'g' ? [row.n] : [])));
  const ids = new Map(
    rows.flatMap((row) => (row.kind === 'c' ? [[`${row.projectId}/${row.email}`, row.id] as const] : [])),
  );
  return sends.map((send, index) => ({
    verified: verified.has(index + 1),
    suppressed: suppressed.has(index + 1),
    accepted: accepted.has(index + 1),
    contacts: new Map(
      send.contacts.flatMap(({ email }) => {
        const id = ids.get(`${send.projectId}/${email}`);
        return id ? [[email, id] as const] : [];
      }),
    ),
  }));
}

export interface NewAttachment {
  filename: string;
  contentType: string;
  contentId: string | null;
  inline: boolean;
  content: Buffer;
}

export async function insertAttachments(
  tx: Queryable,
  projectId: string,
  messageId: string,
  attachments: NewAttachment[],
): Promise<void> {
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
