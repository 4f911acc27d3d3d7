/**
 * JSON that is nested tens of thousands of levels deep is rejected in workflows and their inputs, without a stack
 * overflow.
 */
import { describe, expect, test } from 'vitest';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { workflowHelpers } from '../helpers/workflow-api.js';

const api = useApi();
const { workflow, step } = workflowHelpers(api);

const DEPTH = 20_000;
const lists = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
/** Returns a condition in the only field where a tree can nest. */
const tree = (depth: number): string =>
  `${'{"logic":"AND","groups":[{"filters":[],"conditions":'.repeat(depth)}{}${'}]}'.repeat(depth)}`;

interface Place {
  method: 'POST' | 'PATCH' | 'PUT';
  url: string;
  /** Returns the body around the deep value. */
  body: (deep: string) => string;
  /** /v1 requires the public key. */
  key?: 'public';
}

async function places(project: TestProject): Promise<Record<string, Place>> {
  const { id } = await workflow(project);
  const hook = await step(project, id, 'WEBHOOK');
  const ask = await step(project, id, 'CONDITION');
  const contact = await api.as(project, 'POST', '/contacts', { email: 'ann@x.test' });
  const contactId: unknown = contact.json().id;
  const steps = `/workflows/${id}/steps`;
  return {
    'the body of a WEBHOOK': {
      method: 'POST',
      url: steps,
      body: (deep) => `{"type":"WEBHOOK","config":{"url":"https://hooks.example.com","body":${deep}}}`,
    },
    'the headers of a WEBHOOK': {
      method: 'POST',
      url: steps,
      body: (deep) => `{"type":"WEBHOOK","config":{"url":"https://hooks.example.com","headers":${deep}}}`,
    },
    'the body of a WEBHOOK that is changed': {
      method: 'PATCH',
      url: `${steps}/${hook}`,
      body: (deep) => `{"config":{"url":"https://hooks.example.com","body":${deep}}}`,
    },
    'a CONDITION': { method: 'POST', url: steps, body: (deep) => `{"type":"CONDITION","config":${deep}}` },
    'the value of a CONDITION': {
      method: 'POST',
      url: steps,
      body: (deep) => `{"type":"CONDITION","config":{"field":"data.plan","operator":"equals","value":${deep}}}`,
    },
    'the branches of a CONDITION that is changed': {
      method: 'PATCH',
      url: `${steps}/${ask}`,
      body: (deep) => `{"config":{"mode":"multi","field":"data.plan","branches":${deep}}}`,
    },
    'the updates of an UPDATE_CONTACT': {
      method: 'POST',
      url: steps,
      body: (deep) => `{"type":"UPDATE_CONTACT","config":{"updates":{"a":${deep}}}}`,
    },
    'the recipient of a SEND_EMAIL': {
      method: 'POST',
      url: steps,
      body: (deep) => `{"type":"SEND_EMAIL","config":{"templateId":"x","recipient":${deep}}}`,
    },
    'the config of any step': { method: 'POST', url: steps, body: (deep) => `{"type":"DELAY","config":${deep}}` },
    'the position of a step': { method: 'PATCH', url: `${steps}/${hook}`, body: (deep) => `{"position":${deep}}` },
    'the condition of a transition': {
      method: 'POST',
      url: `/workflows/${id}/transitions`,
      body: (deep) => `{"fromStepId":"${hook}","toStepId":"${ask}","condition":${deep}}`,
    },
    'the trigger of a workflow': {
      method: 'PATCH',
      url: `/workflows/${id}`,
      body: (deep) => `{"triggerConfig":${deep}}`,
    },
    'a new workflow': {
      method: 'POST',
      url: '/workflows',
      body: (deep) => `{"name":"Deep","eventName":"deep","description":${deep}}`,
    },
    'the context of an execution': {
      method: 'POST',
      url: `/workflows/${id}/executions`,
      body: (deep) => `{"contactId":"${String(contactId)}","context":{"a":${deep}}}`,
    },
    'the data of a tracked event': {
      method: 'POST',
      url: '/v1/track',
      key: 'public',
      body: (deep) => `{"email":"ann@x.test","event":"signed up","data":{"a":${deep}}}`,
    },
    'the data of an event tracked with the secret key': {
      method: 'POST',
      url: '/events/track',
      body: (deep) => `{"email":"ann@x.test","event":"signed up","data":{"a":${deep}}}`,
    },
    'the data of a new contact': {
      method: 'POST',
      url: '/contacts',
      body: (deep) => `{"email":"bob@x.test","data":{"a":${deep}}}`,
    },
    'the data of a contact that is changed': {
      method: 'PATCH',
      url: `/contacts/${String(contactId)}`,
      body: (deep) => `{"data":{"a":${deep}}}`,
    },
    'the condition of a segment': {
      method: 'POST',
      url: '/segments',
      body: (deep) => `{"name":"Deep","condition":${deep}}`,
    },
  };
}

describe('JSON that is nested 20,000 levels deep', () => {
  test.each([
    ['lists', lists],
    ['objects', objects],
    ['condition trees', tree],
  ])('is rejected as %s in every place, with a response in the envelope', async (_, deep) => {
    const project = await api.project();
    const all = await places(project);
    for (const [place, { method, url, body, key }] of Object.entries(all)) {
      const response = await api.app.inject({
        method,
        url,
        headers: {
          authorization: `Bearer ${key ? project.public : project.secret}`,
          'content-type': 'application/json',
        },
        payload: body(deep(DEPTH)),
      });
      expect([place, response.statusCode, response.json().error?.code]).toEqual([place, 422, 'VALIDATION_ERROR']);
    }
  });
});

test('the deepest accepted JSON is stored and read in a config, a context, and the data of an event', async () => {
  const project = await api.project();
  const all = await places(project);
  for (const place of [
    'the body of a WEBHOOK',
    'the updates of an UPDATE_CONTACT',
    'the data of a tracked event',
    'the data of a new contact',
  ] as const) {
    const { method, url, body, key } = all[place] ?? { method: 'POST', url: '', body: String };
    const send = (depth: number) =>
      api.app.inject({
        method,
        url,
        headers: {
          authorization: `Bearer ${key ? project.public : project.secret}`,
          'content-type': 'application/json',
        },
        payload: body(objects(depth)),
      });
    expect([place, (await send(58)).statusCode]).toEqual([place, expect.toBeOneOf([200, 201])]);
    expect([place, refused(await send(70))]).toMatchObject([place, { status: 422, code: 'VALIDATION_ERROR' }]);
  }
  const { data } = (await api.as(project, 'GET', '/workflows')).json();
  expect(data).toHaveLength(1);
});
