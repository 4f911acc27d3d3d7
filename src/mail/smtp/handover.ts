/** Hands over the emails of all ready connections together, once per turn of the event loop. */
import type { Connection } from './connection.js';
import type { Task } from './envelope.js';
import type { SmtpJob } from './job.js';

export type HandOverHook = (jobs: SmtpJob[]) => void;

export interface HandOverOptions {
  /** Returns the email to announce with the content of `task`, or null. */
  takeFollowing: (connection: Connection, task: Task) => Task | null;
  onWithdrawn: (connection: Connection, task: Task) => void;
  /** Receives a following email that was not announced, because the connection had ended. */
  onReturned: (task: Task) => void;
}

export class HandOver {
  readonly #options: HandOverOptions;
  readonly #hooks: HandOverHook[] = [];
  #ready: Connection[] = [];

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  addHook(hook: HandOverHook): void {
    this.#hooks.push(hook);
  }

  /** Adds a connection whose announced email the next `run` hands over. */
  add(connection: Connection): void {
    this.#ready.push(connection);
  }

  /** Hands over the announced emails of these connections. */
  run(): void {
    const connections = this.#ready.filter((connection) => this.#isValid(connection));
    this.#ready = [];
    const jobs = connections.flatMap(({ announced }) => (announced ? [announced.job] : []));
    if (jobs.length > 0) for (const hook of this.#hooks) hook(jobs);
    for (const connection of connections) {
      // A hook can change whether an email may be handed over: without a journal, PostgreSQL must know that first.
      if (!this.#isValid(connection)) continue;
      const task = connection.announced;
      if (!task || !connection.ensureWritable()) continue;
      const following = this.#options.takeFollowing(connection, task);
      if (!connection.handOver(following) && following) this.#options.onReturned(following);
    }
  }

  #isValid(connection: Connection): boolean {
    const task = connection.announced;
    if (!task) return false;
    if (task.job.canHandOver?.() !== false) return true;
    this.#options.onWithdrawn(connection, task);
    return false;
  }
}
