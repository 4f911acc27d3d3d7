/** The schema of queries for contacts, which lists, bulk jobs, and exports share. */
import { z } from 'zod';
import { CONTACT_STATUSES } from '../domain/contact-queries/set.js';
import { ConditionTree } from './condition-schema.js';

/** A query without paging. All given parts must match. */
export const ContactQueryFields = z.object({
  condition: ConditionTree.optional(),
  segmentId: z.string().optional().describe('A segment of any type. Not together with `condition`.'),
  search: z.string().max(255).optional().describe('A part of the address. Case-insensitive.'),
  status: z.enum(CONTACT_STATUSES).optional().describe('Snoozed contacts are also unsubscribed.'),
  sort: z.enum(['createdAt', 'email']).default('createdAt'),
  dir: z.enum(['asc', 'desc']).default('desc'),
});
