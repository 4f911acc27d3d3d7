/** Reads a design from JSON that may have any shape. */
import { MAX_LEVELS } from './limits.js';
import { Design } from './schema.js';

/** What a design breaks. */
export interface DesignError {
  /** `blocks.2.columns.0.1.src`, or empty for the design itself. */
  path: string;
  message: string;
}

export type ParsedDesign = { design: Design } | { errors: DesignError[] };

/** The deepest place of a design has two containers of JSON per level, and a few for its texts. */
const MAX_JSON_DEPTH = MAX_LEVELS * 3 + 8;

/** Checks a design against its schema. Unknown fields are removed. */
export function parseDesign(input: unknown): ParsedDesign {
  // The schema is recursive, and so are its checks.
  if (isDeeperThan(input, MAX_JSON_DEPTH))
    return { errors: [{ path: 'blocks', message: `must not be nested deeper than ${MAX_LEVELS} levels` }] };
  const result = Design.safeParse(input);
  if (result.success) return { design: result.data };
  return { errors: result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })) };
}

function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}
