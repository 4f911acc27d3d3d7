/** The body of a delivery: `{ type, timestamp, data }` (Standard Webhooks). */
import type { Occurrence } from './sql/queue.js';

/** Of the body, in bytes. Without the properties of an event it is much smaller. */
export const MAX_BODY_BYTES = 20 * 1024;

/** Returns the body; null if the event, or what it was about, no longer exists. */
export function toBody({
  type,
  projectId,
  at,
  contactId,
  email,
  emailId,
  data,
  notice,
}: Omit<Occurrence, 'id'>): string | null {
  if (at === null) return null;
  const timestamp = at.toISOString();
  if (notice) return JSON.stringify({ type, timestamp, data: { ...notice, projectId } });
  const about = { projectId, contactId, email, emailId };
  const body = JSON.stringify({ type, timestamp, data: { ...about, properties: data ?? {} } });
  return Buffer.byteLength(body) <= MAX_BODY_BYTES
    ? body
    : JSON.stringify({ type, timestamp, data: { ...about, properties: {}, truncated: true } });
}
