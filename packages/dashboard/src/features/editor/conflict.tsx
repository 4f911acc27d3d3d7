/** Two versions of the same thing, side by side: the user's and that of another editor. */
import { useState } from 'react';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { FormProblem } from '../../ui/form.js';
import { useEditorWords } from './words.js';

export interface Difference {
  label: string;
  mine: string;
  theirs: string;
}

interface Props {
  isOpen: boolean;
  differences: Difference[];
  onClose: () => void;
  /** Where the other version stays: "Theirs is stored as a copy." */
  keepMineAbout: string;
  /** Resolves to whether the own version is saved. The dialog shows the error of a rejection, and stays open. */
  onKeepMine: () => Promise<boolean>;
  onTakeTheirs: () => Promise<void>;
}

export function ConflictDialog({ isOpen, differences, onClose, keepMineAbout, onKeepMine, onTakeTheirs }: Props) {
  const { conflict } = useEditorWords();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const settle = async (end: () => Promise<boolean | void>): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      if ((await end()) !== false) onClose();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={conflict.title} about={conflict.about} isOpen={isOpen} onClose={onClose}>
      <FormProblem error={error} />
      {differences.length === 0 && <p>{conflict.noDifference}</p>}
      {differences.map(({ label, mine, theirs }) => (
        <section key={label} className="grid min-w-0 gap-2" aria-label={label}>
          <h3 className="font-semibold">{label}</h3>
          <div className="grid gap-3 sm:grid-cols-2">
            <Version label={`${conflict.mine}: ${label}`} title={conflict.mine} text={mine} />
            <Version label={`${conflict.theirs}: ${label}`} title={conflict.theirs} text={theirs} />
          </div>
        </section>
      ))}
      <div className="grid gap-3 sm:grid-cols-2">
        <div className="grid content-start gap-1">
          <Button look="primary" isBusy={isBusy} onClick={() => void settle(onKeepMine)}>
            {conflict.keepMine}
          </Button>
          <p className="text-sm text-muted">{keepMineAbout}</p>
        </div>
        <div className="grid content-start gap-1">
          <Button isBusy={isBusy} onClick={() => void settle(onTakeTheirs)}>
            {conflict.takeTheirs}
          </Button>
          <p className="text-sm text-muted">{conflict.takeTheirsAbout}</p>
        </div>
      </div>
    </Dialog>
  );
}

function Version({ label, title, text }: { label: string; title: string; text: string }) {
  const { conflict } = useEditorWords();
  return (
    <div className="grid min-w-0 content-start gap-1">
      <span className="text-sm text-muted">{title}</span>
      <div
        role="group"
        tabIndex={0}
        aria-label={label}
        className="max-h-56 overflow-auto rounded-lg border border-line bg-raised p-2 text-sm break-words whitespace-pre-wrap"
      >
        {text === '' ? <em className="text-muted">{conflict.empty}</em> : text}
      </div>
    </div>
  );
}
