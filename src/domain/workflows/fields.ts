/** Lists the fields that CONDITION steps can test (contract, section 7), for editors. */
import type { Context } from '../../context.js';
import { sampleContactKeys, sampleEventKeys, type KeyRow } from '../conditions/sql/fields.js';
import type { FieldType } from '../contacts/sql/fields.js';
import { selectEventNames } from '../events/sql/list.js';
import { STANDARD_FIELDS } from '../contacts/fields.js';
import { isReservedEvent } from '../events/name.js';

export interface ConditionField {
  /** The name in a condition: `contact.data.plan`, `event.amount`. */
  field: string;
  type: FieldType;
  category: 'contact' | 'event';
}

/** Sample sizes: event names, events of each name, and events if only one name is given. */
const MAX_EVENT_NAMES = 1000;
const EVENTS_PER_NAME = 20;
const EVENTS_OF_ONE_NAME = 5000;

/**
 * Returns the standard fields of contacts, the keys of their data, and the keys of recent events' data, sorted by name.
 * The keys come from samples, so a rare key may be missing.
 *
 * @param eventName samples only this event, which may be one of the service's own; by default, all tracked events
 */
export async function listConditionFields(
  { pool }: Context,
  projectId: string,
  eventName?: string,
): Promise<{ fields: ConditionField[]; count: number }> {
  const names =
    eventName === undefined
      ? (await selectEventNames(pool, projectId, MAX_EVENT_NAMES)).filter((name) => !isReservedEvent(name))
      : [eventName];
  const [contactKeys, eventKeys] = await Promise.all([
    sampleContactKeys(pool, projectId),
    sampleEventKeys(pool, projectId, names, eventName === undefined ? EVENTS_PER_NAME : EVENTS_OF_ONE_NAME),
  ]);
  const fields: ConditionField[] = [
    ...Object.entries(STANDARD_FIELDS).map(([field, type]) => ({
      field: `contact.${field}`,
      type,
      category: 'contact' as const,
    })),
    ...sortByKey(contactKeys).map(({ key, type }) => ({
      field: `contact.data.${key}`,
      type,
      category: 'contact' as const,
    })),
    ...sortByKey(eventKeys).map(({ key, type }) => ({ field: `event.${key}`, type, category: 'event' as const })),
  ];
  return { fields, count: fields.length };
}

const sortByKey = (keys: KeyRow[]): KeyRow[] => keys.sort((a, b) => (a.key < b.key ? -1 : 1));
