/** Queries over all contacts of a project, whose results are reused briefly in projects with many contacts. */
import { LRUCache } from 'lru-cache';
import type { PoolClient } from 'pg';
import { transaction, type Pool } from '../../db/pool.js';
import { wideQuery } from '../../db/wide-query.js';
import type { Log } from '../../log.js';
import type { ProjectSize } from '../conditions/sql/conditions.js';
import type { CountedList } from '../contact-queries/sql/lists.js';
import { findSampledKeys, hasHalfOfSample, type DataStats } from './sql/fields.js';

/** In projects with fewer contacts, counts take at most 0.2 s and surveys 2 s, so results are always current. */
const MANY_CONTACTS = 200_000;
/** With more matches, a walk finds a page of any place as fast. */
const MAX_LISTED = 20_000;
const MAX_RESULTS = 1000;
const MAX_KEYS = 50_000;
/** Age from which on fields and values are queried again, while the old result is returned. */
const FIELDS_REUSE_MS = 60_000;
const TOTALS_REUSE_MS = 10_000;
const AUDIENCES_REUSE_MS = 60_000;
/** How long a found key, and a missing one, are remembered. */
const KEY_REUSE_MS = 600_000;
const MISSING_KEY_REUSE_MS = 5_000;
/** How long a project counts as large. A small one is checked more often, so that its results stay current. */
const LARGE_REUSE_MS = 600_000;
const SMALL_REUSE_MS = 2_000;

/** Recent results of queries over all contacts of a project. */
export class Surveys {
  /** The fields of the contacts' data. */
  readonly fields = new Survey<DataStats>(this, { reuseMs: FIELDS_REUSE_MS, allowStale: true });
  /** The values of a field. */
  readonly values = new Survey<unknown[]>(this, { reuseMs: FIELDS_REUSE_MS, allowStale: true });
  /** Totals of contact lists, and numbers of contacts with a field. */
  readonly totals = new Survey<number>(this, { reuseMs: TOTALS_REUSE_MS, allowStale: false });
  /** The numbers of contacts of queries, and where their pages are. */
  readonly lists = new Survey<CountedList>(this, { reuseMs: TOTALS_REUSE_MS, allowStale: false });
  /** Whether the audiences of drafts are large. */
  readonly audiences = new Survey<{ isLarge: boolean }>(this, { reuseMs: AUDIENCES_REUSE_MS, allowStale: false });
  /** Whether the sampled contacts of a project have a key. */
  readonly #keys = new LRUCache<string, boolean>({ max: MAX_KEYS });
  readonly #large = new LRUCache<string, boolean>({ max: MAX_RESULTS });
  readonly #dominant = new LRUCache<string, boolean>({ max: MAX_RESULTS, ttl: LARGE_REUSE_MS });

  /**
   * @param manyContacts the size from which on the results of a project are reused
   * @param maxListed up to this many contacts of a query are listed one by one
   */
  constructor(
    readonly pool: Pool,
    readonly log: Log,
    readonly manyContacts = MANY_CONTACTS,
    readonly maxListed = MAX_LISTED,
  ) {}

  /** Whether a project has, or recently had, many contacts: by default, at least 200,000. */
  async hasManyContacts(projectId: string): Promise<boolean> {
    const known = this.#large.get(projectId);
    if (known !== undefined) return known;
    const { rowCount } = await this.pool.query({
      name: 'contacts-many',
      text: `SELECT FROM contacts WHERE project_id = $1 OFFSET $2 LIMIT 1`,
      values: [projectId, this.manyContacts - 1],
    });
    const isLarge = rowCount !== 0;
    this.#large.set(projectId, isLarge, { ttl: isLarge ? LARGE_REUSE_MS : SMALL_REUSE_MS });
    return isLarge;
  }

  /**
   * Returns `small` for projects without many contacts, and `dominant` for a project that has, or recently had, about
   * half of the contacts of all projects or more.
   */
  async sizeOf(projectId: string): Promise<ProjectSize> {
    if (!(await this.hasManyContacts(projectId))) return 'small';
    const isDominant = this.#dominant.get(projectId) ?? (await hasHalfOfSample(this.pool, projectId));
    this.#dominant.set(projectId, isDominant);
    return isDominant ? 'dominant' : 'large';
  }

  /** Returns those of the keys that the data of a sampled contact of the project has. A rare key may be missing. */
  async findKeys(projectId: string, keys: readonly string[]): Promise<Set<string>> {
    const nameOf = (key: string): string => `${projectId} ${key}`;
    const unread = keys.filter((key) => this.#keys.get(nameOf(key)) === undefined);
    const found = new Set(unread.length > 0 ? await findSampledKeys(this.pool, projectId, unread) : []);
    for (const key of unread) {
      const isFound = found.has(key);
      this.#keys.set(nameOf(key), isFound, { ttl: isFound ? KEY_REUSE_MS : MISSING_KEY_REUSE_MS });
    }
    return new Set(keys.filter((key) => found.has(key) || this.#keys.get(nameOf(key)) === true));
  }
}

type Query<T> = (tx: PoolClient) => Promise<T>;

/** Results of one kind of query. Concurrent requests share one query. */
class Survey<T extends object | number> {
  readonly #surveys: Surveys;
  readonly #results: LRUCache<string, T, Query<T>>;

  constructor(surveys: Surveys, { reuseMs, allowStale }: { reuseMs: number; allowStale: boolean }) {
    this.#surveys = surveys;
    this.#results = new LRUCache<string, T, Query<T>>({
      max: MAX_RESULTS,
      ttl: reuseMs,
      allowStale,
      allowStaleOnFetchRejection: allowStale,
      noDeleteOnFetchRejection: allowStale,
      fetchMethod: (_key, _stale, { context: query }) => wideQuery(surveys.pool, query),
    });
  }

  /**
   * Returns the result of `query`, or a recent result if the project has many contacts.
   *
   * @param key tells apart the queries of a project
   * @param sample returns an approximate result of such a project while there is no recent result
   */
  async read(projectId: string, key: string, query: Query<T>, sample?: Query<T>): Promise<T> {
    const { pool, log } = this.#surveys;
    if (!(await this.#surveys.hasManyContacts(projectId))) return wideQuery(pool, query);
    const name = `${projectId} ${key}`;
    const complete = (): Promise<T> => this.#results.forceFetch(name, { context: query });
    if (!sample || this.#results.peek(name, { allowStale: true }) !== undefined) return complete();
    const sampled = await transaction(pool, sample);
    complete().catch((error: unknown) => log.warn({ err: error, projectId }, 'Contacts: a survey failed'));
    return sampled;
  }
}
