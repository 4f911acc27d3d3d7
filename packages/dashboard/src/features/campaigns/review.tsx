/** The last look before a campaign is sent: what is missing, a test, and the question. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useProject } from '../../api/project.js';
import { errorOf, fieldErrors } from '../../api/query.js';
import { Badge } from '../../ui/badge.js';
import { Button, QUIET_LINK_BUTTON } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { SendIcon } from '../../ui/icons.js';
import { Card, Facts } from '../../ui/page.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import type { SampleContact } from '../editor/contact-picker.js';
import type { Problem } from '../editor/content.js';
import { useAudienceCount } from './audience.js';
import { useRefresh } from './live.js';
import { isChosen, senderOf, stepOf, type Campaign, type CampaignFields, type Step } from './model.js';
import { refusalOf, scheduleOf, type Plan, type Refusal } from './plan.js';
import { useScheduleFacts } from './schedule-facts.js';
import { ReviewVersions } from './review-versions.js';
import { TestSend } from './test-send.js';
import { translateMessage } from '../../words/api-messages.js';
import { useCampaignWords } from './words.js';

/** From this many recipients on, the user types the number. */
const MUST_TYPE = 10_000;

interface Props {
  campaign: Campaign;
  fields: CampaignFields;
  plan: Plan;
  contact: SampleContact | null;
  flush: () => Promise<boolean>;
  onOpen: (step: Step) => void;
  /** Called when the API refuses the schedule, with its errors. */
  onRefuse: (refusal: Refusal) => void;
}

export function ReviewStep({ campaign, fields, plan, contact, flush, onOpen, onRefuse }: Props) {
  const words = useCampaignWords();
  const format = useFormat();
  const limits = useScheduleFacts();
  const { data: counts } = useAudienceCount(fields.audience, fields.type);
  const [isAsking, setAsking] = useState(false);
  const send = useSend(campaign, plan, (refusal) => {
    setAsking(false);
    onRefuse(refusal);
  });
  const count = isChosen(fields.audience) ? counts?.willSend : undefined;
  const blocking = useBlocking(campaign, plan, count);
  const warnings = campaign.problems.filter(({ level }) => level !== 'error');
  const ask = async (): Promise<void> => {
    if (await flush()) setAsking(true);
  };
  const when = useWhen(plan);
  // Each version has its own.
  const subject: Array<[string, string]> = fields.variants
    ? []
    : [[words.fields.subject, fields.subject || words.noSubject]];
  const recipients = count === undefined ? '…' : words.review.count(format.number(count), count);
  const action = plan.local === null ? words.review.send : words.review.schedule;
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <Card title={words.review.title}>
        <Facts
          facts={[
            ...subject,
            [words.fields.from, senderOf(fields.fromName, fields.from)],
            [words.review.recipients, recipients],
            [words.review.when, when],
            ...(plan.isForRecipients ? limits(plan.fallback, plan.maxLateness) : []),
          ]}
        />
        {fields.variants && <ReviewVersions variants={fields.variants} fields={fields} />}
        <Checklist blocking={blocking} warnings={warnings} onOpen={onOpen} />
        <div>
          <Button look="primary" disabled={blocking.length > 0 || count === undefined} onClick={() => void ask()}>
            <SendIcon />
            {action}
          </Button>
        </div>
      </Card>
      <TestSend id={campaign.id} variants={fields.variants} contact={contact} flush={flush} />
      <Question
        title={words.review.question(fields.name)}
        about={<p>{plan.time ? words.review.willSchedule(recipients, when) : words.review.willSend(recipients)}</p>}
        action={send.isTooSmall ? words.review.sendAnyway : action}
        isDanger={false}
        {...(count !== undefined && count >= MUST_TYPE && { confirmation: String(count) })}
        isOpen={isAsking}
        isBusy={send.isPending}
        error={send.error}
        onClose={() => {
          send.reset();
          setAsking(false);
        }}
        onConfirm={() => send.run()}
      />
    </div>
  );
}

/** Returns when the campaign is sent, in words. */
function useWhen({ local, isForRecipients, time }: Plan): string {
  const { review } = useCampaignWords();
  const format = useFormat();
  const { project } = useProject();
  if (local === null) return review.now;
  if (!time) return '–';
  return isForRecipients
    ? review.atRecipients(format.localDateTime(local))
    : format.dateTime(time.instant, project.timezone);
}

/** Where a problem is solved: a step, or the project's settings. */
type Place = Step | 'settings';

/** A reason that blocks, and the place that solves it. */
interface Blocking {
  message: string;
  step: Place;
}

/** Returns the place that solves a problem. The own footer of a body needs the address in the body. */
const placeOf = ({ code, path }: Problem, { postalAddress }: { postalAddress: string | null }): Place =>
  code === 'missing_postal_address' && postalAddress === null ? 'settings' : stepOf(path);

function useBlocking({ problems }: Campaign, plan: Plan, count: number | undefined): Blocking[] {
  const { review, schedule } = useCampaignWords();
  const { project } = useProject();
  const errors = problems.filter(({ level }) => level === 'error');
  return [
    ...errors.map((problem) => ({ message: problem.message, step: placeOf(problem, project) })),
    ...(count === 0 && plan.local === null ? [{ message: review.nobody, step: 'audience' as const }] : []),
    ...(plan.local !== null && !plan.time ? [{ message: schedule.incomplete, step: 'schedule' as const }] : []),
    ...(plan.isForRecipients && plan.maxLateness === null
      ? [{ message: schedule.latenessError, step: 'schedule' as const }]
      : []),
    ...(plan.isPast ? [{ message: schedule.past, step: 'schedule' as const }] : []),
  ];
}

interface ChecklistProps {
  blocking: Blocking[];
  warnings: Problem[];
  onOpen: (step: Step) => void;
}

function Checklist({ blocking, warnings, onOpen }: ChecklistProps) {
  const { review, steps } = useCampaignWords();
  const { nav } = useWords();
  const { project } = useProject();
  const row = (key: string, badge: ReactNode, text: string, place: Place) => {
    const message = translateMessage(text);
    return (
      <li key={key} className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-3 border-t border-line pt-2">
        {badge}
        <span className="min-w-0 break-words">{message}</span>
        {place === 'settings' ? (
          <Link
            to="/projects/$projectId/settings"
            params={{ projectId: project.id }}
            hash="postalAddress"
            aria-label={review.goTo(nav.settings, message)}
            className={QUIET_LINK_BUTTON}
          >
            {nav.settings}
          </Link>
        ) : (
          <Button look="quiet" aria-label={review.goTo(steps[place], message)} onClick={() => onOpen(place)}>
            {steps[place]}
          </Button>
        )}
      </li>
    );
  };
  return (
    <div className="grid gap-2">
      <p role="status" className="font-medium">
        {blocking.length === 0 ? review.ready : review.blocked(blocking.length)}
      </p>
      <ul aria-label={review.checklist} className="grid gap-2">
        {blocking.map(({ message, step }) =>
          row(`${step} ${message}`, <Badge tone="danger">{review.error}</Badge>, message, step),
        )}
        {warnings.map((problem, index) =>
          row(
            `${problem.code} ${index}`,
            <Badge tone="warning">{review.warning}</Badge>,
            problem.message,
            placeOf(problem, project),
          ),
        )}
      </ul>
    </div>
  );
}

/** Returns what sends or schedules the campaign, opens its page, and offers to undo it. */
function useSend({ id }: Campaign, plan: Plan, onRefuse: (refusal: Refusal) => void) {
  const words = useCampaignWords();
  const { errors } = useWords();
  const { $api, projectId } = useProject();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const path = { params: { path: { id } } };
  const cancel = $api.useMutation('post', '/campaigns/{id}/cancel', {
    async onSuccess() {
      notify(words.cancel.done);
      await refresh();
    },
    onError: (error) => notify(errorOf(error)?.message ?? errors.offline),
  });
  const send = $api.useMutation('post', '/campaigns/{id}/send', {
    async onSuccess({ data }) {
      await refresh();
      await navigate({ to: '/projects/$projectId/campaigns/$campaignId', params: { projectId, campaignId: id } });
      notify(data.status === 'SENDING' ? words.review.sending : words.review.scheduled, {
        label: words.review.undo,
        run: () => cancel.mutate(path),
      });
    },
    onError(error) {
      const refusal = refusalOf(plan, fieldErrors(error));
      if (refusal) onRefuse(refusal);
    },
  });
  const isTooSmall = errorOf(send.error)?.code === 'TEST_TOO_SMALL';
  return {
    // The question shows why the test is too small. Then it is sent nevertheless.
    run: () => send.mutate({ ...path, body: { ...scheduleOf(plan), ...(isTooSmall && { force: true }) } }),
    isTooSmall,
    reset: send.reset,
    isPending: send.isPending,
    error: send.error,
  };
}
