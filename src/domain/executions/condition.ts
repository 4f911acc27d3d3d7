/**
 * Chooses the branch of a CONDITION step and explains the choice. Filters mean the same as in segments
 * (src/domain/conditions); in addition, they can test the execution's context.
 */
import type { Queryable } from '../../db/pool.js';
import type { Predicate } from '../../db/predicate.js';
import { loadContactFacts } from '../conditions/sql/facts.js';
import type { ConditionFacts } from './sql/state.js';
import { factsNeeded, holds, valueAt, type ContactFacts, type ReadValue } from '../conditions/evaluate.js';
import { explainTree, filtersWithPaths, treeOf, type ExplainedTree } from '../conditions/explain.js';
import { resolveCondition } from '../conditions/resolve.js';
import {
  readSubject,
  type ConditionTree,
  type Filter,
  type Group,
  type Logic,
  type Operator,
  type Unit,
} from '../conditions/tree.js';
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
  /** The outcome of each filter of a tree, which no sentence can hold. */
  condition?: TestedTree;
}

export type TestedTree = {
  matches: boolean;
  logic: Logic;
  groups: Array<{ matches: boolean; filters: TestedFilter[]; conditions?: TestedTree }>;
};

/** A filter of a tree, as the history shows it. Values are text and shortened; none contains an email address. */
export type TestedFilter = {
  field: string;
  operator: Operator;
  value?: string;
  unit?: Unit;
  /** The value of the field, or the time of the last event; null if it has none, or one that must not be shown. */
  actual: string | null;
  matches: boolean;
};

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
      const choice = choose(matches ? 'yes' : 'no', `The condition is ${matches ? 'true' : 'false'}`);
      return { ...choice, condition: await explain(test.tree, subject, context) };
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

/** Tests each filter of a tree by itself. */
async function explain(tree: ConditionTree, subject: Subject, context: ConditionContext): Promise<TestedTree> {
  const { facts, readValue } = subject;
  const matching = new Set<string>();
  for (const { path, filter } of filtersWithPaths(tree)) {
    const predicate = await resolveCondition(context.db, toSegmentTree(treeOf(filter)), context);
    if (holds(predicate, facts, readValue)) matching.add(path);
  }
  const explained = explainTree(tree, (path, filter): TestedFilter => {
    const { field, operator, value, unit } = filter;
    return {
      field,
      operator,
      ...(value !== undefined && { value: formatValue(value) }),
      ...(unit && { unit }),
      actual: valueOf(filter, subject) ?? lastEventOf(filter, subject),
      matches: matching.has(path),
    };
  });
  return withLogic(explained, tree);
}

const withLogic = ({ matches, groups }: ExplainedTree<TestedFilter>, tree: ConditionTree): TestedTree => ({
  matches,
  logic: tree.logic,
  groups: groups.map(({ conditions, ...group }, index) => {
    const nested = tree.groups[index]?.conditions;
    return { ...group, ...(conditions && nested && { conditions: withLogic(conditions, nested) }) };
  }),
});

/** Returns when the event of a filter last occurred; null for another filter, and without such an event. */
function lastEventOf(filter: Filter, { facts }: Subject): string | null {
  const tested = readSubject(toSegmentField(filter));
  return tested?.kind === 'event' ? (facts.events.get(tested.name)?.last.toISOString() ?? null) : null;
}

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
