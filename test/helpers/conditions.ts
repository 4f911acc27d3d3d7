/** Contacts on which both engines of conditions are held against each other. */
import { createPool, type Pool } from '../../src/db/pool.js';
import type { Predicate } from '../../src/db/predicate.js';
import { contactsWhere } from '../../src/domain/conditions/sql/conditions.js';
import type { ContactFacts } from '../../src/domain/conditions/evaluate.js';
import type { TruthContact } from '../../src/domain/conditions/truth.js';
import { newId } from '../../src/ids.js';
import { createTestDatabase } from './database.js';

/** A contact as the engine in memory sees it; what of its data is undefined is missing. */
export function factsOf(
  { email, subscribed, createdAt, data, events }: TruthContact,
  segments: string[] = [],
): ContactFacts {
  return {
    email,
    subscribed,
    createdAt: new Date(createdAt),
    updatedAt: new Date(createdAt),
    data: JSON.parse(JSON.stringify(data)),
    events: new Map(
      Object.entries(events).map(([name, times]) => [
        name,
        { first: new Date([...times].sort()[0] ?? 0), last: new Date([...times].sort().at(-1) ?? 0) },
      ]),
    ),
    segments: new Set(segments),
  };
}

export interface ConditionDatabase {
  pool: Pool;
  /**
   * Writes contacts into a project, a new one if none is given. @returns the project's id, and those of the contacts in
   * their order
   */
  insert(contacts: ContactFacts[], into?: string): Promise<{ projectId: string; ids: string[] }>;
  /** The places in the list of those contacts for which the compiled predicate holds. */
  matching(predicate: Predicate, contacts: ContactFacts[]): Promise<Set<number>>;
  close(): Promise<void>;
}

export async function conditionDatabase(): Promise<ConditionDatabase> {
  const testDatabase = await createTestDatabase();
  const pool = createPool({ databaseUrl: testDatabase.url, max: 10, name: 'conditions', onError: () => undefined });

  const insert = async (contacts: ContactFacts[], into?: string): Promise<{ projectId: string; ids: string[] }> => {
    const projectId = into ?? newId();
    const ids = contacts.map(() => newId());
    if (into === undefined)
      await pool.query(
        `INSERT INTO projects (id, name, public_key, secret_hash, secret_last4) VALUES ($1::uuid, 'x', $1::text, $1::text::bytea, 'xxxx')`,
        [projectId],
      );
    await pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at, updated_at)
       SELECT t.id, $1, t.email, t.subscribed, t.data, t.created_at, t.updated_at
         FROM unnest($2::uuid[], $3::text[], $4::boolean[], $5::jsonb[], $6::timestamptz[], $7::timestamptz[]) AS t(id, email, subscribed, data, created_at, updated_at)`,
      [
        projectId,
        ids,
        contacts.map((c) => c.email),
        contacts.map((c) => c.subscribed),
        contacts.map((c) => JSON.stringify(c.data)),
        contacts.map((c) => c.createdAt),
        contacts.map((c) => c.updatedAt),
      ],
    );
    const events = contacts.flatMap((contact, index) =>
      [...contact.events].flatMap(([name, { first, last }]) =>
        [first, last].map((at) => ({ id: newId(), contactId: ids[index], name, at })),
      ),
    );
    await pool.query(
      `INSERT INTO events (id, project_id, contact_id, name, created_at) SELECT t.id, $1, t.contact_id, t.name, t.at FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[]) AS t(id, contact_id, name, at)`,
      [
        projectId,
        events.map((e) => e.id),
        events.map((e) => e.contactId),
        events.map((e) => e.name),
        events.map((e) => e.at),
      ],
    );
    return { projectId, ids };
  };

  return {
    pool,
    insert,
    async matching(predicate, contacts) {
      const distinct = contacts.map((contact, index) =>
        contacts.length === 1 ? contact : { ...contact, email: `${index}${contact.email}` },
      );
      const { projectId, ids } = await insert(distinct);
      const { sql, values } = contactsWhere(projectId, predicate);
      const { rows } = await pool.query<{ id: string }>(`SELECT c.id FROM contacts c WHERE ${sql}`, values);
      return new Set(rows.map(({ id }) => ids.indexOf(id)));
    },
    async close() {
      await pool.end();
      await testDatabase.drop();
    },
  };
}
