/** The classification of database errors of pg and Prisma. */

const UNAVAILABLE_SQLSTATE = /^(08...|57P0[123]|53300|25006)$/;
const UNAVAILABLE_SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT',
]);
const UNAVAILABLE_PRISMA = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024']);
const UNAVAILABLE_MESSAGE =
  /Connection terminated|^timeout expired$|timeout exceeded when trying to connect|Client has encountered a connection error|connection is closed|Can't reach database server|DatabaseNotReachable|ConnectionClosed/i;

/** The SQLSTATE of an error that Prisma throws (it keeps the driver's error in `meta`); undefined for other errors. */
function driverCode(error: Error): string | undefined {
  let found: unknown = error;
  for (const name of ['meta', 'driverAdapterError', 'cause', 'originalCode'])
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** Whether an error of pg, Node, or Prisma means that the database is unreachable or is stopping. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (
    let current: unknown = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth++
  ) {
    const code = 'code' in current ? String(current.code) : '';
    if (
      UNAVAILABLE_SQLSTATE.test(driverCode(current) ?? code) ||
      UNAVAILABLE_SYSTEM.has(code) ||
      UNAVAILABLE_PRISMA.has(code) ||
      UNAVAILABLE_MESSAGE.test(current.message)
    )
      return true;
    if (current instanceof AggregateError && current.errors.some(isDatabaseUnavailable)) return true;
  }
  return false;
}

/** Rollbacks caused by concurrency, missing resources, and operator intervention: temporary conditions. */
const PASSING_SQLSTATE = /^(40|53|57|58)|^55P03$/;

/** Whether an error is transient: the database is unreachable, or the reason is independent of the statement. */
export const isPassing = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || PASSING_SQLSTATE.test(sqlState(error) ?? '');

/** The SQLSTATE of a database error, for example `23505` (unique violation); undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  for (
    let current: unknown = error, depth = 0;
    current instanceof Error && depth < 5;
    current = current.cause, depth++
  ) {
    const driver = driverCode(current);
    if (driver !== undefined) return driver;
    if ('code' in current && typeof current.code === 'string') {
      if (/^[0-9A-Z]{5}$/.test(current.code) && !/^P\d{4}$/.test(current.code)) return current.code;
      if (current.code === 'P2002') return '23505';
      if (current.code === 'P2003') return '23503';
    }
  }
  return undefined;
}
