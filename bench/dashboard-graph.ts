/** A workflow with many steps, for `bench/dashboard.ts`. */
import { z } from 'zod';
import { framesDuring, responseEnd, slowDown, until, type Frames, type Tab } from './dashboard-page.js';
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
  /** While a step is dragged, with a slow processor. */
  drag: Frames;
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
  await tab.open(`/workflows/${id}/edit?view=graph`);
  await until(tab, `document.querySelectorAll('.react-flow__node').length >= ${steps}`);
  const drag = await dragStep(tab);
  await tab.close();
  return { layoutMs, shownMs: shown - ended, drag };
}

const DRAG_PIXELS = 300;

async function dragStep(tab: Tab): Promise<Frames> {
  const { mouse } = tab.page;
  await slowDown(tab);
  const step = tab.page.locator('.react-flow__node').first();
  const box = await step.boundingBox();
  if (!box) throw new Error('The first step is not shown');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await mouse.move(x, y);
  await mouse.down();
  const frames = await framesDuring(tab, () =>
    mouse.move(x + DRAG_PIXELS, y + DRAG_PIXELS / 3, { steps: DRAG_PIXELS }),
  );
  await mouse.up();
  if ((await step.boundingBox())?.x === box.x) throw new Error('The step was not dragged');
  return frames;
}
