/** The problems of a draft in responses. */
import { z } from 'zod';

export const Problem = z
  .object({
    code: z.string().describe('Stable, for programs: `unknown_variable`.'),
    level: z
      .enum(['error', 'warning', 'info'])
      .describe('An error prevents the use. A warning is worth a correction. An info may be intended.'),
    message: z.string(),
    line: z.int().optional().describe('The place in the source, from 1.'),
    column: z.int().optional(),
    path: z.string().optional().describe('The field: `body`.'),
  })
  .meta({ id: 'Problem' });
