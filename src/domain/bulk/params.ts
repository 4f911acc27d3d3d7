/** The stored parameters of a bulk job. */
import { z } from 'zod';

export const BULK_OPERATIONS = ['subscribe', 'unsubscribe', 'delete'] as const;

export type BulkOperation = (typeof BULK_OPERATIONS)[number];

const BulkParams = z.object({
  operation: z.enum(BULK_OPERATIONS),
  /** Without duplicates, in the order of the request. */
  contactIds: z.array(z.string()),
  /** The number of ids in the request, including duplicates. */
  requested: z.int(),
});

export type BulkParams = z.infer<typeof BulkParams>;

export const readBulkParams = (params: unknown): BulkParams => BulkParams.parse(params);
