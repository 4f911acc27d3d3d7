/** Ten trees as people make them: what they ask, and about how many of a hundred contacts meet them. */
import type { ConditionTree, Filter } from '../src/domain/conditions/tree.js';

export interface BenchTree {
  name: string;
  /** Whether it asks only for what is in the contacts. */
  attributes: boolean;
  tree: ConditionTree;
}

const all = (...filters: Filter[]): ConditionTree => ({ logic: 'AND', groups: [{ filters }] });

/** @param staticId a static segment */
export const benchTrees = (staticId: string, now: Date): BenchTree[] => [
  { name: 'plan is free', attributes: true, tree: all({ field: 'data.plan', operator: 'equals', value: 'free' }) },
  { name: 'vip exists', attributes: true, tree: all({ field: 'data.vip', operator: 'exists' }) },
  {
    name: 'company contains "robot", subscribed',
    attributes: true,
    tree: all(
      { field: 'data.company', operator: 'contains', value: 'robot' },
      { field: 'subscribed', operator: 'equals', value: true },
    ),
  },
  {
    name: 'score > 900, age 25 to 34',
    attributes: true,
    tree: all(
      { field: 'data.score', operator: 'greaterThan', value: 900 },
      { field: 'data.age', operator: 'greaterThanOrEqual', value: 25 },
      { field: 'data.age', operator: 'lessThan', value: 35 },
    ),
  },
  {
    name: 'last login within 30 days, created over a year ago',
    attributes: true,
    tree: all(
      { field: 'data.lastLoginAt', operator: 'within', value: 30, unit: 'days' },
      { field: 'createdAt', operator: 'olderThan', value: 365, unit: 'days' },
    ),
  },
  {
    name: 'renewal due in Europe, or a silent team, not at gmail',
    attributes: true,
    tree: {
      logic: 'OR',
      groups: [
        {
          filters: [
            { field: 'data.country', operator: 'in', value: ['DE', 'FR', 'ES', 'IT', 'NL'] },
            {
              field: 'data.renewsOn',
              operator: 'lessThan',
              value: new Date(now.getTime() + 60 * 86_400_000).toISOString().slice(0, 10),
            },
          ],
        },
        {
          filters: [{ field: 'email', operator: 'notContains', value: '@gmail.' }],
          conditions: {
            logic: 'AND',
            groups: [
              { filters: [{ field: 'data.plan', operator: 'in', value: ['team', 'enterprise'] }] },
              { filters: [{ field: 'data.lastLoginAt', operator: 'olderThan', value: 180, unit: 'days' }] },
            ],
          },
        },
      ],
    },
  },
  {
    name: 'purchased, in Germany',
    attributes: false,
    tree: all(
      { field: 'event.purchased', operator: 'triggered' },
      { field: 'data.country', operator: 'equals', value: 'DE' },
    ),
  },
  {
    name: 'never viewed a page',
    attributes: false,
    tree: all({ field: 'event.page viewed', operator: 'notTriggered' }),
  },
  {
    name: 'logged in within 30 days, city 7',
    attributes: false,
    tree: all(
      { field: 'event.logged in', operator: 'triggeredWithin', value: 30, unit: 'days' },
      { field: 'data.address.city', operator: 'equals', value: 'City 7' },
    ),
  },
  {
    name: 'opened an email, or clicked and pro, or a member',
    attributes: false,
    tree: {
      logic: 'OR',
      groups: [
        { filters: [{ field: 'email.opened', operator: 'triggered' }] },
        {
          filters: [
            { field: 'email.clicked', operator: 'triggeredWithin', value: 90, unit: 'days' },
            { field: 'data.plan', operator: 'equals', value: 'pro' },
          ],
        },
        { filters: [{ field: `segment.${staticId}`, operator: 'memberOfSegment' }] },
      ],
    },
  },
];
