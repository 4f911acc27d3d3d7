/** A workflow with many steps, for `bench/dashboard.ts`. */
import { z } from 'zod';
import { responseEnd, until, type Tab } from './dashboard-page.js';
import type { ScaleBench } from './segments-setup.js';

/** Every fifth step asks for the plan of the contact, and its branches meet three steps later. */
export function graphOf(steps: number) {
  const stepIds = Array.from({ length: steps }, (_, index) => `step-${index}`);
  const edges = stepIds.slice(0, -1).flatMap((from, index) => {
    const edge = (to: number, branch?: string) => ({
      id: `${from} ${to}`,
      fromStepId: from,
      toStepId: `step-${Math.min(to, steps - 1)}`,
      ...(branch !== undefined && { branch }),
    });
    return index % 5 === 1 && index + 4 < steps ? [edge(index + 1, 'yes'), edge(index + 4, 'no')] : [edge(index + 1)];
  });
  return { stepIds, edges };
}

export interface GraphTimes {
  /** The longest of the page's layouts. */
  layoutMs: number;
  /** From the response until all steps are shown. */
  shownMs: number;
}

/** Creates a workflow and opens its page. */
export async function openGraph({ call }: ScaleBench, tab: Tab, steps: number): Promise<GraphTimes> {
  const { stepIds, edges } = graphOf(steps);
  const created = await call('POST', '/workflows', { name: 'Large', eventName: 'signed up' });
  const { id } = z.object({ id: z.string() }).parse(created);
  const branching = new Set(edges.flatMap(({ fromStepId, branch }) => (branch === undefined ? [] : [fromStepId])));
  await call('PUT', `/workflows/${id}/graph`, {
    steps: stepIds.map((key, index) => {
      if (index === 0) return { key, type: 'TRIGGER' };
      if (branching.has(key))
        return { key, name: key, type: 'CONDITION', config: { field: 'data.plan', operator: 'equals', value: 'pro' } };
      return { key, name: key, type: 'DELAY', config: { amount: 1, unit: 'days' } };
    }),
    transitions: edges.map(({ fromStepId, toStepId, branch }) => ({
      from: fromStepId,
      to: toStepId,
      ...(branch !== undefined && { branch }),
    })),
  });
  await tab.open(`/workflows/${id}`);
  await until(tab, `document.querySelectorAll('.react-flow__node').length >= ${steps}`);
  const shown = z.number().parse(await tab.page.evaluate('performance.now()'));
  const layouts = `performance.getEntriesByName('graph layout').map(({ duration }) => duration)`;
  const layoutMs = Math.max(
    ...z
      .array(z.number())
      .min(1)
      .parse(await tab.page.evaluate(layouts)),
  );
  const ended = await responseEnd(tab, `/workflows/${id}`);
  await tab.close();
  return { layoutMs, shownMs: shown - ended };
}
