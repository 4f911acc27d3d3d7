/** `GET /search`: finds content of a project by name, contacts by address, and anything by its id. */
import type { Context } from '../../context.js';
import { isId } from '../../ids.js';
import { renderSubjects } from '../emails/subjects.js';
import { SEARCH_KINDS, selectHits, type RankedHit, type SearchHit } from './sql.js';

export interface Search {
  /** Trimmed, not empty. */
  q: string;
  limit: number;
}

/** Returns up to `limit` hits of a project, the best first, with a fair share for each kind. */
export async function search(ctx: Context, projectId: string, { q, limit }: Search): Promise<SearchHit[]> {
  const hits = await selectHits(ctx.pool, { projectId, text: q, id: isId(q) ? q : null, limit });
  const chosen = chooseHits(hits, limit).map(({ kind, id, title, subtitle }) => ({ kind, id, title, subtitle }));
  const emails = chosen.flatMap(({ kind, id, subtitle }) => (kind === 'email' ? [{ id, subject: subtitle }] : []));
  const subjects = new Map((await renderSubjects(ctx, projectId, emails)).map(({ id, subject }) => [id, subject]));
  return chosen.map((hit) => (hit.kind === 'email' ? { ...hit, subtitle: subjects.get(hit.id) ?? null } : hit));
}

/**
 * Chooses hits: first the best one of each kind, then the second one of each kind, and so on. Orders them by their rank,
 * then by their kind.
 *
 * @param hits those of a kind in their order
 */
export function chooseHits(hits: RankedHit[], limit: number): RankedHit[] {
  const byKind = SEARCH_KINDS.map((kind) => hits.filter((hit) => hit.kind === kind));
  const placed = byKind.flatMap((ofKind, kind) => ofKind.map((hit, round) => ({ hit, kind, round })));
  return placed
    .toSorted((a, b) => a.round - b.round || a.hit.rank - b.hit.rank || a.kind - b.kind)
    .slice(0, limit)
    .toSorted((a, b) => a.hit.rank - b.hit.rank || a.kind - b.kind || a.round - b.round)
    .map(({ hit }) => hit);
}
