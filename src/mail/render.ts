/**
 * The template language: `{{ key }}`, `{{ data.plan.name }}`, `{{ key ?? default }}`, `{{{ key }}}`, and Liquid's tags
 * and filters (contract, section 4, "Template language").
 */
import { LRUCache } from 'lru-cache';
import { TemplateError } from './template-error.js';
import { markBareOutputs, readJsonLiteral } from './template-json.js';
import { compileLiquid, MAX_OUTPUT } from './template-liquid.js';
import { parsePlaceholder, scanTemplate, type Piece, type Placeholder } from './template-scan.js';
import { printEscaped, printJson, printRaw, type EscapeMode } from './template-value.js';

export type TemplateVariables = Record<string, unknown>;

/** A template that can be rendered any number of times. */
export interface CompiledTemplate {
  /**
   * Renders the template. Braces in values are printed, never evaluated.
   *
   * @throws TemplateError of kind `render`: a limit (500 ms, 5 million characters), or a filter that rejects its input
   */
  render: (variables: TemplateVariables) => string;
  /** The parts of a template of text and plain placeholders; null if it needs the engine. */
  segments: readonly Segment[] | null;
}

/** A text, or an output without filters. */
export type Segment = string | Output;

export interface Output extends Placeholder {
  /** The default, as it is printed. */
  fallback: string;
  print: (value: unknown, mode: EscapeMode) => string;
}

export interface TemplateOptions {
  /**
   * `html` for bodies, `none` for subjects, `text` for the text alternative of a body, `url` and `json` for the
   * requests of WEBHOOK steps.
   */
  escape: EscapeMode;
}

// 16 million characters of sources take about 32 MB.
const createCache = (mode: EscapeMode) =>
  new LRUCache<string, CompiledTemplate>({
    max: 1000,
    maxSize: 16_000_000,
    sizeCalculation: (_, source) => Math.max(source.length, 1),
    memoMethod: (source) => compile(source, mode),
  });
const caches = {
  html: createCache('html'),
  none: createCache('none'),
  text: createCache('text'),
  url: createCache('url'),
  json: createCache('json'),
} satisfies Record<EscapeMode, unknown>;

/**
 * Compiles a template. Results are cached by source.
 *
 * - A key is a word of letters, digits, `_`, and `-` (`first-name`, `Straße`), several words (`First name`), or quoted in
 *   brackets (`data["x.y"]`).
 * - The default after `??` is text: quoted, a number, or bare words. In a chain `a ?? b ?? text`, all operands except the
 *   last one are variables. The default is printed for null and missing values; `0`, `false`, and the empty string are
 *   values.
 * - Inherited properties do not exist. `include`, `render`, `layout`, and `block` are unknown tags.
 *
 * @throws TemplateError of kind `parse`, with line and column
 */
export function compileTemplate(source: string, options: TemplateOptions = { escape: 'html' }): CompiledTemplate {
  return caches[options.escape].memo(source);
}

/** Compiles (once per source) and renders a template. @throws TemplateError */
export function renderTemplate(source: string, variables: TemplateVariables, options: TemplateOptions): string {
  return compileTemplate(source, options).render(variables);
}

/** Turns a rendered subject into one line of at most 998 characters. Values can contain newlines, headers cannot. */
export function toSubjectLine(rendered: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to go
  const line = rendered.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim();
  // Do not cut a surrogate pair in half.
  return line.length <= 998 ? line : line.slice(0, 998).replace(/[\uD800-\uDBFF]$/, '');
}

function compile(source: string, mode: EscapeMode): CompiledTemplate {
  const scanned = scanTemplate(source);
  const pieces = mode === 'json' ? markBareOutputs(scanned) : scanned;
  const segments = toSegments(pieces, mode);
  if (segments === null) return { render: compileLiquid(source, pieces, mode), segments };
  const [only = ''] = segments;
  if (segments.length <= 1 && typeof only === 'string') return { render: () => only, segments };
  return { render: (variables) => renderSegments(segments, variables, mode), segments };
}

function toSegments(pieces: Piece[], mode: EscapeMode): Segment[] | null {
  const segments: Segment[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'tag') return null;
    if (piece.kind === 'text') {
      segments.push(piece.text);
      continue;
    }
    const placeholder = parsePlaceholder(piece.expression);
    if (placeholder === null) return null;
    if (piece.bare) {
      segments.push({
        paths: placeholder.paths,
        fallback: printJson(readJsonLiteral(placeholder.fallback)),
        print: printJson,
      });
      continue;
    }
    const print = piece.raw ? printRaw : printEscaped;
    segments.push({ paths: placeholder.paths, fallback: print(placeholder.fallback ?? '', mode), print });
  }
  return segments;
}

/** @throws TemplateError of kind `render` */
export function renderSegments(segments: readonly Segment[], variables: TemplateVariables, mode: EscapeMode): string {
  let output = '';
  for (const segment of segments) {
    output += typeof segment === 'string' ? segment : printOutput(segment, variables, mode);
    assertPrintable(output.length);
  }
  return output;
}

/** Prints an output's first value, or else its default. */
export function printOutput(output: Output, variables: TemplateVariables, mode: EscapeMode): string {
  const value = firstValue(output.paths, variables);
  return value === null || value === undefined ? output.fallback : output.print(value, mode);
}

/** @throws TemplateError of kind `render` if a template prints too many characters */
export function assertPrintable(characters: number): void {
  if (characters > MAX_OUTPUT)
    throw new TemplateError('render', `The template prints more than ${MAX_OUTPUT} characters.`);
}

function firstValue(paths: readonly string[][], variables: TemplateVariables): unknown {
  for (const path of paths) {
    let value: unknown = variables;
    for (const name of path) value = readProperty(value, name);
    if (value !== null && value !== undefined) return value;
  }
  return undefined;
}

/** Resolves one step of a path like Liquid: own properties, otherwise `size`, `first`, and `last`. */
function readProperty(owner: unknown, name: string): unknown {
  if (owner === null || owner === undefined) return undefined;
  if (typeof owner === 'string') return name === 'size' ? owner.length : undefined;
  if (typeof owner !== 'object') return undefined;
  if (Object.hasOwn(owner, name)) return Reflect.get(owner, name);
  if (name === 'size') return Array.isArray(owner) ? owner.length : Object.keys(owner).length;
  if (!Array.isArray(owner)) return undefined;
  if (name === 'first') return owner[0];
  return name === 'last' ? owner.at(-1) : undefined;
}
