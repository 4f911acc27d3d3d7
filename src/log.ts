/** Structured logs. Never log addresses, content, or keys: log ids. */
import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Creates a JSON logger on stdout. As a second line of defense, it removes fields named like secrets or addresses. */
export function createLog(level: string): Log {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: {
      paths: [
        'email',
        'to',
        'from',
        'body',
        'subject',
        'password',
        'token',
        'secret',
        'key',
        'authorization',
        'cookie',
        '*.email',
        '*.authorization',
        '*.cookie',
        '*.password',
        '*.token',
      ],
      remove: true,
    },
  });
}

/**
 * An error's name, code, message, stack, and causes, without other fields: PostgreSQL's `detail` quotes the row,
 * including addresses, and a lost connection contains the whole client.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? error.code : undefined;
  return {
    type: error.constructor.name || name,
    code,
    message,
    stack,
    ...(cause !== undefined && { cause: describeError(cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(describeError) }),
  };
}
