/**
 * The engine over columns: for which contacts of a chunk a predicate holds. Pure; the same answers as evaluate.ts, for
 * thousands at a time.
 */
import type { Predicate } from '../../db/predicate.js';
import type { CachedColumn } from './cache.js';
import { isAnswerable, passingCodes, textsNeeded, type ColumnTest } from './column-test.js';
import { dataField } from './fields.js';
import { marked } from './ids.js';
import { emptyMask, intersect, invert, unite, type Mask } from './mask.js';

/** What another table answers: events, and members of static segments. */
export type LogPredicate = Extract<Predicate, { kind: 'event' | 'member' }>;
type ColumnPredicate = Exclude<Predicate, LogPredicate | { kind: 'all' | 'any' | 'not' }>;

/** A test of one column. */
interface Question {
  field: string;
  is: ColumnTest;
}

function questionOf(node: ColumnPredicate): Question {
  switch (node.kind) {
    case 'email':
      return { field: 'email', is: node.is };
    case 'subscribed':
      return { field: 'subscribed', is: { test: 'oneOf', values: [true] } };
    case 'time':
      return { field: node.of, is: { test: 'moment', range: node.range } };
    case 'data':
      return { field: dataField(node.path), is: node.is };
  }
}

/** What can be looked at of a column. */
export type Part = keyof CachedColumn;

export interface Needed {
  /** By field. */
  columns: Map<string, Set<Part>>;
  logs: LogPredicate[];
}

/** What a predicate looks at; null when columns can't answer it. */
export function whatIsNeeded(predicate: Predicate): Needed | null {
  const needed: Needed = { columns: new Map(), logs: [] };
  let answerable = true;
  const visit = (node: Predicate): void => {
    switch (node.kind) {
      case 'all':
      case 'any':
        return node.of.forEach(visit);
      case 'not':
        return visit(node.of);
      case 'event':
      case 'member':
        needed.logs.push(node);
        return;
      default: {
        const { field, is } = questionOf(node);
        const texts = textsNeeded(is);
        const parts = needed.columns.get(field) ?? new Set<Part>();
        needed.columns.set(field, parts.add('codes'));
        if (texts) parts.add(texts);
        answerable &&= isAnswerable(is);
      }
    }
  };
  visit(predicate);
  return answerable ? needed : null;
}

/** A chunk in memory, with everything that is needed. */
export interface LoadedChunk {
  contacts: number;
  column: (field: string) => CachedColumn;
}

/** The ids of a chunk's contacts; those that it asks for must have been needed. */
export function idsOf(chunk: LoadedChunk): Uint32Array {
  const { ids } = chunk.column('id');
  if (!ids) throw new Error('The ids of a chunk were not loaded');
  return ids;
}

/**
 * The contacts of a chunk for which a predicate holds.
 *
 * @param logs by predicate: the ids of its contacts
 */
export function holdsIn(predicate: Predicate, chunk: LoadedChunk, logs: ReadonlyMap<LogPredicate, Uint32Array>): Mask {
  switch (predicate.kind) {
    case 'all':
      return predicate.of
        .map((part) => holdsIn(part, chunk, logs))
        .reduce(intersect, invert(emptyMask(chunk.contacts)));
    case 'any':
      return predicate.of.map((part) => holdsIn(part, chunk, logs)).reduce(unite, emptyMask(chunk.contacts));
    case 'not':
      return invert(holdsIn(predicate.of, chunk, logs));
    case 'event':
    case 'member': {
      const ids = logs.get(predicate);
      if (!ids) throw new Error('What a predicate asks of another table was not loaded');
      return marked(idsOf(chunk), ids);
    }
    default: {
      const { field, is } = questionOf(predicate);
      return answer(is, chunk.column(field), chunk.contacts);
    }
  }
}

function answer(is: ColumnTest, column: CachedColumn, contacts: number): Mask {
  const mask = emptyMask(contacts);
  if (column.codes === undefined) throw new Error('A column was not loaded');
  if (column.codes === null) return mask;
  const { codes, slots } = column.codes;
  const part = textsNeeded(is);
  const pass = passingCodes(is, column.codes, (part && column[part]) ?? null);
  if (slots)
    for (let index = 0; index < slots.length; index++) mask.bytes[slots[index] ?? 0] = pass[codes[index] ?? 0] ?? 0;
  else if (codes instanceof Uint8Array) fromBytes(mask.bytes, pass, codes);
  else fromWords(mask.bytes, pass, codes);
  return mask;
}

// Two functions, each of which meets one kind of array only: V8 makes the faster code of them.
function fromBytes(mask: Uint8Array, pass: Uint8Array, codes: Uint8Array): void {
  for (let slot = 0; slot < codes.length; slot++) mask[slot] = pass[codes[slot] ?? 0] ?? 0;
}

function fromWords(mask: Uint8Array, pass: Uint8Array, codes: Uint16Array): void {
  for (let slot = 0; slot < codes.length; slot++) mask[slot] = pass[codes[slot] ?? 0] ?? 0;
}
