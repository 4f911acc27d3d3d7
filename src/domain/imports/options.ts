/** The options of an import (additions, section 3), as the API receives them and as the job stores them. */
import { z } from 'zod';

/** The separators between cells. Without `delimiter`, the first one that gives a valid header is used. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** The type of a mapped column. `json` keeps any value exactly and is the type of lists, objects, and mixed values. */
export const CELL_TYPES = ['string', 'number', 'boolean', 'date', 'json'] as const;
export type CellType = (typeof CELL_TYPES)[number];

export const ON_EXISTING = ['update', 'skip'] as const;

const MappedColumn = z.object({
  /** `email`, `subscribed`, `snoozedUntil`, `timezone`, `data`, or `data.<key>`; null: the column is ignored. */
  to: z.string().nullable(),
  type: z.enum(CELL_TYPES).optional(),
});

/** The columns by their names in the header. Columns that are not mentioned are read as without a mapping. */
export const ImportMapping = z.record(z.string(), MappedColumn);
export type ImportMapping = z.infer<typeof ImportMapping>;

/** The stored options. The parameters of jobs from before the options are `{}`. */
const ImportParams = z.object({
  mapping: ImportMapping.nullable().default(null),
  dryRun: z.boolean().default(false),
  onExisting: z.enum(ON_EXISTING).default('update'),
  /** A static segment that gets the contacts of all accepted and skipped rows. */
  segmentId: z.string().nullable().default(null),
  delimiter: z.enum(DELIMITERS).default(','),
  /** The names in the header, for the errors as CSV. */
  header: z.array(z.string()).nullable().default(null),
});
export type ImportParams = z.infer<typeof ImportParams>;

export const readImportParams = (params: unknown): ImportParams => ImportParams.parse(params);
