/** What a page shows instead of its content: an error, or that it loads. */
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
