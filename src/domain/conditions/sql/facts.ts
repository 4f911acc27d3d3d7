/** Loads the data of a contact for the evaluation in memory. */
import type { JsonValue } from '../../../db/predicate.js';
import type { Queryable } from '../../../db/pool.js';

interface FactsRow {
  email: string;
  subscribed: boolean;
  createdAt: Date;
  updatedAt: Date;
  data: { [key: string]: JsonValue };
  events: Array<{ name: string; first: string; last: string }> | null;
  segments: string[];
}

export interface LoadedFacts extends Omit<FactsRow, 'events' | 'segments'> {
  events: Map<string, { first: Date; last: Date }>;
  segments: Set<string>;
}

/** Loads a contact with the needed events and static segments. @returns null if the contact does not exist */
export async function loadContactFacts(
  db: Queryable,
  projectId: string,
  contactId: string,
  needed: { events: string[]; segments: string[] },
): Promise<LoadedFacts | null> {
  const { rows } = await db.query<FactsRow>({
    name: 'condition-facts',
    text: `SELECT c.email, c.subscribed, c.created_at AS "createdAt", c.updated_at AS "updatedAt", c.data,
                  (SELECT jsonb_agg(to_jsonb(t)) FROM (
                     SELECT e.name, min(e.created_at) AS first, max(e.created_at) AS last FROM events e
                      WHERE e.project_id = c.project_id AND e.name = ANY ($3::text[]) AND e.contact_id = c.id
                      GROUP BY e.name) t) AS events,
                  ARRAY(SELECT m.segment_id FROM segment_members m
                    WHERE m.segment_id = ANY ($4::uuid[]) AND m.contact_id = c.id) AS segments
             FROM contacts c WHERE c.project_id = $1 AND c.id = $2`,
    values: [projectId, contactId, needed.events, needed.segments],
  });
  const [row] = rows;
  if (!row) return null;
  return {
    ...row,
    events: new Map(
      (row.events ?? []).map(({ name, first, last }) => [name, { first: new Date(first), last: new Date(last) }]),
    ),
    segments: new Set(row.segments),
  };
}
