/**
 * Which of several SMTP servers to connect to: the first that answers, in order of preference.
 */
import type { SmtpSession } from './smtp-session.js';
import type { SmtpServer } from './smtp-url.js';
import { TransportError } from './transport-error.js';

export interface ServerListOptions {
  servers: SmtpServer[];
  /** Milliseconds for which a server that couldn't be reached is left alone. */
  coolDownMs: number;
  /** @throws TransportError */
  open: (server: SmtpServer) => Promise<SmtpSession>;
  /** Takes the connection that showed that a server is back. */
  onBack: (session: SmtpSession) => void;
}

export interface ServerList {
  /** @throws TransportError of kind `connection`: the last server's, when none can be reached */
  connect: () => Promise<SmtpSession>;
  /** Whether a server of higher preference can be reached, so that connections to this one should end. */
  isOutranked: (server: SmtpServer) => boolean;
}

interface Entry {
  server: SmtpServer;
  /** When a server that couldn't be reached may be tried again, in ms since the epoch; 0 while it can be reached. */
  retryAt: number;
}

export function createServerList({ servers, coolDownMs, open, onBack }: ServerListOptions): ServerList {
  const entries: Entry[] = servers.map((server) => ({ server, retryAt: 0 }));

  const tryOpen = async (entry: Entry): Promise<SmtpSession> => {
    try {
      const session = await open(entry.server);
      entry.retryAt = 0;
      return session;
    } catch (error) {
      entry.retryAt = Date.now() + coolDownMs;
      throw error;
    }
  };

  /** Tries a server again beside the mails, so that none of them waits for a dead one. */
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
      // With none known to be up all are tried: there is nothing to save a mail for.
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
