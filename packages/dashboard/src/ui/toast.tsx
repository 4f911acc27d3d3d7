/** Short messages that confirm an action. Errors stay at their place instead. */
import { Toast } from '@base-ui/react/toast';
import { useWords } from '../words/words.js';
import { Button } from './button.js';
import { CloseIcon } from './icons.js';

const manager = Toast.createToastManager();

/** Says that something was done: "Campaign saved". With `undo`, the message has a button for it. */
export function notify(title: string, undo?: { label: string; run: () => void }): void {
  const id: string = manager.add({
    title,
    ...(undo && {
      actionProps: {
        children: undo.label,
        onClick: () => {
          undo.run();
          manager.close(id);
        },
      },
    }),
  });
}

/** Where the messages appear. Rendered once. */
export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={1}>
      <Toast.Portal>
        <Toast.Viewport className="fixed end-4 bottom-4 z-50 grid w-[min(24rem,calc(100vw-2rem))] gap-2">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { common } = useWords();
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="rounded-lg border border-line bg-surface p-3 shadow-lg data-limited:hidden"
    >
      <Toast.Content className="flex items-center gap-3">
        <Toast.Title className="min-w-0 flex-1 font-medium" />
        <Toast.Action className="cursor-pointer rounded px-2 py-1 font-medium text-accent underline" />
        <Toast.Close
          render={
            <Button look="quiet" aria-label={common.close}>
              <CloseIcon />
            </Button>
          }
        />
      </Toast.Content>
    </Toast.Root>
  ));
}
