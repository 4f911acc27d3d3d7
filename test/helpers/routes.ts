/**
 * The app's own list of routes, for tests that hold for every one of them, and a dump of the database to see that
 * nothing changed.
 */
import { expect } from 'vitest';
import { z } from 'zod';
import type { App } from '../../src/api/app.js';
import type { Context } from '../../src/context.js';

export interface Route {
  /** `PUT /campaigns/:id`. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  /** Whether the OpenAPI document says that it takes a body. */
  hasBody: boolean;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** The pages of the documentation are in no document. */
const isDocumentation = (url: string): boolean =>
  url === '/docs' || url.startsWith('/docs/') || url.startsWith('/docs*') || url === '/openapi.json';

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ requestBody: z.unknown().optional() }))),
});

/**
 * Every route of the app, as its router has it (HEAD and OPTIONS come with GET and CORS); each must be in the OpenAPI
 * document too.
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
    ({ url }) => url !== '*' && !isDocumentation(url),
  );
  expect(routes.map(({ name }) => name).sort()).toEqual([...documented.keys()].sort());
  return routes.map((route) => ({ ...route, hasBody: documented.get(route.name)?.requestBody !== undefined }));
}

/**
 * Reads the router's tree: a line is `│ └── /:id (GET, HEAD)`, 4 characters a level, and a node's path goes on its
 * parent's.
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

/** Puts `value` in the place of every path parameter. */
export const fill = (url: string, value: string): string => url.replaceAll(/:\w+/g, value);

/**
 * Tables that a refused request may touch: it counts against the rate limit, and a failed login against the guesses.
 */
const BOOKKEEPING = new Set(['rate_windows', 'auth_attempts', '_prisma_migrations']);

/** Everything in the database, by table. */
export async function dump({ pool }: Context): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const contents: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    if (BOOKKEEPING.has(name)) continue;
    const { rows } = await pool.query<{ row: unknown }>(
      `SELECT to_jsonb(t) AS row FROM ${name} t ORDER BY to_jsonb(t)::text`,
    );
    contents[name] = rows.map(({ row }) => row);
  }
  return contents;
}
