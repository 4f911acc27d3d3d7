/** The history of an execution: each step in a sentence, with the email, the attempts, or the branch. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { Badge, type Tone } from '../../../ui/badge.js';
import { CodeBlock } from '../../../ui/code.js';
import { EmailStatusBadge } from '../../../ui/email-status.js';
import { At } from '../../../ui/time.js';
import { useFormat } from '../../../words/format.js';
import { useSpeech } from '../../../words/words.js';
import { nameOfBranch, nameOfStep } from '../../graph/about.js';
import { STEP_ICONS } from '../../graph/step-icons.js';
import { useGraphWords } from '../../graph/words.js';
import { Tested } from './condition.js';
import { translateReason, translateSummary } from './sentences.js';
import { readTested } from './tested.js';
import { useExecutionWords } from './words.js';

type Visit = Schemas['StepExecution'];

export const VISIT_TONES: Record<Visit['status'], Tone> = {
  RUNNING: 'accent',
  WAITING: 'accent',
  COMPLETED: 'success',
  SKIPPED: 'warning',
  FAILED: 'danger',
  CANCELLED: 'warning',
};

interface Props {
  visits: readonly Visit[];
  /** The steps that the workflow has now. */
  steps: Schemas['Workflow']['steps'];
  selectedId: string | undefined;
}

export function History({ visits, steps, selectedId }: Props) {
  const words = useExecutionWords();
  const byId = new Map(steps.map((step) => [step.id, step]));
  if (visits.length === 0) return <p className="text-muted">{words.nothing}</p>;
  return (
    <ol aria-label={words.history} className="grid gap-2">
      {visits.map((visit) => (
        <Entry key={visit.id} visit={visit} step={byId.get(visit.stepId)} isSelected={visit.stepId === selectedId} />
      ))}
    </ol>
  );
}

interface EntryProps {
  visit: Visit;
  step: Schemas['WorkflowStep'] | undefined;
  isSelected: boolean;
}

function Entry({ visit, step, isSelected }: EntryProps) {
  const words = useExecutionWords();
  const graph = useGraphWords();
  const { stepType, stepName, status, output, error, startedAt } = visit;
  const Icon = STEP_ICONS[stepType];
  const summary = textOf(output?.summary);
  const branch = textOf(output?.branch);
  const emailId = textOf(output?.emailId);
  const tested = readTested(output);
  return (
    <li
      data-visit={visit.stepId}
      className={`grid scroll-mt-24 gap-1 rounded-lg border p-3 ${isSelected ? 'border-accent outline-1 outline-accent' : 'border-line'}`}
    >
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Icon />
        <strong className="min-w-0 break-words">{nameOfStep({ type: stepType, name: stepName }, graph)}</strong>
        <Badge tone={VISIT_TONES[status]}>{words.statuses[status]}</Badge>
        <span className="text-sm text-muted">
          <At time={startedAt} />
        </span>
      </span>
      {summary !== '' && <Sentence text={summary} />}
      {error !== null && !summary.includes(error) && (
        <div className="text-danger">
          <Sentence text={error} />
        </div>
      )}
      {!step && <p className="text-muted">{words.gone}</p>}
      {branch !== '' && (
        <p>
          {words.branch}: <Badge>{nameOfBranch(step, branch, graph)}</Badge>
        </p>
      )}
      {tested && <Tested tree={tested} />}
      {emailId !== '' && <SentEmail emailId={emailId} />}
      <Attempts output={output} />
    </li>
  );
}

/** Times in the sentences of the service. */
const ISO_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** A sentence of the service, with times in the reader's zone. */
export function Sentence({ text }: { text: string }) {
  const { language } = useSpeech();
  const format = useFormat();
  const translated = translateSummary(text, language);
  return (
    <p lang={translated === text ? 'en' : language} className="break-words">
      {translated.replace(ISO_TIME, (time) => format.dateTime(time))}
    </p>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function SentEmail({ emailId }: { emailId: string }) {
  const words = useExecutionWords();
  const { $api, projectId } = useProject();
  const { data: email } = $api.useQuery('get', '/emails/{id}', { params: { path: { id: emailId } } });
  return (
    <p className="flex flex-wrap items-center gap-2">
      {words.email}:
      <Link
        to="/projects/$projectId/emails/$emailId"
        params={{ projectId, emailId }}
        className="min-w-0 break-words text-accent underline"
      >
        {email?.subject ?? emailId}
      </Link>
      {email && <EmailStatusBadge status={email.status} detail={email.statusDetail} />}
    </p>
  );
}

interface Attempt {
  attempt: number | null;
  at: string;
  statusCode: number | null;
  durationMs: number | null;
  reason: string;
}

/** Returns the attempts of a WEBHOOK step; none for other steps. */
function attemptsOf(output: Visit['output']): Attempt[] {
  if (!Array.isArray(output?.attempts)) return [];
  return output.attempts
    .filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null)
    .map(({ attempt, at, statusCode, durationMs, reason }) => ({
      attempt: numberOf(attempt),
      at: textOf(at),
      statusCode: numberOf(statusCode),
      durationMs: numberOf(durationMs),
      reason: textOf(reason),
    }));
}

function Attempts({ output }: { output: Visit['output'] }) {
  const words = useExecutionWords();
  const { language } = useSpeech();
  const format = useFormat();
  const attempts = attemptsOf(output);
  const body = textOf(output?.body);
  if (attempts.length === 0) return null;
  return (
    <>
      <ul aria-label={words.attempts} className="grid gap-1">
        {attempts.map(({ attempt, at, statusCode, durationMs, reason }) => (
          <li key={`${attempt} ${at}`} className="flex flex-wrap items-center gap-x-2">
            <span className="text-muted">
              {words.attempt} {attempt === null ? '' : format.number(attempt)}
            </span>
            <Badge tone={statusCode !== null && statusCode < 300 ? 'success' : 'danger'}>
              {statusCode ?? words.noResponse}
            </Badge>
            {durationMs !== null && (
              <span className="tabular-nums">{words.milliseconds(format.number(durationMs))}</span>
            )}
            {at !== '' && <At time={at} />}
            {reason !== '' && <span className="break-words">{translateReason(reason, language)}</span>}
          </li>
        ))}
      </ul>
      {body !== '' && (
        <details>
          <summary className="cursor-pointer py-1 text-accent">{words.response}</summary>
          <CodeBlock label={words.response}>{body}</CodeBlock>
        </details>
      )}
    </>
  );
}
