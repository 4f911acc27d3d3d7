/** A chunk's column as it is asked. Pure; the form in which it is stored is that of encode.ts. */
import { foldCase } from '../conditions/text.js';
import { HEADER, LAYOUT } from './encode.js';

/** The part `codes`. */
export interface Codes {
  /** In order. */
  numbers: Float64Array;
  /** How many texts there are; their codes come behind those of the numbers. */
  texts: number;
  /** Of each text the moment that it names, NaN where it is no date; null when none is. */
  instants: Float64Array | null;
  /** Of each contact, or of those in `slots`. */
  codes: Uint8Array | Uint16Array;
  /** The places of the contacts that have a value, when they are few. */
  slots: Uint16Array | null;
  /** How many contacts have a value, and of how many it is a nested one. */
  present: number;
  nested: number;
  bytes: number;
}

/**
 * The part `texts`, as it is or in lower case: one character for each byte, and a NUL before, between and behind the
 * texts.
 */
export interface Texts {
  /** Where each begins, and where all end. */
  starts: Uint32Array;
  joined: string;
  bytes: number;
}

/** A copy, because views on numbers need their place in memory. */
const aligned = (payload: Buffer): ArrayBuffer => new Uint8Array(payload).buffer;

export function decodeCodes(payload: Buffer): Codes {
  const buffer = aligned(payload);
  const header = new Uint32Array(buffer, 0, HEADER.words);
  const count = (index: number): number => header[index] ?? 0;
  const numbers = new Float64Array(buffer, HEADER.words * 4, count(HEADER.numbers));
  let at = HEADER.words * 4 + numbers.byteLength;
  const instants = count(HEADER.instants) === 1 ? new Float64Array(buffer, at, count(HEADER.texts)) : null;
  at += instants?.byteLength ?? 0;
  const common = {
    numbers,
    texts: count(HEADER.texts),
    instants,
    present: count(HEADER.present),
    nested: count(HEADER.nested),
    bytes: payload.length,
  };
  switch (count(HEADER.layout)) {
    case LAYOUT.sparse: {
      const slots = new Uint16Array(buffer, at, count(HEADER.present));
      return { ...common, slots, codes: new Uint16Array(buffer, at + slots.byteLength) };
    }
    case LAYOUT.bytes:
      return { ...common, slots: null, codes: new Uint8Array(buffer, at) };
    default:
      return { ...common, slots: null, codes: new Uint16Array(buffer, at) };
  }
}

export function decodeTexts(payload: Buffer): Texts {
  const buffer = aligned(payload);
  const [count = 0] = new Uint32Array(buffer, 0, 1);
  const starts = new Uint32Array(buffer, 4, count + 1);
  return { starts, joined: Buffer.from(buffer, 4 + starts.byteLength).toString('latin1'), bytes: payload.length };
}

/** The same texts in lower case, as conditions compare them. */
export function foldTexts({ starts, joined, bytes }: Texts): Texts {
  // ASCII keeps its length, and the engine does it quickly; where nothing changes, nothing is kept twice.
  // oxlint-disable-next-line no-control-regex -- the range of ASCII
  if (/^[\x00-\x7f]*$/.test(joined)) {
    const lower = joined.toLowerCase();
    return lower === joined ? { starts, joined, bytes: 0 } : { starts, joined: lower, bytes };
  }
  const lower = Buffer.from(foldCase(Buffer.from(joined, 'latin1').toString())).toString('latin1');
  const moved = new Uint32Array(starts.length);
  for (let index = 0, at = 1; index < moved.length; index++) {
    moved[index] = at;
    at = lower.indexOf('\0', at) + 1;
  }
  return { starts: moved, joined: lower, bytes: bytes + moved.byteLength };
}
