/** Segments that the CONDITION steps of workflows name. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { newId } from '../../src/ids.js';
import { useApi } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { memberOf, segmentHelpers } from '../helpers/segment-api.js';
import { workflowHelpers } from '../helpers/workflow-api.js';

const api = useApi();
const { segment } = segmentHelpers(api);
const { workflow, step } = workflowHelpers(api);

const Refusal = z.object({
  error: z.object({ details: z.object({ workflows: z.array(z.object({ id: z.string(), name: z.string() })) }) }),
});

const CONFIGS: Array<[string, (id: string) => Record<string, unknown>]> = [
  ['one filter', (id) => ({ field: `segment.${id}`, operator: 'memberOfSegment' })],
  [
    'one filter with the id in capitals',
    (id) => ({ field: `segment.${id.toUpperCase()}`, operator: 'notMemberOfSegment' }),
  ],
  ['a tree', (id) => ({ logic: 'AND', groups: [{ filters: [], conditions: memberOf(id) }] })],
  [
    'several branches',
    (id) => ({
      mode: 'multi',
      field: `segment.${id}`,
      branches: [{ id: 'in', name: 'In', operator: 'memberOfSegment' }],
    }),
  ],
];

test.each(CONFIGS)(
  'a segment that a CONDITION of %s names is not deleted: 409 names the workflow, until the step is deleted',
  async (_, config) => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    const { id: other } = await segment(project, { type: 'STATIC', name: 'Others' });
    const { id: workflowId, name } = await workflow(project);
    const asking = await step(project, workflowId, 'CONDITION', config(id));
    const response = await api.as(project, 'DELETE', `/segments/${id}`);
    expect(refused(response)).toEqual({ status: 409, code: 'CONFLICT' });
    expect(Refusal.parse(response.json()).error.details).toEqual({ workflows: [{ id: workflowId, name }] });
    expect((await api.as(project, 'GET', `/segments/${id}`)).statusCode).toBe(200);
    expect((await api.as(project, 'DELETE', `/segments/${other}`)).statusCode).toBe(204);
    expect((await api.as(project, 'DELETE', `/workflows/${workflowId}/steps/${asking}`)).statusCode).toBe(204);
    expect((await api.as(project, 'DELETE', `/segments/${id}`)).statusCode).toBe(204);
  },
);

test('a step that names a segment and the concurrent deletion of that segment never both succeed', async () => {
  const project = await api.project();
  const { id: workflowId } = await workflow(project);
  const outcomes: string[] = [];
  for (let round = 0; round < 15; round++) {
    const { id } = await segment(project, { type: 'STATIC', name: newId() });
    const adding = () =>
      api.as(project, 'POST', `/workflows/${workflowId}/steps`, {
        type: 'CONDITION',
        config: { field: `segment.${id}`, operator: 'memberOfSegment' },
      });
    const deleting = () => api.as(project, 'DELETE', `/segments/${id}`);
    // Each of the two runs first half of the time.
    const [added, deleted] =
      round % 2 === 0
        ? await Promise.all([adding(), deleting()])
        : (await Promise.all([deleting(), adding()])).toReversed();
    outcomes.push(`${added?.statusCode} ${deleted?.statusCode}`);
  }
  for (const outcome of outcomes) expect(['201 409', '400 204']).toContain(outcome);
});
