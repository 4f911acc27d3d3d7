/** A domain in the API. */
import { z } from 'zod';
import type { DomainRow } from './sql.js';
import { DomainRecord } from './records.js';
import type { DomainStatus } from './state.js';

export interface Domain {
  id: string;
  domain: string;
  projectId: string;
  status: DomainStatus;
  verified: boolean;
  records: DomainRecord[];
  lastCheckedAt: Date | null;
  verifiedAt: Date | null;
  createdAt: Date;
}

const Records = z.array(DomainRecord);

/** Parses the stored records. */
export const readRecords = (row: Pick<DomainRow, 'records'>): DomainRecord[] => Records.parse(row.records);

/** Returns a row without its DKIM key. */
export const toDomain = (row: DomainRow): Domain => ({
  id: row.id,
  domain: row.domain,
  projectId: row.projectId,
  status: row.status,
  verified: row.status === 'VERIFIED',
  records: readRecords(row),
  lastCheckedAt: row.lastCheckedAt,
  verifiedAt: row.verifiedAt,
  createdAt: row.createdAt,
});
