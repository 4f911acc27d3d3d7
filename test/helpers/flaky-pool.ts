/** A pool that loses its connection at a chosen statement, as a worker that dies there would leave the database. */
import type { PoolClient } from 'pg';
import type { Pool } from '../../src/db/pool.js';

export interface Loss {
  /** Which statement, from 1; BEGIN and COMMIT count. */
  at: number;
  /** `before`: it never reached the database. `after`: it was carried out, and its answer is lost. */
  when: 'before' | 'after';
}

export class ConnectionLost extends Error {}

/** @returns the pool, and how many statements it was asked for */
export function losing(pool: Pool, { at, when }: Loss): { pool: Pool; asked: () => number } {
  let asked = 0;
  const counted = async (run: () => Promise<unknown>): Promise<unknown> => {
    asked += 1;
    const mine = asked === at;
    if (mine && when === 'before') throw new ConnectionLost('The statement was not sent');
    const answer = await run();
    if (mine) throw new ConnectionLost('The answer did not come');
    return answer;
  };
  const wrap = <T extends Pool | PoolClient>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== 'function') return value;
        // What follows a loss is the end of the transaction, as the server ends that of a lost connection.
        if (name === 'query')
          return (...values: unknown[]) =>
            values[0] === 'ROLLBACK'
              ? Reflect.apply(value, object, values)
              : counted(() => Reflect.apply(value, object, values));
        if (name === 'connect' && 'totalCount' in object) return async () => wrap(await object.connect());
        return (...values: unknown[]): unknown => Reflect.apply(value, object, values);
      },
    });
  return { pool: wrap(pool), asked: () => asked };
}
