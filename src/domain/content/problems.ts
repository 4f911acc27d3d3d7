/**
 * Finds the problems of an email's content (additions, section 2). Rendering, drafts, and the checks before sending use
 * the same rules. Pure.
 */
import { LRUCache } from 'lru-cache';
import { isAddress } from '../../address.js';
import type { Design } from '../../../packages/email-blocks/src/index.js';
import { hasUnsubscribeLink } from '../../mail/footer.js';
import { compileTemplate } from '../../mail/render.js';
import { position, TemplateError } from '../../mail/template-error.js';
import { listVariables, type ReadVariable } from '../../mail/template-variables.js';
import { maskTemplate } from '../../mail/track-html.js';
import { domainOf } from '../domains/sender.js';
import { completeHtml } from '../emails/html.js';
import type { EmailTypeName } from '../emails/sql/emails.js';
import type { Problem } from '../problems.js';
import { analyzeDesign, BROKEN_DESIGN, findBrokenTemplates } from './design-problems.js';
import { readDesign } from './stored-design.js';
import { findHtmlProblems, type HtmlProblem } from './html-problems.js';

/** The content of a template, a campaign, or a preview. A missing field is null. */
export interface Content {
  subject: string | null;
  preheader: string | null;
  body: string | null;
  /** The design that the body was written from; null or absent if there is none. */
  design?: unknown;
  from: string | null;
  type: EmailTypeName;
}

/** What the project has that its contents refer to. */
export interface ContentFacts {
  /** In lower case. */
  verifiedDomains: ReadonlySet<string>;
  /** The keys of the contacts' data, among those that the contents use. */
  contactKeys: ReadonlySet<string>;
  /** Null if it is not set. */
  postalAddress: string | null;
}

/**
 * What the content is for. A template can also read what a request or an event passes, so its unknown variables are
 * only a hint.
 */
export type ContentUse = 'template' | 'campaign';

type Field = 'subject' | 'preheader' | 'body';

/** Gmail shows only the first 102 KB of the HTML. */
const CLIPPED_BYTES = 102 * 1024;
const MAX_PROBLEMS_PER_CODE = 20;

/** Returns the problems that only the content itself has. With an error among them, it cannot be rendered or sent. */
export function findStaticProblems({ subject, preheader, body, design: stored, from }: Content): Problem[] {
  const design = readDesign(stored);
  const syntax = body === null ? [] : bodies.memo(body).problems;
  return [
    ...(subject === null ? [missing('subject')] : []),
    ...(body === null ? [missing('body')] : []),
    ...(from === null ? [missing('sender')] : []),
    ...analyzeText('subject', subject).problems,
    ...analyzeText('preheader', preheader).problems,
    ...(design ? [...analyzeDesign(design).empty, ...locateSyntax(syntax, design)] : syntax),
  ];
}

/** Whether a content cannot be rendered or sent. */
export const isIncomplete = (content: Content): boolean => findStaticProblems(content).length > 0;

/** Returns all problems: first those of the fields, then those of the texts, each in the order of their places. */
export function findContentProblems(content: Content, facts: ContentFacts, use: ContentUse): Problem[] {
  const { from } = content;
  const problems = findStaticProblems(content);
  if (from !== null) problems.push(...findSenderProblem(from, facts));
  const others = [...findUnknownVariables(content, facts, use), ...findBodyProblems(content, facts)];
  const design = readDesign(content.design);
  return [...problems, ...(design ? locateInDesign(others, design) : others)];
}

/** @param from normalized; that of a preview can be any text */
function findSenderProblem(from: string, { verifiedDomains }: ContentFacts): Problem[] {
  const problem = (message: string): Problem[] => [
    { code: 'unverified_sender', level: 'error', message, path: 'from' },
  ];
  if (!isAddress(from)) return problem('The sender is not an email address. Write it like news@example.com.');
  const domain = domainOf(from);
  if (verifiedDomains.has(domain)) return [];
  return problem(`The domain ${domain} is not verified. Complete its DNS verification first.`);
}

/** Replaces the syntax errors of a body by their places in its design. */
function locateSyntax(problems: readonly Problem[], design: Design): Problem[] {
  if (problems.length === 0) return [];
  const broken = findBrokenTemplates(design).map(({ path, error }) => ({ ...templateProblem('body', error), path }));
  if (broken.length > 0) return broken;
  return [{ code: 'template_syntax', level: 'error', message: BROKEN_DESIGN, path: 'design' }];
}

const HTML_CODES: ReadonlySet<string> = new Set(['image_without_alt', 'insecure_link', 'empty_link']);

/** Replaces the problems of a body by those of its design. */
function locateInDesign(problems: readonly Problem[], design: Design): Problem[] {
  const others = problems
    .filter(({ path, code }) => path !== 'body' || !HTML_CODES.has(code))
    .map((problem) => (problem.path === 'body' ? { ...problem, path: 'design' } : problem));
  return [...others, ...limitPerCode(analyzeDesign(design).problems)];
}

function limitPerCode<T extends { code: string }>(problems: readonly T[]): T[] {
  const counts = new Map<string, number>();
  return problems.filter(({ code }) => {
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    return count <= MAX_PROBLEMS_PER_CODE;
  });
}

/** Returns the keys of contact data that a content reads, apart from the service's own variables. */
export const listContactKeys = (content: Content): string[] => [
  ...new Set(analyzeTexts(content).flatMap(({ variables }) => variables.flatMap(({ path }) => keyOf(path) ?? []))),
];

/** Returns the problem of HTML that has more than 102 KB as it is sent; null for less. */
export function findClipping(bytes: number): Problem | null {
  if (bytes <= CLIPPED_BYTES) return null;
  return {
    code: 'clipped',
    level: 'warning',
    message:
      `The HTML has ${Math.ceil(bytes / 1024)} KB. Gmail shows only the first 102 KB and hides the rest, ` +
      'which includes the unsubscribe link. Make it shorter.',
    path: 'body',
  };
}

/** Returns the problem of a text that does not parse, or cannot be rendered within the limits. */
export const templateProblem = (field: Field, { reason, line, column }: TemplateError): Problem => ({
  code: 'template_syntax',
  level: 'error',
  message: toSentence(reason),
  ...(line !== undefined && { line }),
  ...(column !== undefined && { column }),
  path: field,
});

/** The messages of the template engine are fragments in lower case. */
const toSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

const MISSING = { subject: 'subject', body: 'body', sender: 'from' } as const;

const missing = (what: keyof typeof MISSING): Problem => ({
  code: `missing_${what}`,
  level: 'error',
  message: `The ${what} is missing.`,
  path: MISSING[what],
});

interface AnalyzedText {
  /** Syntax errors. */
  problems: Problem[];
  /** In the order of their places. */
  variables: ReadVariable[];
}

const NOTHING: AnalyzedText = { problems: [], variables: [] };

function analyzeText(field: Field, source: string | null): AnalyzedText {
  if (source === null) return NOTHING;
  try {
    compileTemplate(source, { escape: field === 'subject' ? 'none' : 'html' });
    return { problems: [], variables: listVariables(source) };
  } catch (error) {
    if (error instanceof TemplateError) return { problems: [templateProblem(field, error)], variables: [] };
    throw error;
  }
}

interface AnalyzedBody extends AnalyzedText {
  html: HtmlProblem[];
  bytes: number;
  hasUnsubscribeLink: boolean;
}

/** Bodies are long, and lists and autosaves read the same ones repeatedly. */
const bodies = new LRUCache<string, AnalyzedBody>({
  max: 1000,
  maxSize: 32_000_000,
  sizeCalculation: (_, source) => Math.max(source.length, 1),
  memoMethod: (source) => {
    const text = analyzeText('body', source);
    return {
      ...text,
      html: text.problems.length > 0 ? [] : findHtmlProblems(maskTemplate(source)),
      bytes: Buffer.byteLength(source),
      hasUnsubscribeLink: hasUnsubscribeLink(source),
    };
  },
});

const analyzeTexts = ({ subject, preheader, body }: Content): Array<AnalyzedText & { field: Field }> => [
  { field: 'subject', ...analyzeText('subject', subject) },
  { field: 'preheader', ...analyzeText('preheader', preheader) },
  { field: 'body', ...(body === null ? NOTHING : bodies.memo(body)) },
];

/** The variables that the service sets in every email. */
const OWN_VARIABLES = new Set([
  'id',
  'email',
  'svc_id',
  'svc_email',
  'locale',
  'unsubscribeUrl',
  'subscribeUrl',
  'manageUrl',
]);
/** What the emails of a workflow also have. */
const WORKFLOW_VARIABLES = new Set(['event', 'contact', 'workflow']);

/** Returns the key of the contact's data that a path reads; null if it reads something else. */
function keyOf(path: readonly string[]): string | null {
  const [first, second] = path;
  if (first === 'data') return second ?? null;
  return first === undefined || OWN_VARIABLES.has(first) ? null : first;
}

/** Lists each unknown variable once: at its first place, or its first place without a default. */
function findUnknownVariables(content: Content, { contactKeys }: ContentFacts, use: ContentUse): Problem[] {
  const unknown = new Map<string, ReadVariable & { field: Field }>();
  for (const { field, variables } of analyzeTexts(content)) {
    for (const variable of variables) {
      const [key, name] = [keyOf(variable.path), variable.path.join('.')];
      if (key === null || contactKeys.has(key) || isPassed(variable, use)) continue;
      const listed = unknown.get(name);
      if (!listed || (variable.isRequired && !listed.isRequired)) unknown.set(name, { ...variable, field });
    }
  }
  return [...unknown].slice(0, MAX_PROBLEMS_PER_CODE).map(([name, { field, offset, isRequired }]) => ({
    code: 'unknown_variable',
    level: use === 'campaign' && isRequired ? 'warning' : 'info',
    message: `No contact has the variable "${name}". ${hintOf(use, isRequired)}`,
    ...placeOf(name, { field, offset }, content),
  }));
}

function placeOf(
  name: string,
  { field, offset }: { field: Field; offset: number },
  content: Content,
): Partial<Problem> {
  const design = field === 'body' ? readDesign(content.design) : null;
  return design
    ? { path: analyzeDesign(design).variables.get(name) ?? 'design' }
    : { ...position(content[field] ?? '', offset), path: field };
}

const isPassed = ({ path }: ReadVariable, use: ContentUse): boolean =>
  use === 'template' && WORKFLOW_VARIABLES.has(path[0] ?? '');

function hintOf(use: ContentUse, isRequired: boolean): string {
  if (use === 'template') return 'It has no value unless the request or the event passes it.';
  return isRequired
    ? 'It prints nothing. Check its spelling, or give it a default: {{ name ?? "friend" }}.'
    : 'Check its spelling.';
}

function findBodyProblems(content: Content, { postalAddress }: ContentFacts): Problem[] {
  const { body, type } = content;
  if (body === null) return [];
  const { html, problems, bytes, hasUnsubscribeLink: hasLink } = bodies.memo(body);
  if (problems.length > 0) return [];
  const found: Problem[] = [];
  if (type === 'HEADLESS' && !hasLink)
    found.push({
      code: 'no_unsubscribe_link',
      level: 'warning',
      message: 'HEADLESS email has no footer. Add a link to {{ unsubscribeUrl }} or {{ manageUrl }}.',
      path: 'body',
    });
  if (type === 'MARKETING') found.push(...findAddressProblem(body, postalAddress));
  const clipping = findClipping(bytes + addedBytes(content, hasLink));
  if (clipping) found.push(clipping);
  return [...found, ...locate(html, body)];
}

/** Marketing email must name the sender's postal address (CAN-SPAM and similar laws). Our footer shows it. */
function findAddressProblem(body: string, postalAddress: string | null): Problem[] {
  const problem = (message: string): Problem[] => [
    { code: 'missing_postal_address', level: 'warning', message, path: 'body' },
  ];
  if (postalAddress === null)
    return problem('Marketing email must show your postal address. Set it in the settings of the project.');
  const compact = (text: string): string => text.replace(/<[^>]*>|[\s,]+/g, '').toLowerCase();
  if (!hasUnsubscribeLink(body) || compact(body).includes(compact(postalAddress))) return [];
  return problem('The body has its own unsubscribe link, so no footer is added. Add your postal address to the body.');
}

/** Returns the size of the footer and the preheader before their variables are printed. */
function addedBytes({ preheader, type }: Content, hasLink: boolean): number {
  try {
    const parts = { body: '', preheader, language: 'en', postalAddress: null };
    return Buffer.byteLength(completeHtml({ ...parts, type: hasLink ? 'TRANSACTIONAL' : type }));
  } catch (error) {
    if (error instanceof TemplateError) return 0;
    throw error;
  }
}

const locate = (problems: readonly HtmlProblem[], source: string): Problem[] =>
  limitPerCode(problems).map(({ offset, ...problem }) => ({ ...problem, ...position(source, offset), path: 'body' }));
