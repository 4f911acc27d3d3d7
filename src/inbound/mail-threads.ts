/**
 * Parses and authenticates mails in worker threads: a mail that is made to keep a parser busy blocks its thread, and
 * not the process that sends all other mail.
 */
import { Tinypool } from 'tinypool';
import { authenticateMail, TEMPORARY_ERROR, type AuthenticateMail, type MailAuthentication } from './authentication.js';
import { readMail, toInboundMail, type InboundMail, type ReadMail } from './parse.js';
import { SmtpReply } from './reply.js';

export interface MailThreads {
  /** @throws SmtpReply (554) for a mail that cannot be read, is too complex, or takes longer than 15 s */
  parse: (raw: Buffer) => Promise<InboundMail>;
  /** Never throws: a mail that cannot be checked in time has the result `temperror`. */
  authenticate: (request: AuthenticateMail) => Promise<MailAuthentication>;
  close: () => Promise<void>;
}

/** A normal mail of 25 MB takes 3 s at most. */
const PARSE_TIMEOUT_MS = 15_000;
const AUTHENTICATE_TIMEOUT_MS = 15_000;
const MAX_THREAD_HEAP_MB = 512;
const IDLE_TIMEOUT_MS = 30_000;

/** @param maxParsers how many mails are parsed concurrently */
export function createMailThreads({ maxParsers }: { maxParsers: number }): MailThreads {
  const limits = {
    minThreads: 0,
    idleTimeout: IDLE_TIMEOUT_MS,
    resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_HEAP_MB },
  };
  // Threads load compiled files only. When the sources run directly, both functions run in the caller's thread.
  const urlOf = (module: string): string | null =>
    import.meta.url.endsWith('.ts') ? null : new URL(module, import.meta.url).href;
  const createPool = (module: string, options: { maxThreads: number; concurrentTasksPerWorker?: number }) => {
    const filename = urlOf(module);
    return filename === null ? null : new Tinypool({ filename, ...limits, ...options });
  };
  const parsers = createPool('./parse.js', { maxThreads: maxParsers });
  // A check mostly waits for the DNS, so each thread runs many.
  const checkers = createPool('./authentication.js', { maxThreads: 2, concurrentTasksPerWorker: 50 });

  return {
    async parse(raw) {
      try {
        const read: ReadMail = await (parsers
          ? parsers.run(raw, { name: readMail.name, signal: AbortSignal.timeout(PARSE_TIMEOUT_MS) })
          : readMail(raw));
        return toInboundMail(raw, read);
      } catch {
        // The cause is in the mail, and its sender sees the reply.
        throw new SmtpReply(554, '5.6.0 This mail cannot be read');
      }
    },
    async authenticate(request) {
      try {
        return await (checkers
          ? checkers.run(request, {
              name: authenticateMail.name,
              signal: AbortSignal.timeout(AUTHENTICATE_TIMEOUT_MS),
            })
          : authenticateMail(request));
      } catch {
        return TEMPORARY_ERROR;
      }
    },
    async close() {
      await Promise.all([parsers?.destroy(), checkers?.destroy()]);
    },
  };
}
