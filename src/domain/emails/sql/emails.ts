/** Inserts messages and emails. delivery.ts claims them. */
import type { Queryable } from '../../../db/pool.js';
import type { Copies } from './copies.js';

export type EmailTypeName = 'TRANSACTIONAL' | 'MARKETING' | 'HEADLESS';
export type EmailSourceName = 'TRANSACTIONAL' | 'CAMPAIGN' | 'WORKFLOW' | 'TEST' | 'PLATFORM';

/** Content that emails share. */
export interface NewMessage {
  id: string;
  projectId: string;
  type: EmailTypeName;
  subject: string;
  preheader?: string | null;
  body: string;
  /** The text alternative; null: derived from the body. */
  text?: string | null;
  from: string;
  fromName?: string | null;
  replyTo?: string | null;
  headers?: Record<string, string> | null;
  variables?: Record<string, unknown> | null;
  /** The emails of cc and bcc; null without any. */
  copies?: Copies | null;
  /** W3C traceparent of its emails. */
  trace?: string | null;
}

export async function insertMessage(tx: Queryable, message: NewMessage): Promise<void> {
  await tx.query({
    name: 'message-insert',
    text: `INSERT INTO messages (id, project_id, type, subject, body, from_email, from_name, reply_to, headers, variables, preheader)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      message.id,
      message.projectId,
      message.type,
      message.subject,
      message.body,
      message.from,
      message.fromName ?? null,
      message.replyTo ?? null,
      message.headers ? JSON.stringify(message.headers) : null,
      message.variables ? JSON.stringify(message.variables) : null,
      message.preheader ?? null,
    ],
  });
}

/** A new email. It is due immediately. */
export interface NewEmail {
  id: string;
  projectId: string;
  messageId: string;
  contactId: string | null;
  source: EmailSourceName;
  type: EmailTypeName;
  toEmail: string;
  toName?: string | null;
  templateId?: string | null;
  campaignId?: string | null;
  variables?: Record<string, unknown> | null;
}

/** Queues emails in the caller's transaction. The caller wakes the dispatcher (topic `emails`) after the commit. */
export async function insertEmail(tx: Queryable, email: NewEmail): Promise<void> {
  await tx.query({
    name: 'email-insert',
    text: `INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, template_id, source, type, to_email, to_name, variables)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      email.id,
      email.projectId,
      email.messageId,
      email.contactId,
      email.campaignId ?? null,
      email.templateId ?? null,
      email.source,
      email.type,
      email.toEmail,
      email.toName ?? null,
      email.variables ? JSON.stringify(email.variables) : null,
    ],
  });
}
