/** The designs of the block editor, and their HTML and text. */
export { EMAIL_WIDTH, FONTS, RULE_OPERATORS } from './constants.js';
export { Block, Design } from './schema.js';
export type { BlockOf, Condition, Inline, Mark, Settings } from './schema.js';
export { checkLimits, MAX_BLOCKS, MAX_DESIGN_LENGTH, MAX_LEVELS } from './limits.js';
export { parseDesign } from './parse.js';
export type { DesignError, ParsedDesign } from './parse.js';
export { findProblems } from './problems.js';
export type { DesignProblem } from './problems.js';
export { listTemplates } from './templates.js';
export type { TemplatePlace } from './templates.js';
export { toHtml } from './html/document.js';
export type { HtmlOptions } from './html/document.js';
export type { Brand } from './html/theme.js';
export { toText } from './to-text.js';
export { walkBlocks } from './walk.js';
export type { Place } from './walk.js';
