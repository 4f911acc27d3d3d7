/** A real DNS server over UDP and TCP whose zone a test changes. It knows names under `.test` only. */
import { startDnsStub, type DnsRecord } from '../../src/embedded/dns.js';
import { createLog } from '../../src/log.js';

export interface TestZone {
  /** `127.0.0.1:<port>`, as for `DNS_SERVERS`. */
  server: string;
  /** The records that there are; names without any do not exist. */
  publish(records: Array<{ name: string; type: string; value: string }>): void;
  /** Removes everything, and answers normally again. */
  clear(): void;
  /** `failing` answers SERVFAIL; `silent` never answers. */
  become(state: 'normal' | 'failing' | 'silent'): void;
  stop(): Promise<void>;
}

export async function startZone(): Promise<TestZone> {
  const records = new Map<string, DnsRecord[]>();
  let state: 'normal' | 'failing' | 'silent' = 'normal';
  const stub = await startDnsStub({
    port: 0,
    log: createLog('silent'),
    async lookup(name) {
      if (state === 'failing') throw new Error('The test wants a failing server');
      if (state === 'silent') return new Promise(() => undefined);
      return records.get(name) ?? null;
    },
  });
  return {
    server: stub.server,
    publish(added) {
      for (const { name, type, value } of added) {
        if (type !== 'TXT' && type !== 'CNAME') throw new Error(`The test zone has no ${type} records`);
        records.set(name, [...(records.get(name) ?? []), { type, value }]);
      }
    },
    clear() {
      records.clear();
      state = 'normal';
    },
    become(next) {
      state = next;
    },
    stop: () => stub.stop(),
  };
}
