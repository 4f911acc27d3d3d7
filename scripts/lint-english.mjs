/**
 * `npm run lint:english [paths]`: reports phrases that the project's English rules forbid, in comments, string and
 * template literals, SQL comments, and Markdown. Without paths, it checks all tracked files.
 *
 * An exception needs `english-ok: <reason>` on its line. Exits with 1 if it finds anything.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** One entry per group of phrases: a pattern and what to write instead. CONTRIBUTING.md has the rules. */
export const RULES = [
  {
    pattern:
      /\b(who|whom|where)(so)?ever\b|\banew\b|\bshall\b|\bmend(s|ed|ing)?\b|\bunder ?way\b|\bfor good\b|\bbe had\b/i, // english-ok: the rule
    advice: 'name the subject; use "again", "must", "fix", "in progress", "permanently"',
  },
  {
    pattern:
      /\bgi(ve|ves|ving|ven) way\b|\bgave way\b|\bin the very\b|\bas it stands\b|\btaken? for\b|\b(in all|of old)\b(?=[.,;:)]|$)/i, // english-ok: the rule
    advice: 'use a literal verb',
  },
  {
    pattern: /\bwhatever\b(?! the\b)|\b(some|any|every|no)body\b|\bat once\b/i, // english-ok: the rule
    advice: 'name the person or thing; use "immediately" or "concurrently"',
  },
  {
    pattern:
      /(?<!there )\b(is|are|was|were) no (?!longer\b|more than\b|less than\b|other\b|need\b)|(?<!there )\b(is|are) none\b(?! of\b)|\bwhat (is|are|was) no\b/i, // english-ok: the rule
    advice: 'negate the verb: "is not a …"',
  },
  {
    pattern:
      /(?<!\b(left|lags?|falls?|far) )\bbehind\b(?! (an?|the|one|each) (\w+ )?(proxy|balancer|firewall|NAT|interface|API)\b)(?![.,;:)']|$)/i, // english-ok: the rule
    advice: 'use "after"',
  },
  {
    pattern:
      /\bbesides?\b|\bbut for\b|\bdear(er|est)?\b(?! \{\{)|\b(is|are|was|were) to be\b|\bgo(es|ing)? on\b|\bwent on\b/i, // english-ok: the rule
    advice: 'use "apart from", "except", "expensive", "must be", "continue"',
  },
  {
    pattern: /(^|[.:] )who (has|is|asks|sends|wants|reads|waits|comes|signs|loses)\b(?!.*\?)|\bonly who\b/im, // english-ok: the rule
    advice: 'name the person or thing that acts',
  },
  {
    pattern: /^\W*(Has|Have) (an?|the|its|all)\b|^\W*Of (an?|the|its) [\w' ]+:|(^\W*|[.;] )Else\b/m, // english-ok: the rule
    advice: 'begin with a third-person verb or a noun phrase; use "Otherwise"',
  },
  {
    pattern: /\b(rows?|columns?|flags?|settings?|configs?|DNS|server|provider) (says?|said)\b|\bis said\b/i, // english-ok: the rule
    advice: 'things do not speak: "the row has", "the server replies"',
  },
  {
    pattern:
      /\b(look|set|hand|time|roll)-(ups?|overs?|outs?)\b|\bbehaviour|\bcolour|\bhonour|(recogni|normali|initiali|seriali|organi|authori)s(e|es|ed|ing|ation)\b/i, // english-ok: the rule
    advice: 'use US spelling and closed compounds',
  },
];

const CHECKED = /\.(ts|tsx|mjs|js|sql|md|css|html)$/;
const SKIPPED =
  /^(packages\/client\/src\/schema\.ts|prisma\/migrations\/|test\/histories\/|test\/fixtures\/|LICENSE|docs\/images\/)/;
const EXEMPT = /english-ok: \S/;

/**
 * Returns the prose of a source file by line: comments and literals, with code blanked out.
 *
 * @returns one entry per piece: its 1-based line and its text
 */
export function findProse(path, text) {
  if (path.endsWith('.md')) return linesOf(withoutCode(text));
  if (path.endsWith('.sql')) return scanSql(text);
  if (/\.(css|html)$/.test(path)) return linesOf(text);
  return scanSource(text);
}

const linesOf = (text) => text.split('\n').map((line, index) => ({ line: index + 1, text: line }));

/** Blanks fenced blocks and inline code of Markdown, which quote identifiers. */
function withoutCode(markdown) {
  let fenced = false;
  return markdown
    .split('\n')
    .map((line) => {
      if (/^\s*(```|~~~)/.test(line)) {
        fenced = !fenced;
        return '';
      }
      return fenced ? '' : line.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '``').replace(/https?:\/\/\S+/g, '');
    })
    .join('\n');
}

/** The comments of SQL. The text of a function body between dollar quotes is SQL too. */
function scanSql(text) {
  const pieces = [];
  let line = 1;
  for (const [token] of text.matchAll(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\n|[^\n'/-]+|[-/]/g)) {
    const parts = token.split('\n');
    if (/^(--|\/\*)/.test(token)) {
      const comment = token.replace(/^(--|\/\*)|\*\/$/g, '').split('\n');
      for (const [offset, part] of comment.entries()) pieces.push({ line: line + offset, text: part });
    }
    line += parts.length - 1;
  }
  return pieces;
}

/** A small scanner of JavaScript: enough to tell comments, literals, and regular expressions apart. */
function scanSource(text) {
  const pieces = [];
  const templates = [];
  // For each open parenthesis, what precedes it: a slash after `if (…)` begins a regular expression.
  const parentheses = [];
  let line = 1;
  let i = 0;
  let previous = '';
  const add = (from, to, startLine) =>
    text
      .slice(from, to)
      .split('\n')
      .forEach((part, offset) => pieces.push({ line: startLine + offset, text: part }));
  const countLines = (from, to) => {
    for (let at = from; at < to; at++) if (text[at] === '\n') line += 1;
  };
  const skipTo = (end) => {
    countLines(i, end);
    i = end;
  };
  while (i < text.length) {
    const char = text[i];
    const next = text[i + 1];
    if (char === '/' && next === '/') {
      const end = endOf(text, '\n', i);
      add(i + 2, end, line);
      skipTo(end);
    } else if (char === '/' && next === '*') {
      const end = endOf(text, '*/', i + 2);
      add(i + 2, end, line);
      skipTo(end + 2);
    } else if (char === '/' && startsRegex(previous)) {
      skipTo(endOfRegex(text, i));
      previous = '/';
    } else if (char === "'" || char === '"') {
      const end = endOfString(text, i, char);
      add(i + 1, end, line);
      skipTo(end + 1);
      previous = 'x';
    } else if (char === '`' || (char === '}' && templates.at(-1) === 0)) {
      if (char === '}') templates.pop();
      const { end, opens } = endOfTemplate(text, i + 1);
      add(i + 1, end, line);
      skipTo(end + (opens ? 2 : 1));
      if (opens) templates.push(0);
      previous = opens ? '{' : 'x';
    } else {
      if (templates.length > 0 && char === '{') templates[templates.length - 1] += 1;
      if (templates.length > 0 && char === '}') templates[templates.length - 1] -= 1;
      if (/\w/.test(char)) {
        const word = /^[\w$]+/.exec(text.slice(i, i + 100))?.[0] ?? char;
        previous = word;
        i += word.length;
      } else {
        if (char === '(') parentheses.push(previous);
        const isCondition = char === ')' && /^(if|while|for|with)$/.test(parentheses.pop() ?? '');
        if (!/\s/.test(char)) previous = isCondition ? '(' : char;
        skipTo(i + 1);
      }
    }
  }
  return pieces;
}

function endOf(text, mark, from) {
  const end = text.indexOf(mark, from);
  return end === -1 ? text.length : end;
}

/** A slash begins a regular expression unless it follows a value. */
function startsRegex(previous) {
  if (previous === '') return true;
  if (/^(return|typeof|case|in|of|delete|void|throw|new|await|yield|else|do)$/.test(previous)) return true;
  return !/[\w$)\]]$/.test(previous);
}

function endOfRegex(text, from) {
  let inClass = false;
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '[') inClass = true;
    else if (text[i] === ']') inClass = false;
    else if (text[i] === '\n') return from + 1;
    else if (text[i] === '/' && !inClass) return i + 1;
  }
  return text.length;
}

function endOfString(text, from, quote) {
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === quote || text[i] === '\n') return i;
  }
  return text.length;
}

function endOfTemplate(text, from) {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '`') return { end: i, opens: false };
    else if (text[i] === '$' && text[i + 1] === '{') return { end: i, opens: true };
  }
  return { end: text.length, opens: false };
}

/**
 * Checks one file.
 *
 * @returns the findings: `{ line, phrase, advice }`
 */
export function checkText(path, text) {
  const lines = text.split('\n');
  return findProse(path, text).flatMap(({ line, text: prose }) => {
    if (EXEMPT.test(lines[line - 1] ?? '')) return [];
    const cleaned = prose.replace(/https?:\/\/\S+/g, '');
    return RULES.flatMap(({ pattern, advice }) => {
      const phrase = pattern.exec(cleaned)?.[0];
      return phrase === undefined ? [] : [{ line, phrase: phrase.trim(), advice }];
    });
  });
}

function listFiles(paths) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split('\n').filter((path) => CHECKED.test(path) && !SKIPPED.test(path));
}

function main(paths) {
  let count = 0;
  for (const path of listFiles(paths)) {
    let text;
    try {
      text = readFileSync(join(root, path), 'utf8');
    } catch (error) {
      if (error.code === 'ENOENT') continue;
      throw error;
    }
    for (const { line, phrase, advice } of checkText(path, text)) {
      console.log(`${path}:${line}: "${phrase}": ${advice}`);
      count += 1;
    }
  }
  console.log(count === 0 ? 'English: no forbidden phrases.' : `English: ${count} forbidden phrases.`);
  process.exit(count === 0 ? 0 : 1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2));
