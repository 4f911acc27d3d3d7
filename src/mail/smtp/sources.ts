/** The emails that wait for a connection: those that were taken from a source, and the sources. */
import type { SmtpJob } from './job.js';
import type { Task } from './envelope.js';

export interface JobSource {
  /**
   * Returns the next email, or null if none is ready; then it is called again only after `wake`. Never called within
   * `addSource` or `wake`. Must not throw.
   */
  next: () => SmtpJob | null;
}

export interface SourceHandle {
  /** Announces that `next` may return an email again. */
  wake: () => void;
  /** Ends the calls of `next`. Emails in flight still get their result. */
  remove: () => void;
}

export interface SourceOptions {
  /** Urgent sources (transactional email) come first. Bulk sources use at most nine tenths of the connections. */
  priority: 'urgent' | 'bulk';
}

interface Entry {
  source: JobSource;
  /** `next` returned null, and `wake` was not called since. */
  isDry: boolean;
}

/** Sources that take turns, email by email. */
export class Turns {
  #entries: Entry[] = [];
  #turn = 0;

  add(source: JobSource, onWake: () => void): SourceHandle {
    const entry: Entry = { source, isDry: false };
    this.#entries = [...this.#entries, entry];
    return {
      wake: () => {
        entry.isDry = false;
        onWake();
      },
      remove: () => {
        this.#entries = this.#entries.filter((other) => other !== entry);
      },
    };
  }

  next(): SmtpJob | null {
    const entries = this.#entries;
    for (let tries = 0; tries < entries.length; tries++) {
      this.#turn = (this.#turn + 1) % entries.length;
      const entry = entries[this.#turn];
      if (!entry || entry.isDry) continue;
      // Before the call, which can call `wake`.
      entry.isDry = true;
      const job = entry.source.next();
      if (!job) continue;
      entry.isDry = false;
      return job;
    }
    return null;
  }
}

/** Emails that were taken from a source while no connection was free for them. */
export class HeldTasks {
  readonly #urgent: Task[] = [];
  readonly #bulk: Task[] = [];

  get size(): number {
    return this.#urgent.length + this.#bulk.length;
  }

  get bulkSize(): number {
    return this.#bulk.length;
  }

  add(task: Task): void {
    (task.isBulk ? this.#bulk : this.#urgent).push(task);
  }

  nextUrgent(): Task | null {
    return this.#urgent.shift() ?? null;
  }

  nextBulk(): Task | null {
    return this.#bulk.shift() ?? null;
  }

  next(): Task | null {
    return this.nextUrgent() ?? this.nextBulk();
  }
}
