/** The newest of the contacts that were found, in the order of lists: by creation, then by id, both falling. Pure. */
import type { Codes } from './column.js';
import { CODE } from './encode.js';
import { idAt } from './ids.js';
import { idsOf, type LoadedChunk } from './match.js';
import type { Mask } from './mask.js';

/** A contact's place in that order. */
export interface Place {
  /** Milliseconds since 1970. */
  createdAt: number;
  id: string;
}

/** A chunk, and which of its contacts were found. */
export interface Found {
  chunk: LoadedChunk;
  mask: Mask;
  matches: number;
  /** Those that have not changed since; null: all. */
  live: Mask | null;
}

/** The first `count` places of contacts that were found; the chunks come by id, and so do the contacts in them. */
export function newestFound(all: Found[], count: number): Place[] {
  const found = mayBeNewest(
    all.filter(({ matches }) => matches > 0),
    count,
  );
  const times = creationTimes(found);
  const wanted = Math.min(count, times.length);
  if (wanted === 0) return [];
  const oldest = nthLargest(times.slice(), wanted);
  // Of those that were created at the same moment as the oldest one, as many as there is room for.
  let room = wanted;
  for (const time of times) if (time > oldest) room--;

  const places: Place[] = [];
  let at = times.length;
  for (const { chunk, mask } of found.toReversed()) {
    const ids = idsOf(chunk);
    for (let slot = mask.contacts - 1; slot >= 0; slot--) {
      if (mask.bytes[slot] !== 1) continue;
      const createdAt = times[--at] ?? 0;
      if (createdAt < oldest || (createdAt === oldest && room-- <= 0)) continue;
      places.push({ createdAt, id: idAt(ids, slot) });
    }
  }
  // They come by falling id, which the sort keeps among equals.
  return places.sort((a, b) => b.createdAt - a.createdAt);
}

function createdOf(chunk: LoadedChunk): Codes {
  const { codes } = chunk.column('createdAt');
  if (!codes) throw new Error('The times of creation were not loaded');
  return codes;
}

/**
 * Leaves out the chunks whose contacts are all older than `count` that were found in others. Ids and creation mostly go
 * together, so that few are left.
 */
function mayBeNewest(found: Found[], count: number): Found[] {
  const spans = found.map((one) => ({
    one,
    earliest: createdOf(one.chunk).numbers[0] ?? 0,
    latest: createdOf(one.chunk).numbers.at(-1) ?? 0,
  }));
  let enough = count;
  let oldest = Infinity;
  for (const { one, earliest } of spans.toSorted((a, b) => b.earliest - a.earliest)) {
    if (enough <= 0) break;
    enough -= one.matches;
    oldest = earliest;
  }
  return spans.filter(({ latest }) => latest >= oldest).map(({ one }) => one);
}

/** Of each contact that was found. */
function creationTimes(found: Found[]): Float64Array {
  const times = new Float64Array(found.reduce((sum, { matches }) => sum + matches, 0));
  let filled = 0;
  for (const { chunk, mask } of found) {
    const { numbers, codes } = createdOf(chunk);
    for (let slot = 0; slot < mask.contacts; slot++)
      if (mask.bytes[slot] === 1) times[filled++] = numbers[(codes[slot] ?? 0) - CODE.first] ?? 0;
  }
  return times;
}

/** Two lists in that order as one. */
export function merged(a: Place[], b: Place[]): Place[] {
  return [...a, ...b].sort((x, y) => y.createdAt - x.createdAt || (x.id < y.id ? 1 : -1));
}

/** Hoare's selection; changes the order of `values`. */
function nthLargest(values: Float64Array, n: number): number {
  let [low, high, target] = [0, values.length - 1, values.length - n];
  while (low < high) {
    const pivot = values[(low + high) >> 1] ?? 0;
    let [i, j] = [low, high];
    while (i <= j) {
      while ((values[i] ?? 0) < pivot) i++;
      while ((values[j] ?? 0) > pivot) j--;
      if (i > j) break;
      const value = values[i] ?? 0;
      values[i++] = values[j] ?? 0;
      values[j--] = value;
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else break;
  }
  return values[target] ?? 0;
}
