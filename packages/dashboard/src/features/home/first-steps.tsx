/** The first steps in a project, from facts of the server. They disappear when all are done. */
import { Link, type LinkProps } from '@tanstack/react-router';
import { useCallback, useState, type ReactNode } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { useAfterBurst } from '../../api/burst.js';
import { useStream } from '../../api/stream.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { EmailToSelf } from './email-to-self.js';
import { useHomeWords } from './words.js';

type SetupState = Schemas['SetupState'];

interface Step {
  id: keyof ReturnType<typeof useHomeWords>['steps'];
  isDone: (state: SetupState) => boolean;
  /** The page where it is done. */
  to: LinkProps['to'];
}

const STEPS: Step[] = [
  { id: 'domain', isDone: (state) => state.hasVerifiedDomain, to: '/projects/$projectId/domains' },
  { id: 'contacts', isDone: (state) => state.contactCount > 0, to: '/projects/$projectId/contacts/import' },
  { id: 'key', isDone: (state) => state.secretKeyLastUsedAt !== null, to: undefined },
  { id: 'email', isDone: (state) => state.firstEmailSentAt !== null, to: '/projects/$projectId/emails' },
  { id: 'event', isDone: (state) => state.firstEventAt !== null, to: '/projects/$projectId/events' },
];

export function FirstSteps() {
  const words = useHomeWords();
  const format = useFormat();
  const { $api, projectId } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/projects/{id}/setup-state', {
    params: { path: { id: projectId } },
  });
  const [isHidden, setHidden] = useState(() => localStorage.getItem(keyOf(projectId)) !== null);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={STEPS.length} />;
  const done = STEPS.filter(({ isDone }) => isDone(data)).length;
  if (done === STEPS.length) return null;
  const hide = (next: boolean): void => {
    if (next) localStorage.setItem(keyOf(projectId), '');
    else localStorage.removeItem(keyOf(projectId));
    setHidden(next);
  };
  if (isHidden)
    return (
      <Button look="quiet" className="justify-self-start" onClick={() => hide(false)}>
        {words.show}
      </Button>
    );
  const actions = (
    <>
      <span className="self-center text-muted">{words.progress(format.number(done), format.number(STEPS.length))}</span>
      <Button look="quiet" onClick={() => hide(true)}>
        {words.hide}
      </Button>
    </>
  );
  return (
    <Card title={words.start} actions={actions}>
      <Watch />
      <EmailToSelf />
      <ol className="grid gap-1">
        {STEPS.map((step) => (
          <StepItem key={step.id} step={step} isDone={step.isDone(data)} />
        ))}
      </ol>
    </Card>
  );
}

/** The user's choice to hide the steps of a project. Whether steps are done is known by the server alone. */
const keyOf = (projectId: string): string => `hide-first-steps-${projectId}`;

/** Reads the state again when something happens in the project. */
function Watch() {
  const { cache } = useProject();
  const reload = useAfterBurst(
    useCallback(() => void cache.invalidateQueries({ queryKey: ['get', '/projects/{id}/setup-state'] }), [cache]),
  );
  useStream('activity', reload);
  useStream('domains', reload);
  useStream('jobs', reload);
  return null;
}

function StepItem({ step: { id, to }, isDone }: { step: Step; isDone: boolean }) {
  const words = useHomeWords();
  const { title, about, action } = words.steps[id];
  return (
    <li className="grid gap-x-3 gap-y-1 border-t border-line py-2.5 sm:grid-cols-[9rem_minmax(0,1fr)_auto]">
      <span role="status">
        <Badge tone={isDone ? 'success' : 'neutral'}>
          {isDone ? (id === 'email' || id === 'event' ? words.seen : words.done) : words.waiting}
        </Badge>
      </span>
      <div className="grid min-w-0 gap-1">
        <strong className="font-medium">{title}</strong>
        {!isDone && <span className="text-muted">{about}</span>}
        {!isDone && id === 'key' && <Command />}
      </div>
      {!isDone && <StepLink to={to}>{action}</StepLink>}
    </li>
  );
}

function StepLink({ to, children }: { to: LinkProps['to']; children: ReactNode }) {
  const { $api, projectId } = useProject();
  const { data: config } = $api.useQuery('get', '/config', undefined, { enabled: to === undefined });
  const look = 'py-0.5 text-accent underline';
  if (to !== undefined)
    return (
      <Link {...({ to, params: { projectId } } as LinkProps)} className={look}>
        {children}
      </Link>
    );
  return config ? (
    <a href={config.links.docs} className={look}>
      {children}
    </a>
  ) : null;
}

/** A first call of the API. */
function Command() {
  const words = useHomeWords();
  const { project } = useProject();
  const from = project.defaultFrom ?? 'you@your-domain.example';
  return (
    <CodeBlock label={words.command}>
      {[
        `curl ${location.origin}/v1/send \\`,
        `  -H 'Authorization: Bearer sk_…${project.secretLast4}' \\`,
        "  -H 'Content-Type: application/json' \\",
        `  -d '{ "to": "you@example.com", "from": "${from}", "subject": "Hello", "body": "<p>Hello</p>" }'`,
      ].join('\n')}
    </CodeBlock>
  );
}
