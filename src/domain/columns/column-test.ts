/**
 * Tests of a column's values: which codes pass. Pure; the same answers as dataPasses in
 * src/domain/conditions/evaluate.ts.
 */
import type { DataTest, EmailTest, JsonValue, Order, TextTest, TimeRange } from '../../db/predicate.js';
import { inOneOf } from '../conditions/dates.js';
import type { Codes, Texts } from './column.js';
import { CODE, placeOf } from './encode.js';

/** A question about the values of a column; of a contact's own times the numbers are moments. */
export type ColumnTest = DataTest | EmailTest | { test: 'moment'; range: TimeRange };

/** What a test looks at beside the codes. */
export function textsNeeded(is: ColumnTest): 'texts' | 'folded' | null {
  switch (is.test) {
    case 'oneOf':
      return is.values.some((value) => typeof value === 'string') ? 'texts' : null;
    case 'string':
      return 'texts';
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return 'folded';
    default:
      return null;
  }
}

/** Whether columns know enough for a test: they don't know what is in lists and objects. */
export const isAnswerable = (is: ColumnTest): boolean =>
  is.test !== 'oneOf' || is.values.every((value) => typeof value !== 'object' || value === null);

/**
 * A byte for each code: whether the value that it stands for passes.
 *
 * @param texts those that `textsNeeded` names; null when the column has none
 */
export function passingCodes(
  is: ColumnTest,
  { numbers, texts: count, instants }: Codes,
  texts: Texts | null,
): Uint8Array {
  const firstText = CODE.first + numbers.length;
  const pass = new Uint8Array(firstText + count);
  switch (is.test) {
    case 'exists':
      return pass.fill(1, CODE.false);
    case 'moment':
      return pass.fill(
        1,
        CODE.first + placeOf(numbers, is.range.from?.getTime() ?? -Infinity),
        CODE.first + placeOf(numbers, is.range.to?.getTime() ?? Infinity),
      );
    case 'number': {
      const below = placeOf(numbers, is.than);
      return fillOrder(pass, is.order, {
        first: CODE.first,
        below,
        upTo: numbers[below] === is.than ? below + 1 : below,
        end: firstText,
      });
    }
    case 'string': {
      if (!texts) return pass;
      const wanted = bytesOf(is.than);
      const below = placeOfText(texts, wanted);
      return fillOrder(pass, is.order, {
        first: firstText,
        below,
        upTo: textAt(texts, below) === wanted ? below + 1 : below,
        end: pass.length,
      });
    }
    case 'time':
      if (instants) markRange(pass.subarray(firstText), instants, is.range);
      return pass;
    case 'timeIn': {
      const passes = inOneOf(is.days, is.moments);
      instants?.forEach((instant, rank) => (pass[firstText + rank] = Number(passes(instant))));
      return pass;
    }
    case 'oneOf':
      for (const value of is.values) {
        const code = codeOf(value, numbers, texts);
        if (code !== null) pass[code] = 1;
      }
      return pass;
    default:
      if (texts) eachTextWith(is, texts, (rank) => (pass[firstText + rank] = 1));
      return pass;
  }
}

/** No comparison holds for NaN, which stands for what is no date; a range has an end at least. */
function markRange(pass: Uint8Array, instants: Float64Array, { from, to }: TimeRange): void {
  const [first, end] = [from?.getTime() ?? -Infinity, to?.getTime() ?? Infinity];
  for (let rank = 0; rank < instants.length; rank++) {
    const instant = instants[rank] ?? Number.NaN;
    if (instant >= first && instant < end) pass[rank] = 1;
  }
}

/**
 * Of sorted values with the codes from `first` to `end`: how many are less than the one that is compared with, and less
 * or equal.
 */
interface Sorted {
  first: number;
  below: number;
  upTo: number;
  end: number;
}

function fillOrder(pass: Uint8Array, order: Order, { first, below, upTo, end }: Sorted): Uint8Array {
  switch (order) {
    case 'less':
      return pass.fill(1, first, first + below);
    case 'lessOrEqual':
      return pass.fill(1, first, first + upTo);
    case 'greater':
      return pass.fill(1, first + upTo, end);
    case 'greaterOrEqual':
      return pass.fill(1, first + below, end);
  }
}

function codeOf(value: JsonValue, numbers: Float64Array, texts: Texts | null): number | null {
  if (value === null) return CODE.null;
  if (typeof value === 'boolean') return value ? CODE.true : CODE.false;
  if (typeof value === 'number') {
    const place = placeOf(numbers, value);
    return numbers[place] === value ? CODE.first + place : null;
  }
  if (typeof value !== 'string' || !texts) return null;
  const wanted = bytesOf(value);
  const place = placeOfText(texts, wanted);
  return textAt(texts, place) === wanted ? CODE.first + numbers.length + place : null;
}

/** A text as the columns hold it: a character for each byte. These compare like the bytes, and so like code points. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

const textAt = ({ starts, joined }: Texts, rank: number): string | null =>
  rank < starts.length - 1 ? joined.slice(starts[rank], (starts[rank + 1] ?? 0) - 1) : null;

/** How many texts are less. */
function placeOfText(texts: Texts, wanted: string): number {
  let [low, high] = [0, texts.starts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((textAt(texts, middle) ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Searches all texts as the one that they are joined to: the NUL between them is where each begins and ends. */
function eachTextWith({ test, text }: TextTest, { starts, joined }: Texts, tell: (rank: number) => void): void {
  const bytes = bytesOf(text);
  const wanted = test === 'startsWith' ? `\0${bytes}` : test === 'endsWith' ? `${bytes}\0` : bytes;
  let rank = 0;
  for (let at = joined.indexOf(wanted); at !== -1; at = joined.indexOf(wanted, (starts[rank] ?? 0) - 1)) {
    // The text in which it lies; of `startsWith` the NUL before it is what is found.
    rank = rankAt(starts, test === 'startsWith' ? at + 1 : at, rank);
    tell(rank);
    rank++;
  }
}

/** The last text from `from` on that begins at `at` or before: mostly one of the next, so that the steps grow. */
function rankAt(starts: Uint32Array, at: number, from: number): number {
  let [low, step] = [from, 1];
  while (low + step < starts.length && (starts[low + step] ?? 0) <= at) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, starts.length - 1);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle;
  }
  return low;
}
