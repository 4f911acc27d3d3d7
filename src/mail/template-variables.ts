/** Lists the variables that a template reads. */
import { listPieceVariables, type PieceVariables } from './template-liquid.js';
import { parsePlaceholder, scanTemplate, type Piece } from './template-scan.js';

export interface ReadVariable {
  /** Property names, up to the first one that is itself read from a variable. */
  path: string[];
  /** The index of its output or tag in the source. */
  offset: number;
  /** Whether its value is printed and the template has no default for it. */
  isRequired: boolean;
}

/**
 * Returns the variables that a template reads, in the order of their places, without the names that it defines anywhere
 * (`assign`, `for`, …).
 *
 * Each output and tag is analyzed alone, and the same text once: the engine's analysis of a whole template takes
 * quadratic time, 26 s for 400 KB.
 *
 * @throws TemplateError of kind `parse`
 */
export function listVariables(source: string): ReadVariable[] {
  const pieces = scanTemplate(source).filter(({ kind }) => kind !== 'text');
  const byText = new Map<string, PieceVariables>();
  const read = pieces.flatMap((piece) => {
    const variables = byText.get(piece.text) ?? variablesOf(piece);
    byText.set(piece.text, variables);
    return variables.paths.map((path) => ({ path, offset: piece.offset, isRequired: isRequired(piece) }));
  });
  const defined = new Set([...ENGINE_NAMES, ...[...byText.values()].flatMap((variables) => variables.defined)]);
  return read.filter(({ path: [root = ''] }) => !defined.has(root));
}

/** The names that the engine defines in loops. */
const ENGINE_NAMES = ['forloop', 'tablerowloop'];

function variablesOf(piece: Piece): PieceVariables {
  const placeholder = piece.kind === 'output' ? parsePlaceholder(piece.expression) : null;
  return placeholder ? { paths: placeholder.paths, defined: [] } : listPieceVariables(piece);
}

const isRequired = (piece: Piece): boolean => piece.kind === 'output' && !/\?\?|\|\s*default\b/.test(piece.expression);
