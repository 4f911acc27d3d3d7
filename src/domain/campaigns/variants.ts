/**
 * Variant tests (research, ahead.md, section 3.4). A part of the audience gets the variants; the rest waits for the winner, which
 * one guarded decision determines. The groups depend only on the ids of contact and campaign.
 */
import { z } from 'zod';
import { invalidField, validationError, type FieldError } from '../../errors.js';
import { isAddress, normalizeAddress } from '../../address.js';
import { templateProblems } from '../templates/content.js';
import { differsSignificantly, rateOf, type Share } from './significance.js';

const MIN_AFTER_HOURS = 1;
const MAX_AFTER_HOURS = 72;
const FULL_SHARE = 100;
/** Characters, as of the preheader of a campaign. */
const MAX_PREHEADER = 255;
/** Recipients of each variant, for a test that can show something. */
export const MIN_RECIPIENTS = 100;

export const Variant = z.object({
  id: z
    .string()
    .regex(/^[\w-]{1,20}$/, 'must have 1 to 20 letters, digits, hyphens, or underscores')
    .describe('Your name for it.')
    .meta({ examples: ['a'] }),
  subject: z
    .string()
    .min(1)
    .max(998)
    .regex(/^[^\r\n]*$/, 'must not contain newline characters')
    .optional(),
  preheader: z
    .string()
    .refine((text) => Array.from(text).length <= MAX_PREHEADER, `must have at most ${MAX_PREHEADER} characters`)
    .meta({ maxLength: MAX_PREHEADER })
    .optional(),
  body: z.string().min(1).optional().describe('HTML. Replaces the body or the design of the campaign.'),
  from: z
    .string()
    .transform(normalizeAddress)
    .refine(isAddress, 'must be an email address')
    .optional()
    .describe('The domain must be verified.'),
  fromName: z
    .string()
    .max(320)
    .regex(/^[^\r\n]*$/, 'must not contain newline characters')
    .optional(),
  weight: z.int().min(1).max(FULL_SHARE).describe('Its share of the test, in percent. The weights add up to 100.'),
});
export type Variant = z.infer<typeof Variant>;

export const VariantTest = z.object({
  share: z
    .int()
    .min(5)
    .max(FULL_SHARE)
    .describe(
      'The part of the audience that is in the test, in percent. 100 sends the variants to all, without a winner.',
    ),
  metric: z
    .string()
    .regex(/^(?:clicks|opens|event:.{1,100})$/, 'must be clicks, opens, or event:<name>')
    .describe(
      'What counts: recipients who clicked, who opened (some mail programs open email by themselves), or who had the event ' +
        'after their email (`event:<name>`). Machines do not count.',
    )
    .meta({ examples: ['clicks'] }),
  after: z
    .number()
    .min(MIN_AFTER_HOURS)
    .max(MAX_AFTER_HOURS)
    .default(4)
    .describe('Hours from the last email of the test until the decision, if it is automatic.'),
  decide: z.enum(['auto', 'manual']).default('auto'),
  ifTied: z
    .string()
    .optional()
    .describe('The winner if no difference is significant. Default: the variant with the highest rate.'),
});
export type VariantTest = z.infer<typeof VariantTest>;

/** A decision about a test. */
export interface Decision {
  variant: string;
  by: 'auto' | 'manual';
  /** Whether its rate is significantly higher than all others; null for a manual one. */
  significant: boolean | null;
  at: string;
}

export const isPlainSplit = (test: VariantTest | null): boolean => test === null || test.share === FULL_SHARE;

/** Returns the number of contacts that the audience needs, so that each variant gets enough recipients. 0 without variants. */
export function minAudience({ variants, test }: { variants: unknown; test: unknown }): number {
  // Both were checked when they were stored.
  const [all, split] = [variants as readonly Variant[] | null, test as VariantTest | null];
  if (all === null) return 0;
  const weight = Math.min(...all.map((variant) => variant.weight));
  return Math.ceil((MIN_RECIPIENTS * FULL_SHARE * FULL_SHARE) / (weight * (split?.share ?? FULL_SHARE)));
}

/**
 * Checks the parts of a test that a schema cannot.
 *
 * @throws VALIDATION_ERROR (422) for a test without variants, fewer than two or more than five, two with the same id, weights
 * that do not add up to 100, an unknown `ifTied`, and templates that do not parse
 */
export function requireTest(variants: readonly Variant[] | null, test: VariantTest | null): void {
  const errors: FieldError[] = [];
  const add = (field: string, message: string): void => {
    errors.push({ field, message, code: 'custom' });
  };
  if (variants === null) {
    if (test !== null) add('test', 'needs variants');
  } else {
    const ids = new Set(variants.map(({ id }) => id));
    if (ids.size !== variants.length) add('variants', 'must have different ids');
    if (variants.reduce((sum, { weight }) => sum + weight, 0) !== FULL_SHARE)
      add('variants', 'must have weights that add up to 100');
    if (test?.ifTied !== undefined && !ids.has(test.ifTied)) add('test.ifTied', 'must be the id of a variant');
    for (const [index, { subject, preheader, body }] of variants.entries())
      for (const error of templateProblems({ subject, preheader, body, design: null }))
        errors.push({ ...error, field: `variants.${index}.${error.field}` });
  }
  if (errors.length > 0) throw validationError(errors);
}

/** @throws VALIDATION_ERROR (422, field `variant`) if there is none with this id */
export function requireVariant(variants: readonly Variant[], id: string): Variant {
  const found = variants.find((variant) => variant.id === id);
  if (!found) throw invalidField('variant', 'must be the id of a variant');
  return found;
}

/** Returns the content that a variant sends: its own fields, and those of the campaign. */
export function withVariant<Content extends { fromName: string | null }>(
  content: Content,
  { id: _id, weight: _weight, ...own }: Variant,
): Content {
  // The name of another sender does not fit.
  const fromName = own.from === undefined ? content.fromName : null;
  return { ...content, fromName, ...own };
}

/** The result of a variant. */
export interface VariantShare extends Share {
  id: string;
  /** Whether none of its emails could be sent, for example because its template cannot be rendered. It cannot win then. */
  hasFailed: boolean;
}

/**
 * Decides a test: the variant with the highest rate, if it differs significantly from all others. Otherwise `ifTied`, or else
 * the one with the highest rate; of equal ones, the first.
 *
 * @returns null if no variant could be sent
 */
export function decide(
  results: readonly VariantShare[],
  ifTied: string | undefined,
): Pick<Decision, 'variant' | 'significant'> | null {
  const ranked = results.filter(({ hasFailed }) => !hasFailed).sort((a, b) => rateOf(b) - rateOf(a));
  const [best, ...others] = ranked;
  if (!best) return null;
  const significant = others.every((other) => differsSignificantly(best, other));
  const winner = significant ? best : (ranked.find(({ id }) => id === ifTied) ?? best);
  return { variant: winner.id, significant };
}
