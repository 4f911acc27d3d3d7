/** What a page shows instead of its content: an error, that it loads, or that there is nothing. */
import type { ReactNode } from 'react';
import { errorOf, statusOf } from '../api/query.js';
import { useWords } from '../words/words.js';
import { Button } from './button.js';

/** An error with its request id, and a way to try again. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { common, errors } = useWords();
  const problem = errorOf(error);
  return (
    <div role="alert" className="grid justify-items-start gap-2 rounded-lg border border-danger bg-danger-soft p-4">
      <strong>{errors.title}</strong>
      <span>{problem?.message ?? (statusOf(error) === undefined ? errors.offline : errors.unknown)}</span>
      {problem?.requestId && <code className="text-sm text-muted">{common.requestId(problem.requestId)}</code>}
      {onRetry && <Button onClick={onRetry}>{common.retry}</Button>}
    </div>
  );
}

/** Blocks of the size of what loads. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  const { common } = useWords();
  return (
    <div role="status" className="grid gap-3">
      <span className="sr-only">{common.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} aria-hidden className="h-5 animate-pulse rounded bg-raised" />
      ))}
    </div>
  );
}

interface EmptyProps {
  title: string;
  /** What the page is for, and what to do first. */
  about?: ReactNode;
  action?: ReactNode;
}

/** Nothing exists yet. */
export function FirstRun({ title, about, action }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-3 rounded-xl border border-dashed border-control p-8 text-center">
      <h2 className="text-lg font-semibold">{title}</h2>
      {about && <p className="max-w-prose text-muted">{about}</p>}
      {action}
    </div>
  );
}

/** Something exists, but nothing of it matches the filters. */
export function NoMatch({ onClear }: { onClear?: () => void }) {
  const { common } = useWords();
  return (
    <div role="status" className="grid justify-items-center gap-3 rounded-xl border border-line bg-surface p-8">
      <p className="text-muted">{common.noMatch}</p>
      {onClear && <Button onClick={onClear}>{common.clearFilters}</Button>}
    </div>
  );
}
