/**
 * Chooses the branch of a CONDITION step and explains the choice. Filters mean the same as in segments
 * (src/domain/conditions); in addition, they can test the execution's context.
 */
import type { Queryable } from '../../db/pool.js';
import type { Predicate } from '../../db/predicate.js';
import { loadContactFacts } from '../conditions/sql/facts.js';
import type { ConditionFacts } from './sql/move.js';
import { factsNeeded, holds, valueAt, type ContactFacts, type ReadValue } from '../conditions/evaluate.js';
import { resolveCondition } from '../conditions/resolve.js';
import { readSubject, type ConditionTree, type Filter, type Group } from '../conditions/tree.js';
import type { ConditionTest } from '../workflows/condition-config.js';
import { readConditionField } from '../workflows/condition-fields.js';
import { describeFilter, followedBranch, formatValue, type ShownValue } from './words.js';

export interface ConditionContext {
  db: Queryable;
  projectId: string;
  contactId: string;
  /** The moment that `within`, `olderThan`, and similar operators count from. */
  now: Date;
}

export interface BranchChoice {
  branch: string;
  /** One sentence that names the tested value, the outcome, and the branch. */
  summary: string;
}

/** What the filters of one test can read. */
interface Subject {
  facts: ContactFacts;
  readValue: ReadValue;
}

/**
 * Returns `yes` or `no`; for a `multi` test, the id of the first branch that matches, or `default`.
 *
 * @throws BAD_REQUEST (400) if the test references a segment that no longer exists
 */
export async function chooseBranch(
  test: ConditionTest,
  known: ConditionFacts,
  context: ConditionContext,
): Promise<BranchChoice> {
  const predicates: Predicate[] = [];
  for (const tree of treesOf(test)) predicates.push(await resolveCondition(context.db, toSegmentTree(tree), context));
  const subject = await loadSubject(predicates, known, context);
  const firstMatch = predicates.findIndex((predicate) => holds(predicate, subject.facts, subject.readValue));
  switch (test.kind) {
    case 'multi': {
      const branch = test.branches[firstMatch];
      if (!branch) return choose('default', `${describeField(test.field, subject)}, and no branch matches`);
      const filter = { ...branch, field: test.field };
      return choose(branch.id, describeFilter(filter, valueOf(filter, subject), true));
    }
    case 'tree': {
      const matches = firstMatch === 0;
      return choose(matches ? 'yes' : 'no', `The condition is ${matches ? 'true' : 'false'}`);
    }
    case 'single': {
      const matches = firstMatch === 0;
      return choose(matches ? 'yes' : 'no', describeFilter(test, valueOf(test, subject), matches));
    }
  }
}

const choose = (branch: string, reason: string): BranchChoice => ({
  branch,
  summary: `${reason}. ${followedBranch(branch)}`,
});

async function loadSubject(
  predicates: Predicate[],
  { email, subscribed, createdAt, updatedAt, data, context }: ConditionFacts,
  { db, projectId, contactId }: ConditionContext,
): Promise<Subject> {
  const needed = factsNeeded({ kind: 'all', of: predicates });
  const loaded =
    needed.events.length + needed.segments.length > 0 ? await loadContactFacts(db, projectId, contactId, needed) : null;
  return {
    facts: {
      email,
      subscribed,
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
      data,
      events: loaded?.events ?? new Map(),
      segments: loaded?.segments ?? new Set(),
    },
    readValue: (path) =>
      path.startsWith(CONTEXT_PREFIX) ? valueAt(context, path.slice(CONTEXT_PREFIX.length)) : valueAt(data, path),
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

/** Marks a path of the context. PostgreSQL stores no NUL, so no path of a contact's data begins with it. */
const CONTEXT_PREFIX = '\u0000';

/** Returns the name of a step's field in the tree of a segment. */
function toSegmentField({ field, operator }: Pick<Filter, 'field' | 'operator'>): string {
  const known = readConditionField(field, operator);
  return known.of === 'contact' ? known.field : `data.${CONTEXT_PREFIX}${known.field.slice('data.'.length)}`;
}

function toSegmentTree({ logic, groups }: ConditionTree): ConditionTree {
  return {
    logic,
    groups: groups.map(({ filters, conditions }): Group => ({
      filters: filters.map((filter) => ({ ...filter, field: toSegmentField(filter) })),
      ...(conditions && { conditions: toSegmentTree(conditions) }),
    })),
  };
}

/** Returns null for an event or a segment, which have no value, and for the address, which must not be shown. */
function valueOf(filter: Pick<Filter, 'field' | 'operator'>, { facts, readValue }: Subject): ShownValue {
  const tested = readSubject(toSegmentField(filter));
  switch (tested?.kind) {
    case 'subscribed':
      return formatValue(facts.subscribed);
    case 'date':
      return facts[tested.of].toISOString();
    case 'data':
      return formatValue(readValue(tested.path));
    default:
      return null;
  }
}

function describeField(field: string, subject: Subject): string {
  const value = valueOf({ field, operator: 'equals' }, subject);
  return value === null ? field : `${field} is ${value}`;
}
