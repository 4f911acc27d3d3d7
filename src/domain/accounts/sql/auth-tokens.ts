/** Tokens that come by mail, and the requests for such mails. */
import type { Queryable } from '../../../db/pool.js';

export type TokenPurpose = 'verification' | 'password-reset';

/** A mail that is to be written to an address, if it has an account. */
export interface AccountMail {
  kind: TokenPurpose;
  email: string;
}

export interface NewToken {
  hash: Buffer;
  userId: string;
  purpose: TokenPurpose;
  lifetimeSeconds: number;
}

/** Notes that a mail is to be written. The caller wakes the writer (topic `accounts`) after the commit. */
export async function insertAccountMail(db: Queryable, { kind, email }: AccountMail): Promise<void> {
  await db.query({
    name: 'account-mail-insert',
    text: `INSERT INTO account_mails (kind, email) VALUES ($1, $2)`,
    values: [kind, email],
  });
}

/** Takes the oldest notes, in their order; they are gone when the caller's transaction commits. */
export async function takeAccountMails(tx: Queryable, limit: number): Promise<AccountMail[]> {
  const { rows } = await tx.query<AccountMail>({
    name: 'account-mail-take',
    text: `WITH taken AS (
             DELETE FROM account_mails WHERE id IN (SELECT id FROM account_mails ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING id, kind, email)
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

/** The account of an address, which stays until the caller's transaction ends. */
export async function holdUserOfAddress(tx: Queryable, email: string): Promise<AddressedUser | null> {
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
    text: `INSERT INTO auth_tokens (token_hash, user_id, purpose, expires_at) VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
    values: [hash, userId, purpose, lifetimeSeconds],
  });
}

const VALID = `token_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > clock_timestamp()`;

/** Whether a token could be used now. */
export async function isTokenValid(db: Queryable, hash: Buffer, purpose: TokenPurpose): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'auth-token-valid',
    text: `SELECT 1 FROM auth_tokens WHERE ${VALID}`,
    values: [hash, purpose],
  });
  return rowCount === 1;
}

/**
 * Uses a token, and with it all others of its user and purpose: of mails that lie around in a mailbox, none can be used
 * after one has been.
 *
 * The user is locked first, so that parallel calls with several tokens of one user take turns and don't wait for each
 * other's.
 *
 * @returns whose it is; null when it can't be used: of parallel calls one gets it
 */
export async function useToken(tx: Queryable, hash: Buffer, purpose: TokenPurpose): Promise<string | null> {
  await tx.query({
    name: 'auth-token-lock',
    text: `SELECT 1 FROM users WHERE id = (SELECT user_id FROM auth_tokens WHERE token_hash = $1) FOR NO KEY UPDATE`,
    values: [hash],
  });
  const { rows } = await tx.query<{ userId: string }>({
    name: 'auth-token-use',
    text: `UPDATE auth_tokens SET used_at = clock_timestamp() WHERE ${VALID} RETURNING user_id AS "userId"`,
    values: [hash, purpose],
  });
  const userId = rows[0]?.userId ?? null;
  if (userId !== null) {
    await tx.query({
      name: 'auth-token-use-rest',
      text: `UPDATE auth_tokens SET used_at = clock_timestamp() WHERE user_id = $1 AND purpose = $2 AND used_at IS NULL`,
      values: [userId, purpose],
    });
  }
  return userId;
}

/** The mailbox is the user's: a token from it came back. */
export async function markVerified(tx: Queryable, userId: string): Promise<void> {
  await tx.query({
    name: 'user-mark-verified',
    text: `UPDATE users SET email_verified = true, updated_at = now() WHERE id = $1 AND NOT email_verified`,
    values: [userId],
  });
}

/** Replaces the password, and ends all sessions: they carry the version that was. @returns the account's address */
export async function replacePassword(tx: Queryable, userId: string, passwordHash: string): Promise<string> {
  const { rows } = await tx.query<{ email: string }>({
    name: 'user-replace-password',
    text: `UPDATE users SET password_hash = $2, session_version = session_version + 1, updated_at = now() WHERE id = $1 RETURNING email`,
    values: [userId, passwordHash],
  });
  const [user] = rows;
  if (!user) throw new Error('The user of a token is gone, though the token is held');
  return user.email;
}

/** Tokens that can't be used any more, a day after their end. @returns how many rows */
export async function deleteOldTokens(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM auth_tokens WHERE token_hash IN (SELECT token_hash FROM auth_tokens WHERE expires_at < now() - interval '1 day' LIMIT $1)`,
    [limit],
  );
  return rowCount ?? 0;
}
