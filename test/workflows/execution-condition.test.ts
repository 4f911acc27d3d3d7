/** CONDITION: the followed branch and the summary. */
import { describe, expect, test, vi } from 'vitest';
import { newId } from '../../src/ids.js';
import { useStepper, type Begun } from '../helpers/executions.js';
import {
  condition,
  emit,
  executionRow,
  exit,
  historyOf,
  type GraphSpec,
  type StepSpec,
} from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const stepper = useStepper();

const DAY = 24 * 3600_000;
const asking = (check: StepSpec, branches: string[] = ['yes', 'no']): GraphSpec => ({
  steps: { check, ...Object.fromEntries(branches.map((branch) => [branch, exit(branch)])) },
  edges: ['TRIGGER > check', ...branches.map((branch) => `check > ${branch} : ${branch}`)],
});

interface Asked {
  contact?: { email?: string; subscribed?: boolean; data?: Record<string, unknown> };
  data?: Record<string, unknown>;
}

/** @returns the followed branch and the summary in the history */
async function ask(
  check: StepSpec,
  { contact, data }: Asked = {},
  branches?: string[],
): Promise<{ branch: string | null; summary: string | null; begun: Begun }> {
  const begun = await stepper.begin(asking(check, branches), { contact, data });
  await stepper.advance(begun);
  const { exitReason } = await executionRow(stepper.ctx, begun.executionId);
  const [, step] = await historyOf(stepper.ctx, begun.executionId);
  expect(step?.output?.branch).toBe(exitReason);
  return { branch: exitReason, summary: step?.summary ?? null, begun };
}

const ADA = {
  contact: {
    email: 'ada@inbox.test',
    subscribed: true,
    data: { plan: 'pro', seats: 5, address: { city: 'Paris' }, 'a.b': 1 },
  },
  data: { plan: 'free', order: { total: 30 }, 'x.y': 2 },
};

describe('the fields of a CONDITION', () => {
  test.each([
    ['data.plan', 'equals', 'pro', 'yes', 'data.plan is "pro", which equals "pro". Followed the branch "yes".'],
    ['contact.plan', 'equals', 'pro', 'yes', 'contact.plan is "pro", which equals "pro". Followed the branch "yes".'],
    [
      'contact.data.plan',
      'equals',
      'free',
      'no',
      'contact.data.plan is "pro", which does not equal "free". Followed the branch "no".',
    ],
    [
      'contact.address.city',
      'startsWith',
      'par',
      'yes',
      'contact.address.city is "Paris", which starts with "par". Followed the branch "yes".',
    ],
    ['contact.a.b', 'equals', 1, 'yes', 'contact.a.b is 1, which equals 1. Followed the branch "yes".'],
    [
      'contact.seats',
      'greaterThan',
      4,
      'yes',
      'contact.seats is 5, which is greater than 4. Followed the branch "yes".',
    ],
    [
      'contact.seats',
      'lessThanOrEqual',
      4,
      'no',
      'contact.seats is 5, which is not at most 4. Followed the branch "no".',
    ],
    ['contact.seats', 'in', [4, 5], 'yes', 'contact.seats is 5, which is one of [4,5]. Followed the branch "yes".'],
    [
      'contact.missing',
      'notEquals',
      'x',
      'yes',
      'contact.missing is missing, which does not equal "x". Followed the branch "yes".',
    ],
    ['contact.missing', 'exists', undefined, 'no', 'contact.missing does not exist. Followed the branch "no".'],
    [
      'contact.subscribed',
      'equals',
      true,
      'yes',
      'contact.subscribed is true, which equals true. Followed the branch "yes".',
    ],
    ['subscribed', 'equals', false, 'no', 'subscribed is true, which does not equal false. Followed the branch "no".'],
    ['event.plan', 'equals', 'free', 'yes', 'event.plan is "free", which equals "free". Followed the branch "yes".'],
    [
      'workflow.plan',
      'equals',
      'free',
      'yes',
      'workflow.plan is "free", which equals "free". Followed the branch "yes".',
    ],
    [
      'event.order.total',
      'greaterThan',
      20,
      'yes',
      'event.order.total is 30, which is greater than 20. Followed the branch "yes".',
    ],
    ['event.x.y', 'equals', 2, 'yes', 'event.x.y is 2, which equals 2. Followed the branch "yes".'],
    ['event.seats', 'exists', undefined, 'no', 'event.seats does not exist. Followed the branch "no".'],
    ['event.plan', 'exists', undefined, 'yes', 'event.plan exists. Followed the branch "yes".'],
    ['event.signed_up', 'triggered', undefined, 'yes', 'event.signed_up has occurred. Followed the branch "yes".'],
    ['event.bought', 'triggered', undefined, 'no', 'event.bought has not occurred. Followed the branch "no".'],
    ['event.bought', 'notTriggered', undefined, 'yes', 'event.bought has not occurred. Followed the branch "yes".'],
    ['email.opened', 'triggered', undefined, 'no', 'email.opened has not occurred. Followed the branch "no".'],
  ])('%s %s %j is "%s"', async (field, operator, value, branch, summary) => {
    expect(await ask(condition(field, operator, value), ADA)).toMatchObject({ branch, summary });
  });

  test('a date, and periods that are relative to the time of the execution', async () => {
    expect(await ask(condition('contact.createdAt', 'greaterThan', '2020-01-01'))).toMatchObject({ branch: 'yes' });
    const check = {
      type: 'CONDITION' as const,
      config: { field: 'event.signed_up', operator: 'triggeredWithin', value: 7, unit: 'days' },
    };
    expect(await ask(check)).toMatchObject({
      branch: 'yes',
      summary: 'event.signed_up has occurred within the last 7 days. Followed the branch "yes".',
    });
    const begun = await stepper.begin(asking(check));
    await stepper.advance(begun, { after: 8 * DAY });
    expect(await executionRow(stepper.ctx, begun.executionId)).toMatchObject({ exitReason: 'no' });
  });

  test.each(['contact.email', 'email'])('%s is compared case-insensitively and never repeated', async (field) => {
    const { branch, summary } = await ask(condition(field, 'endsWith', '@INBOX.test'), ADA);
    expect(branch).toBe('yes');
    expect(summary).not.toMatch(/@inbox/i);
    expect(
      (
        await ask(condition(field, 'equals', 'ada@inbox.test'), {
          ...ADA,
          contact: { ...ADA.contact, email: 'bob@inbox.test' },
        })
      ).summary,
    ).not.toMatch(/ada|bob/);
  });

  test('an address in the data is not repeated', async () => {
    const { branch, summary } = await ask(condition('contact.boss', 'equals', 'eve@inbox.test'), {
      contact: { data: { boss: 'eve@inbox.test' } },
    });
    expect(branch).toBe('yes');
    expect(summary).not.toContain('eve');
  });

  test('a segment', async () => {
    const project = await stepper.project();
    const [dynamic, fixed] = [newId(), newId()];
    await stepper.ctx.prisma.segment.create({
      data: {
        id: dynamic,
        projectId: project.id,
        name: 'Pro',
        slug: 'pro',
        condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }] },
      },
    });
    await stepper.ctx.prisma.segment.create({
      data: { id: fixed, projectId: project.id, name: 'Fixed', slug: 'fixed', type: 'STATIC' },
    });
    const check = (id: string) =>
      asking({ type: 'CONDITION', config: { field: `segment.${id}`, operator: 'memberOfSegment' } });
    const asked = async (id: string, join: boolean): Promise<string | null> => {
      const begun = await stepper.begin(check(id), { project, contact: { data: { plan: 'pro' } } });
      if (join)
        await stepper.ctx.prisma.segmentMember.create({
          data: { projectId: project.id, segmentId: id, contactId: begun.contactId },
        });
      await stepper.advance(begun);
      return (await executionRow(stepper.ctx, begun.executionId)).exitReason;
    };
    expect(await asked(dynamic, false)).toBe('yes');
    expect(await asked(fixed, false)).toBe('no');
    expect(await asked(fixed, true)).toBe('yes');
  });
});

test('a tree combines conditions on the contact and the context', async () => {
  const tree = (logic: string, ...filters: Array<Record<string, unknown>>): StepSpec => ({
    type: 'CONDITION',
    config: { logic, groups: filters.map((filter) => ({ filters: [filter] })) },
  });
  const pro = { field: 'contact.plan', operator: 'equals', value: 'pro' };
  const large = { field: 'event.order.total', operator: 'greaterThan', value: 100 };
  expect(await ask(tree('OR', pro, large), ADA)).toMatchObject({
    branch: 'yes',
    summary: 'The condition is true. Followed the branch "yes".',
  });
  expect(await ask(tree('AND', pro, large), ADA)).toMatchObject({
    branch: 'no',
    summary: 'The condition is false. Followed the branch "no".',
  });
  const nested = {
    type: 'CONDITION' as const,
    config: {
      logic: 'AND',
      groups: [
        {
          filters: [pro],
          conditions: {
            logic: 'OR',
            groups: [
              { filters: [large] },
              { filters: [{ field: 'workflow.plan', operator: 'equals', value: 'free' }] },
            ],
          },
        },
      ],
    },
  };
  const { branch, begun } = await ask(nested, ADA);
  expect(branch).toBe('yes');
  // The history has the outcome of each filter.
  const [, step] = await historyOf(stepper.ctx, begun.executionId);
  expect(step?.output?.condition).toEqual({
    matches: true,
    logic: 'AND',
    groups: [
      {
        matches: true,
        filters: [{ ...pro, value: '"pro"', actual: '"pro"', matches: true }],
        conditions: {
          matches: true,
          logic: 'OR',
          groups: [
            { matches: false, filters: [{ ...large, value: '100', actual: '30', matches: false }] },
            {
              matches: true,
              filters: [
                { field: 'workflow.plan', operator: 'equals', value: '"free"', actual: '"free"', matches: true },
              ],
            },
          ],
        },
      },
    ],
  });
});

test('the history has when events last occurred, and no email address', async () => {
  const check: StepSpec = {
    type: 'CONDITION',
    config: {
      logic: 'OR',
      groups: [
        {
          filters: [
            { field: 'event.signed_up', operator: 'triggered' },
            { field: 'event.bought', operator: 'notTriggered' },
            { field: 'email', operator: 'endsWith', value: '@inbox.test' },
            { field: 'contact.friend', operator: 'equals', value: 'eva@inbox.test' },
            { field: 'contact.seats', operator: 'exists' },
          ],
        },
      ],
    },
  };
  const { begun } = await ask(check, { contact: { email: 'ada@inbox.test', data: { friend: 'bob@inbox.test' } } });
  const [, step] = await historyOf(stepper.ctx, begun.executionId);
  const hidden = 'a hidden value with an @';
  expect(step?.output?.condition).toMatchObject({
    matches: false,
    groups: [
      {
        filters: [
          { actual: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), matches: true },
          { actual: null, matches: true },
          { value: hidden, actual: null, matches: true },
          { value: hidden, actual: hidden, matches: false },
          { actual: 'missing', matches: false },
        ],
      },
    ],
  });
});

describe('one field against several values', () => {
  const check: StepSpec = {
    type: 'CONDITION',
    config: {
      mode: 'multi',
      field: 'contact.seats',
      branches: [
        { id: 'small', name: 'Small', operator: 'lessThan', value: 10 },
        { id: 'any', name: 'Any', operator: 'exists' },
        { id: 'large', name: 'Large', operator: 'greaterThan', value: 1 },
      ],
    },
  };
  const branches = ['small', 'any', 'large', 'default'];

  test('follows the first matching branch', async () => {
    expect(await ask(check, ADA, branches)).toMatchObject({
      branch: 'small',
      summary: 'contact.seats is 5, which is less than 10. Followed the branch "small".',
    });
    expect(await ask(check, { contact: { data: { seats: 20 } } }, branches)).toMatchObject({ branch: 'any' });
  });

  test('follows default if no branch matches', async () => {
    expect(await ask(check, {}, branches)).toMatchObject({
      branch: 'default',
      summary: 'contact.seats is missing, and no branch matches. Followed the branch "default".',
    });
  });
});

test('a branch without a transition ends the execution as COMPLETED, with that reason', async () => {
  const begun = await stepper.begin({
    steps: { check: condition('data.plan', 'equals', 'pro'), next: exit() },
    edges: ['TRIGGER > check', 'check > next : yes'],
  });
  await stepper.advance(begun);
  expect(await executionRow(stepper.ctx, begun.executionId)).toMatchObject({ status: 'COMPLETED', exitReason: null });
  expect((await historyOf(stepper.ctx, begun.executionId)).at(-1)).toMatchObject({
    status: 'COMPLETED',
    summary:
      'data.plan is missing, which does not equal "pro". Followed the branch "no". The branch "no" has no next step, so the execution ends here.',
  });
});

test('a deleted segment fails the execution with the reason', async () => {
  const begun = await stepper.begin(
    asking({ type: 'CONDITION', config: { field: `segment.${newId()}`, operator: 'memberOfSegment' } }),
  );
  await stepper.advance(begun);
  const row = await executionRow(stepper.ctx, begun.executionId);
  expect(row).toMatchObject({ status: 'FAILED' });
  expect(row.exitReason).toMatch(/references a segment that does not exist/);
  expect((await historyOf(stepper.ctx, begun.executionId)).at(-1)).toMatchObject({
    step: 'check',
    status: 'FAILED',
    error: row.exitReason,
  });
});

test('a config that is no longer valid fails the execution with the reason', async () => {
  const begun = await stepper.begin(asking(condition('data.plan', 'resembles', 'pro')));
  await stepper.advance(begun);
  expect((await executionRow(stepper.ctx, begun.executionId)).exitReason).toMatch(
    /^The step's config is invalid: config\.operator /,
  );
});

test('the contact is read when the step is reached, not when the execution starts', async () => {
  const begun = await stepper.begin(asking(condition('contact.plan', 'equals', 'pro')));
  await emit(stepper.ctx, begun.projectId, begun.contactId, 'something else');
  await stepper.ctx.prisma.contact.update({ where: { id: begun.contactId }, data: { data: { plan: 'pro' } } });
  await stepper.advance(begun);
  expect(await executionRow(stepper.ctx, begun.executionId)).toMatchObject({ exitReason: 'yes' });
});
