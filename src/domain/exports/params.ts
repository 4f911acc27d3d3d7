/** The stored parameters and the progress of an export. */
import { z } from 'zod';
import { CELL_TYPES } from '../imports/options.js';

export const EXPORT_KINDS = ['contacts', 'recipients', 'events', 'suppressions'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

export const EXPORT_FORMATS = ['csv', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const DataColumn = z.object({ key: z.string(), type: z.enum(CELL_TYPES) });
/** A column of a CSV file of contacts: a key of their data, and the type of its values. */
export type DataColumn = z.infer<typeof DataColumn>;

const ExportParams = z.object({
  kind: z.enum(EXPORT_KINDS),
  format: z.enum(EXPORT_FORMATS),
  campaignId: z.string().nullable(),
  /** The stored query of contacts; null: all contacts. */
  query: z.unknown().nullable(),
  /** The time at which the set of rows was fixed; null until then. Rows that were created later are not exported. */
  startedAt: z.string().nullable().default(null),
  /** The columns for data of contacts in CSV, fixed with the set. */
  columns: z.array(DataColumn).default([]),
  /** The position of the last exported row in the order of its kind; null before the first. */
  after: z.array(z.string()).nullable().default(null),
  /** The number of stored parts. */
  parts: z.int().default(0),
  /** The size of the file without compression. */
  bytes: z.number().default(0),
});
export type ExportParams = z.infer<typeof ExportParams>;

export const readExportParams = (params: unknown): ExportParams => ExportParams.parse(params);
