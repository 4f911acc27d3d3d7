/** The DNS records of a sender domain: what its owner is asked to publish. */
import { isIP } from 'node:net';
import { z } from 'zod';

export const RECORD_TYPES = ['TXT', 'CNAME'] as const;
export const RECORD_PURPOSES = ['DKIM', 'SPF', 'DMARC', 'RETURN_PATH'] as const;

/**
 * - `PENDING`: no such record was found yet
 * - `VERIFIED`: found, and it says what it should
 * - `FAILED`: something else is published under this name
 */
export const RECORD_STATUSES = ['PENDING', 'VERIFIED', 'FAILED'] as const;

export const DomainRecord = z.object({
  type: z.enum(RECORD_TYPES),
  name: z.string(),
  value: z.string(),
  purpose: z.enum(RECORD_PURPOSES),
  required: z.boolean(),
  status: z.enum(RECORD_STATUSES),
});

export type DomainRecord = z.infer<typeof DomainRecord>;
export type RecordStatus = DomainRecord['status'];

/** Stands in where the API has no name that the public DNS could know; `.test` is reserved (RFC 6761). */
export const LOCAL_HOST = 'mail.sendloom.test';

/** The host name that SPF and the return path point to: the one of `PUBLIC_URL`, if it is a name in the DNS. */
export function sendingHost(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.toLowerCase();
  return isIP(host) !== 0 || host.startsWith('[') || !host.includes('.') ? LOCAL_HOST : host;
}

/** The name under a domain that its mails bounce to. */
export const returnPathName = (domain: string): string => `bounces.${domain}`;

export interface RecordOptions {
  domain: string;
  selector: string;
  /** The public key in base64, without line breaks. */
  publicKey: string;
  /** Where mail is sent from and bounces go to. */
  host: string;
}

/**
 * The records of a new domain, all pending. Only DKIM is required: it alone proves who owns the domain and signs its
 * mail.
 */
export function expectedRecords({ domain, selector, publicKey, host }: RecordOptions): DomainRecord[] {
  return [
    {
      type: 'TXT',
      name: `${selector}._domainkey.${domain}`,
      value: `v=DKIM1; k=rsa; p=${publicKey}`,
      purpose: 'DKIM',
      required: true,
      status: 'PENDING',
    },
    // `a:` and not `include:`, which is a permanent error for receivers when the host publishes no SPF record itself
    // (RFC 7208, 5.2).
    { type: 'TXT', name: domain, value: `v=spf1 a:${host} ~all`, purpose: 'SPF', required: false, status: 'PENDING' },
    {
      type: 'TXT',
      name: `_dmarc.${domain}`,
      value: 'v=DMARC1; p=none;',
      purpose: 'DMARC',
      required: false,
      status: 'PENDING',
    },
    {
      type: 'CNAME',
      name: returnPathName(domain),
      value: host,
      purpose: 'RETURN_PATH',
      required: false,
      status: 'PENDING',
    },
  ];
}
