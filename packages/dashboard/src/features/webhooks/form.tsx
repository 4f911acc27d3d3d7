/** The form of an endpoint, to add and to edit one, and the secret that is shown once. */
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { errorOf, fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code.js';
import { CopyButton, CopyField } from '../../ui/copy.js';
import { Dialog } from '../../ui/dialog.js';
import { CheckboxField, TextField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { useWords } from '../../words/words.js';
import { useWebhookWords } from './words.js';

export interface WebhookContent {
  url: string;
  events: string[];
  description: string;
}

interface FormProps {
  /** The endpoint to edit; otherwise, one is added. */
  webhook?: Schemas['Webhook'];
  error: unknown;
  isBusy: boolean;
  onSave: (content: WebhookContent) => void;
  onClose: () => void;
}

export function WebhookForm({ webhook, error, isBusy, onSave, onClose }: FormProps) {
  const words = useWebhookWords();
  const { common } = useWords();
  const groups = Object.entries(words.groups);
  const isGroup = (name: string): boolean => Object.hasOwn(words.groups, name);
  const [chosen, setChosen] = useState(() => new Set((webhook?.events ?? ['email.*']).filter(isGroup)));
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { url = '', description = '', events = '' } = readForm(event);
    const names = events.split(',').map((name) => name.trim());
    onSave({ url, description, events: [...chosen, ...names.filter((name) => name !== '')] });
  };
  const named = fieldErrors(error);
  const ofEvents = (errorOf(error)?.errors ?? []).filter(({ field }) => /^events\b/.test(field));
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label={words.url}
        name="url"
        type="url"
        placeholder="https://"
        hint={words.urlHint}
        defaultValue={webhook?.url ?? ''}
        autoComplete="off"
        required
        error={named.url}
      />
      <fieldset className="grid gap-2">
        <legend className="pb-1 font-medium">{words.events}</legend>
        {groups.map(([name, label]) => (
          <CheckboxField
            key={name}
            name={name}
            label={label}
            checked={chosen.has(name)}
            onChange={(isChosen) =>
              setChosen((before) => new Set([...before, name].filter((one) => one !== name || isChosen)))
            }
          />
        ))}
      </fieldset>
      <TextField
        label={words.others}
        name="events"
        hint={words.othersHint}
        defaultValue={(webhook?.events ?? []).filter((name) => !isGroup(name)).join(', ')}
        autoComplete="off"
        error={ofEvents.length === 0 ? undefined : ofEvents.map(({ message }) => message).join(' ')}
      />
      <TextField
        label={words.description}
        name="description"
        defaultValue={webhook?.description ?? ''}
        maxLength={500}
        autoComplete="off"
        error={named.description}
      />
      <FormProblem error={error} fields={['url', 'description', ...ofEvents.map(({ field }) => field)]} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          {webhook ? words.save : words.add}
        </Button>
      </div>
    </form>
  );
}

/** How a server verifies a request, with the typed client. */
const SNIPPET = `import { verifyWebhook } from '@sendloom/client';

// The body as it arrived, before it is parsed.
const event = await verifyWebhook(body, headers, process.env.WEBHOOK_SECRET);`;

export function VerifySnippet() {
  const { verify } = useWebhookWords();
  return (
    <>
      <CodeBlock label={verify}>{SNIPPET}</CodeBlock>
      <div>
        <CopyButton label={verify} value={SNIPPET} />
      </div>
    </>
  );
}

/** Shows a new secret until it is stored. */
export function SecretDialog({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  const words = useWebhookWords();
  return (
    <Dialog title={words.secret} about={words.secretOnce} isOpen={secret !== null} onClose={onClose}>
      <CopyField label={words.secret} value={secret ?? ''} />
      <h3 className="font-semibold">{words.verify}</h3>
      <VerifySnippet />
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          {words.done}
        </Button>
      </div>
    </Dialog>
  );
}
