/**
 * What the contacts' data holds, by the columns: its keys with their types, and the values of one. Of contacts that
 * have changed since, PostgreSQL says it (src/domain/contacts/sql/fields.ts), and the sum is the answer of this moment.
 */
import { setImmediate } from 'node:timers/promises';
import type { DataStats, FieldType, KeyStats, ValueCount } from '../contacts/sql/fields.js';
import { selectChanged, selectChunks, selectDataFields } from './sql/columns.js';
import type { JsonValue } from '../../db/predicate.js';
import type { Codes, Texts } from './column.js';
import { CODE } from './encode.js';
import { dataField } from './fields.js';
import { idsFromBytes, marked } from './ids.js';
import { loadChunks, type Source } from './load.js';
import { idsOf, type LoadedChunk, type Part } from './match.js';
import { countMask, emptyMask, invert, type Mask } from './mask.js';
import { MAX_CHANGED } from './answer.js';

/** A chunk, and which of its contacts are as they were when it was made. */
interface Unchanged {
  chunk: LoadedChunk;
  live: Mask;
}

async function unchanged(source: Source, fields: string[], parts: Part[]): Promise<Unchanged[] | null> {
  const rows = await selectChunks(source.tx, source.projectId);
  const changed = rows && (await selectChanged(source.tx, source.projectId, MAX_CHANGED));
  // Of a chunk that has left something out it is not known what.
  if (!rows || !changed || rows.some(({ partial }) => partial)) return null;
  const columns = new Map(fields.map((field) => [field, new Set<Part>(parts)]));
  if (changed.length > 0) columns.set('id', new Set<Part>(['ids']));
  const chunks = await loadChunks(source, rows, { columns, logs: [] });
  const stale = idsFromBytes(changed);
  return (
    chunks &&
    chunks.map((chunk) => ({
      chunk,
      live: invert(stale.length > 0 ? marked(idsOf(chunk), stale) : emptyMask(chunk.contacts)),
    }))
  );
}

/**
 * How many contacts there are, and of each of these keys of their data, or of all, how many have it with a value of
 * each type; null when columns can't say.
 */
export async function keysByColumns(source: Source, only?: string[]): Promise<DataStats | null> {
  const fields = only?.map(dataField) ?? (await selectDataFields(source.tx, source.projectId));
  const chunks = await unchanged(source, fields, ['codes']);
  if (!chunks) return null;
  const keys: KeyStats = new Map();
  for (const field of fields) {
    const counts: Record<FieldType, number> = { string: 0, number: 0, boolean: 0, date: 0 };
    for (const { chunk, live } of chunks) {
      const { codes } = chunk.column(field);
      if (!codes || isNested(codes)) continue;
      if (codes.nested > 0) return null;
      const typeOf = typesOf(codes);
      eachCode(codes, live, (code) => {
        const type = typeOf[code];
        if (type !== undefined) counts[TYPES[type] ?? 'string']++;
      });
    }
    if (Object.values(counts).some((count) => count > 0)) keys.set(field.slice(dataField('').length), counts);
  }
  return { contacts: chunks.reduce((sum, { live }) => sum + countMask(live), 0), keys };
}

/** Whether all values of a column are those of nested objects: it is no key of the data itself. */
const isNested = ({ nested, present }: Codes): boolean => nested === present;

const TYPES: readonly FieldType[] = ['string', 'number', 'boolean', 'date'];

/** Of each code the place of its type among TYPES; lists, objects and null count as texts. */
function typesOf({ numbers, texts, instants }: Codes): Uint8Array {
  const firstText = CODE.first + numbers.length;
  const types = new Uint8Array(firstText + texts);
  types.fill(2, CODE.false, CODE.composite).fill(1, CODE.first, firstText);
  instants?.forEach((instant, rank) => {
    if (!Number.isNaN(instant)) types[firstText + rank] = 3;
  });
  return types;
}

/** The codes of the contacts that have a value. */
function eachCode({ codes, slots }: Codes, live: Mask, tell: (code: number) => void): void {
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? CODE.missing;
    if (code !== CODE.missing && live.bytes[slots?.[index] ?? index] === 1) tell(code);
  }
}

export interface WantedValues {
  key: string;
  limit: number;
  /** The values of the contacts that have changed. */
  changed: ValueCount[];
}

/**
 * The most frequent values of a key of the data, equally frequent ones in the order of jsonb; null when columns can't
 * say.
 */
export async function valuesByColumns(
  source: Source,
  { key, limit, changed }: WantedValues,
): Promise<JsonValue[] | null> {
  const field = dataField(key);
  const chunks = await unchanged(source, [field], ['codes', 'texts']);
  // The order and the equality of lists and objects are PostgreSQL's.
  if (!chunks || changed.some(({ value }) => typeof value === 'object' && value !== null)) return null;
  // Texts as the columns have them, a character for each byte, which is also their order: few of them are ever shown.
  const counts = new Map<JsonValue, number>();
  const add = (value: JsonValue, count: number): void => void counts.set(value, (counts.get(value) ?? 0) + count);
  for (const { value, count } of changed)
    add(typeof value === 'string' ? Buffer.from(value).toString('latin1') : value, count);
  for (const { chunk, live } of chunks) {
    await setImmediate();
    const { codes, texts } = chunk.column(field);
    if (!codes || isNested(codes)) continue;
    const ofCode = new Uint32Array(CODE.first + codes.numbers.length + codes.texts);
    eachCode(codes, live, (code) => {
      ofCode[code] = (ofCode[code] ?? 0) + 1;
    });
    if (codes.nested > 0 || (ofCode[CODE.composite] ?? 0) > 0) return null;
    ofCode.forEach((count, code) => {
      if (count > 0) add(valueOf(code, codes, texts ?? null), count);
    });
  }
  return mostFrequent(counts, limit).map((value) =>
    typeof value === 'string' ? Buffer.from(value, 'latin1').toString() : value,
  );
}

function valueOf(code: number, { numbers }: Codes, texts: Texts | null): JsonValue {
  if (code === CODE.null) return null;
  if (code === CODE.false || code === CODE.true) return code === CODE.true;
  const rank = code - CODE.first;
  if (rank < numbers.length) return numbers[rank] ?? null;
  const place = rank - numbers.length;
  return texts ? texts.joined.slice(texts.starts[place], (texts.starts[place + 1] ?? 0) - 1) : null;
}

/** Null, texts, numbers, booleans: the order of jsonb. */
const RANK: Record<string, number> = { object: 0, string: 1, number: 2, boolean: 3 };

function isBefore(a: JsonValue, b: JsonValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  return ((RANK[typeof a] ?? 0) - (RANK[typeof b] ?? 0) || Number(a) - Number(b)) < 0;
}

/** Keeps the best so far, since there may be a million and few are wanted. */
function mostFrequent(counts: Map<JsonValue, number>, limit: number): JsonValue[] {
  const best: ValueCount[] = [];
  for (const [value, count] of counts) {
    const isBetter = (than: ValueCount): boolean =>
      count > than.count || (count === than.count && isBefore(value, than.value));
    const last = best.at(-1);
    if (best.length === limit && last && !isBetter(last)) continue;
    const place = best.findIndex(isBetter);
    best.splice(place === -1 ? best.length : place, 0, { value, count });
    if (best.length > limit) best.pop();
  }
  return best.map(({ value }) => value);
}
