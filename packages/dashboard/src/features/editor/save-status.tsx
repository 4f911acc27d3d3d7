/** Says whether the edits are saved, and what to do if they are not. */
import { errorOf } from '../../api/query.js';
import { Badge, type Tone } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { useWords } from '../../words/words.js';
import type { Autosave, SaveState, useSaveOnLeave } from './autosave.js';
import { useEditorWords } from './words.js';

const TONES: Record<SaveState, Tone> = {
  saved: 'success',
  unsaved: 'neutral',
  saving: 'neutral',
  failed: 'danger',
  conflict: 'warning',
};

interface Props {
  save: Pick<Autosave<object>, 'state' | 'error' | 'flush'>;
  onCompare: () => void;
}

export function SaveStatus({ save: { state, error, flush }, onCompare }: Props) {
  const { save } = useEditorWords();
  const { errors } = useWords();
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      {/* "Saving" would chatter: only the results are announced. */}
      <span aria-live={state === 'saving' || state === 'unsaved' ? 'off' : 'polite'}>
        <Badge tone={TONES[state]}>{save[state]}</Badge>
      </span>
      {state === 'failed' && (
        <>
          <span className="text-sm text-danger">{errorOf(error)?.message ?? errors.offline}</span>
          <Button onClick={() => void flush()}>{save.retry}</Button>
        </>
      )}
      {state === 'conflict' && <Button onClick={onCompare}>{save.compare}</Button>}
    </span>
  );
}

export function LeaveQuestion({ blocker }: { blocker: ReturnType<typeof useSaveOnLeave> }) {
  const { leave } = useEditorWords();
  return (
    <Question
      title={leave.title}
      about={leave.about}
      action={leave.action}
      isOpen={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      onConfirm={() => blocker.proceed?.()}
    />
  );
}
