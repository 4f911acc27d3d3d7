/** When a campaign is sent: now, or at a time of day in the zone of the project or of each recipient. */
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useProject } from '../../api/project.js';
import { Note } from '../../ui/badge.js';
import { DateTimeField, SelectField } from '../../ui/field.js';
import { Card, Facts } from '../../ui/page.js';
import { useFormat } from '../../words/format.js';
import { browserZone } from '../../words/intl.js';
import { errorsBelow, isCompleteWindow, SendWindowField } from '../send-window/field.js';
import { useSendWindowWords } from '../send-window/words.js';
import { PAST_RULES, RECIPIENT, type Campaign, type CampaignFields, type PastRule } from './model.js';
import { OptionsField } from './options.js';
import { useCampaignWords } from './words.js';
import { instantOf, localOf, type ZonedTime } from '../../words/zones.js';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId/edit');
const NOW = 'now';
const HOUR_MS = 3_600_000;

/** Returns a full hour that is at least one hour away. */
const nextHour = (zone: string): string => localOf(Math.ceil(Date.now() / HOUR_MS + 1) * HOUR_MS, zone);

const hasPassed = (instant: string): boolean => Date.parse(instant) < Date.now();

/** The zone in which a local time comes last. */
const LAST_ZONE = 'Etc/GMT+12';

export interface Plan {
  /** The chosen time of day; null to send now. */
  local: string | null;
  /** Whether it is that of each recipient, and not that of the project's zone. */
  isForRecipients: boolean;
  past: PastRule;
  /** The chosen instant in the project's zone; null to send now, or if the time is not complete. */
  time: ZonedTime | null;
  isPast: boolean;
  choose: (change: { at?: string | null; zone?: typeof RECIPIENT | undefined; past?: PastRule }) => void;
}

/** Returns the chosen time, which is in the URL. A scheduled campaign begins with its own. */
export function usePlan({ scheduledFor, localSchedule }: Campaign): Plan {
  const { project } = useProject();
  const { at, zone, past } = route.useSearch();
  const navigate = route.useNavigate();
  const isStoredForRecipients = localSchedule?.timezone === RECIPIENT;
  const storedTime = scheduledFor === null ? null : localOf(scheduledFor, project.timezone);
  const stored = isStoredForRecipients ? localSchedule.time.slice(0, 16) : storedTime;
  const local = at === undefined ? stored : at === NOW ? null : at;
  const isForRecipients = at === undefined ? isStoredForRecipients : zone === RECIPIENT;
  const rule = past ?? localSchedule?.past ?? 'next_day';
  return useMemo(() => {
    const time = local === null ? null : instantOf(local, project.timezone);
    const last = local === null || !isForRecipients ? time : instantOf(local, LAST_ZONE);
    return {
      local,
      isForRecipients: local !== null && isForRecipients,
      past: rule,
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
  }, [local, isForRecipients, rule, project.timezone, navigate]);
}

const WHEN = ['now', 'later', RECIPIENT] as const;

interface StepProps {
  plan: Plan;
  fields: Pick<CampaignFields, 'sendWindow' | 'type'>;
  errors: Readonly<Record<string, string>>;
  onChange: (sendWindow: CampaignFields['sendWindow']) => void;
}

export function ScheduleStep({ plan, ...hours }: StepProps) {
  return (
    <div className="grid max-w-2xl gap-4">
      <Time plan={plan} />
      <HoursCard {...hours} />
    </div>
  );
}

/** The window in the form: it is saved when every part has a value. */
function HoursCard({ fields: { sendWindow, type }, errors, onChange }: Omit<StepProps, 'plan'>) {
  const words = useCampaignWords().schedule;
  const hours = useSendWindowWords();
  const { project } = useProject();
  const [draft, setDraft] = useState(sendWindow);
  const hasProjectHours = project.sendWindow !== null && type !== 'TRANSACTIONAL';
  return (
    <Card title={hours.title}>
      <SendWindowField
        window={draft}
        onChange={(window) => {
          setDraft(window);
          if (isCompleteWindow(window)) onChange(window);
        }}
        hint={hasProjectHours ? words.projectHours : words.ownHours}
        errors={errorsBelow('sendWindow', errors)}
      />
    </Card>
  );
}

function Time({ plan }: { plan: Plan }) {
  const words = useCampaignWords().schedule;
  const { project } = useProject();
  const { local, isForRecipients, isPast, time, choose } = plan;
  const chosen: (typeof WHEN)[number] = local === null ? 'now' : isForRecipients ? RECIPIENT : 'later';
  return (
    <Card title={words.title}>
      <OptionsField
        label={words.title}
        name="when"
        options={[
          { value: 'now', label: words.now, hint: words.nowHint },
          { value: 'later', label: words.later, hint: words.laterHint },
          { value: RECIPIENT, label: words.recipient, hint: words.recipientHint },
        ]}
        value={chosen}
        onChange={(value) =>
          choose({
            at:
              value === 'now' ? null : (local ?? (value === RECIPIENT ? tomorrowMorning : nextHour)(project.timezone)),
            zone: value === RECIPIENT ? RECIPIENT : undefined,
          })
        }
      />
      {local !== null && (
        <>
          <DateTimeField
            label={words.time}
            name="at"
            hint={isForRecipients ? words.recipientZone(project.timezone) : words.zone(project.timezone)}
            value={local}
            onChange={({ target }) => choose({ at: target.value })}
            error={isPast ? words.past : time ? undefined : words.incomplete}
          />
          {isForRecipients ? <ForRecipients plan={plan} /> : <InProject plan={plan} />}
        </>
      )}
    </Card>
  );
}

/** Returns 09:00 of the next day. */
const tomorrowMorning = (zone: string): string => `${localOf(Date.now() + 24 * HOUR_MS, zone).slice(0, 10)}T09:00`;

function ForRecipients({ plan: { past, choose } }: { plan: Plan }) {
  const words = useCampaignWords().schedule;
  return (
    <>
      <SelectField
        label={words.passed}
        name="past"
        hint={words.passedHint}
        options={PAST_RULES.map((value) => ({ value, label: words.pastRules[value] }))}
        value={past}
        onChange={(value) => choose({ past: value })}
      />
      <Note>{words.waves}</Note>
    </>
  );
}

function InProject({ plan: { time } }: { plan: Plan }) {
  const words = useCampaignWords().schedule;
  const format = useFormat();
  const { project } = useProject();
  if (!time) return null;
  return (
    <>
      <Facts
        facts={[
          [words.project, `${format.dateTime(time.instant, project.timezone)} · ${project.timezone}`],
          [words.here, `${format.dateTime(time.instant)} · ${browserZone()}`],
        ]}
      />
      {time.kind === 'skipped' && <Note tone="warning">{words.skipped}</Note>}
      {time.kind === 'repeated' && <Note tone="warning">{words.repeated}</Note>}
    </>
  );
}
