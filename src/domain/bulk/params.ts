/** The stored parameters of a bulk job. */
import { z } from 'zod';
import { ContactQuery } from '../contact-queries/set.js';

export const BULK_OPERATIONS = [
  'subscribe',
  'unsubscribe',
  'delete',
  'set',
  'addToSegment',
  'removeFromSegment',
  'suppress',
  'unsuppress',
] as const;

export type BulkOperation = (typeof BULK_OPERATIONS)[number];

const BulkParams = z.object({
  operation: z.enum(BULK_OPERATIONS),
  /** Of `POST /contacts/bulk-*`: without duplicates, in the order of the request. Other jobs store their contacts apart. */
  contactIds: z.array(z.string()).optional(),
  /** The number of ids in the request, including duplicates. Without it, the job is for the contacts of a query. */
  requested: z.int().optional(),
  query: ContactQuery.optional(),
  /** Contacts of the query that stay unchanged. Removed when the contacts of the job are stored. */
  except: z.array(z.string()).optional(),
  /** Of `set`, as in the request. */
  data: z.record(z.string(), z.unknown()).optional(),
  /** Of `addToSegment` and `removeFromSegment`. */
  segmentId: z.string().optional(),
});

export type BulkParams = z.infer<typeof BulkParams>;

export const readBulkParams = (params: unknown): BulkParams => BulkParams.parse(params);
