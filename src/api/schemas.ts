/** Schemas that several resources share. */
import { z } from 'zod';
import { ADDRESS_PATTERN, MAX_ADDRESS_LENGTH, normalizeAddress } from '../address.js';
import { isReservedEvent, MAX_EVENT_NAME } from '../domain/events/name.js';

/** An email address, normalized: trimmed, in lowercase, with the domain in ASCII. At most 254 characters (RFC 5321). */
export const EmailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(MAX_ADDRESS_LENGTH)
  .transform(normalizeAddress)
  .pipe(z.email({ pattern: ADDRESS_PATTERN, error: 'must be an email address' }).max(MAX_ADDRESS_LENGTH));

export const Timestamp = z.iso.datetime();

export const IdParams = z.object({ id: z.string() });

const positive = (fallback: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a positive whole number')
    .transform(Number)
    .superRefine((value, context) => {
      // Not z.number().min(1), because numbers with too many digits must be clamped and not rejected.
      if (value < 1)
        context.addIssue({
          code: 'too_small',
          origin: 'number',
          minimum: 1,
          inclusive: true,
          input: value,
          message: 'must be at least 1',
        });
    })
    .transform((value) => Math.min(value, max))
    .default(fallback)
    // For the OpenAPI document: a query parameter is text, but clients pass a number.
    .meta({ type: 'integer', minimum: 1, pattern: undefined });

/** One of the values. Any other value becomes the fallback (contract, section 1, "Input"). */
const fallingBack = <const T extends readonly [string, ...string[]]>(values: T, fallback: T[number]) =>
  z.enum(values).catch(fallback).default(fallback);

/** The query of an offset-paginated list. `sorts` are the sortable fields. */
export const pageQuery = <const T extends readonly [string, ...string[]]>(sorts: T) =>
  z.object({
    page: positive(1, 1_000_000),
    pageSize: positive(20, 1000),
    search: z.string().optional(),
    sort: fallingBack(sorts, 'createdAt'),
    dir: fallingBack(['asc', 'desc'], 'desc'),
  });

/** The query of a cursor-paginated list: 1 to 100 items, 20 by default. */
export const CursorQuery = z.object({ limit: positive(20, 100), cursor: z.string().max(2000).optional() });

export { positive as positiveInteger, fallingBack };

export const page = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), page: z.int(), pageSize: z.int(), total: z.int(), totalPages: z.int() });

export const cursorPage = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item),
    cursor: z.string().nullable(),
    hasMore: z.boolean(),
    total: z.int().describe('The size of the whole list, on the first page only. 0 on later pages.'),
  });

export const EmailType = z.enum(['TRANSACTIONAL', 'MARKETING', 'HEADLESS']);

/** Contact data: any JSON object. The domain applies the rules of the specification. */
export const ContactData = z.record(z.string(), z.unknown());

/** The subject of a draft: at most 998 characters on one line (specification, Limits). */
export const SubjectLine = z
  .string()
  .max(998)
  .regex(/^[^\r\n]*$/, 'must not contain newline characters');

/** A subject: 1 to 998 characters on one line. */
export const Subject = SubjectLine.min(1);

/** Limits the characters of a text. `length` counts most emoji twice. */
const limitCharacters =
  (maximum: number) =>
  (text: string, context: z.RefinementCtx<string>): void => {
    if (Array.from(text).length > maximum) {
      context.addIssue({
        code: 'too_big',
        origin: 'string',
        maximum,
        inclusive: true,
        input: text,
        message: `must have at most ${maximum} characters`,
      });
    }
  };

const MAX_PREHEADER = 255;

/** The preheader of an email: at most 255 characters (additions, section 2). Empty text means none. */
export const Preheader = z
  .string()
  .superRefine(limitCharacters(MAX_PREHEADER))
  .meta({ maxLength: MAX_PREHEADER })
  .nullish()
  .transform((text) => (text === '' ? null : text))
  .describe(
    'Text that email clients show after the subject in their list of emails. It is hidden in the email itself. Plain ' +
      'text with `{{ variable }}` placeholders.',
  );

/** The name of an event: trimmed, 1 to 255 characters of any script (contract, section 8). */
export const AnyEventName = z
  .string()
  .trim()
  .min(1)
  .superRefine(limitCharacters(MAX_EVENT_NAME))
  .meta({ minLength: 1, maxLength: MAX_EVENT_NAME });

/** The name of an event that a client tracks. Reserved names are rejected. */
export const EventName = AnyEventName.superRefine((name, context) => {
  if (isReservedEvent(name))
    context.addIssue({
      code: 'custom',
      params: { code: 'reserved_event' },
      input: name,
      message: 'is a reserved event name',
    });
}).meta({ minLength: 1, maxLength: MAX_EVENT_NAME });

const DAY = 24 * 3600 * 1000;
const day = z.iso.date();
const instant = z.iso.datetime({ offset: true });

export const Timezone = z
  .string()
  .max(64)
  .default('UTC')
  .describe('A name of the IANA time zone database, such as `Europe/Berlin`.');

/** The text of a date or timestamp with a year from 1000 to 2999. */
export const DateOrTimestamp = z
  .string()
  .refine(
    (text) => /^[12]\d{3}-/.test(text) && (day.safeParse(text).success || instant.safeParse(text).success),
    'must be an ISO 8601 date or timestamp',
  );

/** A date or timestamp. `daysLater: 1` makes it the exclusive end of the range. */
const dayOrTimestamp = (daysLater: 0 | 1) =>
  DateOrTimestamp.transform((text) => {
    const time = Date.parse(text);
    return new Date(daysLater === 0 ? time : time + (day.safeParse(text).success ? DAY : 1));
  });

/** The ends of a time range, both inclusive. The last one is returned as the exclusive end. */
export const dateRangeEnds = { first: dayOrTimestamp(0), last: dayOrTimestamp(1) };

/** The query of a time range, both ends inclusive. A date without a time is that UTC day. */
const DATE_RANGE = {
  startDate: dayOrTimestamp(0)
    .optional()
    .describe('An ISO 8601 date or timestamp, not after `endDate`. A date is the start of that UTC day.'),
  endDate: dayOrTimestamp(1).optional().describe('An ISO 8601 date or timestamp. A date is the end of that UTC day.'),
};

/** Returns the query of a time range with additional fields. */
export const dateRangeQuery = <T extends z.ZodRawShape>(others: T) =>
  z
    .object({ ...others, ...DATE_RANGE })
    .refine(isInOrder, { path: ['startDate'], message: 'must not be after endDate' });

const isInOrder = ({ startDate, endDate }: Record<string, unknown>): boolean =>
  !(startDate instanceof Date && endDate instanceof Date) || startDate < endDate;

/** The subject of an email in responses (src/domain/emails/subjects.ts). */
export const ShownSubject = z
  .string()
  .describe('As the recipient sees it: rendered with the variables of the email and the present data of the contact.');
