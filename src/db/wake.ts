/**
 * Wake-ups between processes, over LISTEN/NOTIFY. A wake-up is a hint: every listener also polls.
 *
 * They are sent after the commit, because PostgreSQL runs the commits of notifying transactions one after the other,
 * with their flushes. There are two exceptions. insert_events (src/db/functions) notifies in its transaction, but only
 * if an event starts or pokes an execution, which few events do. Otherwise each of its many callers would have to pass
 * the hint on to the code that commits. `POST /v1/send` does if no other statement of the process does, which saves a
 * statement (src/domain/emails/accept.ts).
 */
import { Client } from 'pg';
import type { Pool } from './pool.js';

const CHANNEL = 'sendloom';

/** Intents for Temporal, due emails, hits of tracking links, account emails to write, and canceled campaigns. */
const TOPICS = ['outbox', 'emails', 'hits', 'accounts', 'campaigns'] as const;
export type Topic = (typeof TOPICS)[number];

/** `withinMs`: sends the hint within this time, together with all others of the topic until then. Default: now. */
export type Wake = (topic: Topic, withinMs?: number) => void;

/** Creates a sender. Hints that come while a notification is being sent share the next one. */
export function createWake(pool: Pool): Wake {
  const requested = new Set<Topic>();
  const delayed = new Set<Topic>();
  let sending = false;
  const send = async (): Promise<void> => {
    sending = true;
    while (requested.size > 0) {
      const topics = [...requested];
      requested.clear();
      // A lost hint costs one poll interval.
      await pool
        .query({
          name: 'notify',
          text: `SELECT pg_notify('${CHANNEL}', t) FROM unnest($1::text[]) AS t`,
          values: [topics],
        })
        .catch(() => undefined);
    }
    sending = false;
  };
  const request = (topic: Topic): void => {
    requested.add(topic);
    if (!sending) void send();
  };
  return (topic, withinMs = 0) => {
    if (withinMs === 0) return request(topic);
    if (delayed.has(topic)) return;
    delayed.add(topic);
    setTimeout(() => {
      delayed.delete(topic);
      request(topic);
    }, withinMs).unref();
  };
}

export interface Listener {
  stop(): Promise<void>;
}

/**
 * Listens on a connection of its own, which it opens again 1 s after it is lost. `onTopic` is also called for every
 * topic after each (re)connection.
 */
export function listen(databaseUrl: string, onTopic: (topic: Topic) => void): Listener {
  let stopped = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  const reconnect = (): void => {
    if (stopped || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, 1000);
  };
  const connect = async (): Promise<void> => {
    const next = new Client({
      connectionString: databaseUrl,
      application_name: 'sendloom-listen',
      keepAlive: true,
      connectionTimeoutMillis: 5000,
    });
    next.on('error', reconnect);
    next.on('end', reconnect);
    next.on('notification', ({ payload }) => {
      const topic = TOPICS.find((known) => known === payload);
      if (topic) onTopic(topic);
    });
    try {
      await next.connect();
      await next.query(`LISTEN ${CHANNEL}`);
    } catch {
      // Polling covers the time until the next attempt.
      await next.end().catch(() => undefined);
      reconnect();
      return;
    }
    client = next;
    if (stopped) await next.end();
    else for (const topic of TOPICS) onTopic(topic);
  };
  void connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
}
