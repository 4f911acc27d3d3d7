/**
 * The form in which a chunk's columns are stored. Pure.
 *
 * A column gives each contact of its chunk a code, and each code a value: few tests of values instead of one for each
 * contact, and a loop over small numbers for the contacts. It has two parts, since most questions need only the first:
 *
 * - `codes`: what codes there are, the numbers, the instants of texts that are dates, and the contacts' codes;
 * - `texts`: the texts, sorted by their bytes, which is the order of code points.
 */
import type { ColumnContact } from './sql/build.js';
import { readInstant } from '../conditions/dates.js';
import { COMPOSITE, dataField, eachValue, OWN_FIELDS, type FieldValue, type Tell } from './fields.js';

export const PARTS = ['codes', 'texts'] as const;
export type PartName = (typeof PARTS)[number];

/** Contacts of a chunk at most: codes have 16 bits, and five of them are spoken for. */
export const CHUNK = 16_384;

/** The codes that always mean the same; numbers come behind them, then texts. */
export const CODE = { missing: 0, null: 1, false: 2, true: 3, composite: 4, first: 5 } as const;

/**
 * How the codes of the contacts are stored: one or two bytes for each contact, or only those that have a value, with
 * their places.
 */
export const LAYOUT = { bytes: 0, words: 1, sparse: 2 } as const;

/**
 * 32-bit words in front of the part `codes`: layout, contacts with a value, numbers, texts, whether texts are dates,
 * contacts whose value is a nested one.
 */
export const HEADER = { layout: 0, present: 1, numbers: 2, texts: 3, instants: 4, nested: 5, words: 6 } as const;

export interface EncodedColumn {
  field: string;
  codes: Buffer;
  /** null: the column has no texts. */
  texts: Buffer | null;
}

export interface EncodedChunk {
  /** 16 bytes for each contact, in order. */
  ids: Buffer;
  columns: EncodedColumn[];
  /** Whether something of the contacts is in no column. */
  partial: boolean;
}

/**
 * Paths of a chunk at most, those that most contacts have; and bytes of a part. Above, the columns would cost more than
 * they save.
 */
const MAX_PATHS = 256;
const MAX_PART = 8 * 2 ** 20;

/** Makes the columns of up to CHUNK contacts, which come by id. */
export function encodeChunk(contacts: ColumnContact[]): EncodedChunk {
  const byPath = new Map<string, Values>();
  let slot = 0;
  const tell: Tell = (path, value, depth) => {
    let values = byPath.get(path);
    if (!values) byPath.set(path, (values = { slots: [], values: [], nested: 0 }));
    values.slots.push(slot);
    values.values.push(value);
    if (depth > 1) values.nested++;
  };
  const leftOut = new Set<string>();
  for (; slot < contacts.length; slot++) {
    const contact = contacts[slot];
    if (contact) eachValue(contact.data, tell, (path) => leftOut.add(path));
  }
  const all = contacts.map((_, index) => index);
  const own = OWN_FIELDS.map((field) =>
    encodeColumn(field, { slots: all, values: contacts.map((contact) => contact[field]), nested: 0 }, contacts.length),
  );
  // A column that lacks one contact's value would take it for missing.
  const whole = [...byPath].filter(([path]) => !isPartOf(leftOut, path));
  const kept = whole.sort(([, a], [, b]) => b.slots.length - a.slots.length).slice(0, MAX_PATHS);
  const data = kept
    .map(([path, values]) => encodeColumn(dataField(path), values, contacts.length))
    .filter(({ codes, texts }) => Math.max(codes.length, texts?.length ?? 0) <= MAX_PART);
  return {
    ids: Buffer.from(contacts.map(({ id }) => id.replaceAll('-', '')).join(''), 'hex'),
    columns: [...own, ...data],
    partial: leftOut.size > 0 || data.length < byPath.size,
  };
}

/** Whether a path, or one that leads to it, is among these. */
function isPartOf(paths: ReadonlySet<string>, path: string): boolean {
  if (paths.size === 0) return false;
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1))
    if (paths.has(path.slice(0, end))) return true;
  return false;
}

/** Of each contact that has a value: its place, and the value. */
interface Values {
  slots: number[];
  values: FieldValue[];
  /** How many of them are nested ones. */
  nested: number;
}

function encodeColumn(field: string, { slots, values, nested }: Values, contacts: number): EncodedColumn {
  const { numbers, texts } = differentValues(values);
  const textCode = new Map(texts.map((text, rank) => [text, CODE.first + numbers.length + rank]));
  const codes = new Uint16Array(values.length);
  for (let index = 0; index < codes.length; index++) {
    const value = values[index];
    if (typeof value === 'string') codes[index] = textCode.get(value) ?? CODE.missing;
    else if (typeof value === 'number') codes[index] = CODE.first + placeOf(numbers, value);
    else
      codes[index] =
        value === COMPOSITE ? CODE.composite : value === null ? CODE.null : value === true ? CODE.true : CODE.false;
  }

  const instants = new Float64Array(texts.length);
  texts.forEach((text, rank) => (instants[rank] = readInstant(text) ?? Number.NaN));
  const areDates = instants.some((instant) => !Number.isNaN(instant));
  const total = CODE.first + numbers.length + texts.length;
  const layout = slots.length * 4 < contacts ? LAYOUT.sparse : total <= 256 ? LAYOUT.bytes : LAYOUT.words;
  const header = new Uint32Array(HEADER.words);
  header.set([layout, slots.length, numbers.length, texts.length, Number(areDates), nested]);
  const places =
    layout === LAYOUT.sparse
      ? [Uint16Array.from(slots), codes]
      : [dense(layout === LAYOUT.bytes ? new Uint8Array(contacts) : new Uint16Array(contacts), slots, codes)];
  return {
    field,
    codes: bytesOf([header, numbers, ...(areDates ? [instants] : []), ...places]),
    texts: texts.length === 0 ? null : encodeTexts(texts),
  };
}

/** In order. Numbers are found by sorting: a Map of so many takes five times as long. */
function differentValues(values: FieldValue[]): { numbers: Float64Array; texts: string[] } {
  const numbers: number[] = [];
  const texts = new Set<string>();
  for (const value of values) {
    if (typeof value === 'number') numbers.push(value);
    else if (typeof value === 'string') texts.add(value);
  }
  const sorted = Float64Array.from(numbers).sort();
  return {
    numbers: sorted.filter((number, index) => index === 0 || number !== sorted[index - 1]),
    texts: sortByBytes([...texts]),
  };
}

function dense<T extends Uint8Array | Uint16Array>(all: T, slots: number[], codes: Uint16Array): T {
  for (let index = 0; index < codes.length; index++) all[slots[index] ?? 0] = codes[index] ?? CODE.missing;
  return all;
}

/**
 * How many, where each begins and where all end, and the texts: a NUL, which none of PostgreSQL's holds, before,
 * between and behind them.
 */
function encodeTexts(texts: string[]): Buffer {
  const joined = Buffer.from(`\0${texts.join('\0')}\0`);
  const starts = new Uint32Array(texts.length + 1);
  let at = 1;
  texts.forEach((text, index) => {
    starts[index] = at;
    at += Buffer.byteLength(text) + 1;
  });
  starts[texts.length] = at;
  return bytesOf([Uint32Array.of(texts.length), starts, joined]);
}

/** UTF-16 sorts like UTF-8 as long as no text has a character beyond the Basic Multilingual Plane. */
const sortByBytes = (texts: string[]): string[] =>
  texts.some((text) => /[\ud800-\udfff]/.test(text))
    ? texts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    : texts.sort();

const bytesOf = (parts: ArrayBufferView[]): Buffer =>
  Buffer.concat(parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)));

/** Where `wanted` is, or would be: how many of the sorted numbers are less. */
export function placeOf(numbers: Float64Array, wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
