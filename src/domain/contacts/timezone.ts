/**
 * The time zone of a contact: the field `timezone` of its data. So imports, exports, conditions, and templates have it, and
 * projects that store it already need no change. Other texts in the field count as no zone when email is sent at the contact's
 * time.
 */
import { isTimezone, requireTimezone } from '../timezone.js';
import type { DataChange } from './data.js';

type Stored = Pick<DataChange, 'set' | 'unset'>;

/** The time zone of the contact `alias`, as its data has it; null unless it is a text. */
export const timezoneColumn = (alias: string): string =>
  `CASE WHEN jsonb_typeof(${alias}data -> 'timezone') = 'string' THEN ${alias}data ->> 'timezone' END AS timezone`;

/** The time zone in the data of the contact `c`, in lower case. */
export const ZONE_OF_CONTACT = `CASE WHEN jsonb_typeof(c.data -> 'timezone') = 'string' THEN lower(c.data ->> 'timezone') END`;

/**
 * Adds a time zone to a change of a contact; null removes it.
 *
 * @throws VALIDATION_ERROR (422, field `timezone`) for an unknown zone
 */
export function withTimezone<Change extends Stored>(change: Change, timezone: string | null | undefined): Change {
  if (timezone === undefined) return change;
  const { timezone: _replaced, ...set } = change.set;
  const unset = change.unset.filter((key) => key !== 'timezone');
  if (timezone === null) return { ...change, set, unset: [...unset, 'timezone'] };
  requireTimezone(timezone);
  return { ...change, set: { ...set, timezone }, unset };
}

/** As withTimezone, but ignores an unknown zone: what a browser reports must not cost an event. */
export const withKnownTimezone = <Change extends Stored>(change: Change, timezone: string | undefined): Change =>
  timezone !== undefined && isTimezone(timezone) ? withTimezone(change, timezone) : change;
