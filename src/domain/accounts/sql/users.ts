/** Users, and their identities at sign-in providers. */
import type { Queryable } from '../../../db/pool.js';

export type ProviderName = 'google' | 'github';

/** The columns of a user that a new session needs. */
export interface SessionUser {
  id: string;
  email: string;
  sessionVersion: number;
}

export interface NewUser {
  id: string;
  email: string;
  /** null: the user cannot log in with a password. */
  passwordHash: string | null;
  emailVerified: boolean;
}

/** @throws a violation of `users_email_key` (23505) if the address already has an account */
export async function insertUser(
  tx: Queryable,
  { id, email, passwordHash, emailVerified }: NewUser,
): Promise<SessionUser> {
  const { rows } = await tx.query<SessionUser>({
    name: 'user-insert',
    text: `INSERT INTO users (id, email, password_hash, email_verified) VALUES ($1, $2, $3, $4)
           RETURNING id, email, session_version AS "sessionVersion"`,
    values: [id, email, passwordHash, emailVerified],
  });
  const [user] = rows;
  if (!user) throw new Error('INSERT … RETURNING returned no row.');
  return user;
}

/** An account at a provider. */
export interface Identity {
  provider: ProviderName;
  /** The provider's id of the account. */
  subject: string;
}

/** Returns the user of an account at a provider. */
export async function findUserByIdentity(tx: Queryable, { provider, subject }: Identity): Promise<SessionUser | null> {
  const { rows } = await tx.query<SessionUser>({
    name: 'identity-user',
    text: `SELECT id, email, session_version AS "sessionVersion" FROM users
            WHERE id = (SELECT user_id FROM identities WHERE provider = $1 AND subject = $2)`,
    values: [provider, subject],
  });
  return rows[0] ?? null;
}

export interface LockedUser extends SessionUser {
  emailVerified: boolean;
  hasPassword: boolean;
  /** The subject of the user's identity at the provider, or null. */
  linkedSubject: string | null;
}

/** Returns the user of an address, locked until the transaction ends. */
export async function lockUserForSignIn(
  tx: Queryable,
  email: string,
  provider: ProviderName,
): Promise<LockedUser | null> {
  const { rows } = await tx.query<LockedUser>({
    name: 'user-lock-address',
    text: `SELECT id, email, session_version AS "sessionVersion", email_verified AS "emailVerified",
                  password_hash IS NOT NULL AS "hasPassword",
                  (SELECT i.subject FROM identities i WHERE i.user_id = users.id AND i.provider = $2) AS "linkedSubject"
             FROM users WHERE email = $1 FOR NO KEY UPDATE`,
    values: [email, provider],
  });
  return rows[0] ?? null;
}

/** @throws a violation of `identities_pkey` (23505) if the identity already belongs to a user */
export async function insertIdentity(tx: Queryable, userId: string, { provider, subject }: Identity): Promise<void> {
  await tx.query({
    name: 'identity-insert',
    text: `INSERT INTO identities (provider, subject, user_id) VALUES ($1, $2, $3)`,
    values: [provider, subject, userId],
  });
}

export interface LockedAccount {
  email: string;
  passwordHash: string | null;
}

/** Returns a user, locked until the transaction ends. */
export async function lockUser(tx: Queryable, id: string): Promise<LockedAccount | null> {
  const { rows } = await tx.query<LockedAccount>({
    name: 'user-lock',
    text: `SELECT email, password_hash AS "passwordHash" FROM users WHERE id = $1 FOR UPDATE`,
    values: [id],
  });
  return rows[0] ?? null;
}

export interface AccountChanges {
  /** The new address, which is not verified; null keeps the address. */
  email: string | null;
  /** null keeps the password. A new one raises the session version. */
  passwordHash: string | null;
}

/** @throws a violation of `users_email_key` (23505) if the address already has an account */
export async function changeUser(
  tx: Queryable,
  id: string,
  { email, passwordHash }: AccountChanges,
): Promise<SessionUser & { emailVerified: boolean }> {
  const { rows } = await tx.query<SessionUser & { emailVerified: boolean }>({
    name: 'user-change',
    text: `UPDATE users SET email = coalesce($2, email), email_verified = email_verified AND $2::text IS NULL,
                  password_hash = coalesce($3, password_hash),
                  session_version = session_version + ($3::text IS NOT NULL)::int, updated_at = now()
            WHERE id = $1
           RETURNING id, email, email_verified AS "emailVerified", session_version AS "sessionVersion"`,
    values: [id, email, passwordHash],
  });
  const [user] = rows;
  if (!user) throw new Error('The locked user does not exist.');
  return user;
}
