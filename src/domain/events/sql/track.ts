/** Tracking events: contacts, events, idempotency keys, in one statement. */
import type { Queryable } from '../../../db/pool.js';
import { claimKeys, type IdempotencyClaim } from '../../idempotency/sql.js';

export interface TrackEvent {
  projectId: string;
  /** `id` is used if the contact does not exist yet. */
  contact: { id: string; email: string };
  set: Record<string, unknown>;
  unset: string[];
  /** Undefined: new contacts are subscribed, existing contacts keep their state. */
  subscribed: boolean | undefined;
  /** Whether a project can forbid that the request changes the subscription of a known contact. */
  isPublic: boolean;
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

/*
 * $1: one object per request, numbered by `n`. Of requests for one contact, the first one's changes are written; the
 * others have the same changes or none.
 */
const TRACK = `
WITH request AS MATERIALIZED (
  SELECT r.* FROM jsonb_to_recordset($1::jsonb) AS r (
    n int, project_id uuid, contact_id uuid, email text, set jsonb, unset jsonb, subscribed boolean, is_public boolean,
    event_id uuid, name text, data jsonb, trace text, key text, request text, response jsonb, ttl int)
), claimed AS (${claimKeys('request r')}
), accepted AS MATERIALIZED (
  SELECT r.* FROM request r
   WHERE r.key IS NULL OR EXISTS (SELECT FROM claimed c WHERE c.project_id = r.project_id AND c.key = r.key)
), wanted AS (
  SELECT array_agg(w.project_id) AS projects, array_agg(w.contact_id) AS ids, array_agg(w.email) AS emails,
         array_agg(w.set) AS sets, array_agg(w.unset) AS unsets,
         -- A project can forbid that public requests change the subscription of known contacts.
         array_agg(CASE WHEN w.subscribed IS NULL OR NOT w.is_public
                          OR (SELECT p.track_may_change_subscription FROM projects p WHERE p.id = w.project_id)
                          OR NOT EXISTS (SELECT FROM contacts k WHERE k.project_id = w.project_id AND k.email = w.email)
                        THEN w.subscribed END) AS subscribed,
         array_fill(false, ARRAY[count(*)::int]) AS must
    FROM (SELECT DISTINCT ON (project_id, email) * FROM accepted ORDER BY project_id, email, n) w
), contact AS MATERIALIZED (
  SELECT u.*
    FROM wanted w, LATERAL upsert_contacts(w.projects, w.ids, w.emails, w.sets, w.unsets, w.subscribed, w.must, true) u
   WHERE w.ids IS NOT NULL
), happened AS MATERIALIZED (
  SELECT a.event_id AS id, a.project_id, c.id AS contact_id, NULL::uuid AS email_id, a.name, a.data,
         now() AS created_at, a.trace
    FROM accepted a JOIN contact c USING (project_id, email)
  UNION ALL
  -- clock_timestamp() orders concurrent flips of one contact by when each took effect. A statement that waited for the
  -- contact's lock may have begun before the statement that held it.
  SELECT uuid_v7(), c.project_id, c.id, NULL,
         CASE WHEN c.is_subscribed THEN 'contact.subscribed' ELSE 'contact.unsubscribed' END,
         '{"source":"track"}'::jsonb, clock_timestamp(), NULL
    FROM contact c WHERE NOT c.is_new AND c.is_subscribed <> c.was_subscribed
), intent AS (
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM insert_events(ARRAY(SELECT h::new_event FROM happened h)) i
)
SELECT a.n, c.id AS "contactId", now()::timestamptz(3) AS "createdAt" FROM accepted a JOIN contact c USING (project_id, email)`;

/**
 * Tracks events, all in one statement and so in one transaction. No two of them may have the same idempotency key, or
 * different changes to one contact.
 *
 * @returns one entry per event; null if its idempotency key was used before, and then nothing of it was written
 * @throws SL001 of upsert_contacts (data too large); then nothing of any event was written
 */
export async function trackEvents(db: Queryable, tracks: TrackEvent[]): Promise<Array<TrackedEvent | null>> {
  const { rows } = await db.query<TrackedEvent & { n: number }>({
    name: 'track-events',
    text: TRACK,
    values: [JSON.stringify(tracks.map(requestRow))],
  });
  const byNumber = new Map(rows.map(({ n, contactId, createdAt }) => [n, { contactId, createdAt }]));
  return tracks.map((_, index) => byNumber.get(index + 1) ?? null);
}

function requestRow(track: TrackEvent, index: number): Record<string, unknown> {
  const { contact, event, idempotency, unset } = track;
  return {
    n: index + 1,
    project_id: track.projectId,
    contact_id: contact.id,
    email: contact.email,
    set: track.set,
    unset: unset.length > 0 ? unset : null,
    subscribed: track.subscribed,
    is_public: track.isPublic,
    event_id: event.id,
    name: event.name,
    data: event.data,
    trace: track.trace,
    key: idempotency?.key,
    request: idempotency?.request,
    response: idempotency?.response,
    ttl: idempotency?.ttlHours,
  };
}
