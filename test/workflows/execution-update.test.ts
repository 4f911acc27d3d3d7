/** UPDATE_CONTACT: the rules of contact data, and the subscription. */
import { describe, expect, test, vi } from 'vitest';
import { useStepper, type Begin, type Begun } from '../helpers/executions.js';
import { executionRow, exit, historyOf, pathOf, updateContact, type GraphSpec } from '../helpers/workflow-graph.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const stepper = useStepper();

const updating = (updates: Record<string, unknown>, action?: string): GraphSpec => ({
  steps: { update: updateContact(updates, action), bye: exit() },
  edges: ['TRIGGER > update', 'update > bye'],
});
const contactOf = ({ contactId }: Begun) => stepper.ctx.prisma.contact.findUniqueOrThrow({ where: { id: contactId } });
const flipsOf = ({ contactId }: Begun) =>
  stepper.ctx.prisma.event.findMany({ where: { contactId, name: { startsWith: 'contact.' } } });

async function run(updates: Record<string, unknown>, action?: string, contact?: Begin['contact']): Promise<Begun> {
  const begun = await stepper.begin(updating(updates, action), { contact });
  await stepper.advance(begun);
  return begun;
}

const summaryOf = async ({ executionId }: Begun): Promise<string | null> =>
  (await historyOf(stepper.ctx, executionId))[1]?.summary ?? null;

test('values are merged into the contact by the rules of contact data, and are literal', async () => {
  const begun = await run(
    { plan: 'pro', old: null, empty: '', email: 'x@y.test', text: '{{ event.plan }}' },
    undefined,
    { data: { old: 1, kept: true, empty: 'stays' } },
  );
  expect((await contactOf(begun)).data).toEqual({ kept: true, empty: 'stays', plan: 'pro', text: '{{ event.plan }}' });
  expect(await summaryOf(begun)).toBe('Set plan, text. Removed old.');
  expect(await flipsOf(begun)).toEqual([]);
  expect(await executionRow(stepper.ctx, begun.executionId)).toMatchObject({ status: 'EXITED' });
});

describe('the subscription', () => {
  test.each([
    ['unsubscribe', true, false, 'contact.unsubscribed', 'Unsubscribed the contact.'],
    ['subscribe', false, true, 'contact.subscribed', 'Subscribed the contact.'],
  ])(
    '%s of a contact with subscribed %s changes the subscription and writes its event',
    async (action, before, after, name, summary) => {
      const begun = await run({}, action, { subscribed: before });
      expect((await contactOf(begun)).subscribed).toBe(after);
      expect(await flipsOf(begun)).toMatchObject([
        { name, data: { source: 'workflow', executionId: begun.executionId } },
      ]);
      expect(await summaryOf(begun)).toBe(summary);
    },
  );

  test.each([
    ['unsubscribe', false],
    ['subscribe', true],
    ['none', true],
  ])('%s of a contact with subscribed %s changes nothing', async (action, before) => {
    const begun = await run({}, action, { subscribed: before });
    expect((await contactOf(begun)).subscribed).toBe(before);
    expect(await flipsOf(begun)).toEqual([]);
    expect(await summaryOf(begun)).toBe('Nothing changed: the contact already had these values.');
  });

  test('ends a snooze if it is written; an update of only data does not', async () => {
    const snoozedUntil = new Date(Date.now() + 86_400_000);
    for (const [action, expected] of [
      ['unsubscribe', null],
      ['none', snoozedUntil],
    ] as const) {
      const begun = await stepper.begin(updating({ plan: 'pro' }, action), { contact: { subscribed: false } });
      await stepper.ctx.prisma.contact.update({ where: { id: begun.contactId }, data: { snoozedUntil } });
      await stepper.advance(begun);
      expect((await contactOf(begun)).snoozedUntil).toEqual(expected);
    }
  });
});

test('the change starts the workflows of its event, including this one if it allows re-entry', async () => {
  const begun = await stepper.begin(
    {
      eventName: 'contact.unsubscribed',
      allowReentry: true,
      steps: { back: updateContact({}, 'subscribe') },
      edges: ['TRIGGER > back'],
    },
    { contact: { subscribed: false } },
  );
  const leaving = await stepper.begin(
    { eventName: 'leave', steps: { out: updateContact({}, 'unsubscribe') }, edges: ['TRIGGER > out'] },
    { project: begun.project },
  );
  await stepper.advance(leaving);
  const [started] = await stepper.ctx.prisma.workflowExecution.findMany({
    where: { workflowId: begun.graph.id, contactId: leaving.contactId },
  });
  expect(started).toMatchObject({
    status: 'RUNNING',
    context: { source: 'workflow', executionId: leaving.executionId },
  });
  await stepper.advance({ projectId: begun.projectId, executionId: started?.id ?? '' });
  expect((await contactOf(leaving)).subscribed).toBe(true);
  expect((await flipsOf(leaving)).map(({ name }) => name).sort()).toEqual([
    'contact.subscribed',
    'contact.unsubscribed',
  ]);
});

test('data that would exceed its limits fails the execution and does not change the contact', async () => {
  const begun = await run({ more: 'x'.repeat(40_000) }, 'unsubscribe', { data: { much: 'y'.repeat(40_000) } });
  const reason = 'The contact was not updated: its data would exceed 100 keys or 64 KiB.';
  expect(await executionRow(stepper.ctx, begun.executionId)).toMatchObject({ status: 'FAILED', exitReason: reason });
  expect(await pathOf(stepper.ctx, begun.executionId)).toBe('TRIGGER COMPLETED, update FAILED');
  expect(await contactOf(begun)).toMatchObject({ subscribed: true, data: { much: 'y'.repeat(40_000) } });
  expect(await flipsOf(begun)).toEqual([]);
});
