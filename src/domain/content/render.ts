/** `POST /render`: renders a content as it would be sent, with its problems. Writes nothing. */
import type { Design } from '../../../packages/email-blocks/src/index.js';
import type { Context } from '../../context.js';
import type { ProjectRef } from '../../db/admission.js';
import { readContactData } from '../contacts/data.js';
import { getContact, type Contact } from '../contacts/get.js';
import { LINKS, mergeVariables } from '../emails/compose.js';
import type { Problem } from '../problems.js';
import { resolveBody } from './design.js';
import { loadContentFacts } from './facts.js';
import { findClipping, findContentProblems, type Content } from './problems.js';
import type { RenderedParts } from './render-parts.js';
import type { RenderThreads } from './render-threads.js';

export interface RenderInput extends Content {
  design?: Design | null;
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
  threads: RenderThreads,
  project: ProjectRef,
  { contactId, data, ...input }: RenderInput,
): Promise<Rendering> {
  const body = await resolveBody(ctx, project.id, { design: input.design }, { editor: 'html', body: input.body });
  const content = { ...input, ...body };
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
  const { tracking, language } = project;
  const isTracked = tracking === 'ENABLED' || (tracking === 'MARKETING_ONLY' && content.type !== 'TRANSACTIONAL');
  const rendered = await threads.render({
    content,
    variables,
    language,
    postalAddress: facts.postalAddress,
    trackedAt: isTracked ? ctx.config.PUBLIC_URL : null,
  });
  const problems = findContentProblems(content, known, 'campaign').filter(({ code }) => code !== 'clipped');
  const { subject, html, text } = rendered;
  return {
    subject,
    html,
    text,
    bytes: html === null ? null : Buffer.byteLength(html),
    problems: [
      ...problems,
      ...[...rendered.problems, ...findRenderedProblems(rendered, problems)].map((problem) =>
        content.design ? inDesign(problem) : problem,
      ),
    ],
  };
}

/** The author of a design knows no lines of its HTML. */
const inDesign = ({ line: _line, column: _column, ...problem }: Problem): Problem =>
  problem.path === 'body' ? { ...problem, path: 'design' } : problem;

const readStored = ({ data }: Contact): Record<string, unknown> =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? data : {};

const omit = (data: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)));

/** Returns the problems that only the rendered HTML shows: its size as it is sent, and links that have become empty. */
function findRenderedProblems({ html, sentBytes, emptyLinks }: RenderedParts, known: readonly Problem[]): Problem[] {
  if (html === null) return [];
  const clipping = findClipping(sentBytes);
  const knownEmpty = known.filter(({ code }) => code === 'empty_link').length;
  return [...(clipping ? [clipping] : []), ...(emptyLinks > knownEmpty ? [EMPTY_RENDERED_LINK] : [])];
}

const EMPTY_RENDERED_LINK: Problem = {
  code: 'empty_link',
  level: 'warning',
  message: 'A link has no target with this data, because its variable has no value.',
  path: 'body',
};
