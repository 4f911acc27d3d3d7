/** `GET /emails/:id/content` and `GET /emails/:id/events` */
import type { Context } from '../../context.js';
import { conflict, notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { contactOfAddress } from '../executions/sql/send.js';
import { originalOf } from './copies.js';
import { createComposer, unsendableReason, type Composer, type Preview } from './compose.js';
import {
  findEmailToShow,
  selectAttempts,
  selectHits,
  type AttemptRow,
  type EmailToShow,
  type HitRow,
} from './sql/show.js';
import { readWorkflowVariables } from './workflow-variables.js';

export interface EmailContent extends Preview {
  /** Whether the content is the one that was or will be sent: nothing that it depends on has changed since. */
  exact: boolean;
}

/**
 * A contact's data may be read this long before the email is recorded as sent: for a lease of a campaign's chunk, and the
 * time until the result is recorded.
 */
const MAX_SEND_MS = 60_000;

/** Hits per response. */
export const MAX_HITS = 1000;

/** Returns functions that show emails. They share a cache of messages. */
export function createEmailViewer(ctx: Context) {
  const composer = createComposer(ctx);
  return {
    /**
     * Renders an email again, without tracking and signature.
     *
     * @throws EMAIL_NOT_FOUND (404), also after its message was deleted; CONFLICT (409, it cannot be rendered)
     */
    content: (projectId: string, id: string): Promise<EmailContent> => showContent(ctx, composer, projectId, id),
  };
}

async function showContent(ctx: Context, composer: Composer, projectId: string, id: string): Promise<EmailContent> {
  const email = await requireEmail(ctx, projectId, id);
  const workflow = email.source === 'WORKFLOW' ? readWorkflowVariables(email.variables) : null;
  const contactId = workflow?.about ? await contactOfLinks(ctx, email) : email.contactId;
  try {
    const message = await composer.load(email);
    if (!message) throw notFound('EMAIL');
    const original = await originalOf(ctx.pool, email, message.message);
    const isCopy = original !== email;
    const preview = composer.preview(
      original,
      { contactId: isCopy ? original.contactId : contactId, workflow },
      message,
    );
    return { ...preview, exact: isExact(email, `${message.message.subject}${message.message.body}`) };
  } catch (error) {
    const reason = unsendableReason(error);
    if (reason === null) throw error;
    throw conflict(`The content of this email cannot be rendered: ${reason}`);
  }
}

/** The links of an email to another address belong to the contact with that address, as the dispatcher decides. */
async function contactOfLinks({ pool }: Context, { type, projectId, toEmail }: EmailToShow): Promise<string | null> {
  return type === 'TRANSACTIONAL' ? null : ((await contactOfAddress(pool, projectId, toEmail))?.id ?? null);
}

/** Whether the contact's data is the one with which the email was sent. Without templates, it does not matter. */
function isExact(email: EmailToShow, templates: string): boolean {
  if (email.attempts === 0 || !/\{[{%]/.test(templates)) return true;
  if (email.contactUpdatedAt === null) {
    // The data of a deleted contact is lost. Emails to other addresses carry their data.
    const hasOwnData =
      email.source === 'TEST' || (email.source === 'WORKFLOW' && email.variables?.contact !== undefined);
    return hasOwnData;
  }
  const readAt = email.claimedAt?.getTime() ?? (email.sentAt ? email.sentAt.getTime() - MAX_SEND_MS : 0);
  return email.contactUpdatedAt.getTime() <= Math.max(readAt, email.createdAt.getTime());
}

export interface EmailEvents {
  attempts: AttemptRow[];
  hits: HitRow[];
}

/**
 * Returns the attempts to send an email, with the mail server's replies, and the hits of its links and its pixel, both
 * oldest first.
 *
 * @throws EMAIL_NOT_FOUND (404)
 */
export async function listEmailEvents(ctx: Context, projectId: string, id: string): Promise<EmailEvents> {
  const email = await requireEmail(ctx, projectId, id);
  const [attempts, hits] = await Promise.all([
    selectAttempts(ctx.pool, id),
    selectHits(ctx.pool, { projectId, emailId: id, limit: MAX_HITS }),
  ]);
  const { attempts: number, response, error, status, sentAt } = email;
  // The log has no acceptances, and no attempts from before it existed.
  if (sentAt) attempts.push({ number, at: sentAt, outcome: 'SENT', response, error: null });
  else if (attempts.length === 0 && status === 'FAILED' && number > 0)
    attempts.push({ number, at: null, outcome: email.ambiguous ? 'UNKNOWN' : 'FAILED', response, error });
  return { attempts: numberAttempts(attempts), hits };
}

/** A retry of a campaign counts the attempts of an email from 1 again. The log continues its numbers. */
function numberAttempts(attempts: AttemptRow[]): AttemptRow[] {
  let last = 0;
  return attempts.map((attempt) => {
    last = Math.max(attempt.number, last + 1);
    return { ...attempt, number: last };
  });
}

async function requireEmail({ pool }: Context, projectId: string, id: string): Promise<EmailToShow> {
  const email = isId(id) ? await findEmailToShow(pool, projectId, id) : null;
  if (!email) throw notFound('EMAIL');
  return email;
}
