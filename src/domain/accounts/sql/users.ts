/** Users, and their accounts at providers that one can sign in with. */
import type { Queryable } from '../../../db/pool.js';

export type ProviderName = 'google' | 'github';

/** What a session is made of. */
export interface SessionRow {
  id: string;
  email: string;
  sessionVersion: number;
}

export interface NewUser {
  id: string;
  email: string;
  /** null: nobody can log in with a password. */
  passwordHash: string | null;
  emailVerified: boolean;
}

const SESSION = `id, email, session_version AS "sessionVersion"`;

/** Breaks `users_email_key` (23505) when the address has an account. */
export async function insertUser(
  tx: Queryable,
  { id, email, passwordHash, emailVerified }: NewUser,
): Promise<SessionRow> {
  const { rows } = await tx.query<SessionRow>({
    name: 'user-insert',
    text: `INSERT INTO users (id, email, password_hash, email_verified) VALUES ($1, $2, $3, $4) RETURNING ${SESSION}`,
    values: [id, email, passwordHash, emailVerified],
  });
  const [user] = rows;
  if (!user) throw new Error('INSERT … RETURNING gave no row');
  return user;
}

/** An account at a provider, by the provider's own id of it. */
export interface IdentityKey {
  provider: ProviderName;
  subject: string;
}

/** The user of an account at a provider. */
export async function findUserOfIdentity(
  tx: Queryable,
  { provider, subject }: IdentityKey,
): Promise<SessionRow | null> {
  const { rows } = await tx.query<SessionRow>({
    name: 'identity-user',
    text: `SELECT ${SESSION} FROM users WHERE id = (SELECT user_id FROM identities WHERE provider = $1 AND subject = $2)`,
    values: [provider, subject],
  });
  return rows[0] ?? null;
}

export interface LockedUser extends SessionRow {
  emailVerified: boolean;
  hasPassword: boolean;
  /** The user's account at the provider, if one is known. */
  linkedSubject: string | null;
}

/** The user of an address, locked until the caller's transaction ends. */
export async function lockUserOfAddress(
  tx: Queryable,
  email: string,
  provider: ProviderName,
): Promise<LockedUser | null> {
  const { rows } = await tx.query<LockedUser>({
    name: 'user-lock-address',
    text: `SELECT ${SESSION}, email_verified AS "emailVerified", password_hash IS NOT NULL AS "hasPassword",
                  (SELECT i.subject FROM identities i WHERE i.user_id = users.id AND i.provider = $2) AS "linkedSubject"
             FROM users WHERE email = $1 FOR NO KEY UPDATE`,
    values: [email, provider],
  });
  return rows[0] ?? null;
}

/** Breaks `identities_pkey` (23505) when the account at the provider is a user's already. */
export async function insertIdentity(tx: Queryable, userId: string, { provider, subject }: IdentityKey): Promise<void> {
  await tx.query({
    name: 'identity-insert',
    text: `INSERT INTO identities (provider, subject, user_id) VALUES ($1, $2, $3)`,
    values: [provider, subject, userId],
  });
}
