import type { ReactNode } from 'react';

import type { Tone } from './tone.js';

export type { Tone } from './tone.js';

const TONES: Record<Tone, string> = {
  neutral: 'bg-raised text-muted',
  accent: 'bg-accent-soft text-accent',
  success: 'bg-success-soft text-success',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
};

/** A state in a word. Its color repeats what the word says. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={`inline-block rounded-md px-2 py-0.5 text-sm font-medium whitespace-nowrap ${TONES[tone]}`}>
      {children}
    </span>
  );
}

/** A message in a box: a warning above a form, or what a page needs first. */
export function Note({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <div role={tone === 'danger' ? 'alert' : 'status'} className={`grid gap-2 rounded-lg p-3 ${TONES[tone]}`}>
      {children}
    </div>
  );
}
