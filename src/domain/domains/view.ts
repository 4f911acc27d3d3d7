/** A domain in the API. */
import { z } from 'zod';
import type { DomainRow } from './sql.js';
import { adviceFor, type DomainAdvice } from './authentication.js';
import { DomainRecord } from './records.js';
import type { DomainStatus } from './state.js';

export interface Domain {
  id: string;
  domain: string;
  projectId: string;
  status: DomainStatus;
  verified: boolean;
  records: DomainRecord[];
  advice: DomainAdvice[];
  lastCheckedAt: Date | null;
  verifiedAt: Date | null;
  createdAt: Date;
}

const Records = z.array(DomainRecord);

/** Parses the stored records. */
export const readRecords = (row: Pick<DomainRow, 'records'>): DomainRecord[] => Records.parse(row.records);

/** Returns a row without its DKIM key. */
export function toDomain({
  id,
  domain,
  projectId,
  status,
  lastCheckedAt,
  verifiedAt,
  createdAt,
  ...row
}: DomainRow): Domain {
  const records = readRecords(row);
  return {
    id,
    domain,
    projectId,
    status,
    verified: status === 'VERIFIED',
    records,
    advice: adviceFor({ domain, records, lastCheckedAt }),
    lastCheckedAt,
    verifiedAt,
    createdAt,
  };
}
