/** The move of a SEND_EMAIL: the decision whether to send, the email, and the way on, in one statement. */
import { currentTrace } from '../../../trace.js';
import type { Queryable } from '../../../db/pool.js';
import { CLOSE, hereAt, movedTo, moveFrom, moveValues, type Move, type Moved, type MovedRow } from './run.js';

/* Whoever else sends this version of the template for the first time at this moment makes the message: then there is no row, and no move. */
const SEND = moveFrom({
  before: `${hereAt('$9')},
letter AS MATERIALIZED (
  SELECT t.id, t.version, t.type, t.name, lower(substring(t.from_email from '[^@]*$')) AS domain, c.id AS contact_id, c.email, c.subscribed
    FROM here JOIN contacts c ON c.project_id = $1 AND c.id = here.contact_id LEFT JOIN templates t ON t.project_id = $1 AND t.id = $12
     -- As the email's foreign key will, but before the execution is held: contacts come first everywhere.
     FOR KEY SHARE OF c
), judged AS MATERIALIZED (
  SELECT l.*,
         CASE WHEN l.id IS NULL THEN 'gone'
              WHEN l.type <> 'TRANSACTIONAL' AND CASE WHEN $13::text IS NULL THEN NOT l.subscribed
                   ELSE EXISTS (SELECT FROM contacts r WHERE r.project_id = $1 AND r.email = $13 AND NOT r.subscribed) END THEN 'unsubscribed'
              WHEN l.type <> 'TRANSACTIONAL' AND EXISTS (SELECT FROM suppressions s WHERE s.project_id = $1 AND s.email = coalesce($13, l.email)) THEN 'suppressed'
              WHEN NOT EXISTS (SELECT FROM domains d WHERE d.project_id = $1 AND d.domain = l.domain AND d.status = 'VERIFIED') THEN 'unverified'
              -- What holds is the count at the end of the statement (migration 20261121165000_billing): who is refused by that comes again, and is told so here.
              WHEN EXISTS (SELECT FROM projects p WHERE p.id = $1 AND p.billing_limit_workflows IS NOT NULL AND usage_of(p.id, 'WORKFLOW') >= p.billing_limit_workflows) THEN 'used_up'
              ELSE 'sent' END AS verdict
    FROM letter l
), known AS MATERIALIZED (
  SELECT m.id FROM judged j JOIN messages m ON m.template_id = j.id AND m.template_version = j.version
), made AS (
  INSERT INTO messages (id, project_id, type, subject, body, from_email, from_name, reply_to, template_id, template_version)
  SELECT $11::uuid, $1, t.type, t.subject, t.body, t.from_email, t.from_name, t.reply_to, t.id, t.version
    FROM judged j JOIN templates t ON t.project_id = $1 AND t.id = j.id WHERE j.verdict = 'sent' AND NOT EXISTS (SELECT FROM known)
  ON CONFLICT (template_id, template_version) WHERE template_id IS NOT NULL DO NOTHING
  RETURNING id
), message AS MATERIALIZED (
  SELECT id FROM known UNION ALL SELECT id FROM made
), decision AS MATERIALIZED (
  SELECT CASE j.verdict WHEN 'sent' THEN 'COMPLETED' WHEN 'unsubscribed' THEN 'SKIPPED' WHEN 'suppressed' THEN 'SKIPPED' WHEN 'used_up' THEN 'SKIPPED' ELSE 'FAILED' END AS closes,
         jsonb_build_object('summary', w.words, 'templateId', $12::uuid) || CASE WHEN j.verdict = 'sent' THEN jsonb_build_object('emailId', $10::uuid) ELSE '{}' END AS output,
         CASE WHEN j.verdict IN ('gone', 'unverified') THEN w.words END AS error,
         CASE WHEN j.verdict IN ('gone', 'unverified') THEN 'FAILED'::execution_status END AS ends,
         w.words AS reason, NULL::uuid AS event_id
    FROM judged j, LATERAL (SELECT format($14::jsonb ->> j.verdict, j.name, j.type, j.domain) AS words) w
   WHERE j.verdict <> 'sent' OR EXISTS (SELECT FROM message)
)`,
  close: CLOSE,
  after: `email AS (
  INSERT INTO emails (id, project_id, message_id, contact_id, template_id, execution_id, step_execution_id, source, type, to_email, variables)
  SELECT $10, $1, message.id, CASE WHEN $13 IS NULL THEN j.contact_id END, j.id, m.id, $9, 'WORKFLOW', j.type, coalesce($13, j.email),
         -- A custom address is mailed about the contact: the mailer has no other way to its data.
         jsonb_build_object('event', m.context) || CASE WHEN $15::text IS NULL THEN '{}' ELSE jsonb_build_object('trace', $15::text) END || CASE WHEN $13 IS NULL THEN '{}' ELSE (
           SELECT jsonb_build_object('contact', jsonb_build_object('id', c.id, 'email', c.email, 'data', c.data)) FROM contacts c WHERE c.project_id = $1 AND c.id = j.contact_id) END
    FROM moved m, judged j, message WHERE j.verdict = 'sent'
  RETURNING 1
)`,
  answer: `, (SELECT count(*) FROM email)::int AS sent`,
});

export interface SendMove extends Omit<Move, 'closes' | 'output' | 'error' | 'ends' | 'eventId'> {
  emailId: string;
  /** Of the message, should this be the first email of the template's version. */
  messageId: string;
  templateId: string;
  /** null: the contact. */
  customEmail: string | null;
  /** The sentence of each outcome, in which %1$s is the template's name, %2$s its type and %3$s the sender's domain. */
  words: Record<'sent' | 'unsubscribed' | 'suppressed' | 'used_up' | 'unverified' | 'gone', string>;
}

/**
 * @returns the move, and whether there is an email to hand over; without a move nothing was written but perhaps the
 * message
 */
export async function sendAndMoveOn(db: Queryable, send: SendMove): Promise<{ moved: Moved; sent: boolean }> {
  const { stepExecutionId, emailId, messageId, templateId, customEmail, words } = send;
  const { rows } = await db.query<MovedRow & { sent: number }>({
    name: 'execution-send',
    text: SEND,
    values: [
      ...moveValues(send),
      stepExecutionId,
      emailId,
      messageId,
      templateId,
      customEmail,
      JSON.stringify(words),
      currentTrace(),
    ],
  });
  const [row] = rows;
  if (!row) return { moved: null, sent: false };
  const { sent, ...moved } = row;
  return { moved: movedTo(moved, send.nextId), sent: sent > 0 };
}

/** The contact behind the custom address of an email, if there is one. */
export async function contactOfAddress(
  db: Queryable,
  projectId: string,
  email: string,
): Promise<{ id: string; subscribed: boolean } | null> {
  const { rows } = await db.query<{ id: string; subscribed: boolean }>({
    name: 'execution-send-recipient',
    text: `SELECT id, subscribed FROM contacts WHERE project_id = $1 AND email = $2`,
    values: [projectId, email],
  });
  return rows[0] ?? null;
}
