/** The sentences of the API in the language of the application. A sentence without a translation stays as it is. */

/** Sentences by their English original. `{0}`, `{1}`, … stand for any text. */
export type Sentences = Readonly<Record<string, string>>;

interface Pattern {
  english: RegExp;
  translated: string;
}

let exact: Sentences = {};
let patterns: Pattern[] = [];

/** Sets the sentences of the language. */
export function setSentences(sentences: Sentences): void {
  exact = sentences;
  patterns = Object.entries(sentences)
    .filter(([english]) => english.includes('{0}'))
    .map(([english, translated]) => ({ english: patternOf(english), translated }));
}

/** Returns a message of the API in the language of the application, and so the messages in it: `Template "A": …`. */
export function translateMessage(message: string): string {
  if (Object.hasOwn(exact, message)) return exact[message] ?? message;
  for (const { english, translated } of patterns) {
    const found = english.exec(message);
    if (found)
      return translated.replace(/\{(\d)\}/g, (_, index: string) => translateMessage(found[Number(index) + 1] ?? ''));
  }
  return message;
}

const patternOf = (english: string): RegExp =>
  new RegExp(
    `^${english
      .split(/\{\d\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('(.+?)')}$`,
    's',
  );
