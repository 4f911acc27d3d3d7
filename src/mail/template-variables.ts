/** Lists the variables that a template reads. */
import { listLiquidVariables, type VariableUse } from './template-liquid.js';
import { parsePlaceholder, scanTemplate, type Piece } from './template-scan.js';

export interface ReadVariable extends VariableUse {
  /** Whether its value is printed and the template has no default for it. */
  isRequired: boolean;
}

/**
 * Returns the variables that a template reads, without those that it defines itself (`assign`, `for`, …), in the order of
 * their places.
 *
 * @throws TemplateError of kind `parse`
 */
export function listVariables(source: string): ReadVariable[] {
  const pieces = scanTemplate(source);
  const plain = listPlain(pieces);
  if (plain) return plain;
  const byOffset = new Map(pieces.map((piece) => [piece.offset, piece]));
  return listLiquidVariables(source, pieces)
    .map(({ path, offset }) => ({ path, offset, isRequired: isRequired(byOffset.get(offset)) }))
    .sort((a, b) => a.offset - b.offset);
}

/** Returns null if a piece needs the engine. */
function listPlain(pieces: readonly Piece[]): ReadVariable[] | null {
  const variables: ReadVariable[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'tag') return null;
    if (piece.kind === 'text') continue;
    const placeholder = parsePlaceholder(piece.expression);
    if (!placeholder) return null;
    for (const path of placeholder.paths)
      variables.push({ path, offset: piece.offset, isRequired: placeholder.fallback === null });
  }
  return variables;
}

const isRequired = (piece: Piece | undefined): boolean =>
  piece?.kind === 'output' && !/\?\?|\|\s*default\b/.test(piece.expression);
