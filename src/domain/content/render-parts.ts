/** Renders the parts of a content. Pure; render-threads.ts runs it in a thread. */
import { newId } from '../../ids.js';
import { compileContent } from '../../mail/content.js';
import { createLinks } from '../../mail/links.js';
import { renderTemplate, toSubjectLine, type TemplateVariables } from '../../mail/render.js';
import { TemplateError } from '../../mail/template-error.js';
import { trackPrinted } from '../../mail/track-html.js';
import { completeHtml } from '../emails/html.js';
import type { Problem } from '../problems.js';
import { findHtmlProblems } from './html-problems.js';
import { findStaticProblems, templateProblem, type Content } from './problems.js';

export interface RenderTask {
  content: Content;
  variables: TemplateVariables;
  /** Of the project. */
  language: string;
  /** Of the project, for the footer. */
  postalAddress: string | null;
  /** The address of tracked links; null if the emails of the content are not tracked. */
  trackedAt: string | null;
}

/** A part is null if it is missing, does not parse, or cannot be rendered. */
export interface RenderedParts {
  subject: string | null;
  html: string | null;
  text: string | null;
  /** The errors that only rendering shows, such as an exceeded limit. */
  problems: Problem[];
  /** The size of the HTML in UTF-8 with its tracking. */
  sentBytes: number;
  /** The number of links without a target. */
  emptyLinks: number;
}

export function renderParts({ content, variables, language, postalAddress, trackedAt }: RenderTask): RenderedParts {
  const broken = new Set(
    findStaticProblems(content)
      .filter(({ code }) => code === 'template_syntax')
      // A body is broken where its design is.
      .map(({ path }) => (path?.startsWith('design') ? 'body' : path)),
  );
  const problems: Problem[] = [];
  const { subject, body, type } = content;
  const preheader = broken.has('preheader') ? null : content.preheader;
  const attempt = <T>(field: 'subject' | 'body', render: () => T): T | null => {
    try {
      return render();
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const { line: _line, column: _column, ...problem } = templateProblem(field, error);
      // The place is in the HTML with the preheader.
      problems.push(field === 'body' && preheader !== null ? problem : templateProblem(field, error));
      return null;
    }
  };
  const subjectLine =
    subject === null || broken.has('subject')
      ? null
      : attempt('subject', () => toSubjectLine(renderTemplate(subject, variables, { escape: 'none' })));
  const rendered =
    body === null || broken.has('body')
      ? null
      : attempt('body', () =>
          compileContent({
            subject: '',
            html: completeHtml({ type, body, preheader, language, postalAddress }),
          }).render(variables),
        );
  const html = rendered?.html ?? '';
  return {
    subject: subjectLine,
    html: rendered?.html ?? null,
    text: rendered?.text ?? null,
    problems,
    sentBytes: Buffer.byteLength(trackedAt === null ? html : trackForSize(html, trackedAt)),
    emptyLinks: findHtmlProblems(html).filter(({ code }) => code === 'empty_link').length,
  };
}

/** All keys give links of the same length. */
const SIZE_KEY = 'k'.repeat(32);

const trackForSize = (html: string, publicUrl: string): string =>
  trackPrinted(html, createLinks({ secretKey: SIZE_KEY, publicUrl }).tracking.of(newId()));
