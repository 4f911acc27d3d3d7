/** Contact rows in a transaction: reading, locking, updating, deleting. */
import type { Contact as ContactModel } from '../../../generated/prisma/client.js';
import { ofProject } from '../../../db/of-project.js';
import type { Queryable } from '../../../db/pool.js';
import { timezoneColumn } from '../timezone.js';

export type ContactRow = Omit<ContactModel, 'projectId'> & { timezone: string | null };

export const CONTACT_COLUMNS = `id, email, subscribed, snoozed_until AS "snoozedUntil", ${timezoneColumn('')}, data,
  created_at AS "createdAt", updated_at AS "updatedAt"`;

export async function findContact(db: Queryable, projectId: string, id: string): Promise<ContactRow | undefined> {
  const { rows } = await db.query<ContactRow>({
    name: 'contact-find',
    text: `SELECT ${CONTACT_COLUMNS} FROM contacts WHERE project_id = $1 AND id = $2`,
    values: [projectId, id],
  });
  return rows[0];
}

/** Locks and reads a contact. */
export async function lockContact(tx: Queryable, projectId: string, id: string): Promise<ContactRow | undefined> {
  const { rows } = await tx.query<ContactRow>({
    name: 'contact-lock',
    text: `SELECT ${CONTACT_COLUMNS} FROM contacts WHERE project_id = $1 AND id = $2 FOR UPDATE`,
    values: [projectId, id],
  });
  return rows[0];
}

/** Locks the contact of an address, so that it cannot be deleted before a row references it. @returns its id */
export async function lockContactOfAddress(tx: Queryable, projectId: string, email: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'contact-of-address',
    text: `SELECT id FROM contacts WHERE project_id = $1 AND email = $2 FOR KEY SHARE`,
    values: [projectId, email],
  });
  return rows[0]?.id ?? null;
}

export interface ContactChange {
  projectId: string;
  id: string;
  email: string;
  subscribed: boolean;
  snoozedUntil: Date | null;
  /** Merged into the data. */
  set: Record<string, unknown>;
  /** Removed from the data. */
  unset: string[];
}

export interface ChangedContact {
  contact: ContactRow;
  /** The size of the updated data. */
  dataKeys: number;
  dataBytes: number;
}

/**
 * Updates a locked contact. Returns undefined if nothing changes; then `updatedAt` does not change either. `updatedAt` is
 * the time of the statement, because the transaction can be older than the change that it waited for.
 */
export async function changeContact(tx: Queryable, change: ContactChange): Promise<ChangedContact | undefined> {
  const { rows } = await tx.query<ContactRow & { dataKeys: number; dataBytes: number }>({
    name: 'contact-change',
    text: `UPDATE contacts
              SET email = $3, subscribed = $4, snoozed_until = $5, data = (data - $6::text[]) || $7::jsonb,
                  updated_at = clock_timestamp()
            WHERE project_id = $1 AND id = $2
              AND (email, subscribed, snoozed_until, data)
                  IS DISTINCT FROM ($3::text, $4::boolean, $5::timestamptz, (data - $6::text[]) || $7::jsonb)
        RETURNING ${CONTACT_COLUMNS}, (SELECT count(*) FROM jsonb_object_keys(data)) AS "dataKeys",
                  octet_length(data::text) AS "dataBytes"`,
    values: [
      change.projectId,
      change.id,
      change.email,
      change.subscribed,
      change.snoozedUntil,
      change.unset,
      JSON.stringify(change.set),
    ],
  });
  const [row] = rows;
  if (!row) return undefined;
  const { dataKeys, dataBytes, ...contact } = row;
  return { contact, dataKeys, dataBytes };
}

/** Keeps an earlier address of a contact, so that the emails to it can be found. */
export async function storeFormerAddress(
  tx: Queryable,
  projectId: string,
  contactId: string,
  email: string,
): Promise<void> {
  await tx.query({
    name: 'contact-store-former-address',
    text: `INSERT INTO former_addresses (project_id, email, contact_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
    values: [projectId, email, contactId],
  });
}

/**
 * Waits for the current page of each snapshot of the project, and blocks the next page until the end of the transaction.
 * A page does not lock its contacts, so it could insert emails to contacts that are being deleted.
 */
export async function lockSnapshots(tx: Queryable, projectId: string): Promise<void> {
  await tx.query({
    name: 'contacts-lock-snapshots',
    text: `SELECT FROM campaigns
            WHERE project_id = $1 AND status = 'SENDING' AND NOT snapshot_done ORDER BY id FOR SHARE`,
    values: [projectId],
  });
}

/**
 * Detaches emails from contacts that are about to be deleted. Pending marketing and headless emails are canceled with
 * `reason`; other emails only lose their contact.
 */
export async function releaseEmails(
  tx: Queryable,
  projectId: string,
  contactIds: string[],
  reason: string,
): Promise<void> {
  await tx.query({
    name: 'contacts-release-emails',
    text: `UPDATE emails e
              SET contact_id = NULL,
                  status = CASE WHEN held.cancel THEN 'CANCELLED' ELSE e.status END,
                  error = CASE WHEN held.cancel THEN $3 ELSE e.error END
             FROM (SELECT id, status IN ('PENDING', 'SCHEDULED') AND type IN ('MARKETING', 'HEADLESS') AS cancel
                     FROM emails WHERE contact_id = ANY ($2::uuid[]) AND ${ofProject('project_id')}
                    ORDER BY id FOR UPDATE) AS held
            WHERE e.id = held.id`,
    values: [projectId, contactIds, reason],
  });
}

/** Returns the ids of the contacts' active executions. */
export async function activeExecutionsOf(tx: Queryable, projectId: string, contactIds: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'contacts-active-executions',
    text: `SELECT id FROM workflow_executions
            WHERE contact_id = ANY ($2::uuid[]) AND ${ofProject('project_id')} AND status IN ('RUNNING', 'WAITING')`,
    values: [projectId, contactIds],
  });
  return rows.map((row) => row.id);
}

/** Deletes contacts with their events, memberships, and executions. Call releaseEmails first. */
export async function deleteContactRows(tx: Queryable, projectId: string, ids: string[]): Promise<void> {
  await tx.query({
    name: 'contacts-delete',
    text: `DELETE FROM contacts WHERE id = ANY ($2::uuid[]) AND ${ofProject('project_id')}`,
    values: [projectId, ids],
  });
}
