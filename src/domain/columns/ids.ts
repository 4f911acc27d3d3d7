/** Ids of contacts in numbers: sorted lists of UUIDs, four 32-bit words each. Pure. */

import { emptyMask, type Mask } from './mask.js';

/**
 * From 16 bytes each, as PostgreSQL sends them. Its order of UUIDs is that of their bytes, and so that of the words.
 */
export function idsFromBytes(bytes: Buffer): Uint32Array {
  const copy = Buffer.from(new Uint8Array(bytes).buffer);
  copy.swap32();
  return new Uint32Array(copy.buffer);
}

const WORDS = 4;
const countIds = (ids: Uint32Array): number => ids.length / WORDS;

/** Below 0 when the id at `i` of one list is before the one at `j` of the other, 0 when it is the same. */
function compareIds(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  // Nearly always the first word decides: it counts minutes, in ids that are ordered by creation.
  const first = (a[i * WORDS] ?? 0) - (b[j * WORDS] ?? 0);
  return first === 0 ? compareRest(a, i, b, j) : first;
}

function compareRest(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  for (let word = 1; word < WORDS; word++) {
    const difference = (a[i * WORDS + word] ?? 0) - (b[j * WORDS + word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** As text. */
export function idAt(ids: Uint32Array, index: number): string {
  const hex = [...ids.subarray(index * WORDS, (index + 1) * WORDS)]
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** How many of the sorted ids are before the one at `index` of `of`. */
function placeOfId(ids: Uint32Array, of: Uint32Array, index: number): number {
  let [low, high] = [0, countIds(ids)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareIds(ids, middle, of, index) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Which of `ids` are among `others`. Both are sorted. */
export function marked(ids: Uint32Array, others: Uint32Array): Mask {
  const count = countIds(ids);
  const mask = emptyMask(count);
  if (count === 0) return mask;
  const end = countIds(others);
  let other = placeOfId(others, ids, 0);
  for (let index = 0; index < count && other < end;) {
    const difference = compareIds(ids, index, others, other);
    if (difference === 0) mask.bytes[index] = 1;
    if (difference <= 0) index++;
    if (difference >= 0) other++;
  }
  return mask;
}
