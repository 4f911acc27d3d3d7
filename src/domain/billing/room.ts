/** Which of several requests fit into what their projects' limits leave. */
import type { Queryable } from '../../db/pool.js';
import { readRoom } from './sql/billing.js';

/** From so many emails on nobody asks again for a second: no process accepts as many in it. */
const PLENTY = 100_000;
const PLENTY_FOR = 1000;

/**
 * How many emails of transactional mail projects with a limit may still send; those that have plenty are missing, as
 * those without a limit are.
 */
export type Forecast = (projectIds: string[]) => Promise<ReadonlyMap<string, number>>;

/**
 * A forecast decides nothing: it may be wrong, and the count in the database is right. So one that is a second old will
 * do.
 */
export function createForecast(db: Queryable): Forecast {
  const plentyUntil = new Map<string, number>();
  return async (projectIds) => {
    const now = Date.now();
    for (const [id, until] of plentyUntil) if (until <= now) plentyUntil.delete(id);
    const asked = projectIds.filter((id) => !plentyUntil.has(id));
    if (asked.length === 0) return new Map();
    const room = await readRoom(db, asked, 'TRANSACTIONAL');
    for (const [id, count] of room) {
      if (count < PLENTY) continue;
      plentyUntil.set(id, now + PLENTY_FOR);
      room.delete(id);
    }
    return room;
  };
}

export interface Wish {
  projectId: string;
  /** How many emails. */
  count: number;
}

export type Verdict =
  /** It fits beside those before it. */
  | 'go'
  /** It does not fit beside those before it, but might if one of them is refused for another reason. */
  | 'later'
  /** It does not fit, whatever becomes of the others. */
  | 'refused';

/**
 * Judges wishes in their order by the `room` of their projects, in emails; a project without an entry has no limit.
 * Pure.
 */
export function fit(wishes: readonly Wish[], room: ReadonlyMap<string, number>): Verdict[] {
  const left = new Map(room);
  return wishes.map(({ projectId, count }) => {
    const all = room.get(projectId);
    const rest = left.get(projectId);
    if (all === undefined || rest === undefined) return 'go';
    if (count > all) return 'refused';
    if (count > rest) return 'later';
    left.set(projectId, rest - count);
    return 'go';
  });
}
