/** Case folding and order of texts, the same in both engines. Pure. */

/**
 * Converts each character to lower case by Unicode's simple mapping, like the SQL function `fold_case`. JavaScript's
 * toLowerCase() of a whole text differs: it depends on the context, and maps one character to two.
 */
export function foldCase(text: string): string {
  let folded = '';
  for (const char of text) folded += char === 'İ' ? 'i' : char.toLowerCase();
  return folded;
}

/**
 * Compares texts by code point, like PostgreSQL's collation "C". JavaScript's `<` compares UTF-16 units instead.
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
