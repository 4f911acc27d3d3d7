/** A dialog that tracks one event. */
import { useState, type FormEvent } from 'react';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextArea, TextField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { notify } from '../../ui/toast.js';
import { useWords } from '../../words/words.js';
import { useEventWords } from './words.js';

interface Props {
  isOpen: boolean;
  onClose: () => void;
  /** The name that the form begins with. */
  name: string;
}

export function TrackDialog({ isOpen, onClose, name }: Props) {
  const words = useEventWords();
  const { common } = useWords();
  const { $api, cache } = useProject();
  const [isBadJson, setBadJson] = useState(false);
  const track = $api.useMutation('post', '/events/track', {
    async onSuccess() {
      onClose();
      notify(words.tracked);
      await cache.invalidateQueries();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { email = '', event: eventName = '', data: text = '' } = readForm(event);
    const data = parseObject(text);
    setBadJson(data === null);
    if (data) track.mutate({ body: { email, event: eventName, data } });
  };
  const named = fieldErrors(track.error);
  return (
    <Dialog title={words.trackTitle} about={words.trackAbout} isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField label={words.email} name="email" type="email" required autoComplete="off" error={named.email} />
        <TextField label={words.name} name="event" required defaultValue={name} error={named.event} />
        <TextArea
          label={words.payload}
          name="data"
          rows={4}
          defaultValue="{}"
          spellCheck={false}
          error={isBadJson ? words.badJson : named.data}
        />
        <FormProblem error={track.error} fields={['email', 'event', 'data']} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" look="primary" isBusy={track.isPending}>
            {words.track}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the JSON object of a text; null for any other text. */
function parseObject(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text.trim() || '{}');
    return isObject(parsed) ? parsed : null;
  } catch {
    // The field shows that the text is not JSON.
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
