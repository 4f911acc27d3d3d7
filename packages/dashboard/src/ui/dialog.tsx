/** Dialogs: a centered one, a panel at the side, and a question. They take the focus and give it back. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { useRef, useState, type ReactNode } from 'react';
import { useWords } from '../words/words.js';
import { Button } from './button.js';
import { TextField } from './field.js';
import { FormProblem } from './form.js';
import { CloseIcon } from './icons.js';

const BACKDROP = 'fixed inset-0 z-30 bg-black/50';

interface Props {
  title: string;
  about?: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

const FIELD = 'input:not([type="hidden"], [tabindex="-1"]), select, textarea';

/** A dialog in the middle, at most 40rem wide. Its first field has the focus, except on a touch screen. */
export function Dialog({ title, about, isOpen, onClose, children }: Props) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={BACKDROP} />
        <BaseDialog.Popup
          ref={popup}
          // There, the keyboard would cover the dialog.
          initialFocus={(type) =>
            type === 'touch' ? null : (popup.current?.querySelector<HTMLElement>(FIELD) ?? null)
          }
          className="fixed inset-x-4 top-[8vh] z-40 mx-auto grid max-h-[84vh] max-w-2xl content-start gap-4 overflow-y-auto rounded-xl border border-line bg-surface p-5"
        >
          <Heading title={title} about={about} />
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** A panel at the side, for the details of a row. On a phone, it covers the page. */
export function SidePanel({ title, about, isOpen, onClose, children }: Props) {
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={BACKDROP} />
        <BaseDialog.Popup className="fixed inset-y-0 end-0 z-40 grid w-full max-w-2xl auto-rows-max content-start gap-4 overflow-y-auto border-s border-line bg-surface p-5">
          <Heading title={title} about={about} />
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

function Heading({ title, about }: { title: string; about: ReactNode }) {
  const { common } = useWords();
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <BaseDialog.Title className="text-lg font-semibold break-words">{title}</BaseDialog.Title>
        {about && <BaseDialog.Description className="text-muted">{about}</BaseDialog.Description>}
      </div>
      <BaseDialog.Close
        render={
          <Button look="quiet" aria-label={common.close}>
            <CloseIcon />
          </Button>
        }
      />
    </div>
  );
}

interface QuestionProps {
  title: string;
  /** What happens, in full sentences. */
  about: ReactNode;
  /** The action's button: "Delete the campaign". */
  action: string;
  /** The button that closes the question. Default: "Cancel", which says nothing if the action cancels something too. */
  dismissal?: string;
  /** What the user types to confirm: a name, or a number of recipients. */
  confirmation?: string;
  isDanger?: boolean;
  isOpen: boolean;
  isBusy?: boolean;
  /** The error of the action, if it failed. */
  error?: unknown;
  onClose: () => void;
  onConfirm: () => void;
}

/** A question before an action that can't be undone. */
export function Question({
  title,
  about,
  action,
  dismissal,
  confirmation,
  isDanger = true,
  isOpen,
  isBusy = false,
  error,
  onClose,
  onConfirm,
}: QuestionProps) {
  const { common } = useWords();
  const [typed, setTyped] = useState('');
  const isConfirmed = confirmation === undefined || typed.trim() === confirmation;
  return (
    <AlertDialog.Root
      open={isOpen}
      onOpenChange={(open) => {
        setTyped('');
        if (!open) onClose();
      }}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup className="fixed inset-x-4 top-[15vh] z-40 mx-auto max-w-lg rounded-xl border border-line bg-surface p-5">
          <form
            className="grid gap-4"
            onSubmit={(event) => {
              event.preventDefault();
              if (isConfirmed && !isBusy) onConfirm();
            }}
          >
            <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
            <AlertDialog.Description render={<div />} className="grid gap-2 text-muted">
              {about}
            </AlertDialog.Description>
            {confirmation !== undefined && (
              <TextField
                label={common.typeToConfirm(confirmation)}
                name="confirmation"
                value={typed}
                onChange={({ target }) => setTyped(target.value)}
                autoComplete="off"
              />
            )}
            <FormProblem error={error} />
            <div className="flex flex-wrap justify-end gap-2">
              <AlertDialog.Close render={<Button look="quiet">{dismissal ?? common.cancel}</Button>} />
              <Button type="submit" look={isDanger ? 'danger' : 'primary'} isBusy={isBusy} disabled={!isConfirmed}>
                {action}
              </Button>
            </div>
          </form>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
