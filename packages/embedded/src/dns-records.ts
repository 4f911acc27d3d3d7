/** The records of the DNS stub: what each domain in the database needs, so that a domain under `.test` is verified. */
import { Pool } from 'pg';
import { z } from 'zod';
import type { Log } from '../../../src/log.js';
import { normalizeName, startDnsStub, type DnsRecord, type DnsStub } from './dns.js';

const Domains = z.array(
  z.object({
    domain: z.string().transform(normalizeName),
    records: z.array(
      z.object({
        type: z.enum(['TXT', 'CNAME', 'MX', 'A', 'NS', 'SOA']),
        name: z.string().transform(normalizeName),
        value: z.string(),
        purpose: z.string().optional(),
        priority: z.number().int().min(0).max(65_535).optional(),
      }),
    ),
  }),
);

// $1: the name and its parents, because `a.b.example.test` may be a record of `b.example.test` or of `example.test`.
const QUERY = `SELECT domain, records FROM domains WHERE lower(domain) = ANY($1::text[])`;

/** Starts a DNS stub for the names in the table `domains`. It connects to the database at the first query. */
export async function startDomainDns(options: { port: number; databaseUrl: string; log: Log }): Promise<DnsStub> {
  const { port, databaseUrl, log } = options;
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 2,
    connectionTimeoutMillis: 3000,
    query_timeout: 3000,
    allowExitOnIdle: true,
    application_name: 'sendloom-dns',
  });
  pool.on('error', (error) => log.debug({ err: error }, 'the DNS stub lost its database connection'));

  async function lookup(name: string): Promise<DnsRecord[] | null> {
    const { rows } = await pool.query(QUERY, [nameAndParents(name)]);
    const domains = Domains.parse(rows);
    const expected = domains.flatMap(({ records }) => records);
    const found: DnsRecord[] = expected.filter((record) => record.name === name);
    // The same domain may be pending in several projects, each with its own key.
    const own = domains.find(({ domain }) => domain === name);
    if (own) {
      // The host for the domain's bounces also receives the domain's mail, so that inbound mail works.
      const mailHost = own.records.find(({ purpose }) => purpose === 'RETURN_PATH')?.value;
      const types = new Set(found.map(({ type }) => type));
      found.push(...ownRecords(name, mailHost ?? name).filter(({ type }) => !types.has(type)));
    }
    // `_domainkey.example.test` exists without records of its own, because names below it do (RFC 8020).
    const exists = found.length > 0 || expected.some((record) => record.name.endsWith(`.${name}`));
    return exists ? found : null;
  }

  const stub = await startDnsStub({ port, lookup, log });
  return {
    server: stub.server,
    async stop() {
      await stub.stop();
      await pool.end();
    },
  };
}

function nameAndParents(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'));
}

/** The records of any domain that receives mail. */
const ownRecords = (name: string, mailHost: string): DnsRecord[] => [
  { type: 'A', value: '127.0.0.1' },
  { type: 'MX', value: mailHost, priority: 10 },
  { type: 'NS', value: name },
  { type: 'SOA', value: name },
];
