/**
 * Columns as they were read: a copy in memory, since a million contacts' column is megabytes, and most of it stays as
 * it is from question to question.
 */
import type { Codes, Texts } from './column.js';

/** What is in memory of one column of one chunk; undefined: not read yet, null: there is none. */
export interface CachedColumn {
  ids?: Uint32Array | null;
  codes?: Codes | null;
  texts?: Texts | null;
  /** The texts in lower case. */
  folded?: Texts | null;
}

export interface ColumnCache {
  /**
   * The column of a chunk that was made as `version`; none of its parts is wrong ever, for a chunk that is made anew
   * has another version.
   */
  column: (version: string, field: string) => CachedColumn;
  /**
   * Says that a column has grown. The ones that were asked for longest ago go, when all together have too many bytes.
   */
  grown: (version: string, field: string, bytes: number) => void;
}

export const COLUMN_CACHE_BYTES = 256 * 2 ** 20;
/** Of a column that a chunk has not: the entry itself. */
const ENTRY_BYTES = 200;

export function createColumnCache(limit = COLUMN_CACHE_BYTES): ColumnCache {
  // In the order in which they were asked for.
  const entries = new Map<string, { column: CachedColumn; bytes: number }>();
  let total = 0;
  return {
    column(version, field) {
      const key = `${version} ${field}`;
      const entry = entries.get(key) ?? { column: {}, bytes: ENTRY_BYTES };
      if (!entries.delete(key)) total += entry.bytes;
      entries.set(key, entry);
      return entry.column;
    },
    grown(version, field, bytes) {
      const entry = entries.get(`${version} ${field}`);
      if (!entry) return;
      entry.bytes += bytes;
      total += bytes;
      for (const [key, oldest] of entries) {
        if (total <= limit) break;
        entries.delete(key);
        total -= oldest.bytes;
      }
    },
  };
}
