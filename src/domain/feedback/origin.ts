/** Which email a report is about, by what it says of the mail. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { findByServerId, findOrigin, type EmailOrigin } from './sql/origin.js';
import { isId } from '../../ids.js';

/** How a mail may be named, each by whoever has seen it. */
export interface MailNames {
  /** Envelope senders: return paths of ours. */
  returnPaths?: string[];
  /** With or without angle brackets: ours begin with the email's id. */
  messageIds?: string[];
  /** The mail server's own id. */
  serverIds?: string[];
}

/** The id in a Message-ID of ours; null for any other. */
export function idInMessageId(messageId: string): string | null {
  const [, id] = /^\s*<?([\da-f-]{36})@[^\s<>@]+>?\s*$/i.exec(messageId) ?? [];
  return id !== undefined && isId(id) ? id.toLowerCase() : null;
}

/** The email that is named, the surest name first; null when there is none (any more). */
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
