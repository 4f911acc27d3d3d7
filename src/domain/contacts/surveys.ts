/** Queries over all contacts of a project, whose results are reused briefly in projects with many contacts. */
import { LRUCache } from 'lru-cache';
import type { PoolClient } from 'pg';
import type { Pool } from '../../db/pool.js';
import { wideQuery } from '../../db/wide-query.js';
import type { DataStats } from './sql/fields.js';

/** In projects with fewer contacts, a query over all of them takes about 20 ms, so results are always current. */
const MANY_CONTACTS = 10_000;
const MAX_RESULTS = 1000;
const FIELDS_REUSE_MS = 60_000;
const TOTALS_REUSE_MS = 10_000;
const SIZE_REUSE_MS = 600_000;

/** Recent results of queries over all contacts of a project. */
export class Surveys {
  /** The fields of the contacts' data. */
  readonly fields = new Survey<DataStats>(this, FIELDS_REUSE_MS);
  /** The values of a field. */
  readonly values = new Survey<unknown[]>(this, FIELDS_REUSE_MS);
  /** Totals of contact lists, and numbers of contacts with a field. */
  readonly totals = new Survey<number>(this, TOTALS_REUSE_MS);
  /** Projects that had many contacts lately. */
  readonly #large = new LRUCache<string, true>({ max: MAX_RESULTS, ttl: SIZE_REUSE_MS });

  constructor(readonly pool: Pool) {}

  /** Whether a project has, or recently had, at least 10,000 contacts. */
  async hasManyContacts(projectId: string): Promise<boolean> {
    if (this.#large.has(projectId)) return true;
    const { rowCount } = await this.pool.query({
      name: 'contacts-many',
      text: `SELECT FROM contacts WHERE project_id = $1 OFFSET $2 LIMIT 1`,
      values: [projectId, MANY_CONTACTS - 1],
    });
    const isLarge = rowCount !== 0;
    if (isLarge) this.#large.set(projectId, true);
    return isLarge;
  }
}

/** Results of one kind of query; concurrent requests share one query. */
class Survey<T> {
  readonly #surveys: Surveys;
  readonly #results: LRUCache<string, Promise<T>>;

  constructor(surveys: Surveys, reuseMs: number) {
    this.#surveys = surveys;
    this.#results = new LRUCache({ max: MAX_RESULTS, ttl: reuseMs });
  }

  /**
   * Returns the result of `query`, or a recent result if the project has many contacts.
   *
   * @param key tells apart the queries of a project
   */
  async read(projectId: string, key: string, query: (tx: PoolClient) => Promise<T>): Promise<T> {
    const { pool } = this.#surveys;
    if (!(await this.#surveys.hasManyContacts(projectId))) return wideQuery(pool, query);
    const fullKey = `${projectId} ${key}`;
    const known = this.#results.get(fullKey);
    if (known) return known;
    const result = wideQuery(pool, query);
    this.#results.set(fullKey, result);
    result.catch(() => this.#results.delete(fullKey));
    return result;
  }
}
