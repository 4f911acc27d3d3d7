/** The schema of condition trees. The domain checks which fields, operators, and values can be combined. */
import { z } from 'zod';
import { LOGICS, OPERATORS, UNITS } from '../domain/conditions/tree.js';

const ConditionFilter = z
  .object({
    field: z
      .string()
      .describe(
        '`email`, `subscribed`, `createdAt`, `updatedAt`, `data.<path>`, `event.<name>`, ' +
          '`email.sent|delivered|opened|clicked|bounced|complained`, or `segment.<id>`. A path has at most 64 ' +
          'keys.',
      ),
    operator: z
      .enum(OPERATORS)
      .describe(
        '`equals`, `notEquals`: email (case-insensitive), subscribed, dates, data. `contains`, ' +
          '`notContains`, `startsWith`, `endsWith`: email, data (case-insensitive). `greaterThan`, `lessThan`, ' +
          '`greaterThanOrEqual`, `lessThanOrEqual`: dates, data; they compare numbers with numbers, dates with ' +
          'dates, and other strings with strings. `in`, `notIn`: email, data. `exists`, `notExists`: data; ' +
          'null does not exist. `within`, `olderThan`: dates, data. `triggered`, `notTriggered`, ' +
          '`triggeredWithin`, `triggeredOlderThan` (at least one such event is older), `notTriggeredWithin`: ' +
          'events, emails. `memberOfSegment`, `notMemberOfSegment`: segments. A missing value matches only ' +
          '`notEquals`, `notContains`, `notIn`, and `notExists`.',
      ),
    value: z
      .unknown()
      .optional()
      .describe(
        'The operand of the operator. A date without a time is that UTC day. A list has at most 1,000 entries.',
      ),
    unit: z
      .enum(UNITS)
      .nullish()
      .describe(
        'The unit of the number for `within`, `olderThan`, `triggeredWithin`, `triggeredOlderThan`, and ' +
          '`notTriggeredWithin`.',
      ),
  })
  .meta({ id: 'ConditionFilter' });

const ConditionGroup = z
  .object({
    filters: z.array(ConditionFilter).optional().describe('Optional if `conditions` is given.'),
    get conditions() {
      return ConditionTree.nullish();
    },
  })
  .meta({ id: 'ConditionGroup', description: 'Matches if all its filters and its nested tree match.' });

/** At most 5 levels and 100 filters (contract, section 6). */
export const ConditionTree = z
  .object({ logic: z.enum(LOGICS).describe('Combines the groups.'), groups: z.array(ConditionGroup) })
  .meta({
    id: 'ConditionTree',
    description:
      'A condition on contacts with at most 5 levels and 100 filters. A group without filters is ignored. ' +
      'A tree without filters matches every contact.',
  });
