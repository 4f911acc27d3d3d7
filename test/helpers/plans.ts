/**
 * The plans of all statements that a pool's connections execute, including those of triggers, functions, and foreign
 * keys, as `auto_explain` reports them.
 */
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';

/** The parts of a plan node that a test needs. Buffers include those of the nodes below. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
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
  'Index Cond': z.string().optional(),
  Filter: z.string().optional(),
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
  /** Page accesses of the statement. */
  buffers: number;
  /** Rows and index pages that index scans read in addition to those that their results explain. */
  wasted: number;
  root: PlanNode;
}

/** Which plans a prepared statement gets: one for the given parameters, or one for all parameters. */
export type PlanCacheMode = 'force_custom_plan' | 'force_generic_plan';

const DEFAULT_MODE = 'force_custom_plan';

const SETTINGS = {
  plan_cache_mode: DEFAULT_MODE,
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

/** Returns a URL whose connections report their plans. Requires a superuser. */
export function explainingUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const options = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', options.join(' '));
  return url.href;
}

export interface PlanCollector {
  /** Executes `work` with plans of one kind. @returns the plans of all its statements */
  collect: (mode: PlanCacheMode, work: () => Promise<unknown>) => Promise<ExecutedPlan[]>;
}

/** Collects the plans of a pool whose URL is an `explainingUrl`. Call it before the pool's first connection. */
export function collectPlans(pool: Pool): PlanCollector {
  let plans: ExecutedPlan[] = [];
  let mode: PlanCacheMode = DEFAULT_MODE;
  const clients = new Set<PoolClient>();
  const setMode = (client: PoolClient) => client.query(`SET plan_cache_mode = ${mode}`);
  pool.on('remove', (client) => clients.delete(client));
  pool.on('connect', (client) => {
    clients.add(client);
    if (mode !== DEFAULT_MODE) void setMode(client);
    client.on('notice', ({ message }) => {
      const json = message?.slice(message.indexOf('plan:\n') + 'plan:\n'.length);
      if (!json || !message?.startsWith('duration:')) return;
      const { 'Query Text': query, Plan: root } = Report.parse(JSON.parse(json));
      plans.push({ query, root, buffers: buffersOf(root), wasted: wasteOf(root) });
    });
  });
  return {
    async collect(newMode, work) {
      mode = newMode;
      await Promise.all(Array.from(clients, setMode));
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
 * Sequential scans do not count: they are the best plan for a table of a few pages, and visible in the buffers of a large
 * one. An index scan whose condition skips a column of the index removes no rows, but reads many pages.
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
  const condition = node['Index Cond'] ? ` ${node['Index Cond']}` : '';
  const removed = node['Rows Removed by Filter']
    ? `, removed ${node['Rows Removed by Filter']} by ${node.Filter ?? 'a filter'}`
    : '';
  const counts = `${node['Actual Rows']} rows × ${node['Actual Loops']}, ${buffersOf(node)} buffers${removed}`;
  const line = `${'  '.repeat(depth)}${node['Node Type']}${index}${relation}${condition}: ${counts}`;
  return [line, ...(node.Plans ?? []).map((child) => describePlan(child, depth + 1))].join('\n');
}
