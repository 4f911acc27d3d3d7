/** The problems of a design, with their places in it: `design.blocks.2.columns.0.1.src`. Pure. */
import { LRUCache } from 'lru-cache';
import {
  findProblems,
  listTemplates,
  walkBlocks,
  type Design,
  type TemplatePlace,
} from '../../../packages/email-blocks/src/index.js';
import { compileTemplate } from '../../mail/render.js';
import { position, TemplateError } from '../../mail/template-error.js';
import { listVariables } from '../../mail/template-variables.js';
import { maskTemplate } from '../../mail/track-html.js';
import type { Problem } from '../problems.js';
import { findHtmlProblems } from './html-problems.js';

const toPath = (path: string): string => `design.${path}`;

/** Returns the templates of a design that do not parse. Call it only if the body does not parse. */
export const findBrokenTemplates = (design: Design): Array<{ path: string; error: TemplateError }> =>
  [...listTemplates(design)].flatMap((place) => {
    const error = parseError(place);
    return error ? [{ path: toPath(place.path), error }] : [];
  });

/** The message if only the whole design does not parse: its tags are opened and closed in different texts. */
export const BROKEN_DESIGN = 'The tags of the design do not match. Close each tag in the text that opens it.';

function parseError({ template }: TemplatePlace): TemplateError | null {
  try {
    compileTemplate(template, { escape: 'html' });
    return null;
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}

interface AnalyzedDesign {
  /** The problem of a design that shows nothing. */
  empty: Problem[];
  /** What readers would notice: images without a description, and links to nowhere. */
  problems: Problem[];
  /** The first place of each variable, by its name. */
  variables: ReadonlyMap<string, string>;
}

/** Lists and autosaves read the same designs repeatedly, as new objects. An analysis takes about 1 ms. */
const analyses = new LRUCache<string, AnalyzedDesign, Design>({
  max: 1000,
  maxSize: 32_000_000,
  sizeCalculation: (_, json) => json.length,
  memoMethod: (_json, _stale, { context: design }) => ({
    empty: toProblems(design, ({ code }) => code === 'missing_body'),
    problems: [...toProblems(design, ({ code }) => code !== 'missing_body'), ...findHtmlBlockProblems(design)],
    variables: findVariables(design),
  }),
});

export const analyzeDesign = (design: Design): AnalyzedDesign =>
  analyses.memo(JSON.stringify(design), { context: design });

const toProblems = (design: Design, isIncluded: (problem: Problem) => boolean): Problem[] =>
  findProblems(design)
    .filter(isIncluded)
    .map((problem) => ({ ...problem, path: toPath(problem.path) }));

function findHtmlBlockProblems(design: Design): Problem[] {
  return [...walkBlocks(design.blocks)].flatMap(({ block, path }): Problem[] => {
    if (block.type !== 'html' || parseError({ path, template: block.html })) return [];
    return findHtmlProblems(maskTemplate(block.html)).map(({ offset, ...problem }) => ({
      ...problem,
      ...position(block.html, offset),
      path: toPath(`${path}.html`),
    }));
  });
}

function findVariables(design: Design): Map<string, string> {
  const places = new Map<string, string>();
  for (const place of listTemplates(design)) {
    if (!place.template.includes('{') || parseError(place)) continue;
    for (const { path } of listVariables(place.template)) {
      const name = path.join('.');
      if (!places.has(name)) places.set(name, toPath(place.path));
    }
  }
  return places;
}
