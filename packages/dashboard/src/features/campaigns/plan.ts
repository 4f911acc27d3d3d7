/** When a campaign is sent, as it is chosen in the URL and as the API takes it. */
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useProject } from '../../api/project.js';
import { instantOf, localOf, type ZonedTime } from '../../words/zones.js';
import { MAX_LATENESS, readLateness, RECIPIENT, type Campaign, type PastRule } from './model.js';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId/edit');
const NOW = 'now';

/** The zone in which a local time comes last. */
const LAST_ZONE = 'Etc/GMT+12';

interface PlanChange {
  at?: string | null;
  zone?: typeof RECIPIENT | undefined;
  past?: PastRule;
  fallback?: string;
  lateness?: string;
}

export interface Plan {
  /** The chosen time of day, empty while it is typed; null to send now. */
  local: string | null;
  /** Whether it is that of each recipient, and not that of the project's zone. */
  isForRecipients: boolean;
  past: PastRule;
  /** The zone of recipients without a known one. */
  fallback: string;
  /** The hours after which an email is not sent any more, as they are typed. */
  lateness: string;
  /** These hours; null if they are not allowed. */
  maxLateness: number | null;
  /** The chosen instant in the project's zone; null to send now, or if the time is not complete. */
  time: ZonedTime | null;
  isPast: boolean;
  choose: (change: PlanChange) => void;
}

const hasPassed = (instant: string): boolean => Date.parse(instant) < Date.now();

/** Returns the chosen time, which is in the URL. A scheduled campaign begins with its own. */
export function usePlan({ scheduledFor, localSchedule }: Campaign): Plan {
  const { project } = useProject();
  const { at, zone, past, fallback, lateness } = route.useSearch();
  const navigate = route.useNavigate();
  const isStoredForRecipients = localSchedule?.timezone === RECIPIENT;
  const storedTime = scheduledFor === null ? null : localOf(scheduledFor, project.timezone);
  const stored = isStoredForRecipients ? localSchedule.time.slice(0, 16) : storedTime;
  const local = at === undefined ? stored : at === NOW ? null : at;
  const isForRecipients = at === undefined ? isStoredForRecipients : zone === RECIPIENT;
  const rule = past ?? localSchedule?.past ?? 'next_day';
  const fallbackZone = fallback ?? localSchedule?.fallbackTimezone ?? project.timezone;
  const hours = lateness ?? String(localSchedule?.maxLateness ?? MAX_LATENESS.default);
  return useMemo(() => {
    const time = local === null ? null : instantOf(local, project.timezone);
    const last = local === null || !isForRecipients ? time : instantOf(local, LAST_ZONE);
    return {
      local,
      isForRecipients: local !== null && isForRecipients,
      past: rule,
      fallback: fallbackZone,
      lateness: hours,
      maxLateness: readLateness(hours),
      time,
      isPast: last !== null && hasPassed(last.instant),
      choose: ({ at: next = local, ...change }) =>
        void navigate({
          search: (before) => ({
            ...before,
            // What the URL does not say yet is that of the stored schedule.
            at: next ?? NOW,
            ...(local !== null && isForRecipients && { zone: RECIPIENT }),
            ...change,
          }),
          replace: true,
        }),
    };
  }, [local, isForRecipients, rule, fallbackZone, hours, project.timezone, navigate]);
}

/** Returns the schedule for the API. */
export const scheduleOf = ({ local, isForRecipients, past, fallback, maxLateness, time }: Plan) =>
  isForRecipients
    ? {
        scheduledFor: local,
        timezone: RECIPIENT,
        fallbackTimezone: fallback,
        past,
        ...(maxLateness !== null && { maxLateness }),
      }
    : { scheduledFor: time?.instant ?? null };

const SCHEDULE_FIELDS = ['scheduledFor', 'timezone', 'fallbackTimezone', 'past', 'maxLateness'];

/** A schedule that the API refused, with the messages by its fields. */
export interface Refusal {
  schedule: string;
  errors: Readonly<Record<string, string>>;
}

/** Returns the refusal of a schedule; null if the errors are about something else. */
export const refusalOf = (plan: Plan, errors: Refusal['errors']): Refusal | null =>
  SCHEDULE_FIELDS.some((field) => field in errors) ? { schedule: JSON.stringify(scheduleOf(plan)), errors } : null;

const NO_ERRORS: Refusal['errors'] = {};

/** Returns the errors of a schedule that has not changed since it was refused. */
export const scheduleErrors = (refusal: Refusal | null, plan: Plan): Refusal['errors'] =>
  refusal?.schedule === JSON.stringify(scheduleOf(plan)) ? refusal.errors : NO_ERRORS;
