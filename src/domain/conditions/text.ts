/** Texts as both engines see them: in any case, and in an order that is the same everywhere. Pure. */

/**
 * Lower case, character by character: the simple mapping of Unicode, as PostgreSQL's `fold_case` does it (see the
 * migration). JavaScript's own toLowerCase() knows contexts and one mapping to two characters, which that doesn't.
 */
export function foldCase(text: string): string {
  let folded = '';
  for (const char of text) folded += char === 'İ' ? 'i' : char.toLowerCase();
  return folded;
}

/**
 * The order of code points, which is that of UTF-8 bytes and of PostgreSQL's collation "C"; JavaScript's `<` compares
 * UTF-16 units.
 */
export function compareText(a: string, b: string): number {
  const [left, right] = [a[Symbol.iterator](), b[Symbol.iterator]()];
  for (;;) {
    const [x, y] = [left.next(), right.next()];
    if (x.done || y.done) return Number(y.done ?? false) - Number(x.done ?? false);
    const difference = (x.value.codePointAt(0) ?? 0) - (y.value.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
}
