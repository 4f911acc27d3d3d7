/** Drafts of templates and campaigns (additions, section 2): fields that can be empty, and problems. */
import { z } from 'zod';
import { EmailAddress, SubjectLine } from './schemas.js';

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

export const Problems = z.array(Problem).describe('As in `POST /render`.');

/** Empty text, as an editor saves it, means that the field is missing. */
const emptyAsNull = (value: string | null | undefined): string | null | undefined => (value === '' ? null : value);

export const DraftText = z.string().nullish().transform(emptyAsNull);
export const DraftSubject = SubjectLine.nullish().transform(emptyAsNull);
export const DraftAddress = DraftText.pipe(EmailAddress.nullish());

/** Selects the rules of drafts. */
export const AsDraft = z
  .literal(true)
  .describe('Saves without the checks of the required fields, the syntax, and the sender domain.');
export const NotDraft = z.literal(false).optional();

export const isDraft = (body: object): boolean => 'draft' in body && body.draft === true;

export const IsDraft = z
  .boolean()
  .describe('Whether it was saved as a draft. A draft with errors in `problems` cannot be sent or used.');

export const DRAFT_HOLE = 'Null only in a draft that lacks it.';

export const TestBody = z.object({
  email: EmailAddress,
  contactId: z
    .string()
    .optional()
    .describe('The contact whose data is shown. Default: the contact with the address, if there is one.'),
});

export const TestEmail = z.object({ id: z.string(), email: z.string(), status: z.literal('PENDING') });
