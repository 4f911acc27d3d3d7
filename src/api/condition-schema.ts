/**
 * The condition tree in requests and answers: its form. What fields, operators and values go together is checked by the
 * domain.
 */
import { z } from 'zod';
import { LOGICS, OPERATORS, UNITS } from '../domain/conditions/tree.js';

const ConditionFilter = z
  .object({
    field: z
      .string()
      .describe(
        '`email`, `subscribed`, `createdAt`, `updatedAt`, `data.<path>`, `event.<name>`, `email.sent|delivered|opened|clicked|bounced|complained` or `segment.<id>`; a path has at most 64 keys',
      ),
    operator: z
      .enum(OPERATORS)
      .describe(
        '`equals`, `notEquals`: email (in any case), subscribed, dates, data. `contains`, `notContains`, `startsWith`, `endsWith`: email, data, in any case. ' +
          '`greaterThan`, `lessThan`, `greaterThanOrEqual`, `lessThanOrEqual`: dates, data; a number is compared with numbers, a date with dates, another text with texts. ' +
          '`in`, `notIn`: email, data. `exists`, `notExists`: data; null does not exist. `within`, `olderThan`: dates, data. ' +
          '`triggered`, `notTriggered`, `triggeredWithin`, `triggeredOlderThan` (some such event lies further back), `notTriggeredWithin`: events, emails. ' +
          '`memberOfSegment`, `notMemberOfSegment`: segments. A missing value meets only `notEquals`, `notContains`, `notIn` and `notExists`.',
      ),
    value: z
      .unknown()
      .optional()
      .describe(
        'What the operator compares with. A date without a time is that UTC day. At most 1,000 entries in a list',
      ),
    unit: z
      .enum(UNITS)
      .nullish()
      .describe(
        'Of the number that `within`, `olderThan`, `triggeredWithin`, `triggeredOlderThan` and `notTriggeredWithin` take',
      ),
  })
  .meta({ id: 'ConditionFilter' });

const ConditionGroup = z
  .object({
    filters: z.array(ConditionFilter).optional().describe('May be left out beside `conditions`'),
    get conditions() {
      return ConditionTree.nullish();
    },
  })
  .meta({ id: 'ConditionGroup', description: 'Its filters and its nested tree must all hold' });

/** At most 5 levels and 100 filters (contract, section 6). */
export const ConditionTree = z
  .object({ logic: z.enum(LOGICS).describe('Joins the groups'), groups: z.array(ConditionGroup) })
  .meta({
    id: 'ConditionTree',
    description:
      'A condition over contacts: at most 5 levels and 100 filters. A group without a filter counts for nothing; a tree without a filter holds for everybody',
  });
