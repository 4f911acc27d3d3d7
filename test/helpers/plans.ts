/**
 * The plans of all statements that a pool's connections execute, those of triggers, functions, and foreign keys
 * included, as `auto_explain` reports them.
 */
import type { Pool } from 'pg';
import { z } from 'zod';

/** The parts of a plan node that a test needs. Buffers include those of the nodes below. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

const Node: z.ZodType<PlanNode> = z.looseObject({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Actual Rows': z.number(),
  'Actual Loops': z.number(),
  'Rows Removed by Filter': z.number().optional(),
  'Shared Hit Blocks': z.number(),
  'Shared Read Blocks': z.number(),
  get Plans() {
    return z.array(Node).optional();
  },
});
const Report = z.object({ 'Query Text': z.string(), Plan: Node });

export interface ExecutedPlan {
  query: string;
  /** Pages that the statement has touched, each as often as it did. */
  buffers: number;
  /** Rows and index pages that index scans have read beyond those that their results explain. */
  wasted: number;
  root: PlanNode;
}

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

/** The URL of the database with connections that report their plans. Only a superuser may do so. */
export function explainingUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const options = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', options.join(' '));
  return url.href;
}

/** Collects the plans of a pool whose URL is an `explainingUrl`. Call it before the pool's first connection. */
export function collectPlans(pool: Pool): { during: (work: () => Promise<unknown>) => Promise<ExecutedPlan[]> } {
  let plans: ExecutedPlan[] = [];
  pool.on('connect', (client) => {
    client.on('notice', ({ message }) => {
      const json = message?.slice(message.indexOf('plan:\n') + 'plan:\n'.length);
      if (!json || !message?.startsWith('duration:')) return;
      const { 'Query Text': query, Plan: root } = Report.parse(JSON.parse(json));
      plans.push({ query, root, buffers: buffersOf(root), wasted: wasteOf(root) });
    });
  });
  return {
    async during(work) {
      plans = [];
      await work();
      return plans;
    },
  };
}

const buffersOf = (node: PlanNode): number => node['Shared Hit Blocks'] + node['Shared Read Blocks'];

const CHECKED_SCANS = new Set(['Index Scan', 'Index Only Scan', 'Bitmap Heap Scan', 'Bitmap Index Scan']);
/** Pages of one descent into an index, with the pages of a few dead versions of the row. */
const PAGES_PER_LOOKUP = 16;

/**
 * Sequential scans do not count: of a table of a few pages, they are the best plan, and of a large one they are visible
 * in the buffers. An index scan with a condition on a column that is not a prefix removes no rows, but reads many pages.
 */
function wasteOf(node: PlanNode): number {
  const children = node.Plans ?? [];
  const below = children.reduce((sum, child) => sum + wasteOf(child), 0);
  if (!CHECKED_SCANS.has(node['Node Type'])) return below;
  const loops = node['Actual Loops'];
  const pages = buffersOf(node) - children.reduce((sum, child) => sum + buffersOf(child), 0);
  const explained = PAGES_PER_LOOKUP * loops + 4 * loops * node['Actual Rows'];
  return below + (node['Rows Removed by Filter'] ?? 0) * loops + Math.max(0, pages - explained);
}

/** A plan in a few lines, for the message of a failed test. */
export function describePlan(node: PlanNode, depth = 0): string {
  const index = node['Index Name'] === undefined ? '' : ` using ${node['Index Name']}`;
  const relation = node['Relation Name'] === undefined ? '' : ` on ${node['Relation Name']}`;
  const removed = node['Rows Removed by Filter'] ? `, removed ${node['Rows Removed by Filter']}` : '';
  const line = `${'  '.repeat(depth)}${node['Node Type']}${index}${relation}: ${node['Actual Rows']} rows × ${node['Actual Loops']}, ${buffersOf(node)} buffers${removed}`;
  return [line, ...(node.Plans ?? []).map((child) => describePlan(child, depth + 1))].join('\n');
}
