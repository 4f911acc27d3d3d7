import type { ButtonHTMLAttributes, ReactNode } from 'react';

type Look = 'primary' | 'plain' | 'danger' | 'quiet';

const LOOKS: Record<Look, string> = {
  primary: 'bg-accent text-on-accent border-accent hover:bg-accent-strong',
  plain: 'bg-surface text-text border-control hover:bg-raised',
  danger: 'bg-surface text-danger border-danger hover:bg-danger-soft',
  quiet: 'bg-transparent text-text border-transparent hover:bg-raised',
};

const SHAPE =
  'inline-flex min-h-9 cursor-pointer items-center justify-center gap-2 rounded-lg border px-3.5 py-1.5 font-medium';

/** The look of a link that begins something, such as a new campaign. */
export const LINK_BUTTON = `${SHAPE} ${LOOKS.primary}`;
/** The look of a link next to a button that is more important. */
export const PLAIN_LINK_BUTTON = `${SHAPE} ${LOOKS.plain}`;
/** The look of a link among buttons without a border. */
export const QUIET_LINK_BUTTON = `${SHAPE} ${LOOKS.quiet}`;

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  /** Whether its action runs. The button keeps its place and its focus. */
  isBusy?: boolean;
  children: ReactNode;
}

export function Button({ look = 'plain', isBusy = false, className = '', children, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : rest.onClick}
      className={`${SHAPE} aria-disabled:cursor-progress aria-disabled:opacity-70 disabled:cursor-not-allowed disabled:opacity-60 ${LOOKS[look]} ${className}`}
    >
      {children}
    </button>
  );
}
