/** The records of the DNS stub: what each domain in the database needs, so that a domain under `.test` is verified. */
import { Pool } from 'pg';
import { z } from 'zod';
import type { Log } from '../../../src/log.js';
import type { DnsLookup, DnsRecord } from './dns.js';

const Records = z.array(
  z.object({
    type: z.enum(['TXT', 'CNAME', 'MX', 'A', 'NS', 'SOA']),
    name: z.string(),
    value: z.string(),
    purpose: z.string().optional(),
    priority: z.number().int().min(0).max(65_535).optional(),
  }),
);

// $1: the name and its parents, because `a.b.example.test` may be a record of `b.example.test` or of `example.test`.
const QUERY = `SELECT domain, records FROM domains WHERE lower(domain) = ANY($1::text[])`;

/** Looks names up in the table `domains`. Connects at the first query. `lookup` rejects if the query fails. */
export function domainRecords(databaseUrl: string, log: Log): { lookup: DnsLookup; close(): Promise<void> } {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 2,
    connectionTimeoutMillis: 3000,
    query_timeout: 3000,
    allowExitOnIdle: true,
    application_name: 'sendloom-dns',
  });
  pool.on('error', (error) => log.debug({ err: error }, 'the DNS stub lost its database connection'));

  return {
    async lookup(name) {
      const { rows } = await pool.query<{ domain: string; records: unknown }>(QUERY, [nameAndParents(name)]);
      if (rows.length === 0) return null;
      const records = rows.flatMap((row): DnsRecord[] =>
        Records.parse(row.records)
          .filter((record) => record.name.toLowerCase().replace(/\.$/, '') === name)
          .map(({ type, value, priority }) => ({ type, value, priority })),
      );
      // The same domain may be pending in several projects, each with its own key.
      const own = rows.find((row) => row.domain.toLowerCase() === name);
      if (own) records.push(...ownRecords(name, mailHost(own.records) ?? name, records));
      return records.length > 0 || rows.some((row) => isParentOfRecord(row.records, name)) ? records : null;
    },
    close: () => pool.end(),
  };
}

function nameAndParents(name: string): string[] {
  const labels = name.split('.');
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'));
}

/** The host for the domain's bounces. It also receives the domain's mail, so that inbound mail works. */
const mailHost = (records: unknown): string | undefined =>
  Records.parse(records).find(({ purpose }) => purpose === 'RETURN_PATH')?.value;

/** The records of any domain that receives mail, except types that its expected records contain. */
function ownRecords(name: string, mail: string, expected: DnsRecord[]): DnsRecord[] {
  const own: DnsRecord[] = [
    { type: 'A', value: '127.0.0.1' },
    { type: 'MX', value: mail, priority: 10 },
    { type: 'NS', value: name },
    { type: 'SOA', value: name },
  ];
  return own.filter((record) => !expected.some(({ type }) => type === record.type));
}

/** `_domainkey.example.test` exists without records of its own, because names below it do (RFC 8020). */
function isParentOfRecord(records: unknown, name: string): boolean {
  return Records.parse(records).some((record) => record.name.toLowerCase().endsWith(`.${name}`));
}
