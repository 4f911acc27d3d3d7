/**
 * The topics with figures of one project: everything except `activity`. One poller reads each topic at most once per
 * second for all listeners and sends what has changed. A new listener first receives the current state, so a listener
 * that connects again needs no position.
 */
import type { ApiContext } from '../../context.js';
import { createReader, type Reader, type Value } from './readers.js';
import { formatMessage, type Connection } from './connection.js';
import { PollLoop } from './poll-loop.js';
import type { Topic } from './topics.js';

/** A topic whose statement takes longer than this (a workflow with very many executions) is read less often. */
const SLOW_READ_MS = 100;
const PAUSE_PER_SLOW_MS = 10;

export type FigureTopic = Exclude<Topic, 'activity'>;

interface FiguresListener {
  connection: Connection;
  topics: ReadonlySet<FigureTopic>;
  /** Topics of which the listener has not received the state yet. */
  pending: Set<FigureTopic>;
}

interface TopicState {
  read: Reader;
  values: Map<string, Value> | null;
  nextReadAt: number;
}

export class FiguresChannel {
  readonly #listeners = new Set<FiguresListener>();
  readonly #topics = new Map<FigureTopic, TopicState>();
  readonly #loop: PollLoop;
  readonly #failing = new Set<FigureTopic>();

  constructor(
    private readonly ctx: ApiContext,
    private readonly projectId: string,
    intervalMs: number,
  ) {
    this.#loop = new PollLoop({
      intervalMs,
      // A topic whose read was slow is not sent again within the interval.
      minPauseMs: intervalMs,
      hasWork: () => this.#listeners.size > 0,
      runTurn: () => this.#pollTopics(),
      failed: (error) => ctx.log.warn({ err: error, projectId }, 'The figures of a stream could not be read'),
    });
  }

  /** Adds a listener. @returns a function that removes it */
  add(connection: Connection, topics: readonly FigureTopic[]): () => void {
    const listener = { connection, topics: new Set(topics), pending: new Set(topics) };
    this.#listeners.add(listener);
    this.#loop.start();
    return () => void this.#listeners.delete(listener);
  }

  async #pollTopics(): Promise<void> {
    const wanted = new Set([...this.#listeners].flatMap(({ topics }) => [...topics]));
    for (const topic of this.#topics.keys()) if (!wanted.has(topic)) this.#topics.delete(topic);
    for (const topic of wanted) {
      try {
        await this.#pollTopic(topic);
        this.#failing.delete(topic);
      } catch (error) {
        // The other topics are still read.
        if (!this.#failing.has(topic))
          this.ctx.log.warn({ err: error, projectId: this.projectId, topic }, 'A topic of a stream could not be read');
        this.#failing.add(topic);
      }
    }
  }

  async #pollTopic(topic: FigureTopic): Promise<void> {
    const state = this.#stateOf(topic);
    const before = state.values;
    const started = performance.now();
    if (before === null || started >= state.nextReadAt) {
      const values = await state.read();
      state.values = new Map(values.map((value) => [value.key, value]));
      const ended = performance.now();
      state.nextReadAt = ended + Math.max(0, ended - started - SLOW_READ_MS) * PAUSE_PER_SLOW_MS;
    }
    this.#send(topic, [...(state.values?.values() ?? [])], before);
  }

  #stateOf(topic: FigureTopic): TopicState {
    const known = this.#topics.get(topic);
    if (known) return known;
    const state: TopicState = { read: createReader(this.ctx, this.projectId, topic), values: null, nextReadAt: 0 };
    this.#topics.set(topic, state);
    return state;
  }

  #send(topic: FigureTopic, values: Value[], before: ReadonlyMap<string, Value> | null): void {
    const format = (selected: Value[]): Buffer =>
      Buffer.from(selected.map(({ json }) => formatMessage({ topic, data: json })).join(''));
    const changes = format(values.filter((value) => isNews(value, before?.get(value.key))));
    let all: Buffer | undefined;
    for (const { connection, topics, pending } of this.#listeners) {
      if (!topics.has(topic)) continue;
      if (pending.delete(topic)) connection.write((all ??= format(values)));
      else connection.write(changes);
    }
  }
}

/** After its final message, a campaign or a job that changes once more has no further message until it runs again. */
const isNews = (value: Value, before: Value | undefined): boolean => {
  if (before === undefined || value.end !== before.end) return true;
  return value.end === null && value.json !== before.json;
};
