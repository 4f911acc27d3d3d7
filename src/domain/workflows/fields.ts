/** The fields that CONDITION steps can ask for (contract, section 7), for editors that offer them. */
import type { Context } from '../../context.js';
import { sampleContactKeys, sampleEventKeys, type KeyRow } from '../conditions/sql/fields.js';
import type { FieldType } from '../contacts/sql/fields.js';
import { selectEventNames } from '../events/sql/list.js';
import { STANDARD_FIELDS } from '../contacts/fields.js';
import { isReservedEvent } from '../events/name.js';

export interface ConditionField {
  /** As a condition names it: `contact.data.plan`, `event.amount`. */
  field: string;
  type: FieldType;
  category: 'contact' | 'event';
}

/** Names of events that are looked at, and events of each. */
const NAMES = 1000;
const PER_NAME = 20;
const OF_ONE_NAME = 5000;

/**
 * The standard fields of contacts, the keys of their data, and those of the data of recent events, by name. The keys
 * are found in samples: one that very few contacts or events have may be missing.
 *
 * @param eventName looks at the events of this name, the service's own too; otherwise at tracked events of all names
 */
export async function listConditionFields(
  { pool }: Context,
  projectId: string,
  eventName?: string,
): Promise<{ fields: ConditionField[]; count: number }> {
  const names =
    eventName === undefined
      ? (await selectEventNames(pool, projectId, NAMES)).filter((name) => !isReservedEvent(name))
      : [eventName];
  const [ofContacts, ofEvents] = await Promise.all([
    sampleContactKeys(pool, projectId),
    sampleEventKeys(pool, projectId, names, eventName === undefined ? PER_NAME : OF_ONE_NAME),
  ]);
  const fields: ConditionField[] = [
    ...Object.entries(STANDARD_FIELDS).map(([field, type]) => ({
      field: `contact.${field}`,
      type,
      category: 'contact' as const,
    })),
    ...inOrder(ofContacts).map(({ key, type }) => ({
      field: `contact.data.${key}`,
      type,
      category: 'contact' as const,
    })),
    ...inOrder(ofEvents).map(({ key, type }) => ({ field: `event.${key}`, type, category: 'event' as const })),
  ];
  return { fields, count: fields.length };
}

const inOrder = (keys: KeyRow[]): KeyRow[] => keys.sort((a, b) => (a.key < b.key ? -1 : 1));
