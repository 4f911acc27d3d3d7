/**
 * A least-recently-used cache, bounded by entries and, where a weigher is given, by the sum of their weights.
 */
export class Lru<K, V extends object | string> {
  readonly #entries = new Map<K, V>();
  readonly #maxEntries: number;
  readonly #maxWeight: number;
  readonly #weigh: (key: K, value: V) => number;
  #weight = 0;

  /** `weigh` must give the same weight for an entry as long as it is kept. */
  constructor(options: { maxEntries: number; maxWeight?: number; weigh?: (key: K, value: V) => number }) {
    this.#maxEntries = options.maxEntries;
    this.#maxWeight = options.maxWeight ?? Number.POSITIVE_INFINITY;
    this.#weigh = options.weigh ?? (() => 0);
  }

  get(key: K): V | undefined {
    const known = this.#entries.get(key);
    if (known === undefined) return undefined;
    // A Map keeps insertion order: inserted again, the entry is the youngest.
    this.#entries.delete(key);
    this.#entries.set(key, known);
    return known;
  }

  /** Keeps a value, unless it alone is heavier than everything may be. */
  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.#weigh(key, value);
    if (weight > this.#maxWeight) return;
    this.#entries.set(key, value);
    this.#weight += weight;
    this.#evict();
  }

  /** The value of `key`, made by `make` and kept when it is not known; what `make` throws is not kept. */
  getOrMake(key: K, make: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    this.set(key, value);
    return value;
  }

  delete(key: K): void {
    const known = this.#entries.get(key);
    if (known === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(key, known);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#weight <= this.#maxWeight) return;
      this.delete(key);
    }
  }
}
