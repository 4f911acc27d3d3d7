/** The dialogs of an endpoint: a test, a replay, and a new secret. */
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { DateTimeField, SelectField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { useFormat } from '../../words/format.js';
import { toLocal } from '../../words/intl.js';
import { useWords } from '../../words/words.js';
import { useWebhookWords } from './words.js';

interface Types {
  data: Array<Schemas['WebhookType']>;
}

interface DialogProps {
  webhook: Schemas['Webhook'];
  onClose: () => void;
}

export function TestDialog({ webhook, onDone, onClose }: DialogProps & { onDone: () => void }) {
  const words = useWebhookWords();
  const { common } = useWords();
  const { $api } = useProject();
  const types = $api.useQuery('get', '/webhooks/types');
  const own = $api.useQuery('get', '/events/names');
  const test = $api.useMutation('post', '/webhooks/{id}/test', { onSuccess: onDone });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { type = '' } = readForm(event);
    test.mutate({ params: { path: { id: webhook.id } }, body: { type } });
  };
  return (
    <Dialog title={words.testTitle} about={words.testAbout} isOpen onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <SelectField
          label={words.type}
          name="type"
          options={namesOf(types.data, own.data).map((name) => ({ value: name, label: name }))}
          error={fieldErrors(test.error).type}
        />
        <FormProblem error={test.error ?? types.error} fields={['type']} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" look="primary" isBusy={test.isPending} disabled={!types.data}>
            {words.test}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The types, and the names of the project's own events. */
function namesOf(types: Types | undefined, own: { eventNames: string[] } | undefined): string[] {
  const known = (types?.data ?? []).map(({ type }) => type);
  return [...new Set([...known, ...(own?.eventNames ?? [])])];
}

const DAY_MS = 24 * 3_600_000;
const WHICH = ['FAILED', 'ALL'] as const;

/** Counts first, and then delivers what was counted. */
export function ReplayDialog({ webhook, onDone, onClose }: DialogProps & { onDone: (message: string) => void }) {
  const words = useWebhookWords();
  const { common } = useWords();
  const format = useFormat();
  const { $api } = useProject();
  const [since, setSince] = useState(() => toLocal(new Date(Date.now() - DAY_MS)));
  const [until, setUntil] = useState('');
  const [status, setStatus] = useState<(typeof WHICH)[number]>('FAILED');
  const count = $api.useMutation('post', '/webhooks/{id}/replay');
  const replay = $api.useMutation('post', '/webhooks/{id}/replay', {
    onSuccess: ({ count: queued }) => onDone(words.replayed(format.number(queued))),
  });
  const body = {
    status,
    since: Number.isNaN(Date.parse(since)) ? '' : new Date(since).toISOString(),
    ...(until !== '' && { until: new Date(until).toISOString() }),
  };
  const run = (work: typeof count, dryRun: boolean): void =>
    work.mutate({ params: { path: { id: webhook.id } }, body: { ...body, dryRun } });
  /** Another range is not counted yet. */
  const change = (set: () => void): void => {
    set();
    count.reset();
  };
  const error = replay.error ?? count.error;
  const named = fieldErrors(error);
  const counted = count.data?.count;
  return (
    <Dialog title={words.replayTitle} about={words.replayAbout} isOpen onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          readForm(event);
          run(counted === undefined ? count : replay, counted === undefined);
        }}
      >
        <DateTimeField
          label={words.since}
          name="since"
          value={since}
          onChange={({ target }) => change(() => setSince(target.value))}
          required
          error={named.since}
        />
        <DateTimeField
          label={words.until}
          name="until"
          hint={words.untilHint}
          value={until}
          onChange={({ target }) => change(() => setUntil(target.value))}
          error={named.until}
        />
        <SelectField
          label={words.which}
          name="status"
          value={status}
          options={WHICH.map((value) => ({ value, label: words.whichOptions[value] }))}
          onChange={(value) => change(() => setStatus(value))}
        />
        <p role="status" className="font-medium">
          {counted === undefined ? '' : words.counted(format.number(counted))}
        </p>
        <FormProblem error={error} fields={['since', 'until']} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" look="primary" isBusy={count.isPending || replay.isPending} disabled={counted === 0}>
            {counted === undefined ? words.count : words.replay}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const GRACE_HOURS = [0, 1, 24, 72, 168];
const DEFAULT_GRACE = '24';

export function RotateDialog({ webhook, onDone, onClose }: DialogProps & { onDone: (secret: string) => void }) {
  const words = useWebhookWords();
  const { common } = useWords();
  const { $api } = useProject();
  const rotate = $api.useMutation('post', '/webhooks/{id}/rotate-secret', {
    onSuccess: ({ secret }) => onDone(secret),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { grace = DEFAULT_GRACE } = readForm(event);
    rotate.mutate({ params: { path: { id: webhook.id } }, body: { graceHours: Number(grace) } });
  };
  return (
    <Dialog title={words.rotateTitle} about={words.rotateAbout} isOpen onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <SelectField
          label={words.grace}
          name="grace"
          defaultValue={DEFAULT_GRACE}
          options={GRACE_HOURS.map((hours) => ({ value: String(hours), label: words.hours(hours) }))}
        />
        <FormProblem error={rotate.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" look="primary" isBusy={rotate.isPending}>
            {words.rotate}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
