/** Reads what a project's contents refer to: its verified domains, the keys of its contacts, and its settings. */
import type { Context } from '../../context.js';
import { domainOf } from '../domains/sender.js';
import { selectVerifiedDomains } from '../domains/sql.js';
import { listContactKeys, type Content, type ContentFacts } from './problems.js';

/** Reads the facts for the problems of contents of one project. */
export async function loadContentFacts(
  { pool, surveys }: Context,
  projectId: string,
  contents: readonly Content[],
): Promise<ContentFacts> {
  const domains = new Set(contents.flatMap(({ from }) => (from === null ? [] : domainOf(from))));
  const keys = new Set(contents.flatMap(listContactKeys));
  const [verified, contactKeys] = await Promise.all([
    selectVerifiedDomains(pool, projectId, [...domains]),
    surveys.findKeys(projectId, [...keys]),
  ]);
  return { verifiedDomains: new Set(verified), contactKeys, postalAddress: null };
}
