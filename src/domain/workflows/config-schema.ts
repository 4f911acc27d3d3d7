/** Parts of the schemas of step configs, and the 422 entries of their issues. Pure. */
import { z } from 'zod';
import type { FieldError } from '../../errors.js';

type Issue = z.core.$ZodIssue;
type Code = FieldError['code'];

export interface Problem {
  code: Code;
  message: string;
  /** The place below the checked value. */
  path?: string[];
  /** The refused value, if it is not the checked value itself. */
  input?: unknown;
}

/** Reports a problem with one of the API's own codes. */
export function report(ctx: z.RefinementCtx, { code, message, path, input }: Problem): void {
  ctx.addIssue({ code: 'custom', params: { code }, message, path, ...(input !== undefined && { input }) });
}

/** Counts characters, not UTF-16 units: JavaScript's length counts most emoji twice. */
const isLongerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || Array.from(text).length > max);

const trimmedText = (max: number) =>
  z
    .string('must be text')
    .trim()
    .superRefine((text, ctx) => {
      if (isLongerThan(text, max)) report(ctx, { code: 'too_big', message: `must have at most ${max} characters` });
    });

/** Trimmed text that is not empty. */
export const requiredText = (max: number) =>
  trimmedText(max).superRefine((text, ctx) => {
    if (text === '') report(ctx, { code: 'too_small', message: 'must not be empty' });
  });

/** Trimmed text; null if it is missing or empty. */
export const optionalText = (max: number) =>
  trimmedText(max)
    .nullish()
    .transform((text) => text || null);

export const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

/** Returns the entries of a config's issues. A field with null counts as missing. */
export function configErrors(issues: readonly Issue[]): FieldError[] {
  return issues.map((issue) => {
    const received = receivedBy(issue);
    const code = codeOf(issue, received);
    const shown = typeof received === 'string' ? received.slice(0, 100) : received;
    return {
      field: ['config', ...issue.path.map(String)].join('.'),
      message: code === 'required' ? 'Required' : issue.message,
      code,
      ...((typeof shown === 'string' || typeof shown === 'number' || typeof shown === 'boolean') && {
        received: shown,
      }),
    };
  });
}

/** The issue of a discriminated union has the object as its input, but is about the discriminator. */
function receivedBy(issue: Issue): unknown {
  const { input } = issue;
  if (issue.code !== 'invalid_union') return input;
  const discriminator = String(issue.path.at(-1));
  return typeof input === 'object' && input !== null
    ? Object.entries(input).find(([key]) => key === discriminator)?.[1]
    : input;
}

function codeOf(issue: Issue, received: unknown): Code {
  const isListEntry = typeof issue.path.at(-1) === 'number';
  const isMissing = received === undefined || (received === null && !isListEntry);
  switch (issue.code) {
    case 'custom':
      return toCode(issue.params?.code);
    case 'too_small':
    case 'too_big':
      return issue.code;
    case 'invalid_type':
      if (isMissing) return 'required';
      // JSON has no infinity, but JavaScript reads a number such as 1e999 as one.
      return typeof received === 'number' && issue.expected === 'number' ? 'too_big' : 'invalid_type';
    default:
      if (isMissing) return 'required';
      return typeof received === 'string' ? 'invalid_string' : 'invalid_type';
  }
}

const CODES: readonly Code[] = ['invalid_string', 'invalid_type', 'too_small', 'too_big', 'reserved_event', 'required'];

const toCode = (value: unknown): Code => CODES.find((code) => code === value) ?? 'custom';
