/** Bringing columns into memory. */
import type { PoolClient } from 'pg';
import { selectParts, type ChunkRow, type StoredPart } from './sql/columns.js';
import type { CachedColumn, ColumnCache } from './cache.js';
import { decodeCodes, decodeTexts, foldTexts } from './column.js';
import { idsFromBytes } from './ids.js';
import type { LoadedChunk, Needed, Part } from './match.js';

export interface Source {
  cache: ColumnCache;
  tx: PoolClient;
  projectId: string;
}

/** A column that is needed of a chunk. */
interface ChunkColumn {
  chunk: ChunkRow;
  field: string;
  column: CachedColumn;
}

/**
 * The chunks with all that is needed of them, read where it is not in memory; null when one of them has left something
 * out that may be a needed field.
 */
export async function loadChunks(
  { cache, tx, projectId }: Source,
  rows: ChunkRow[],
  { columns }: Needed,
): Promise<LoadedChunk[] | null> {
  const all = rows.map((chunk) => ({
    chunk,
    columns: new Map(
      [...columns.keys()].map((field) => [field, { chunk, field, column: cache.column(chunk.version, field) }]),
    ),
  }));
  const missing = new Map<string, { of: ChunkColumn; part: StoredPart }>();
  for (const { columns: own } of all) {
    for (const of of own.values()) {
      for (const part of storedParts(columns.get(of.field)))
        if (of.column[part] === undefined) missing.set(`${of.chunk.first} ${of.field} ${part}`, { of, part });
    }
  }
  const parts = await selectParts(
    tx,
    projectId,
    [...missing.values()].map(({ of, part }) => ({ first: of.chunk.first, field: of.field, part })),
  );
  const found = new Map(parts.map(({ first, field, part, payload }) => [`${first} ${field} ${part}`, payload]));
  for (const [key, { of, part }] of missing) keep(cache, of, part, found.get(key) ?? null);

  for (const { chunk, columns: own } of all) {
    for (const of of own.values()) {
      if (chunk.partial && of.column.codes === null && of.field.startsWith('data.')) return null;
      if (columns.get(of.field)?.has('folded') && of.column.folded === undefined) {
        of.column.folded = of.column.texts ? foldTexts(of.column.texts) : null;
        cache.grown(chunk.version, of.field, of.column.folded?.bytes ?? 0);
      }
    }
  }
  return all.map(({ chunk, columns: own }) => ({
    contacts: chunk.contacts,
    column: (field) => own.get(field)?.column ?? {},
  }));
}

/** The texts in lower case are made of the texts. */
const storedParts = (parts: ReadonlySet<Part> = new Set()): StoredPart[] => [
  ...new Set([...parts].map((part) => (part === 'folded' ? 'texts' : part))),
];

function keep(
  cache: ColumnCache,
  { chunk, field, column }: ChunkColumn,
  part: StoredPart,
  payload: Buffer | null,
): void {
  switch (part) {
    case 'ids':
      column.ids = payload && idsFromBytes(payload);
      break;
    case 'codes':
      column.codes = payload && decodeCodes(payload);
      break;
    case 'texts':
      column.texts = payload && decodeTexts(payload);
      break;
  }
  cache.grown(chunk.version, field, payload?.length ?? 0);
}
