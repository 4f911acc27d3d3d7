/**
 * Sessions of users. The cookie holds a signed token with the session's id, and every request checks the session's row,
 * so that a logout or a new password ends the session on all instances immediately.
 */
import type { Queryable } from '../../db/pool.js';
import { newId } from '../../ids.js';

/** The lifetime of a session. */
export const SESSION_SECONDS = 7 * 24 * 3600;

/** The user of a session. */
export interface Account {
  id: string;
  email: string;
  emailVerified: boolean;
  sessionId: string;
}

/** The content of the cookie's token. */
export interface SessionToken {
  /** The session's id. */
  sid: string;
  /** The user's id. */
  sub: string;
  /** The user's session version. A new password raises it, which ends all sessions. */
  version: number;
}

/** Creates a session. @returns the content of its token */
export async function createSession(
  db: Queryable,
  user: { id: string; sessionVersion: number },
): Promise<SessionToken> {
  const id = newId();
  await db.query({
    name: 'session-insert',
    text: `INSERT INTO sessions (id, user_id, expires_at) VALUES ($1, $2, now() + make_interval(secs => $3))`,
    values: [id, user.id, SESSION_SECONDS],
  });
  return { sid: id, sub: user.id, version: user.sessionVersion };
}

/**
 * Returns the user of a session, or null if the session has ended or expired. Also updates `last_seen_at`, at most
 * every five minutes.
 */
export async function findSession(db: Queryable, { sid, sub, version }: SessionToken): Promise<Account | null> {
  const { rows } = await db.query<Account>({
    name: 'session-find',
    text: `WITH seen AS (
             UPDATE sessions SET last_seen_at = now()
              WHERE id = $1 AND last_seen_at < now() - interval '5 minutes' AND ended_at IS NULL
           )
           SELECT u.id, u.email, u.email_verified AS "emailVerified", s.id AS "sessionId"
             FROM sessions s JOIN users u ON u.id = s.user_id
            WHERE s.id = $1 AND s.user_id = $2 AND s.ended_at IS NULL AND s.expires_at > now() AND u.session_version = $3`,
    values: [sid, sub, version],
  });
  return rows[0] ?? null;
}

export async function endSession(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: 'session-end',
    text: `UPDATE sessions SET ended_at = now() WHERE id = $1 AND ended_at IS NULL`,
    values: [id],
  });
}

export async function endAllSessions(tx: Queryable, userId: string): Promise<void> {
  await tx.query({
    name: 'session-end-all',
    text: `UPDATE sessions SET ended_at = now() WHERE user_id = $1 AND ended_at IS NULL`,
    values: [userId],
  });
}

/** Deletes up to `limit` expired sessions. @returns the number of deleted sessions */
export async function deleteExpiredSessions(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < now() LIMIT $1)`,
    [limit],
  );
  return rowCount ?? 0;
}
