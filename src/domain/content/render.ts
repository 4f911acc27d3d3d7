/** `POST /render`: renders a content as it would be sent, with its problems. Writes nothing. */
import type { Context } from '../../context.js';
import type { ProjectRef } from '../../db/admission.js';
import { newId } from '../../ids.js';
import { compileContent } from '../../mail/content.js';
import { renderTemplate, toSubjectLine, type TemplateVariables } from '../../mail/render.js';
import { TemplateError } from '../../mail/template-error.js';
import { trackPrinted } from '../../mail/track-html.js';
import { readContactData } from '../contacts/data.js';
import { getContact, type Contact } from '../contacts/get.js';
import { LINKS, mergeVariables } from '../emails/compose.js';
import { completeHtml } from '../emails/html.js';
import type { Problem } from '../problems.js';
import { loadContentFacts } from './facts.js';
import { findHtmlProblems } from './html-problems.js';
import { findClipping, findContentProblems, findStaticProblems, templateProblem, type Content } from './problems.js';

export interface RenderInput extends Content {
  /** The contact whose data is printed. */
  contactId?: string;
  /** Printed over the data of the contact. */
  data?: Record<string, unknown>;
}

/** A part is null if its template does not parse or cannot be rendered. */
export interface Rendering {
  subject: string | null;
  html: string | null;
  text: string | null;
  /** The size of the HTML in UTF-8. */
  bytes: number | null;
  problems: Problem[];
}

/**
 * Renders a content as a campaign would send it. Links to the pages of a contact lead to the home page, so that a
 * preview cannot unsubscribe anyone.
 *
 * @throws CONTACT_NOT_FOUND (404), VALIDATION_ERROR (422: `data` breaks the rules of contact data)
 */
export async function renderContent(
  ctx: Context,
  project: ProjectRef,
  { contactId, data, ...content }: RenderInput,
): Promise<Rendering> {
  const { unset, variables: passed } = readContactData(data);
  const contact = contactId === undefined ? null : await getContact(ctx, project.id, contactId);
  const stored = contact && readStored(contact);
  const facts = await loadContentFacts(ctx, project.id, [content]);
  const given = Object.keys({ ...stored, ...data });
  const known = { ...facts, contactKeys: new Set([...facts.contactKeys, ...given]) };
  const variables = mergeVariables(
    ctx,
    {
      source: 'CAMPAIGN',
      contactId: contact?.id ?? null,
      toEmail: contact?.email ?? '',
      variables: passed,
      contactData: stored && omit(stored, unset),
    },
    { workflow: null },
    { variables: null, language: project.language },
    Object.fromEntries(LINKS.map((name) => [name, ctx.config.PUBLIC_URL])),
  );
  const rendered = renderParts(content, variables, project.language);
  const problems = findContentProblems(content, known, 'campaign').filter(({ code }) => code !== 'clipped');
  return {
    subject: rendered.subject,
    html: rendered.html,
    text: rendered.text,
    bytes: rendered.html === null ? null : Buffer.byteLength(rendered.html),
    problems: [
      ...problems,
      ...rendered.problems,
      ...(rendered.html === null ? [] : findRenderedProblems(ctx, project, content.type, rendered.html, problems)),
    ],
  };
}

const readStored = ({ data }: Contact): Record<string, unknown> =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {};

const omit = (data: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)));

type Parts = Pick<Rendering, 'subject' | 'html' | 'text' | 'problems'>;

/** Renders the parts that parse. `problems` are the errors that only rendering shows, such as an exceeded limit. */
function renderParts(content: Content, variables: TemplateVariables, language: string): Parts {
  const broken = new Set(findStaticProblems(content).map(({ path }) => path));
  const problems: Problem[] = [];
  const attempt = <T>(field: 'subject' | 'body', render: () => T): T | null => {
    try {
      return render();
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      problems.push(templateProblem(field, error));
      return null;
    }
  };
  const { subject, body, type } = content;
  const preheader = broken.has('preheader') ? null : content.preheader;
  const subjectLine =
    subject === null || broken.has('subject')
      ? null
      : attempt('subject', () => toSubjectLine(renderTemplate(subject, variables, { escape: 'none' })));
  const rendered =
    body === null || broken.has('body')
      ? null
      : attempt('body', () =>
          compileContent({ subject: '', html: completeHtml({ type, body, preheader, language }) }).render(variables),
        );
  return { subject: subjectLine, html: rendered?.html ?? null, text: rendered?.text ?? null, problems };
}

/** Returns the problems that only the rendered HTML shows: its size as it is sent, and links that have become empty. */
function findRenderedProblems(
  ctx: Context,
  { tracking }: ProjectRef,
  type: Content['type'],
  html: string,
  known: readonly Problem[],
): Problem[] {
  const isTracked = tracking === 'ENABLED' || (tracking === 'MARKETING_ONLY' && type !== 'TRANSACTIONAL');
  const sent = isTracked ? trackPrinted(html, ctx.links.tracking.of(newId())) : html;
  const clipping = findClipping(Buffer.byteLength(sent));
  const isEmptyLink = ({ code }: { code: string }): boolean => code === 'empty_link';
  const [emptyBefore, empty] = [known.filter(isEmptyLink).length, findHtmlProblems(html).filter(isEmptyLink).length];
  return [...(clipping ? [clipping] : []), ...(empty > emptyBefore ? [EMPTY_RENDERED_LINK] : [])];
}

const EMPTY_RENDERED_LINK: Problem = {
  code: 'empty_link',
  level: 'warning',
  message: 'A link has no target with this data, because its variable has no value.',
  path: 'body',
};
