/**
 * Structured logs. No address, content or key is ever written: pass ids.
 */
import { pino, type Logger } from 'pino';

export type Log = Logger;

/** A JSON logger on stdout; anything that looks like a secret or an address field is removed as a second line of defence. */
export function createLog(level: string): Log {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['email', 'to', 'from', 'body', 'subject', 'password', 'token', 'secret', 'key', 'authorization', 'cookie', '*.email', '*.authorization', '*.cookie', '*.password', '*.token'],
      remove: true,
    },
  });
}
