/** Templates that are used: by a send, a campaign, or a test. */
import type { ApiContext, Context } from '../../context.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { listContentErrors } from '../content/facts.js';
import { sendTest, type TestEmail, type TestRecipient } from '../content/test-email.js';
import { findSendTemplate, type SendTemplate } from '../emails/sql/accept.js';
import { requireUsable } from '../problems.js';
import { requireTemplate } from './get.js';
import { findTemplateBody } from './sql.js';

/** A template that has every required field. */
export type UsableTemplate = SendTemplate & { subject: string; body: string; from: string };

/** @throws TEMPLATE_NOT_FOUND (404) */
export async function loadTemplate({ pool }: Context, projectId: string, id: string): Promise<SendTemplate> {
  const template = isId(id) ? await findSendTemplate(pool, projectId, id) : null;
  if (!template) throw notFound('TEMPLATE');
  return template;
}

/** @throws TEMPLATE_NOT_FOUND (404); VALIDATION_ERROR (422) that lists the errors of a draft */
export async function loadUsableTemplate(ctx: Context, projectId: string, id: string): Promise<UsableTemplate> {
  return requireUsableTemplate(ctx, projectId, await loadTemplate(ctx, projectId, id));
}

export type TemplateLoader = (id: string) => Promise<UsableTemplate>;

/** Returns a function like loadUsableTemplate that reads each template once. */
export function templateLoader(ctx: Context, projectId: string): TemplateLoader {
  const loaded = new Map<string, Promise<UsableTemplate>>();
  return (id) => {
    const template = loaded.get(id) ?? loadUsableTemplate(ctx, projectId, id);
    loaded.set(id, template);
    return template;
  };
}

/**
 * Checks a template before its use. A template that was saved without `draft` was checked then.
 *
 * @throws VALIDATION_ERROR (422) that lists the errors of a draft
 */
export async function requireUsableTemplate(
  ctx: Context,
  projectId: string,
  template: SendTemplate,
): Promise<UsableTemplate> {
  if (template.draft) {
    // Sends need no design, so only drafts read it.
    const edited = await findTemplateBody(ctx.pool, projectId, template.id);
    const [errors = []] = await listContentErrors(ctx.pool, projectId, [{ ...template, ...edited }]);
    requireUsable(errors, 'The template is a draft with errors and cannot be used.');
  }
  const { subject, body, from } = template;
  if (subject === null || body === null || from === null) throw new Error('A complete template lacks a field');
  return { ...template, subject, body, from };
}

/**
 * Sends the current content of a template to one address.
 *
 * @throws TEMPLATE_NOT_FOUND, CONTACT_NOT_FOUND (404); 403 if the sender's domain is not verified; VALIDATION_ERROR
 * (422) that lists the errors of a draft
 */
export const sendTemplateTest = async (
  ctx: ApiContext,
  projectId: string,
  id: string,
  recipient: TestRecipient,
): Promise<TestEmail> => sendTest(ctx, projectId, await requireTemplate(ctx, projectId, id), recipient);
