/** The status of a workflow execution in a word. */
import type { Schemas } from '../../../client/src/index.js';
import { useWords } from '../words/words.js';
import { Badge, type Tone } from './badge.js';

type Status = Schemas['Execution']['status'];

const TONES: Record<Status, Tone> = {
  RUNNING: 'accent',
  WAITING: 'accent',
  COMPLETED: 'success',
  EXITED: 'neutral',
  FAILED: 'danger',
  CANCELLED: 'warning',
};

export function ExecutionStatusBadge({ status }: { status: Status }) {
  const { executionStatuses } = useWords();
  return <Badge tone={TONES[status]}>{executionStatuses[status]}</Badge>;
}
