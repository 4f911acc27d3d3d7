/** A real DNS server over UDP and TCP whose zone a test changes. It knows names under `.test` only. */
import { startDnsStub, type DnsRecord } from '../../packages/embedded/src/dns.js';
import { createLog } from '../../src/log.js';

export interface TestZone {
  /** `127.0.0.1:<port>`, as for `DNS_SERVERS`. */
  server: string;
  /** Adds records. A name without records does not exist. */
  publish(records: Array<{ name: string; type: string; value: string; priority?: number }>): void;
  /** Removes all records, states, and counts. */
  clear(): void;
  /** `failing` responds with SERVFAIL; `silent` never responds. With `name`, the state applies only to that name. */
  become(state: ZoneState, name?: string): void;
  /** Returns the number of queries for a name. */
  asked(name: string): number;
  stop(): Promise<void>;
}

type ZoneState = 'normal' | 'failing' | 'silent';

const TYPES: readonly DnsRecord['type'][] = ['TXT', 'CNAME', 'MX', 'A', 'AAAA', 'NS', 'SOA'];

export async function startZone(): Promise<TestZone> {
  const records = new Map<string, DnsRecord[]>();
  const states = new Map<string, ZoneState>();
  const questions = new Map<string, number>();
  let everywhere: ZoneState = 'normal';
  const stub = await startDnsStub({
    port: 0,
    log: createLog('silent'),
    async lookup(name) {
      questions.set(name, (questions.get(name) ?? 0) + 1);
      const state = states.get(name) ?? everywhere;
      if (state === 'failing') throw new Error('The test wants a failing server');
      if (state === 'silent') return new Promise(() => undefined);
      return records.get(name) ?? null;
    },
  });
  return {
    server: stub.server,
    publish(added) {
      for (const { name, type, value, priority } of added) {
        const known = TYPES.find((one) => one === type);
        if (!known) throw new Error(`The test zone has no ${type} records`);
        records.set(name, [...(records.get(name) ?? []), { type: known, value, priority }]);
      }
    },
    clear() {
      records.clear();
      states.clear();
      questions.clear();
      everywhere = 'normal';
    },
    become(next, name) {
      if (name === undefined) everywhere = next;
      else states.set(name, next);
    },
    asked: (name) => questions.get(name) ?? 0,
    stop: () => stub.stop(),
  };
}
