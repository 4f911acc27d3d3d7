/** Two versions of the same thing, side by side: the user's and that of another editor. */
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { useEditorWords } from './words.js';

export interface Difference {
  label: string;
  mine: string;
  theirs: string;
}

interface Props {
  isOpen: boolean;
  differences: Difference[];
  isBusy: boolean;
  onClose: () => void;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

export function ConflictDialog({ isOpen, differences, isBusy, onClose, onKeepMine, onTakeTheirs }: Props) {
  const { conflict } = useEditorWords();
  return (
    <Dialog title={conflict.title} about={conflict.about} isOpen={isOpen} onClose={onClose}>
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
          <Button look="primary" isBusy={isBusy} onClick={onKeepMine}>
            {conflict.keepMine}
          </Button>
          <p className="text-sm text-muted">{conflict.keepMineAbout}</p>
        </div>
        <div className="grid content-start gap-1">
          <Button isBusy={isBusy} onClick={onTakeTheirs}>
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
