/** Chooses the SMTP server to connect to: the first reachable one, in order of preference. */
import type { Connection } from './connection.js';
import type { SmtpServer } from './url.js';
import { TransportError } from './errors.js';

export interface ServerListOptions {
  servers: SmtpServer[];
  /** How long an unreachable server is not tried again, in milliseconds. */
  coolDownMs: number;
  /** @throws TransportError */
  open: (server: SmtpServer) => Promise<Connection>;
  /** Receives the connection that proved that a server is reachable again. */
  onBack: (connection: Connection) => void;
}

export interface ServerList {
  /** @throws TransportError of kind `connection`, that of the last server, if no server is reachable */
  connect: () => Promise<Connection>;
  /** Whether a server of higher preference is reachable, so that connections to this one should end. */
  isOutranked: (server: SmtpServer) => boolean;
}

interface Entry {
  server: SmtpServer;
  /** When an unreachable server may be tried again, in ms since the epoch; 0 while it is reachable. */
  retryAt: number;
}

export function createServerList({ servers, coolDownMs, open, onBack }: ServerListOptions): ServerList {
  const entries: Entry[] = servers.map((server) => ({ server, retryAt: 0 }));

  const tryOpen = async (entry: Entry): Promise<Connection> => {
    try {
      const connection = await open(entry.server);
      entry.retryAt = 0;
      return connection;
    } catch (error) {
      entry.retryAt = Date.now() + coolDownMs;
      throw error;
    }
  };

  /** Tries a server again in the background, so that no email waits for an unreachable server. */
  const probe = (entry: Entry): void => {
    entry.retryAt = Date.now() + coolDownMs;
    tryOpen(entry).then(onBack, (error: unknown) => {
      if (!(error instanceof TransportError)) throw error;
    });
  };

  const probeDue = (): void => {
    const now = Date.now();
    for (const entry of entries) if (entry.retryAt !== 0 && entry.retryAt <= now) probe(entry);
  };

  return {
    connect: async () => {
      const up = entries.filter((entry) => entry.retryAt === 0);
      if (up.length > 0) probeDue();
      let failure: unknown;
      // If no server is known to be reachable, try all of them.
      for (const entry of up.length > 0 ? up : entries) {
        try {
          return await tryOpen(entry);
        } catch (error) {
          failure = error;
        }
      }
      if (up.length === 0 || up.length === entries.length) throw failure;
      for (const entry of entries.filter((other) => !up.includes(other))) {
        try {
          return await tryOpen(entry);
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    },
    isOutranked: (server) => {
      if (entries.length === 1) return false;
      probeDue();
      return entries
        .slice(
          0,
          entries.findIndex((entry) => entry.server === server),
        )
        .some((entry) => entry.retryAt === 0);
    },
  };
}
