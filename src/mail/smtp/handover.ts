/** Hands over the emails of ready connections together, some in each turn of the event loop. */
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

/** Emails that are handed over in one turn of the event loop, for which API requests wait. With 12, campaigns were slower. */
const MAX_PER_TURN = 16;

export class HandOver {
  readonly #options: HandOverOptions;
  readonly #hooks: HandOverHook[] = [];
  readonly #ready: { urgent: Connection[]; bulk: Connection[] } = { urgent: [], bulk: [] };

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  addHook(hook: HandOverHook): void {
    this.#hooks.push(hook);
  }

  /** Adds a connection whose announced email can be handed over. */
  add(connection: Connection): void {
    this.#ready[connection.announced?.isBulk ? 'bulk' : 'urgent'].push(connection);
  }

  /** Hands over the next announced emails, urgent ones first. @returns whether there are more */
  run(): boolean {
    const { urgent, bulk } = this.#ready;
    const turn = urgent.splice(0, MAX_PER_TURN);
    turn.push(...bulk.splice(0, MAX_PER_TURN - turn.length));
    const connections = turn.filter((connection) => this.#isValid(connection));
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
    return urgent.length + bulk.length > 0;
  }

  #isValid(connection: Connection): boolean {
    const task = connection.announced;
    if (!task) return false;
    if (task.job.canHandOver?.() !== false) return true;
    this.#options.onWithdrawn(connection, task);
    return false;
  }
}
