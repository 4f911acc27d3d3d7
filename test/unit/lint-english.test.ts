/** The lint over English prose: which parts of a file it reads, and what it reports. */
import { describe, expect, test } from 'vitest';
import { checkText, findProse } from '../../scripts/lint-english.mjs';

/** The pieces of prose in a file, without blank ones: `line: text`. */
const proseOf = (path: string, ...lines: string[]): string[] =>
  findProse(path, lines.join('\n'))
    .filter(({ text }) => /\w/.test(text))
    .map(({ line, text }) => `${line}: ${text.trim()}`);
const phrasesIn = (path: string, text: string): string[] => checkText(path, text).map(({ phrase }) => phrase);

describe('in TypeScript, the lint reads', () => {
  test('comments with their lines, and no code', () => {
    expect(
      proseOf('a.ts', '// one', 'const found = a - b; // two', '/* three', ' * four */ call();', '/**', 'five */'),
    ).toEqual(['1: one', '2: two', '3: three', '4: * four', '6: five']);
  });

  test('strings, with escaped quotes and comment marks in them', () => {
    expect(proseOf('a.ts', `call('it\\'s', "http://x", '/* no */');`, `next("a 'b' c");`)).toEqual([
      "1: it\\'s",
      '1: http://x',
      '1: /* no */',
      "2: a 'b' c",
    ]);
  });

  test('templates, the strings and templates in their expressions, and the text after them', () => {
    expect(
      proseOf('a.ts', 'const a = `one ${b ? `two ${{ c: "three" }.c} four` : d} five', 'six`;', 'const e = "seven";'),
    ).toEqual(['1: one', '1: two', '1: three', '1: four', '1: five', '2: six', '3: seven']);
  });

  test('a comment in the expression of a template', () => {
    expect(proseOf('a.ts', 'const a = `one ${/* two } */ b}`; // three')).toEqual(['1: one', '1: two }', '1: three']);
  });

  test.each([
    ['after an assignment', `const a = /'/; // one`],
    ['with a slash in a class', `const a = /[/'"]/g; // one`],
    ['with escapes', String.raw`const a = /\/'\[/; // one`],
    ['as an argument', 'call(/"/, b); // one'],
    ['after a keyword', "return /'/.test(a); // one"],
    ['after a condition', "if (a(b)) /'/.exec(c); // one"],
    ['after an arrow', 'const a = () => /`/; // one'],
  ])('no regular expression: %s', (_, code) => {
    expect(proseOf('a.ts', code)).toEqual(['1: one']);
  });

  test.each(['a / b; // one', '(a) / b / c; // one', 'a[0] / 2; // one', '2 / 3; // one'])('a division: %s', (code) => {
    expect(proseOf('a.ts', code)).toEqual(['1: one']);
  });
});

test('in SQL, the lint reads line and block comments, also in function bodies, and no strings', () => {
  expect(
    proseOf(
      'a.sql',
      "SELECT 'it''s -- no' AS a, b - c / 2 -- one",
      '/* two',
      '   three */ FROM t;',
      'CREATE FUNCTION f() RETURNS int AS $$',
      "  -- it's four",
      '  SELECT 1 $$;',
    ),
  ).toEqual(['1: one', '2: two', '3: three', "5: it's four"]);
});

test('in Markdown, the lint reads text, and no code and no addresses', () => {
  expect(
    proseOf(
      'a.md',
      'one `no` two ``no ` no`` three',
      '```sh',
      'no',
      '```',
      '~~~',
      'no',
      '~~~',
      'see https://x.test/no',
    ),
  ).toEqual(['1: one `` two `` three', '8: see']);
});

describe('the lint reports', () => {
  test.each([
    ['// Whoever listens also polls.', 'Whoever'], // english-ok: sample
    ["throw new Error('This is no date.');", 'is no'], // english-ok: sample
    ['const a = `Count it ${b} anew`;', 'anew'], // english-ok: sample
    ['/** Has a mail written. */', 'Has a'], // english-ok: sample
    ["test('the step behind the wait', run);", 'behind'], // english-ok: sample
    ['// Else its lease expires.', 'Else'], // english-ok: sample
    ['// The behaviour of a row.', 'behaviour'], // english-ok: sample
  ])('%s', (text, phrase) => {
    expect(phrasesIn('a.ts', text).map((found) => found.replace(/^\W+/, ''))).toContain(phrase);
  });

  test.each([
    'const whoever = behind(anew); // There is no need.', // english-ok: sample
    "fetch('https://shall.test/anew');",
    '// Whatever the status, the row is no longer locked, and it runs behind a proxy.',
    '// who is allowed to read this?',
    '// The rule itself: whoever. english-ok: sample',
  ])('nothing in %s', (text) => {
    expect(phrasesIn('a.ts', text)).toEqual([]);
  });

  test('the line of each phrase, with advice', () => {
    const text = 'One.\n\nIt shall be sent at once.'; // english-ok: sample
    expect(checkText('a.md', text).map(({ line, advice }) => [line, advice])).toEqual([
      [3, expect.stringContaining('must')],
      [3, expect.stringContaining('immediately')],
    ]);
  });
});
