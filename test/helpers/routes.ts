/**
 * The app's list of routes, for tests that hold for every route, and a dump of the database to verify that nothing
 * changed.
 */
import { expect } from 'vitest';
import { z } from 'zod';
import type { App } from '../../src/api/app.js';
import type { ApiContext } from '../../src/context.js';

export interface Route {
  /** `PUT /campaigns/:id`. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  /** Whether the OpenAPI document has a request body for it. */
  hasBody: boolean;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** The OpenAPI document does not contain the dashboard and the pages of the documentation. */
const isPage = (url: string): boolean =>
  url === '/' ||
  /^\/app($|\/|\*)/.test(url) ||
  url === '/docs' ||
  url.startsWith('/docs/') ||
  url.startsWith('/docs*') ||
  url === '/openapi.json';

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ requestBody: z.unknown().optional() }))),
});

/**
 * Returns every route of the router except HEAD and OPTIONS, which come with GET and CORS. Each must be in the OpenAPI
 * document.
 */
export async function routesOf(app: App): Promise<Route[]> {
  const document = Document.parse((await app.inject('/openapi.json')).json());
  const documented = new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]): [string, typeof operation] => [
        `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        operation,
      ]),
    ),
  );
  const routes = routerEntries(app.printRoutes({ commonPrefix: false })).filter(
    ({ url }) => url !== '*' && !isPage(url),
  );
  expect(routes.map(({ name }) => name).sort()).toEqual([...documented.keys()].sort());
  return routes.map((route) => ({ ...route, hasBody: documented.get(route.name)?.requestBody !== undefined }));
}

/**
 * Reads the router's tree. A line is `│ └── /:id (GET, HEAD)` with 4 characters per level, and the path of a node
 * continues the path of its parent.
 */
function routerEntries(tree: string): Array<Omit<Route, 'hasBody'>> {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const match = /^([│ ]*)[├└]── (\S+) \(([^)]+)\)$/.exec(line);
    if (!match) return [];
    const [, indent = '', segment = '', methods = ''] = match;
    const depth = indent.length / 4;
    const url = `${depth === 0 ? '' : (parents[depth - 1] ?? '')}${segment}`;
    parents[depth] = url;
    const names = methods.split(', ');
    return METHODS.filter((method) => names.includes(method)).map((method) => ({
      name: `${method} ${url}`,
      method,
      url,
    }));
  });
}

/** Replaces every path parameter with `value`. */
export const fill = (url: string, value: string): string => url.replaceAll(/:\w+/g, value);

/**
 * Tables that a rejected request may change: rate limits, login attempts, and uses of keys.
 */
const BOOKKEEPING = new Set(['rate_windows', 'auth_attempts', 'key_uses', '_prisma_migrations']);

/** Everything in the database, by table. */
export async function dump({ pool }: ApiContext): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const dumps = tables
    .filter(({ name }) => !BOOKKEEPING.has(name))
    .map(
      ({ name }) =>
        `SELECT '${name}' AS name, jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)::text) AS rows FROM ${name} t`,
    );
  const { rows } = await pool.query<{ name: string; rows: unknown[] | null }>(dumps.join(' UNION ALL '));
  return Object.fromEntries(rows.map((table) => [table.name, table.rows ?? []]));
}
