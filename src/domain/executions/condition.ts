/**
 * What a CONDITION step's test finds: the branch, and why. The truth of each filter is that of segments
 * (src/domain/conditions).
 */
import type { Queryable } from '../../db/pool.js';
import type { JsonValue, Predicate } from '../../db/predicate.js';
import { loadContactFacts } from '../conditions/sql/facts.js';
import type { ConditionFacts } from './sql/run.js';
import { factsNeeded, holds, valueAt, type ContactFacts } from '../conditions/evaluate.js';
import { resolveCondition } from '../conditions/resolve.js';
import { readSubject, type ConditionTree, type Filter, type Group } from '../conditions/tree.js';
import type { ConditionTest } from '../workflows/condition-config.js';
import { readConditionField } from '../workflows/condition-fields.js';
import { asked, followed, show, type ShownValue } from './words.js';

export interface ConditionContext {
  db: Queryable;
  projectId: string;
  contactId: string;
  /** What `within`, `olderThan` and the like count from. */
  now: Date;
}

export interface Verdict {
  branch: string;
  summary: string;
}

/**
 * @throws BAD_REQUEST (400) when the test names a segment that is no longer there
 */
export async function decide(test: ConditionTest, known: ConditionFacts, context: ConditionContext): Promise<Verdict> {
  const looked = await look(test, known, context);
  const firstThatHolds = looked.predicates.findIndex((predicate) => holds(predicate, looked.facts));
  if (test.kind === 'multi') {
    const branch = test.branches[firstThatHolds];
    if (!branch) return verdict('default', `${multiField(test.field, looked.facts)}, for which no branch holds`);
    return verdict(
      branch.id,
      asked({ ...branch, field: test.field }, shownValue({ ...branch, field: test.field }, looked.facts), true),
    );
  }
  const passes = firstThatHolds === 0;
  const why =
    test.kind === 'tree'
      ? `The condition ${passes ? 'holds' : 'does not hold'}`
      : asked(test, shownValue(test, looked.facts), passes);
  return verdict(passes ? 'yes' : 'no', why);
}

const verdict = (branch: string, why: string): Verdict => ({ branch, summary: `${why}: ${followed(branch)}.` });

/** The questions in their order, and everything that they ask for. */
async function look(
  test: ConditionTest,
  known: ConditionFacts,
  { db, projectId, contactId, now }: ConditionContext,
): Promise<{ predicates: Predicate[]; facts: ContactFacts }> {
  const predicates: Predicate[] = [];
  for (const tree of treesOf(test)) predicates.push(await resolveCondition(db, inOneData(tree), { projectId, now }));
  const needed = factsNeeded({ kind: 'all', of: predicates });
  const more =
    needed.events.length + needed.segments.length > 0 ? await loadContactFacts(db, projectId, contactId, needed) : null;
  return {
    predicates,
    facts: {
      email: known.email,
      subscribed: known.subscribed,
      createdAt: new Date(known.createdAt),
      updatedAt: new Date(known.updatedAt),
      data: withContext(known),
      events: more?.events ?? new Map(),
      segments: more?.segments ?? new Set(),
    },
  };
}

function treesOf(test: ConditionTest): ConditionTree[] {
  switch (test.kind) {
    case 'single':
      return [treeOf(test)];
    case 'tree':
      return [test.tree];
    case 'multi':
      return test.branches.map(({ operator, value, unit }) => treeOf({ field: test.field, operator, value, unit }));
  }
}

const treeOf = ({ field, operator, value, unit }: Filter): ConditionTree => ({
  logic: 'AND',
  groups: [{ filters: [{ field, operator, value, unit }] }],
});

/**
 * A key that no contact's data has, since PostgreSQL stores no NUL: behind it lies the execution's context, so that one
 * engine answers questions about both.
 */
const CONTEXT = '\u0000context';

/**
 * The context's own keys come a second time by their whole name: a path is first of all a key of the data (valueAt).
 */
function withContext({ data, context }: ConditionFacts): { [key: string]: JsonValue } {
  const whole = Object.entries(context).map(([key, value]) => [`${CONTEXT}.${key}`, value]);
  return { ...data, [CONTEXT]: context, ...Object.fromEntries(whole) };
}

/** The field names of workflows as those of segments. */
function segmentField({ field, operator }: Pick<Filter, 'field' | 'operator'>): string {
  const known = readConditionField(field, operator);
  return known.of === 'contact' ? known.field : `data.${CONTEXT}.${known.field.slice('data.'.length)}`;
}

function inOneData({ logic, groups }: ConditionTree): ConditionTree {
  return {
    logic,
    groups: groups.map(({ filters, conditions }): Group => ({
      filters: filters.map((filter) => ({ ...filter, field: segmentField(filter) })),
      ...(conditions && { conditions: inOneData(conditions) }),
    })),
  };
}

/** What the field is, in words; null for what has no value (an event, a segment), and for the address. */
function shownValue(filter: Pick<Filter, 'field' | 'operator'>, facts: ContactFacts): ShownValue {
  const subject = readSubject(segmentField(filter));
  switch (subject?.kind) {
    case 'subscribed':
      return show(facts.subscribed);
    case 'date':
      return facts[subject.of].toISOString();
    case 'data':
      return show(valueAt(facts.data, subject.path));
    default:
      return null;
  }
}

function multiField(field: string, facts: ContactFacts): string {
  const value = shownValue({ field, operator: 'equals' }, facts);
  return value === null ? field : `${field} is ${value}`;
}
