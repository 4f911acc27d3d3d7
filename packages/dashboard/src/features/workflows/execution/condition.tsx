/** What a condition with several filters found, as a tree. */
import { Badge } from '../../../ui/badge.js';
import { At } from '../../../ui/time.js';
import { useSpeech } from '../../../words/words.js';
import { useSegmentNames } from '../../conditions/fields.js';
import { useConditionWords } from '../../conditions/words.js';
import { sayFilter } from '../../graph/about.js';
import { useGraphWords } from '../../graph/words.js';
import { translateValue } from './sentences.js';
import type { TestedFilter, TestedTree } from './tested.js';
import { useExecutionWords } from './words.js';

export function Tested({ tree }: { tree: TestedTree }) {
  const words = useExecutionWords();
  return <Groups tree={tree} label={words.tested} />;
}

function Groups({ tree: { logic, groups }, label }: { tree: TestedTree; label?: string }) {
  const words = useExecutionWords();
  return (
    <div role="group" aria-label={label} className="grid gap-1">
      {groups.length > 1 && <p className="text-sm text-muted">{words.logics[logic]}</p>}
      <ul className="grid gap-2">
        {groups.map(({ matches, filters, conditions }, index) => (
          <li key={index} className={`grid gap-1 border-s-2 ps-3 ${matches ? 'border-success' : 'border-line'}`}>
            <ul className="grid gap-1">
              {filters.map((filter, at) => (
                <Filter key={at} filter={filter} />
              ))}
            </ul>
            {conditions && <Groups tree={conditions} />}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Filter({ filter }: { filter: TestedFilter }) {
  const words = useExecutionWords();
  const graph = useGraphWords();
  const conditions = useConditionWords();
  const { language } = useSpeech();
  const segments = useSegmentNames(filter.field.startsWith('segment.'));
  const { field, operator, value, unit, matches } = filter;
  return (
    <li className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
      <Badge tone={matches ? 'success' : 'neutral'}>{matches ? words.isTrue : words.isFalse}</Badge>
      <span className="min-w-0 break-words">
        {sayFilter({ field, operator, value, unit }, { graph, conditions, language, segments })}
      </span>
      <Actual filter={filter} />
    </li>
  );
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** What the filter read then: nothing for a segment and for an address. */
function Actual({ filter: { operator, actual } }: { filter: TestedFilter }) {
  const words = useExecutionWords();
  const { language } = useSpeech();
  const isEvent = /triggered/i.test(operator);
  if (actual === null && !isEvent) return null;
  return (
    <span className="min-w-0 text-sm break-words text-muted">
      {isEvent ? words.lastEvent : words.valueThen}:{' '}
      {actual === null ? words.never : ISO_TIME.test(actual) ? <At time={actual} /> : translateValue(actual, language)}
    </span>
  );
}
