/** Reads what a project's contents refer to: its verified domains, the keys of its contacts, and its settings. */
import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { domainOf } from '../domains/sender.js';
import { selectVerifiedDomains } from '../domains/sql.js';
import type { Problem } from '../problems.js';
import { loadBrand } from './brand.js';
import {
  findContentProblems,
  findStaticProblems,
  listContactKeys,
  type Content,
  type ContentFacts,
  type ContentUse,
} from './problems.js';

/** Reads the facts for the problems of contents of one project. */
export async function loadContentFacts(
  { pool, surveys }: Context,
  projectId: string,
  contents: readonly Content[],
): Promise<ContentFacts> {
  const keys = new Set(contents.flatMap(listContactKeys));
  const [verifiedDomains, contactKeys, { postalAddress }] = await Promise.all([
    loadVerifiedDomains(pool, projectId, contents),
    surveys.findKeys(projectId, [...keys]),
    loadBrand(pool, projectId),
  ]);
  return { verifiedDomains, contactKeys, postalAddress };
}

async function loadVerifiedDomains(
  db: Queryable,
  projectId: string,
  contents: readonly Content[],
): Promise<ReadonlySet<string>> {
  const domains = new Set(contents.flatMap(({ from }) => (from === null ? [] : domainOf(from))));
  return new Set(domains.size > 0 ? await selectVerifiedDomains(db, projectId, [...domains]) : []);
}

/** Returns the errors of each content of one project, which prevent its use. */
export async function listContentErrors(
  db: Queryable,
  projectId: string,
  contents: readonly Content[],
): Promise<Problem[][]> {
  const verifiedDomains = await loadVerifiedDomains(db, projectId, contents);
  const facts = { verifiedDomains, contactKeys: new Set<string>(), postalAddress: null };
  return contents.map((content) =>
    findContentProblems(content, facts, 'template').filter(({ level }) => level === 'error'),
  );
}

/** Long lists of contents must not delay other requests. */
const MAX_BLOCKING_MS = 20;

/** Returns the problems of each content of one project. */
export async function listContentProblems(
  ctx: Context,
  projectId: string,
  contents: readonly Content[],
  use: ContentUse,
): Promise<Problem[][]> {
  let startedAt = performance.now();
  for (const content of contents) {
    // The results are cached.
    findStaticProblems(content);
    if (performance.now() - startedAt < MAX_BLOCKING_MS) continue;
    await setImmediate();
    startedAt = performance.now();
  }
  const facts = await loadContentFacts(ctx, projectId, contents);
  return contents.map((content) => findContentProblems(content, facts, use));
}
