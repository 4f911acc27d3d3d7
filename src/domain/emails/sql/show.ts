/** What `GET /emails/:id/content` and `GET /emails/:id/events` read of an email. */
import type { Queryable } from '../../../db/pool.js';
import type { EmailStatus } from '../../../generated/prisma/enums.js';
import type { EmailToCompose } from '../compose.js';
import type { ClaimedEmail } from './delivery.js';

export interface EmailToShow
  extends
    EmailToCompose,
    Pick<ClaimedEmail, 'projectId' | 'messageId' | 'campaignId' | 'workflowId' | 'templateId' | 'type' | 'attempts'> {
  status: EmailStatus;
  ambiguous: boolean;
  createdAt: Date;
  response: string | null;
  error: string | null;
  claimedAt: Date | null;
  sentAt: Date | null;
  /** Null without a contact. */
  contactUpdatedAt: Date | null;
}

export async function findEmailToShow(db: Queryable, projectId: string, id: string): Promise<EmailToShow | null> {
  const { rows } = await db.query<EmailToShow>({
    name: 'email-to-show',
    text: `SELECT e.id, e.project_id AS "projectId", e.message_id AS "messageId",
                  e.campaign_id AS "campaignId", e.workflow_id AS "workflowId", e.template_id AS "templateId", e.source, e.type,
                  e.contact_id AS "contactId", e.to_email AS "toEmail", e.to_name AS "toName", e.variables, e.attempts,
                  e.created_at AS "createdAt", coalesce(e.scheduled_for, e.created_at) AS date, false AS tracked, e.status, e.ambiguous, e.response, e.error,
                  e.claimed_at AS "claimedAt", e.sent_at AS "sentAt", c.data AS "contactData",
                  c.updated_at AS "contactUpdatedAt"
             FROM emails e LEFT JOIN contacts c ON c.id = e.contact_id
            WHERE e.project_id = $1 AND e.id = $2`,
    values: [projectId, id],
  });
  return rows[0] ?? null;
}

/** What the subject of an email can show. */
export interface SubjectData extends Pick<
  EmailToCompose,
  'id' | 'source' | 'contactId' | 'toEmail' | 'variables' | 'contactData'
> {
  messageVariables: Record<string, unknown> | null;
  language: string;
}

export async function selectSubjectData(db: Queryable, projectId: string, ids: string[]): Promise<SubjectData[]> {
  const { rows } = await db.query<SubjectData>({
    name: 'email-subject-data',
    text: `SELECT wanted.id, e.source, e.contact_id AS "contactId", e.to_email AS "toEmail", e.variables,
                  c.data AS "contactData", m.variables AS "messageVariables", p.language
             FROM unnest($2::uuid[]) AS wanted(id)
            CROSS JOIN LATERAL (SELECT message_id FROM emails WHERE id = wanted.id AND project_id = $1 LIMIT 1) w
             JOIN projects p ON p.id = $1
             LEFT JOIN LATERAL (SELECT * FROM messages WHERE id = w.message_id LIMIT 1) m ON true
            -- A copy has the subject of its original.
            CROSS JOIN LATERAL (
              SELECT * FROM emails WHERE id = coalesce((m.copies -> 'emailIds' ->> 0)::uuid, wanted.id) LIMIT 1) e
             LEFT JOIN LATERAL (SELECT * FROM contacts WHERE id = e.contact_id LIMIT 1) c ON true`,
    values: [projectId, ids],
  });
  return rows;
}

export interface AttemptRow {
  number: number;
  /** Null for an attempt from before the log. */
  at: Date | null;
  /** DEFERRED: due again later. UNKNOWN: the reply was lost. */
  outcome: 'SENT' | 'DEFERRED' | 'FAILED' | 'UNKNOWN';
  /** The mail server's reply. */
  response: string | null;
  error: string | null;
}

/** Returns the attempts without an acceptance, oldest first. */
export async function selectAttempts(db: Queryable, emailId: string): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>({
    name: 'email-attempts',
    text: `SELECT number, at, outcome, response, error FROM email_attempts WHERE email_id = $1 ORDER BY at`,
    values: [emailId],
  });
  return rows;
}

export interface HitRow {
  at: Date;
  kind: 'open' | 'click';
  url: string | null;
  label: string | null;
  machine: boolean;
  reason: string | null;
  userAgent: string | null;
}

/** Returns the first hits of an email, oldest first. */
export async function selectHits(
  db: Queryable,
  { projectId, emailId, limit }: { projectId: string; emailId: string; limit: number },
): Promise<HitRow[]> {
  const { rows } = await db.query<HitRow>({
    name: 'email-hits',
    text: `SELECT at, kind, url, label, machine, reason, user_agent AS "userAgent"
             FROM tracking_hits WHERE project_id = $1 AND email_id = $2 ORDER BY at, id LIMIT $3`,
    values: [projectId, emailId, limit],
  });
  return rows;
}
