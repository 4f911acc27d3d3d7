/** A template that cannot be parsed, or cannot be rendered within its limits. */
export class TemplateError extends Error {
  /**
   * `parse`: a syntax error, found before anything is sent. `render`: an exceeded limit, or a filter that rejects a
   * value.
   */
  readonly kind: 'parse' | 'render';
  /** The message without the place. */
  readonly reason: string;
  /** The place in the author's source, 1-based; absent if the engine does not report one. */
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
    this.reason = message;
    this.line = at?.line;
    this.column = at?.column;
  }
}

/** Returns the line and column of an index, 1-based. */
export function position(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
