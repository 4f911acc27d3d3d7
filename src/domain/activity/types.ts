/** The types of activity, and which events they stand for. */
import { EVENT_KINDS, isOwnName, kindOfEvent, type EventChoice, type EventKind } from '../events/sql/choice.js';

/** `event.tracked`: every event of a name that clients choose. `segment.*`: of all tracked segments. */
export const ACTIVITY_TYPES = [...EVENT_KINDS, 'campaign.sent', 'workflow.started'] as const;
export type ActivityType = (typeof ACTIVITY_TYPES)[number];

const isEventKind = (type: ActivityType): type is EventKind => EVENT_KINDS.some((kind) => kind === type);

/**
 * Names that are looked up one by one, each by an index. With more names than that, events are read in the order of
 * time and chosen by the kind of their name.
 */
const MAX_NAMES = 500;

/**
 * Which events are of these types; undefined: of any.
 *
 * @param namesOf up to `limit` names that the project's events have
 * @returns null when none can be
 */
export async function chooseEvents(
  types: readonly ActivityType[] | undefined,
  namesOf: (limit: number) => Promise<string[]>,
): Promise<EventChoice | null> {
  const kinds = types ? [...new Set(types.filter(isEventKind))] : EVENT_KINDS;
  if (kinds.length === 0) return null;
  if (kinds.length === EVENT_KINDS.length) return { by: 'all' };
  if (kinds.every(isOwnName)) return { by: 'name', names: kinds };
  const names = await namesOf(MAX_NAMES + 1);
  return names.length > MAX_NAMES
    ? { by: 'kind', kinds }
    : { by: 'name', names: names.filter((name) => kinds.includes(kindOfEvent(name))) };
}
