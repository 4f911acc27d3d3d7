/** When a campaign is sent: now, or at a time of day in the project's zone. */
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useProject } from '../../api/project.js';
import { Note } from '../../ui/badge.js';
import { DateTimeField } from '../../ui/field.js';
import { Card, Facts } from '../../ui/page.js';
import { useFormat } from '../../words/format.js';
import { browserZone } from '../../words/intl.js';
import type { Campaign } from './model.js';
import { OptionsField } from './options.js';
import { useCampaignWords } from './words.js';
import { instantOf, localOf, type ZonedTime } from '../../words/zones.js';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId/edit');
const NOW = 'now';
const HOUR_MS = 3_600_000;

/** Returns a full hour that is at least one hour away. */
const nextHour = (zone: string): string => localOf(Math.ceil(Date.now() / HOUR_MS + 1) * HOUR_MS, zone);

const hasPassed = (instant: string): boolean => Date.parse(instant) < Date.now();

export interface Plan {
  /** The chosen time of day in the project's zone; null to send now. */
  local: string | null;
  /** The chosen instant; null to send now, or if the time is not complete. */
  time: ZonedTime | null;
  isPast: boolean;
  choose: (local: string | null) => void;
}

/** Returns the chosen time, which is in the URL. A scheduled campaign begins with its own. */
export function usePlan({ scheduledFor }: Campaign): Plan {
  const { project } = useProject();
  const { at } = route.useSearch();
  const navigate = route.useNavigate();
  const stored = scheduledFor === null ? null : localOf(scheduledFor, project.timezone);
  const local = at === undefined ? stored : at === NOW ? null : at;
  return useMemo(() => {
    const time = local === null ? null : instantOf(local, project.timezone);
    return {
      local,
      time,
      isPast: time !== null && hasPassed(time.instant),
      choose: (next) => void navigate({ search: (before) => ({ ...before, at: next ?? NOW }), replace: true }),
    };
  }, [local, project.timezone, navigate]);
}

export function ScheduleStep({ plan: { local, time, isPast, choose } }: { plan: Plan }) {
  const words = useCampaignWords().schedule;
  const format = useFormat();
  const { project } = useProject();
  const zone = project.timezone;
  return (
    <Card title={words.title} className="max-w-2xl">
      <OptionsField
        label={words.title}
        name="when"
        options={[
          { value: 'now', label: words.now, hint: words.nowHint },
          { value: 'later', label: words.later, hint: words.laterHint },
        ]}
        value={local === null ? 'now' : 'later'}
        onChange={(value) => choose(value === 'later' ? nextHour(zone) : null)}
      />
      {local !== null && (
        <>
          <DateTimeField
            label={words.time}
            name="at"
            hint={words.zone(zone)}
            value={local}
            onChange={({ target }) => choose(target.value)}
            error={isPast ? words.past : time ? undefined : words.incomplete}
          />
          {time && (
            <Facts
              facts={[
                [words.project, `${format.dateTime(time.instant, zone)} · ${zone}`],
                [words.here, `${format.dateTime(time.instant)} · ${browserZone()}`],
              ]}
            />
          )}
          {time?.kind === 'skipped' && <Note tone="warning">{words.skipped}</Note>}
          {time?.kind === 'repeated' && <Note tone="warning">{words.repeated}</Note>}
        </>
      )}
    </Card>
  );
}
