/** The project that the platform's own mails belong to. */
import type { Queryable } from '../../db/pool.js';

export interface PlatformProjectRow {
  id: string;
  name: string;
  publicKey: string;
  secretHash: Buffer;
  secretLast4: string;
}

/** Makes the project unless it is there. */
export async function ensureProject(
  db: Queryable,
  { id, name, publicKey, secretHash, secretLast4 }: PlatformProjectRow,
): Promise<void> {
  await db.query({
    name: 'platform-project',
    text: `INSERT INTO projects (id, name, public_key, secret_hash, secret_last4, tracking) VALUES ($1, $2, $3, $4, $5, 'DISABLED') ON CONFLICT (id) DO NOTHING`,
    values: [id, name, publicKey, secretHash, secretLast4],
  });
}

export interface SenderDomain {
  projectId: string;
  status: 'PENDING' | 'VERIFIED' | 'FAILED';
  selector: string;
  /** Encrypted. */
  privateKey: string;
  records: unknown;
}

/**
 * The domain that signs mails from `domain`: where it is verified, in whatever project, else the one of `projectId`.
 */
export async function findSenderDomain(db: Queryable, projectId: string, domain: string): Promise<SenderDomain | null> {
  const { rows } = await db.query<SenderDomain>({
    name: 'platform-sender-domain',
    text: `SELECT project_id AS "projectId", status, dkim_selector AS selector, dkim_private_key AS "privateKey", records FROM domains
            WHERE domain = $2 AND (status = 'VERIFIED' OR project_id = $1) ORDER BY status = 'VERIFIED' DESC LIMIT 1`,
    values: [projectId, domain],
  });
  return rows[0] ?? null;
}
