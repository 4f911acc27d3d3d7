/** The DNS records that the owner of a sender domain publishes. */
import { z } from 'zod';

export const RECORD_TYPES = ['TXT', 'CNAME'] as const;
export const RECORD_PURPOSES = ['DKIM', 'SPF', 'DMARC', 'RETURN_PATH'] as const;

/**
 * - `PENDING`: not found yet
 * - `VERIFIED`: found and correct
 * - `FAILED`: found with another value
 */
export const RECORD_STATUSES = ['PENDING', 'VERIFIED', 'FAILED'] as const;

export const DomainRecord = z.object({
  type: z.enum(RECORD_TYPES),
  name: z.string(),
  value: z.string(),
  purpose: z.enum(RECORD_PURPOSES),
  required: z.boolean(),
  status: z.enum(RECORD_STATUSES),
  /** What the DNS answered at the last check. Absent in rows from before. */
  found: z.array(z.string()).default([]),
});

export type DomainRecord = z.infer<typeof DomainRecord>;
export type RecordStatus = DomainRecord['status'];

/** Returns the host below a domain that its mails bounce to. */
export const returnPathName = (domain: string): string => `bounces.${domain}`;

export interface RecordOptions {
  domain: string;
  selector: string;
  /** The public key in base64, without line breaks. */
  publicKey: string;
  /** The host that sends mail and receives bounces. */
  host: string;
}

/** Returns the pending records of a new domain. Only DKIM is required: it proves the ownership and signs mail. */
export function expectedRecords({ domain, selector, publicKey, host }: RecordOptions): DomainRecord[] {
  return [
    {
      type: 'TXT',
      name: `${selector}._domainkey.${domain}`,
      value: `v=DKIM1; k=rsa; p=${publicKey}`,
      purpose: 'DKIM',
      required: true,
      status: 'PENDING',
      found: [],
    },
    // Not `include:`, which is a permanent error if the host publishes no SPF record (RFC 7208, section 5.2).
    {
      type: 'TXT',
      name: domain,
      value: `v=spf1 a:${host} ~all`,
      purpose: 'SPF',
      required: false,
      status: 'PENDING',
      found: [],
    },
    {
      type: 'TXT',
      name: `_dmarc.${domain}`,
      value: 'v=DMARC1; p=none;',
      purpose: 'DMARC',
      required: false,
      status: 'PENDING',
      found: [],
    },
    {
      type: 'CNAME',
      name: returnPathName(domain),
      value: host,
      purpose: 'RETURN_PATH',
      required: false,
      status: 'PENDING',
      found: [],
    },
  ];
}
