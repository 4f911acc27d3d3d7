/**
 * Wake-ups between processes, over LISTEN/NOTIFY. A wake-up is a hint: whoever listens also polls.
 *
 * They are sent after the commit and not in it: a transaction that notifies takes a lock over all of PostgreSQL's
 * notifying commits, which would put every send behind the other's flush.
 */
import { Client } from 'pg';
import type { Pool } from './pool.js';

const CHANNEL = 'sendloom';

/**
 * What there is to look at: intents for Temporal, emails that are due, hits of tracking links, or mails to write to
 * users.
 */
const TOPICS = ['outbox', 'emails', 'hits', 'accounts'] as const;
export type Topic = (typeof TOPICS)[number];

/**
 * `withinMs`: nobody waits for it, and what comes until then can share the notification, and the look that it brings
 * about.
 */
export type Wake = (topic: Topic, withinMs?: number) => void;

/** A sender that folds everything that is asked for while a notification is under way into the next one. */
export function createWake(pool: Pool): Wake {
  const wanted = new Set<Topic>();
  const later = new Set<Topic>();
  let sending = false;
  const send = async (): Promise<void> => {
    sending = true;
    while (wanted.size > 0) {
      const topics = [...wanted];
      wanted.clear();
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
  const ask = (topic: Topic): void => {
    wanted.add(topic);
    if (!sending) void send();
  };
  return (topic, withinMs = 0) => {
    if (withinMs === 0) return ask(topic);
    if (later.has(topic)) return;
    later.add(topic);
    setTimeout(() => {
      later.delete(topic);
      ask(topic);
    }, withinMs).unref();
  };
}

export interface Listener {
  stop(): Promise<void>;
}

/**
 * Listens on a connection of its own, and reconnects after 1 s when it is lost. `onTopic` is also called for each topic
 * after every (re)connection.
 */
export function listen(databaseUrl: string, onTopic: (topic: Topic) => void): Listener {
  let stopped = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  const again = (): void => {
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
    next.on('error', again);
    next.on('end', again);
    next.on('notification', ({ payload }) => {
      const topic = TOPICS.find((known) => known === payload);
      if (topic) onTopic(topic);
    });
    try {
      await next.connect();
      await next.query(`LISTEN ${CHANNEL}`);
    } catch {
      // The poll goes on meanwhile; the next attempt is in a second.
      await next.end().catch(() => undefined);
      again();
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
