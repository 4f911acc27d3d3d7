/** The move of a SEND_EMAIL. */
import { currentTrace } from '../../../trace.js';
import type { Queryable } from '../../../db/pool.js';
import { RECIPIENT, type SendWindow } from '../../send-window.js';
import {
  BASE_COLUMNS,
  baseInput,
  edgeFrom,
  movedFrom,
  OPENED,
  selectMoved,
  toMoved,
  type MoveBase,
  type Moved,
  type MovedRow,
} from './move.js';

/**
 * Decides whether to send, inserts the email, and moves on, in one statement, with the parts of all moves (move.ts).
 *
 * `letter` locks the contact before the execution's row is locked: every transaction locks contacts first. `known` locks
 * the message, so that retention does not delete it. If another transaction is inserting the message of this template version, `message`
 * is empty, and then there is no decision and no move. Outside of its send window, the email is SCHEDULED. The check for `used_up` only avoids a failed insert; the trigger
 * that counts the email enforces the limit.
 */
const SEND = `
WITH input AS MATERIALIZED (
  SELECT * FROM jsonb_to_record($1) AS i (
    ${BASE_COLUMNS}, step_execution_id uuid,
    email_id uuid, message_id uuid, template_id uuid, custom_email text, send_window jsonb, summaries jsonb, trace text)
), here AS MATERIALIZED (
  SELECT x.workflow_id, x.contact_id, x.current_step_id AS step_id, i.*
    FROM input i
    JOIN workflow_executions x
      ON x.project_id = (SELECT project_id FROM input) AND x.id = (SELECT execution_id FROM input)
     AND x.step_execution_id = i.step_execution_id
), letter AS MATERIALIZED (
  SELECT here.project_id, here.custom_email, t.id, t.version, t.type, t.name, t.incomplete,
         lower(substring(t.from_email from '[^@]*$')) AS domain, c.id AS contact_id, c.email, c.subscribed
    FROM here
    JOIN contacts c ON c.project_id = (SELECT project_id FROM here) AND c.id = (SELECT contact_id FROM here)
    LEFT JOIN templates t ON t.project_id = here.project_id AND t.id = here.template_id
     FOR KEY SHARE OF c
), judged AS MATERIALIZED (
  SELECT l.*,
         CASE WHEN l.id IS NULL THEN 'gone'
              WHEN l.incomplete THEN 'incomplete'
              WHEN l.type <> 'TRANSACTIONAL' AND CASE WHEN l.custom_email IS NULL THEN NOT l.subscribed
                   ELSE EXISTS (SELECT FROM contacts r WHERE r.project_id = l.project_id AND r.email = l.custom_email
                                                         AND NOT r.subscribed) END THEN 'unsubscribed'
              WHEN l.type <> 'TRANSACTIONAL'
                   AND EXISTS (SELECT FROM suppressions s
                                WHERE s.project_id = l.project_id AND s.email = coalesce(l.custom_email, l.email))
                   THEN 'suppressed'
              WHEN NOT EXISTS (SELECT FROM domains d
                                WHERE d.project_id = l.project_id AND d.domain = l.domain AND d.status = 'VERIFIED')
                   THEN 'unverified'
              WHEN EXISTS (SELECT FROM projects p
                            WHERE p.id = l.project_id AND p.billing_limit_workflows IS NOT NULL
                              AND usage_of(p.id, 'WORKFLOW') >= p.billing_limit_workflows) THEN 'used_up'
              ELSE 'sent' END AS outcome
    FROM letter l
), opening AS MATERIALIZED (
  -- No row without a window. The window of the project is for bulk email.
  SELECT next_open(w.send_window, w.now, z.zone) AS at, w.now, jsonb_build_object('hours', w.send_window, 'zone', z.zone) AS send_window
    FROM (SELECT coalesce(here.send_window, CASE WHEN j.type <> 'TRANSACTIONAL' THEN p.send_window END) AS send_window,
                 here.now, contact_zone(c.data, p.timezone) AS zone
            FROM here, judged j
            JOIN projects p ON p.id = j.project_id
            JOIN contacts c ON c.project_id = (SELECT project_id FROM here) AND c.id = (SELECT contact_id FROM here)
           WHERE j.outcome = 'sent') w
   CROSS JOIN LATERAL (
     SELECT CASE WHEN w.send_window ->> 'timezone' = '${RECIPIENT}' THEN w.zone
                 ELSE contact_zone(jsonb_build_object('timezone', w.send_window -> 'timezone'), w.zone) END AS zone) z
   WHERE w.send_window IS NOT NULL
), known AS MATERIALIZED (
  SELECT m.id FROM judged j JOIN messages m ON m.template_id = j.id AND m.template_version = j.version
     FOR KEY SHARE OF m
), made AS (
  INSERT INTO messages
    (id, project_id, type, subject, preheader, body, from_email, from_name, reply_to, template_id, template_version)
  SELECT here.message_id, t.project_id, t.type, t.subject, t.preheader, t.body, t.from_email, t.from_name, t.reply_to, t.id,
         t.version
    FROM here, judged j JOIN templates t ON t.project_id = j.project_id AND t.id = j.id
   WHERE j.outcome = 'sent' AND NOT EXISTS (SELECT FROM known)
  ON CONFLICT (template_id, template_version) WHERE template_id IS NOT NULL DO NOTHING
  RETURNING id
), message AS MATERIALIZED (
  SELECT id FROM known UNION ALL SELECT id FROM made
), decision AS MATERIALIZED (
  SELECT here.*, j.outcome = 'sent' AS sends, j.outcome IN ('gone', 'incomplete', 'unverified') AS fails,
         CASE WHEN j.outcome = 'sent' THEN 'COMPLETED'
              WHEN j.outcome IN ('gone', 'incomplete', 'unverified') THEN 'FAILED'
              ELSE 'SKIPPED' END AS closes,
         format(here.summaries ->> j.outcome, j.name, j.type, j.domain) AS summary
    FROM here, judged j
   WHERE j.outcome <> 'sent' OR EXISTS (SELECT FROM message)
), ${edgeFrom('decision', 'NOT h.fails')}, plan AS MATERIALIZED (
  SELECT d.*, t.id AS to_id, t.transition_id, t.type, t.name, t.config, t.exit_reason AS target_reason,
         CASE WHEN t.type = 'EXIT' THEN 'EXITED'
              WHEN t.id IS NOT NULL THEN 'RUNNING'
              WHEN d.fails THEN 'FAILED'
              ELSE d.without_edge_status END AS status,
         CASE WHEN t.id IS NOT NULL THEN t.exit_reason
              WHEN d.fails THEN d.summary
              ELSE d.without_edge_reason END AS exit_reason,
         CASE WHEN t.id IS NULL AND NOT d.fails AND d.without_edge_note IS NOT NULL
              THEN d.summary || ' ' || d.without_edge_note
              ELSE d.summary END AS full_summary
    FROM decision d LEFT JOIN target t ON true
   WHERE t.id IS NOT NULL OR NOT EXISTS (SELECT FROM edge)
), ${movedFrom('= p.step_execution_id')}, closed AS (
  UPDATE step_executions e
     SET status = p.closes, error = CASE WHEN p.fails THEN p.summary END, completed_at = greatest(p.now, e.started_at),
         output = coalesce(e.output, '{}')
                  || jsonb_build_object('summary', p.full_summary, 'templateId', p.template_id)
                  || CASE WHEN p.sends THEN jsonb_build_object('emailId', p.email_id) ELSE '{}' END
    FROM moved m, plan p
   WHERE e.project_id = (SELECT project_id FROM plan) AND e.id = (SELECT step_execution_id FROM plan)
), ${OPENED}, email AS (
  INSERT INTO emails
    (id, project_id, message_id, contact_id, template_id, workflow_id, execution_id, step_execution_id, source, type,
     to_email, status, scheduled_for, next_attempt_at, variables)
  SELECT p.email_id, p.project_id, message.id, CASE WHEN p.custom_email IS NULL THEN j.contact_id END, j.id, p.workflow_id, m.id,
         p.step_execution_id, 'WORKFLOW', j.type, coalesce(p.custom_email, j.email),
         CASE WHEN o.at > o.now THEN 'SCHEDULED' ELSE 'PENDING' END::email_status, CASE WHEN o.at > o.now THEN o.at END,
         CASE WHEN o.at > o.now THEN o.at ELSE now() END,
         jsonb_build_object('event', m.context)
         || CASE WHEN o.at IS NULL THEN '{}' ELSE jsonb_build_object('sendWindow', o.send_window) END
         || CASE WHEN p.trace IS NULL THEN '{}' ELSE jsonb_build_object('trace', p.trace) END
         -- An email to a custom address carries the contact's data, because the dispatcher cannot find the contact.
         || CASE WHEN p.custom_email IS NULL THEN '{}' ELSE (
              SELECT jsonb_build_object('contact', jsonb_build_object('id', c.id, 'email', c.email, 'data', c.data))
                FROM contacts c WHERE c.project_id = p.project_id AND c.id = j.contact_id) END
    FROM moved m, plan p, judged j, message
    LEFT JOIN opening o ON true
   WHERE p.sends
  RETURNING 1
)${selectMoved(', EXISTS (SELECT FROM email) AS sent')}`;

/** The outcomes of a SEND_EMAIL, in the order of the checks in SEND. */
export type SendOutcome = 'gone' | 'incomplete' | 'unsubscribed' | 'suppressed' | 'unverified' | 'used_up' | 'sent';

export interface SendMove extends MoveBase {
  stepExecutionId: string;
  emailId: string;
  /** The id of the message, if this is the first email of the template's version. */
  messageId: string;
  templateId: string;
  /** null sends to the contact. */
  customEmail: string | null;
  /** The hours in which the email is sent; null: those of the project. */
  sendWindow: SendWindow | null;
  /** In each summary, %1$s is the template's name, %2$s its type, and %3$s the sender's domain. */
  summaries: Record<SendOutcome, string>;
}

/** @returns the move, and whether an email was queued. A lost move has written nothing, except perhaps the message. */
export async function sendAndMove(db: Queryable, send: SendMove): Promise<{ moved: Moved; sent: boolean }> {
  const { nextId, stepExecutionId, emailId, messageId, templateId, customEmail, sendWindow, summaries } = send;
  const input = {
    ...baseInput(send),
    step_execution_id: stepExecutionId,
    email_id: emailId,
    message_id: messageId,
    template_id: templateId,
    custom_email: customEmail,
    send_window: sendWindow,
    summaries,
    trace: currentTrace(),
  };
  const { rows } = await db.query<MovedRow & { sent: boolean }>({
    name: 'execution-send',
    text: SEND,
    values: [JSON.stringify(input)],
  });
  const [row] = rows;
  return { moved: toMoved(row, nextId), sent: row?.sent ?? false };
}

/** Returns the contact with a custom address, if there is one. */
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
