/** When a campaign is sent: now, or at a time of day in the zone of the project or of each recipient. */
import { useEffect, useRef, useState } from 'react';
import { useProject } from '../../api/project.js';
import { Note } from '../../ui/badge.js';
import { DateTimeField, SelectField, TextField } from '../../ui/field.js';
import { Card, Facts } from '../../ui/page.js';
import { ZoneField } from '../../ui/zone-field.js';
import { useFormat } from '../../words/format.js';
import { browserZone } from '../../words/intl.js';
import { errorsBelow, isCompleteWindow, SendWindowField } from '../send-window/field.js';
import { useSendWindowWords } from '../send-window/words.js';
import { MAX_LATENESS, PAST_RULES, readLateness, RECIPIENT, type CampaignFields } from './model.js';
import { OptionsField } from './options.js';
import type { Plan } from './plan.js';
import { useCampaignWords } from './words.js';
import { localOf } from '../../words/zones.js';

const HOUR_MS = 3_600_000;

/** Returns a full hour that is at least one hour away. */
const nextHour = (zone: string): string => localOf(Math.ceil(Date.now() / HOUR_MS + 1) * HOUR_MS, zone);

/** Returns 09:00 of the next day. */
const tomorrowMorning = (zone: string): string => `${localOf(Date.now() + 24 * HOUR_MS, zone).slice(0, 10)}T09:00`;

const WHEN = ['now', 'later', RECIPIENT] as const;

type Errors = Readonly<Record<string, string>>;

interface StepProps {
  plan: Plan;
  /** Why the API refused the chosen time, by the fields of the request. */
  refused: Errors;
  fields: Pick<CampaignFields, 'sendWindow' | 'type'>;
  errors: Errors;
  onChange: (sendWindow: CampaignFields['sendWindow']) => void;
}

const REFUSED = 'fieldset[data-invalid] :checked, input[data-invalid], select[data-invalid], input[aria-invalid=true]';

export function ScheduleStep({ plan, refused, ...hours }: StepProps) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (Object.keys(refused).length === 0) return;
    // The dialog that closes gives the focus back first.
    const timer = setTimeout(() => root.current?.querySelector<HTMLElement>(REFUSED)?.focus());
    return () => clearTimeout(timer);
  }, [refused]);
  return (
    <div ref={root} className="grid max-w-2xl gap-4">
      <Time plan={plan} refused={refused} />
      <HoursCard {...hours} />
    </div>
  );
}

/** The window in the form: it is saved when every part has a value. */
function HoursCard({ fields: { sendWindow, type }, errors, onChange }: Omit<StepProps, 'plan' | 'refused'>) {
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

interface TimeProps {
  plan: Plan;
  refused: Errors;
}

function Time({ plan, refused }: TimeProps) {
  const words = useCampaignWords().schedule;
  const { project } = useProject();
  const { local, isForRecipients, choose } = plan;
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
        error={refused.timezone}
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
          <TimeOfDay plan={plan} local={local} error={refused.scheduledFor} />
          {isForRecipients ? <ForRecipients plan={plan} refused={refused} /> : <InProject plan={plan} />}
        </>
      )}
    </Card>
  );
}

interface TypedProps {
  plan: Plan;
  error: string | undefined;
}

/** The typed text is kept here: the URL has it a moment later, and would take back what is typed in between. */
function TimeOfDay({ plan, local, error }: TypedProps & { local: string }) {
  const words = useCampaignWords().schedule;
  const { project } = useProject();
  const { isForRecipients, isPast, time, fallback, choose } = plan;
  const [text, setText] = useState(local);
  return (
    <DateTimeField
      label={words.time}
      name="at"
      hint={isForRecipients ? words.recipientZone(fallback) : words.zone(project.timezone)}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        choose({ at: target.value });
      }}
      error={isPast ? words.past : time ? error : words.incomplete}
    />
  );
}

function Lateness({ plan: { lateness, choose }, error }: TypedProps) {
  const words = useCampaignWords().schedule;
  const [text, setText] = useState(lateness);
  return (
    <TextField
      label={words.lateness}
      name="maxLateness"
      type="number"
      min={MAX_LATENESS.min}
      max={MAX_LATENESS.max}
      hint={words.latenessHint}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        choose({ lateness: target.value });
      }}
      error={readLateness(text) === null ? words.latenessError : error}
    />
  );
}

function ForRecipients({ plan, refused }: TimeProps) {
  const words = useCampaignWords().schedule;
  const { project } = useProject();
  const { past, fallback, choose } = plan;
  return (
    <>
      <ZoneField
        label={words.fallback}
        hint={words.fallbackHint(project.timezone)}
        value={fallback}
        onChange={(zone) => choose({ fallback: zone })}
        error={refused.fallbackTimezone}
      />
      <SelectField
        label={words.passed}
        name="past"
        hint={words.passedHint}
        options={PAST_RULES.map((value) => ({ value, label: words.pastRules[value] }))}
        value={past}
        onChange={(value) => choose({ past: value })}
        error={refused.past}
      />
      <Lateness plan={plan} error={refused.maxLateness} />
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
