/** Templates with logic or filters: the Liquid engine with limits. This product's additions are rewritten to Liquid. */
import { CaptureTag, Context, Drop, Liquid, LiquidError, toValueSync, type Emitter, type Template } from 'liquidjs';
import { TemplateError } from './template-error.js';
import { readJsonLiteral } from './template-json.js';
import { parsePath, splitDefault, type Piece } from './template-scan.js';
import { printEscaped, printJson, printRaw, valueToText, type EscapeMode } from './template-value.js';

/** The maximum number of characters of the output, and of each value that the engine creates. */
export const MAX_OUTPUT = 5_000_000;
/** The maximum time of one rendering. A template that takes longer has an endless loop. */
const RENDER_LIMIT_MS = 500;

/** The text of a `capture` block. Its values are already escaped, so an output prints it unchanged. */
class CapturedText extends Drop {
  readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
  override valueOf(): string {
    return this.text;
  }
  override toString(): string {
    return this.text;
  }
}

class SafeCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const text = yield this.liquid.renderer.renderTemplates(this.templates, context);
    context.bottom()[this.variable] = new CapturedText(text);
  }
}

class LimitedEmitter implements Emitter {
  buffer = '';
  write(html: unknown): void {
    this.buffer += typeof html === 'string' ? html : valueToText(plain(html));
    if (this.buffer.length > MAX_OUTPUT)
      throw new TemplateError('render', `The template prints more than ${MAX_OUTPUT} characters.`);
  }
}

const plain = (value: unknown): unknown => (value instanceof Drop ? value.valueOf() : value);

function limited(text: string): string {
  if (text.length > MAX_OUTPUT) throw new TemplateError('render', `A value has more than ${MAX_OUTPUT} characters.`);
  return text;
}

function createEngine(mode: EscapeMode): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    templates: {},
    timezoneOffset: 0,
    parseLimit: MAX_OUTPUT,
    renderLimit: RENDER_LIMIT_MS,
    memoryLimit: MAX_OUTPUT,
    outputEscape: (value: unknown) =>
      value instanceof CapturedText ? value.text : limited(printEscaped(plain(value), mode)),
  });
  // A template cannot include other templates.
  for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag];
  // In a JSON template, a block captures plain text, which is escaped where it is printed.
  if (mode !== 'json') engine.registerTag('capture', SafeCapture);
  engine.registerFilter('raw', {
    raw: true,
    handler: (value: unknown) => (value instanceof CapturedText ? value.text : limited(printRaw(plain(value), mode))),
  });
  engine.registerFilter('__or', (value: unknown, fallback: unknown) => value ?? fallback);
  // Liquid's filters turn a missing value into an empty text, so after filters an empty text counts as missing.
  engine.registerFilter('__or_filtered', (value: unknown, fallback: unknown) =>
    value === '' ? fallback : (value ?? fallback),
  );
  registerOwnEscape(engine, mode);
  return engine;
}

/** Makes filters that escape like the mode itself return the value unchanged, so that it is not escaped twice. */
function registerOwnEscape(engine: Liquid, mode: EscapeMode): void {
  const same = (value: unknown): unknown => value;
  if (mode === 'url') for (const name of ['url_encode', 'cgi_escape', 'uri_escape']) engine.registerFilter(name, same);
  if (mode !== 'json') return;
  for (const name of ['json', 'jsonify']) engine.registerFilter(name, same);
  engine.registerFilter('__bare', { raw: true, handler: (value: unknown) => limited(printJson(plain(value))) });
}

const engines: Partial<Record<EscapeMode, Liquid>> = {};
const engineFor = (mode: EscapeMode): Liquid => (engines[mode] ??= createEngine(mode));

/**
 * Compiles pieces with the Liquid engine.
 *
 * @throws TemplateError with the place in `source`
 */
export function compileLiquid(
  source: string,
  pieces: Piece[],
  mode: EscapeMode,
): (variables: Record<string, unknown>) => string {
  const engine = engineFor(mode);
  const rewritten = new RewrittenSource(source, pieces);
  let templates: Template[];
  try {
    templates = engine.parse(rewritten.text);
  } catch (error) {
    throw rewritten.toTemplateError('parse', error);
  }
  return (variables) => {
    try {
      const emitter = new LimitedEmitter();
      toValueSync(
        engine.renderer.renderTemplates(
          templates,
          new Context(variables, engine.options, { sync: true }, { liquid: engine }),
          emitter,
        ),
      );
      return emitter.buffer;
    } catch (error) {
      throw rewritten.toTemplateError('render', error);
    }
  };
}

/** The variables of one output or tag. */
export interface PieceVariables {
  /** The paths that it reads: property names, up to the first one that is itself read from a variable. */
  paths: string[][];
  /** The names that it defines for the rest of the template, or for its block. */
  defined: string[];
}

/** Lists the variables of an output or a tag with logic or filters. Returns none for a piece that does not parse. */
export function listPieceVariables(piece: Piece): PieceVariables {
  const text = piece.kind === 'output' ? rewriteOutput(piece) : completeTag(piece.text);
  try {
    const { globals, locals } = engineFor('html').parseAndAnalyzeSync(text);
    return {
      paths: Object.values(globals).flatMap((uses) => uses.map(({ segments }) => namesOf(segments))),
      defined: [...Object.keys(locals), ...(LOOP.exec(piece.text)?.slice(1) ?? [])],
    };
  } catch (error) {
    if (LiquidError.is(error) || error instanceof TemplateError) return { paths: [], defined: [] };
    throw error;
  }
}

const TAG = /^\{%-?\s*(\w+)/;
const LOOP = /^\{%-?\s*(?:for|tablerow)\s+([\w-]+)/;

/** Returns a tag as a whole template: an opening tag with its end, and a branch as a block of its own. */
function completeTag(text: string): string {
  const name = TAG.exec(text)?.[1] ?? '';
  switch (name) {
    case 'elsif':
      return `${text.replace(/\belsif\b/, 'if')}{% endif %}`;
    case 'when':
      return `{% case 0 %}${text}{% endcase %}`;
    case 'if':
    case 'unless':
    case 'case':
    case 'for':
    case 'tablerow':
    case 'capture':
      return `${text}{% end${name} %}`;
    default:
      return text;
  }
}

function namesOf(segments: ReadonlyArray<unknown>): string[] {
  const end = segments.findIndex((segment) => typeof segment === 'object');
  return segments.slice(0, end === -1 ? undefined : end).map(String);
}

/** A source rewritten to pure Liquid. It maps the places of errors back to the author's source. */
class RewrittenSource {
  readonly text: string;
  readonly #source: string;
  readonly #starts: Array<{ begin: number; offset: number }> = [];

  constructor(source: string, pieces: Piece[]) {
    this.#source = source;
    let text = '';
    for (const piece of pieces) {
      this.#starts.push({ begin: text.length, offset: piece.offset });
      text += piece.kind === 'output' ? rewriteOutput(piece) : piece.text;
    }
    this.text = text;
  }

  toTemplateError(kind: 'parse' | 'render', error: unknown): TemplateError {
    const original: unknown = LiquidError.is(error) ? (error.originalError ?? error) : error;
    if (original instanceof TemplateError) return original;
    const message = (original instanceof Error ? original.message : String(original))
      .replace(/, (?:file:[^,]*, )?line:\d+, col:\d+$/, '')
      // The engine calls itself for each level.
      .replace(/^Maximum call stack size exceeded$/, 'the tags are nested too deeply');
    const offset = LiquidError.is(error) ? this.#originalOffset(error.token.begin) : undefined;
    return new TemplateError(kind, message, { source: this.#source, offset, cause: error });
  }

  #originalOffset(at: number): number {
    const start = this.#starts.findLast(({ begin }) => begin <= at);
    return start?.offset ?? 0;
  }
}

/** Rewrites `{{{ a }}}` and `{{ a ?? b }}` to Liquid. Other outputs stay unchanged. */
function rewriteOutput(piece: Extract<Piece, { kind: 'output' }>): string {
  const trimLeft = piece.expression.startsWith('-') ? '-' : '';
  const trimRight = piece.expression.length > 1 && piece.expression.endsWith('-') ? '-' : '';
  const expression = piece.expression.slice(trimLeft.length, piece.expression.length - trimRight.length).trim();
  const defaulted = splitDefault(expression);
  const [first = expression, ...others] = defaulted?.candidates ?? [];
  const or = parsePath(first) === null ? '__or_filtered' : '__or';
  const chain = [
    liquidPath(first),
    ...others.map((other) => `| ${or}: ${liquidPath(other)}`),
    ...(defaulted
      ? [`| ${or}: ${piece.bare ? literal(defaulted.fallback) : quote(defaulted.fallback)} ${defaulted.filters}`]
      : []),
    ...(piece.bare ? ['| __bare'] : piece.raw ? ['| raw'] : []),
  ];
  return `{{${trimLeft} ${chain.join(' ')} ${trimRight}}}`;
}

/** Puts the names of a path that Liquid cannot parse (with spaces or signs) in brackets. */
function liquidPath(expression: string): string {
  const path = parsePath(expression);
  if (path === null || (path.every((segment) => /^[\p{L}\p{N}_-]+$/u.test(segment)) && !/^\d+$/.test(path[0] ?? '')))
    return expression;
  return path
    .map((segment, index) => (/^\d+$/.test(segment) && index > 0 ? `[${segment}]` : `[${quote(segment)}]`))
    .join('');
}

/** Writes the default of a bare output: a number, a boolean, or null as itself, anything else as text. */
function literal(text: string): string {
  const value = readJsonLiteral(text);
  return typeof value === 'string' ? quote(value) : String(value);
}

const quote = (text: string): string => `"${text.replace(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`;
