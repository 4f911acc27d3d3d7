/** Emailed tokens, and the requests for the emails that contain them. */
import type { Queryable } from '../../../db/pool.js';
import { endAllSessions } from '../sessions.js';

export type TokenPurpose = 'verification' | 'password-reset';

/** A request for an email to an address, which may have no account. */
export interface EmailRequest {
  kind: TokenPurpose;
  email: string;
}

export interface NewToken {
  hash: Buffer;
  userId: string;
  purpose: TokenPurpose;
  lifetimeSeconds: number;
}

export async function insertEmailRequest(db: Queryable, { kind, email }: EmailRequest): Promise<void> {
  await db.query({
    name: 'account-mail-insert',
    text: `INSERT INTO account_mails (kind, email) VALUES ($1, $2)`,
    values: [kind, email],
  });
}

export async function hasEmailRequests(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query({ name: 'account-mail-any', text: `SELECT FROM account_mails LIMIT 1` });
  return rowCount === 1;
}

/** Deletes the oldest requests and returns them in their order. */
export async function takeEmailRequests(tx: Queryable, limit: number): Promise<EmailRequest[]> {
  const { rows } = await tx.query<EmailRequest>({
    name: 'account-mail-take',
    text: `WITH taken AS (
             DELETE FROM account_mails
              WHERE id IN (SELECT id FROM account_mails ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
             RETURNING id, kind, email
           )
           SELECT kind, email FROM taken ORDER BY id`,
    values: [limit],
  });
  return rows;
}

export interface AddressedUser {
  id: string;
  email: string;
  emailVerified: boolean;
}

/** Returns the account of an address and prevents its deletion until the transaction ends. */
export async function lockUserByEmail(tx: Queryable, email: string): Promise<AddressedUser | null> {
  const { rows } = await tx.query<AddressedUser>({
    name: 'user-of-address',
    text: `SELECT id, email, email_verified AS "emailVerified" FROM users WHERE email = $1 FOR KEY SHARE`,
    values: [email],
  });
  return rows[0] ?? null;
}

export async function insertToken(tx: Queryable, { hash, userId, purpose, lifetimeSeconds }: NewToken): Promise<void> {
  await tx.query({
    name: 'auth-token-insert',
    text: `INSERT INTO auth_tokens (token_hash, user_id, purpose, expires_at)
           VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
    values: [hash, userId, purpose, lifetimeSeconds],
  });
}

/** Returns whether a token can be used now. */
export async function isTokenValid(db: Queryable, hash: Buffer, purpose: TokenPurpose): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'auth-token-valid',
    text: `SELECT 1 FROM auth_tokens
            WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > clock_timestamp()`,
    values: [hash, purpose],
  });
  return rowCount === 1;
}

/**
 * Uses a token and invalidates the other tokens of its user and purpose, which may still be in the mailbox.
 *
 * Locks the user first, so that concurrent calls with several tokens of one user cannot deadlock.
 *
 * @returns the user's id, or null if the token cannot be used; of concurrent calls with one token, one succeeds
 */
export async function useToken(tx: Queryable, hash: Buffer, purpose: TokenPurpose): Promise<string | null> {
  await tx.query({
    name: 'auth-token-lock',
    text: `SELECT 1 FROM users WHERE id = (SELECT user_id FROM auth_tokens WHERE token_hash = $1) FOR NO KEY UPDATE`,
    values: [hash],
  });
  const { rows } = await tx.query<{ userId: string }>({
    name: 'auth-token-use',
    text: `UPDATE auth_tokens SET used_at = clock_timestamp()
            WHERE token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > clock_timestamp()
           RETURNING user_id AS "userId"`,
    values: [hash, purpose],
  });
  const userId = rows[0]?.userId ?? null;
  if (userId !== null) {
    await tx.query({
      name: 'auth-token-use-rest',
      text: `UPDATE auth_tokens SET used_at = clock_timestamp()
              WHERE user_id = $1 AND purpose = $2 AND used_at IS NULL`,
      values: [userId, purpose],
    });
  }
  return userId;
}

/** Invalidates all tokens of a user: they were sent to an address that the user no longer has. */
export async function invalidateTokens(tx: Queryable, userId: string): Promise<void> {
  await tx.query({
    name: 'auth-token-invalidate',
    text: `UPDATE auth_tokens SET used_at = clock_timestamp() WHERE user_id = $1 AND used_at IS NULL`,
    values: [userId],
  });
}

/** Marks the user's address as verified. */
export async function markVerified(tx: Queryable, userId: string): Promise<void> {
  await tx.query({
    name: 'user-mark-verified',
    text: `UPDATE users SET email_verified = true, updated_at = now() WHERE id = $1 AND NOT email_verified`,
    values: [userId],
  });
}

/** Replaces the password and ends all sessions of the user. @returns the account's address */
export async function replacePassword(tx: Queryable, userId: string, passwordHash: string): Promise<string> {
  const { rows } = await tx.query<{ email: string }>({
    name: 'user-replace-password',
    text: `UPDATE users SET password_hash = $2, session_version = session_version + 1, updated_at = now()
            WHERE id = $1 RETURNING email`,
    values: [userId, passwordHash],
  });
  const [user] = rows;
  if (!user) throw new Error('The locked user of a token does not exist.');
  await endAllSessions(tx, userId);
  return user.email;
}

/** Deletes up to `limit` tokens that expired more than a day ago. @returns the number of deleted tokens */
export async function deleteOldTokens(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM auth_tokens WHERE token_hash IN
       (SELECT token_hash FROM auth_tokens WHERE expires_at < now() - interval '1 day' LIMIT $1)`,
    [limit],
  );
  return rowCount ?? 0;
}
