/** Finds the email that a report is about. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { findByServerId, findOrigin, type EmailOrigin } from './sql/origin.js';
import { isId } from '../../ids.js';

/** The names that a report can have for a mail. */
export interface MailNames {
  /** Envelope senders, which are return paths of ours. */
  returnPaths?: string[];
  /** With or without angle brackets. Ours begin with the email's id. */
  messageIds?: string[];
  /** Ids that the mail server assigned. */
  serverIds?: string[];
}

/** Returns the email's id in a Message-ID of ours; null for any other Message-ID. */
export function idInMessageId(messageId: string): string | null {
  const [, id] = /^\s*<?([\da-f-]{36})@[^\s<>@]+>?\s*$/i.exec(messageId) ?? [];
  return id !== undefined && isId(id) ? id.toLowerCase() : null;
}

/** Returns the named email, trying the most reliable names first; null if it does not exist. */
export async function findEmail(
  { returnPaths: paths }: Pick<Context, 'returnPaths'>,
  db: Queryable,
  { returnPaths = [], messageIds = [], serverIds = [] }: MailNames,
): Promise<EmailOrigin | null> {
  const ids = [...returnPaths.map((address) => paths.read(address)?.emailId ?? null), ...messageIds.map(idInMessageId)];
  for (const id of new Set(ids)) {
    const found = id === null ? null : await findOrigin(db, id);
    if (found) return found;
  }
  for (const serverId of new Set(serverIds)) {
    const found = await findByServerId(db, serverId);
    if (found) return found;
  }
  return null;
}
