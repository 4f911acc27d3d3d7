/** Segments and workflows. */
import { unwrap, type Schemas, type SendloomClient } from '../src/index.js';

/** A tracked dynamic segment of all contacts with a plan. */
export async function dynamicSegment(sendloom: SendloomClient) {
  const condition: Schemas['ConditionTreeInput'] = {
    logic: 'AND',
    groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }],
  };
  const { id } = unwrap(
    await sendloom.POST('/segments', { body: { name: 'On a plan', condition, trackMembership: true } }),
  );
  const path = { id };
  unwrap(await sendloom.PATCH('/segments/{id}', { params: { path }, body: { description: 'Paying customers' } }));
  unwrap(await sendloom.POST('/segments/{id}/compute', { params: { path } }));
  unwrap(await sendloom.POST('/segments/{id}/refresh', { params: { path } }));
  const { memberCount } = unwrap(await sendloom.GET('/segments/{id}', { params: { path } }));
  const { data } = unwrap(await sendloom.GET('/segments/{id}/contacts', { params: { path, query: { pageSize: 50 } } }));
  return { memberCount, emails: data.map(({ email }) => email) };
}

/** A static segment with chosen members. */
export async function staticSegment(sendloom: SendloomClient, emails: string[]) {
  const { id } = unwrap(await sendloom.POST('/segments', { body: { name: 'Beta testers', type: 'STATIC' } }));
  const path = { id };
  unwrap(await sendloom.POST('/segments/{id}/members', { params: { path }, body: { emails, createMissing: true } }));
  unwrap(await sendloom.DELETE('/segments/{id}/members', { params: { path }, body: { emails } }));
  const names = unwrap(await sendloom.GET('/segments')).map(({ name }) => name);
  unwrap(await sendloom.DELETE('/segments/{id}', { params: { path } }));
  return names;
}

/** A workflow that waits one day after a signup and then ends. */
export async function workflow(sendloom: SendloomClient, contactId: string) {
  const { id } = unwrap(await sendloom.POST('/workflows', { body: { name: 'Onboarding', eventName: 'signup' } }));
  const path = { id };
  const trigger = unwrap(await sendloom.GET('/workflows/{id}', { params: { path } })).steps.find(
    ({ type }) => type === 'TRIGGER',
  );
  if (!trigger) throw new Error('The workflow has no trigger step.');
  const step = unwrap(
    await sendloom.POST('/workflows/{id}/steps', {
      params: { path },
      body: { type: 'DELAY', config: { amount: 1, unit: 'days' } },
    }),
  );
  const end = unwrap(await sendloom.POST('/workflows/{id}/steps', { params: { path }, body: { type: 'EXIT' } }));
  unwrap(
    await sendloom.PATCH('/workflows/{id}/steps/{stepId}', {
      params: { path: { id, stepId: step.id } },
      body: { name: 'A day' },
    }),
  );
  unwrap(
    await sendloom.POST('/workflows/{id}/transitions', {
      params: { path },
      body: { fromStepId: trigger.id, toStepId: step.id },
    }),
  );
  const edge = unwrap(
    await sendloom.POST('/workflows/{id}/transitions', {
      params: { path },
      body: { fromStepId: step.id, toStepId: end.id },
    }),
  );
  unwrap(await sendloom.PATCH('/workflows/{id}', { params: { path }, body: { enabled: true } }));

  const execution = unwrap(
    await sendloom.POST('/workflows/{id}/executions', {
      params: { path },
      body: { contactId, context: { from: 'support' } },
    }),
  );
  const one = { id, executionId: execution.id };
  const { total } = unwrap(
    await sendloom.GET('/workflows/{id}/executions', { params: { path, query: { status: 'RUNNING' } } }),
  );
  unwrap(await sendloom.DELETE('/workflows/{id}/executions/{executionId}', { params: { path: one } }));
  const { status } = unwrap(await sendloom.GET('/workflows/{id}/executions/{executionId}', { params: { path: one } }));

  unwrap(await sendloom.POST('/workflows/{id}/executions/cancel-all', { params: { path } }));
  unwrap(
    await sendloom.DELETE('/workflows/{id}/transitions/{transitionId}', {
      params: { path: { id, transitionId: edge.id } },
    }),
  );
  unwrap(
    await sendloom.DELETE('/workflows/{id}/steps/{stepId}', {
      params: { path: { id, stepId: step.id }, query: { splice: 'true' } },
    }),
  );
  unwrap(await sendloom.DELETE('/workflows/{id}', { params: { path } }));
  return { total, status };
}

/** The fields for CONDITION steps, and the secret with which a receiver verifies WEBHOOK signatures. */
export async function aboutWorkflows(sendloom: SendloomClient) {
  const { fields } = unwrap(await sendloom.GET('/workflows/fields', { params: { query: { eventName: 'signup' } } }));
  const { secret } = unwrap(await sendloom.GET('/workflows/webhook-secret'));
  const { total } = unwrap(await sendloom.GET('/workflows', { params: { query: { sort: 'name' } } }));
  return { fields, secret, total };
}
