/**
 * A template that can't be parsed, or can't be rendered within its limits.
 */
export class TemplateError extends Error {
  /**
   * `parse`: the author's to correct, found before anything is sent. `render`: a limit, or a filter that refuses a
   * value.
   */
  readonly kind: 'parse' | 'render';
  /** Where, in the source as the author wrote it, from 1; absent where the engine names no place. */
  readonly line?: number;
  readonly column?: number;

  constructor(
    kind: 'parse' | 'render',
    message: string,
    place: { source?: string; offset?: number; cause?: unknown } = {},
  ) {
    const { source, offset } = place;
    const at = source === undefined || offset === undefined ? undefined : position(source, offset);
    super(at ? `${message} (line ${at.line}, column ${at.column})` : message, { cause: place.cause });
    this.name = 'TemplateError';
    this.kind = kind;
    this.line = at?.line;
    this.column = at?.column;
  }
}

function position(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
