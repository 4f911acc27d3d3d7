/** One attempt of a WEBHOOK step on the database: what is loaded, and what is recorded. */
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { performWebhook } from '../../src/domain/executions/webhook/perform.js';
import { webhookSecret } from '../../src/domain/executions/webhook/sign.js';
import { newId } from '../../src/ids.js';
import { useStepper, type Begin, type Begun } from '../helpers/executions.js';
import { eventually } from '../helpers/eventually.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { executionRow, exit, historyOf, webhook } from '../helpers/workflow-graph.js';

const stepper = useStepper({ WEBHOOK_ALLOW_PRIVATE: 'true' });
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  return () => receiver.stop();
});

afterEach(() => {
  receiver.requests.length = 0;
  receiver.answer((response) => response.end('ok'));
});

interface AtWebhook extends Begun {
  stepExecutionId: string;
}

/** Creates an execution that is at its WEBHOOK step. */
async function reach(config: Record<string, unknown> = {}, options: Begin = {}): Promise<AtWebhook> {
  const steps = { call: webhook(`${receiver.origin}/in`, config), bye: exit('called'), sorry: exit('not called') };
  const begun = await stepper.begin(
    { steps, edges: ['TRIGGER > call', 'call > bye', 'call > sorry : error'] },
    options,
  );
  const next = await stepper.advance(begun);
  if (next.kind !== 'webhook') throw new Error(`Not at the webhook: ${next.kind}`);
  return { ...begun, stepExecutionId: next.stepExecutionId };
}

const NOW = new Date('2026-03-01T09:00:00.000Z');
const perform = ({ projectId, executionId, stepExecutionId }: AtWebhook, attempt = 1) =>
  performWebhook(stepper.ctx, { projectId, executionId, stepExecutionId, attempt, now: NOW });
const output = async ({ executionId }: AtWebhook) =>
  (await historyOf(stepper.ctx, executionId)).find(({ step }) => step === 'call')?.output;
const sentBody = (): unknown => JSON.parse(receiver.requests.at(-1)?.body ?? '');

test("the default body has contact, workflow, execution, and event, signed with the project's secret", async () => {
  const at = await reach({}, { contact: { email: 'ada@inbox.test', data: { plan: 'pro' } }, data: { amount: 5 } });
  expect(await perform(at)).toEqual({ kind: 'settled' });
  const { startedAt } = await executionRow(stepper.ctx, at.executionId);
  expect(sentBody()).toEqual({
    contact: { id: at.contactId, email: 'ada@inbox.test', subscribed: true, data: { plan: 'pro' } },
    workflow: { id: at.graph.id, name: 'Journey' },
    execution: { id: at.executionId, startedAt: startedAt.toISOString() },
    event: { amount: 5 },
  });
  const { body, headers } = receiver.requests[0] ?? expect.unreachable();
  expect(headers['webhook-id']).toBe(at.stepExecutionId);
  expect(() => new Webhook('whsec_' + Buffer.alloc(32).toString('base64')).verify(body, headers)).toThrow(
    'No matching signature',
  );
  expect(new Webhook(await webhookSecret(stepper.ctx, at.projectId)).verify(body, headers)).toBeTruthy();
});

test('the response is in the output of the step, and the flow continues', async () => {
  receiver.answer((response) => response.writeHead(201, { 'content-type': 'application/json' }).end('{"id": 7}'));
  const at = await reach();
  await perform(at);
  expect(await output(at)).toMatchObject({
    outcome: 'success',
    method: 'POST',
    url: `${receiver.origin}/in`,
    statusCode: 201,
    headers: { 'content-type': 'application/json' },
    body: '{"id": 7}',
    json: { id: 7 },
    truncated: false,
    redirects: 0,
    attempt: 1,
    attempts: [{ attempt: 1, at: NOW.toISOString(), statusCode: 201, reason: null }],
  });
  expect(await stepper.advance(at)).toEqual({ kind: 'ended', outcome: 'EXITED' });
  expect((await historyOf(stepper.ctx, at.executionId)).map(({ step, status }) => `${step} ${status}`)).toEqual([
    'TRIGGER COMPLETED',
    'call COMPLETED',
    'bye COMPLETED',
  ]);
  expect(await output(at)).toMatchObject({
    statusCode: 201,
    json: { id: 7 },
    summary: expect.stringContaining('succeeded with 201'),
  });
});

test('a repeat after a recorded success or failure sends no request', async () => {
  for (const status of [200, 404]) {
    receiver.answer((response) => response.writeHead(status).end());
    const at = await reach();
    expect(await perform(at)).toEqual({ kind: 'settled' });
    const recorded = await output(at);
    expect(await perform(at, 2)).toEqual({ kind: 'settled' });
    expect(receiver.requests).toHaveLength(1);
    expect(await output(at)).toEqual(recorded);
    receiver.requests.length = 0;
  }
});

test('an attempt to be repeated is recorded, and every attempt has the same webhook-id', async () => {
  receiver.answer((response, _request, count) =>
    response.writeHead(count < 2 ? 503 : 200, { 'retry-after': '90' }).end(),
  );
  const at = await reach();
  expect(await perform(at, 1)).toEqual({
    kind: 'retry',
    reason: 'The receiver responded with 503 Service Unavailable.',
    delayMs: 90_000,
  });
  expect(await output(at)).toMatchObject({ outcome: 'retry', statusCode: 503, attempt: 1 });
  // After the tenth attempt, the delay is longer than the receiver's Retry-After.
  expect(await perform(at, 10)).toEqual({
    kind: 'retry',
    reason: 'The receiver responded with 503 Service Unavailable.',
    delayMs: 512_000,
  });
  expect(await perform(at, 11)).toEqual({ kind: 'settled' });
  expect(await output(at)).toMatchObject({
    outcome: 'success',
    statusCode: 200,
    attempt: 11,
    reason: null,
    attempts: [{ attempt: 1, statusCode: 503 }, { attempt: 10 }, { attempt: 11, statusCode: 200 }],
  });
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('a failure is followed by the branch error, with the reason', async () => {
  receiver.answer((response) => response.writeHead(410).end('gone'));
  const at = await reach();
  await perform(at);
  expect(await stepper.advance(at)).toEqual({ kind: 'ended', outcome: 'EXITED' });
  expect(await executionRow(stepper.ctx, at.executionId)).toMatchObject({ status: 'EXITED', exitReason: 'not called' });
  expect((await historyOf(stepper.ctx, at.executionId))[1]).toMatchObject({
    step: 'call',
    status: 'FAILED',
    error: 'The receiver responded with 410 Gone.',
    output: { statusCode: 410, body: 'gone' },
  });
});

test('when Temporal gives up, the output has the last reason and the number of attempts', async () => {
  receiver.answer((response) => response.writeHead(500).end());
  const at = await reach();
  await perform(at, 1);
  await perform(at, 2);
  expect(await stepper.advance(at)).toMatchObject({ kind: 'webhook' });
  expect(await stepper.advance(at, { gaveUpOn: at.stepExecutionId })).toEqual({ kind: 'ended', outcome: 'EXITED' });
  expect((await historyOf(stepper.ctx, at.executionId))[1]).toMatchObject({
    status: 'FAILED',
    error: 'The receiver responded with 500 Internal Server Error. Gave up after 2 attempts.',
  });
});

test('a private address is a permanent failure, with a clear reason', async () => {
  const { config } = stepper.ctx;
  const at = await reach();
  const production = { ...stepper.ctx, config: { ...config, WEBHOOK_ALLOW_PRIVATE: false } };
  expect(await performWebhook(production, { ...at, attempt: 1, now: NOW })).toEqual({ kind: 'settled' });
  expect(receiver.requests).toEqual([]);
  expect(await output(at)).toMatchObject({
    outcome: 'failure',
    reason: 'Not called: 127.0.0.1 is a loopback address.',
    statusCode: null,
    body: null,
  });
});

test('NUL, invalid UTF-8, and unpaired surrogates in a response can be stored', async () => {
  receiver.answer((response) =>
    response.end(
      Buffer.concat([
        Buffer.from(String.raw`{"a\u0000": "\ud800", "b": "`),
        Buffer.from([0xff, 0x00]),
        Buffer.from('"}'),
      ]),
    ),
  );
  const at = await reach();
  expect(await perform(at)).toEqual({ kind: 'settled' });
  expect(await output(at)).toMatchObject({
    body: String.raw`{"a\u0000": "\ud800", "b": "��"}`,
    json: { 'a�': '�', b: '��' },
  });
});

test('the deepest accepted JSON can be stored', async () => {
  receiver.answer((response) => response.end(`${'['.repeat(101)}${']'.repeat(101)}`));
  const at = await reach();
  await perform(at);
  expect(await output(at)).toHaveProperty('json');
});

test('an execution that has left the step sends no request: canceled, ended, deleted, or disabled', async () => {
  const ends: Array<(at: AtWebhook) => Promise<unknown>> = [
    ({ executionId }) =>
      stepper.ctx.prisma.workflowExecution.update({
        where: { id: executionId },
        data: { status: 'CANCELLED', stepExecutionId: null },
      }),
    ({ stepExecutionId }) =>
      stepper.ctx.prisma.stepExecution.update({ where: { id: stepExecutionId }, data: { status: 'CANCELLED' } }),
    ({ graph }) => stepper.ctx.prisma.workflowStep.delete({ where: { id: graph.steps.call } }),
    ({ contactId }) => stepper.ctx.prisma.contact.delete({ where: { id: contactId } }),
    ({ projectId }) => stepper.ctx.prisma.project.update({ where: { id: projectId }, data: { disabled: true } }),
  ];
  for (const end of ends) {
    const at = await reach();
    await end(at);
    expect(await perform(at)).toEqual({ kind: 'ended' });
  }
  expect(receiver.requests).toEqual([]);
});

test('an id of another project, of another execution, or of none sends no request', async () => {
  const [at, other] = [await reach(), await reach()];
  for (const wrong of [
    { projectId: other.projectId },
    { executionId: other.executionId },
    { stepExecutionId: other.stepExecutionId },
    { stepExecutionId: newId() },
  ]) {
    expect(await perform({ ...at, ...wrong })).toEqual({ kind: 'ended' });
  }
  expect(receiver.requests).toEqual([]);
});

test('an execution that is canceled during the call keeps the result of its cancellation', async () => {
  const at = await reach();
  let answer: (() => void) | undefined;
  receiver.answer((response) => {
    answer = () => response.end('late');
  });
  const performing = perform(at);
  await eventually(() => expect(answer).toBeTruthy());
  await stepper.ctx.prisma.workflowExecution.update({
    where: { id: at.executionId },
    data: { status: 'CANCELLED', stepExecutionId: null },
  });
  await stepper.ctx.prisma.stepExecution.update({
    where: { id: at.stepExecutionId },
    data: { status: 'CANCELLED', output: { summary: 'Cancelled.' } },
  });
  answer?.();
  expect(await performing).toEqual({ kind: 'ended' });
  expect(await output(at)).toEqual({ summary: 'Cancelled.' });
});

test('of two concurrent attempts, the first result stays', async () => {
  const at = await reach();
  const answers: Array<(status: number) => void> = [];
  receiver.answer((response) => answers.push((status) => response.writeHead(status).end()));
  const [slow, quick] = [perform(at, 1), perform(at, 2)];
  await eventually(() => expect(answers).toHaveLength(2));
  for (const answer of answers) answer(200);
  expect([await slow, await quick].map(({ kind }) => kind).sort()).toEqual(['ended', 'settled']);
  expect(await output(at)).toMatchObject({ outcome: 'success' });
});

test('a late failure of a lost attempt does not touch a success', async () => {
  const at = await reach();
  const answers: Array<(status: number) => void> = [];
  receiver.answer((response) => answers.push((status) => response.writeHead(status).end()));
  const lost = perform(at, 1);
  await eventually(() => expect(answers).toHaveLength(1));
  const next = perform(at, 2);
  await eventually(() => expect(answers).toHaveLength(2));
  answers[1]?.(200);
  expect(await next).toEqual({ kind: 'settled' });
  answers[0]?.(500);
  expect(await lost).toEqual({ kind: 'ended' });
  expect(await output(at)).toMatchObject({ outcome: 'success', statusCode: 200, attempt: 2 });
});

test('a config that is no longer valid is a permanent failure', async () => {
  const at = await reach();
  await stepper.ctx.prisma.workflowStep.update({
    where: { id: at.graph.steps.call },
    data: { config: { url: 'ftp://x' } },
  });
  expect(await perform(at)).toEqual({ kind: 'settled' });
  expect(await output(at)).toMatchObject({
    outcome: 'failure',
    url: null,
    reason: expect.stringMatching(/^The step's config is invalid: config.url/),
  });
});

test('url, headers, and body are rendered with contact and context', async () => {
  const at = await reach(
    {
      method: 'PUT',
      headers: { 'X-Plan': '{{ data.plan }}' },
      body: { who: '{{ email }}', amount: '{{ event.amount }} {{ amount }}' },
    },
    { contact: { email: 'bob@inbox.test', data: { plan: 'pro\r\nX-Evil: 1' } }, data: { amount: 5 } },
  );
  await stepper.ctx.prisma.workflowStep.update({
    where: { id: at.graph.steps.call },
    data: {
      config: {
        url: `${receiver.origin}/{{ id }}?plan={{ plan }}`,
        method: 'PUT',
        headers: { 'X-Plan': '{{ data.plan }}' },
        body: { who: '{{ email }}', amount: '{{ event.amount }} {{ amount }}' },
      },
    },
  });
  await perform(at);
  expect(receiver.requests[0]).toMatchObject({
    method: 'PUT',
    url: `/${at.contactId}?plan=pro%0D%0AX-Evil%3A%201`,
    headers: { 'x-plan': 'pro X-Evil: 1' },
  });
  expect(sentBody()).toEqual({ who: 'bob@inbox.test', amount: '5 5' });
});
