/** Tracking events: contacts, events, idempotency keys, in one statement. */
import type { Queryable } from '../../../db/pool.js';
import { claimKeys, type IdempotencyClaim } from '../../idempotency/sql.js';

export interface TrackEvent {
  projectId: string;
  /** `id` is the contact's if it is new. */
  contact: { id: string; email: string };
  set: Record<string, unknown>;
  unset: string[];
  /** undefined: true for a new contact, a known one stays as it is. */
  subscribed: boolean | undefined;
  event: { id: string; name: string; data: Record<string, unknown> };
  idempotency: IdempotencyClaim | null;
  /** W3C traceparent of the request, for what the event starts. */
  trace?: string | null;
}

export interface TrackedEvent {
  contactId: string;
  /** The event's time. */
  createdAt: Date;
}

/* `happened` holds every event of the statement, of flips too. What they start and wake, the events' trigger commits with them. */
const TRACK = `
WITH request AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[], $5::int[], $6::uuid[], $7::text[], $8::jsonb[], $9::jsonb[], $10::boolean[], $11::uuid[], $12::text[], $13::jsonb[])
         WITH ORDINALITY AS r(project_id, key, request, response, ttl, contact_id, email, set, unset, subscribed, event_id, name, data, n)
), claimed AS (${claimKeys('request r')}
), go AS MATERIALIZED (
  SELECT r.* FROM request r WHERE r.key IS NULL OR EXISTS (SELECT FROM claimed c WHERE c.project_id = r.project_id AND c.key = r.key)
), wanted AS (
  -- Of requests for one contact the first says what happens to it; the others say the same, or nothing.
  SELECT array_agg(g.project_id) AS projects, array_agg(g.contact_id) AS ids, array_agg(g.email) AS emails, array_agg(g.set) AS sets, array_agg(g.unset) AS unsets,
         array_agg(g.subscribed) AS subscribed, array_fill(false, ARRAY[count(*)::int]) AS must
    FROM (SELECT DISTINCT ON (project_id, email) * FROM go ORDER BY project_id, email, n) g
), contact AS MATERIALIZED (
  SELECT u.* FROM wanted w, LATERAL upsert_contacts(w.projects, w.ids, w.emails, w.sets, w.unsets, w.subscribed, w.must, true) u WHERE w.ids IS NOT NULL
), happened AS MATERIALIZED (
  SELECT go.event_id AS id, go.project_id, c.id AS contact_id, go.name, go.data, now() AS at FROM go JOIN contact c USING (project_id, email)
  UNION ALL
  -- Of two that flip a contact at once, the one that waited for the other may have begun before it: with the time of the statement it would come first.
  SELECT uuid_v7(), c.project_id, c.id, CASE WHEN c.is_subscribed THEN 'contact.subscribed' ELSE 'contact.unsubscribed' END, '{"source":"track"}'::jsonb, clock_timestamp()
    FROM contact c WHERE NOT c.is_new AND c.is_subscribed <> c.was_subscribed
), event AS (
  INSERT INTO events (id, project_id, contact_id, name, data, created_at) SELECT id, project_id, contact_id, name, data, at FROM happened
)
SELECT go.n::int, c.id AS "contactId", now()::timestamptz(3) AS "createdAt" FROM go JOIN contact c USING (project_id, email)`;

/**
 * Tracks events, all in one statement and so in one transaction. No two of them may name the same idempotency key;
 * those of one contact must do the same to it, but for some behind the first that do nothing.
 *
 * @returns one entry for each; null when its idempotency key was taken, and so nothing of it was written
 * @throws what upsert_contacts raises: SL001 (data too large); then nothing of any of them was written
 */
export async function trackEvents(db: Queryable, tracks: TrackEvent[]): Promise<Array<TrackedEvent | null>> {
  const { rows } = await db.query<TrackedEvent & { n: number }>({
    name: 'track-events',
    text: TRACK,
    values: [
      tracks.map((t) => t.projectId),
      tracks.map((t) => t.idempotency?.key ?? null),
      tracks.map((t) => t.idempotency?.request ?? null),
      tracks.map((t) => (t.idempotency ? JSON.stringify(t.idempotency.response) : null)),
      tracks.map((t) => t.idempotency?.ttlHours ?? 0),
      tracks.map((t) => t.contact.id),
      tracks.map((t) => t.contact.email),
      tracks.map((t) => JSON.stringify(t.set)),
      tracks.map((t) => (t.unset.length > 0 ? JSON.stringify(t.unset) : null)),
      tracks.map((t) => t.subscribed ?? null),
      tracks.map((t) => t.event.id),
      tracks.map((t) => t.event.name),
      tracks.map((t) => JSON.stringify(t.event.data)),
    ],
  });
  const byNumber = new Map(rows.map(({ n, contactId, createdAt }) => [n, { contactId, createdAt }]));
  return tracks.map((_, index) => byNumber.get(index + 1) ?? null);
}

/**
 * The same in the caller's transaction, with the traces of the requests in the intents of the executions that their
 * events have started. It takes one more statement, since the trigger that starts them knows of no request.
 */
export async function trackTracedEvents(tx: Queryable, tracks: TrackEvent[]): Promise<Array<TrackedEvent | null>> {
  const tracked = await trackEvents(tx, tracks);
  const traced = tracks.flatMap(({ event, trace }, index) => {
    const contactId = tracked[index]?.contactId;
    return trace && contactId !== undefined ? [{ eventId: event.id, contactId, trace }] : [];
  });
  // Without a name, so planned for the outbox as large as it is.
  await tx.query(
    `UPDATE outbox o SET payload = o.payload || jsonb_build_object('trace', r.trace)
       FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS r(event_id, contact_id, trace)
       JOIN workflow_executions x ON x.contact_id = r.contact_id AND x.trigger_event_id = r.event_id
      WHERE o.workflow_id = 'execution:' || x.id AND o.action = 'start'`,
    [traced.map(({ eventId }) => eventId), traced.map(({ contactId }) => contactId), traced.map(({ trace }) => trace)],
  );
  return tracked;
}
