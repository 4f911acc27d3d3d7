/** The account of the logged-in user, and the search of a project. */
import { unwrap, type SendloomClient } from '../src/index.js';

/** Finds contacts and content by name, address, or id. */
export async function findAnything(sendloom: SendloomClient, q: string) {
  const { data } = unwrap(await sendloom.GET('/search', { params: { query: { q, limit: 10 } } }));
  return data.map(({ kind, title }) => `${kind} ${title}`);
}

/** Sets a new password, which ends all other sessions. The browser gets a new cookie for the current one. */
export async function changePassword(sendloom: SendloomClient, currentPassword: string, newPassword: string) {
  const { emailVerified } = unwrap(await sendloom.PATCH('/users/@me', { body: { currentPassword, newPassword } }));
  return emailVerified;
}

/** Ends all sessions except the current one. @returns the devices of the ended sessions */
export async function endOtherSessions(sendloom: SendloomClient) {
  const sessions = unwrap(await sendloom.GET('/users/@me/sessions'));
  const others = sessions.filter(({ current }) => !current);
  for (const { id } of others) unwrap(await sendloom.DELETE('/users/@me/sessions/{id}', { params: { path: { id } } }));
  return others.map(({ device }) => device ?? 'unknown device');
}
