/**
 * Sessions of users. The cookie holds a signed token with the session's id, and every request checks the session's row,
 * so that a logout or a new password ends the session on all instances immediately.
 */
import type { Queryable } from '../../db/pool.js';
import { notFound } from '../../errors.js';
import { isId, newId } from '../../ids.js';

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

/** The client that logs in. */
export interface SessionClient {
  ip: string | null;
  userAgent: string | null;
}

const UNKNOWN_CLIENT: SessionClient = { ip: null, userAgent: null };
const MAX_USER_AGENT_LENGTH = 500;

/** Creates a session. @returns the content of its token */
export async function createSession(
  db: Queryable,
  user: { id: string; sessionVersion: number },
  { ip, userAgent }: SessionClient = UNKNOWN_CLIENT,
): Promise<SessionToken> {
  const id = newId();
  await db.query({
    name: 'session-insert',
    text: `INSERT INTO sessions (id, user_id, expires_at, ip, user_agent)
           VALUES ($1, $2, now() + make_interval(secs => $3), $4, $5)`,
    values: [id, user.id, SESSION_SECONDS, ip, userAgent?.slice(0, MAX_USER_AGENT_LENGTH)],
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

/** A session that a user can see and end. */
export interface ActiveSession extends SessionClient {
  id: string;
  createdAt: Date;
  lastUsedAt: Date;
}

/** Returns the sessions of a user that are neither ended nor expired, the last used one first. */
export async function listSessions(db: Queryable, userId: string): Promise<ActiveSession[]> {
  const { rows } = await db.query<ActiveSession>({
    name: 'session-list',
    text: `SELECT id, created_at AS "createdAt", last_seen_at AS "lastUsedAt", ip, user_agent AS "userAgent"
             FROM sessions WHERE user_id = $1 AND ended_at IS NULL AND expires_at > now()
            ORDER BY last_seen_at DESC, id DESC`,
    values: [userId],
  });
  return rows;
}

/** @throws SESSION_NOT_FOUND (404) for a session that has ended or belongs to another user */
export async function endSessionOfUser(db: Queryable, userId: string, id: string): Promise<void> {
  if (!isId(id)) throw notFound('SESSION');
  const { rowCount } = await db.query({
    name: 'session-end-of-user',
    text: `UPDATE sessions SET ended_at = now()
            WHERE id = $1 AND user_id = $2 AND ended_at IS NULL AND expires_at > now()`,
    values: [id, userId],
  });
  if (rowCount === 0) throw notFound('SESSION');
}

/**
 * Ends all sessions of a user except one, whose lifetime starts again because it gets a new cookie.
 *
 * @returns whether the session to keep was active
 */
export async function endOtherSessions(tx: Queryable, userId: string, keptId: string): Promise<boolean> {
  await tx.query({
    name: 'session-end-others',
    text: `UPDATE sessions SET ended_at = now() WHERE user_id = $1 AND id <> $2 AND ended_at IS NULL`,
    values: [userId, keptId],
  });
  const { rowCount } = await tx.query({
    name: 'session-renew',
    text: `UPDATE sessions SET expires_at = now() + make_interval(secs => $3)
            WHERE id = $2 AND user_id = $1 AND ended_at IS NULL`,
    values: [userId, keptId, SESSION_SECONDS],
  });
  return rowCount === 1;
}

/** Deletes up to `limit` expired sessions. @returns the number of deleted sessions */
export async function deleteExpiredSessions(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < now() LIMIT $1)`,
    [limit],
  );
  return rowCount ?? 0;
}
