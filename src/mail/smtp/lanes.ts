/** The open connections: which are idle, and which send bulk email. */
import type { Connection } from './connection.js';
import type { Task } from './envelope.js';

export class Lanes {
  readonly #open = new Set<Connection>();
  /** The most recently used one is last. */
  readonly #idle: Connection[] = [];
  readonly #bulk = new Set<Connection>();

  get size(): number {
    return this.#open.size;
  }

  get idleCount(): number {
    return this.#idle.length;
  }

  get bulkCount(): number {
    return this.#bulk.size;
  }

  isBulk(connection: Connection): boolean {
    return this.#bulk.has(connection);
  }

  /** Marks a connection as idle. */
  park(connection: Connection): void {
    this.#bulk.delete(connection);
    this.#open.add(connection);
    this.#idle.push(connection);
  }

  /** Takes the most recently used idle connection, so that the others stay idle and the pool shrinks. */
  takeIdle(): Connection | null {
    return this.#idle.pop() ?? null;
  }

  assign(connection: Connection, { isBulk }: Task): void {
    if (isBulk) this.#bulk.add(connection);
  }

  remove(connection: Connection): void {
    this.#open.delete(connection);
    this.#bulk.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
  }
}
