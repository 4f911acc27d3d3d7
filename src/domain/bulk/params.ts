/** What a bulk job keeps of its request. */
import { z } from 'zod';

export const BULK_OPERATIONS = ['subscribe', 'unsubscribe', 'delete'] as const;

export type BulkOperation = (typeof BULK_OPERATIONS)[number];

const BulkParams = z.object({
  operation: z.enum(BULK_OPERATIONS),
  /** Each once, in the request's order. */
  contactIds: z.array(z.string()),
  /** Ids in the request, with those that came again. */
  requested: z.int(),
});

export type BulkParams = z.infer<typeof BulkParams>;

export const readBulkParams = (params: unknown): BulkParams => BulkParams.parse(params);
