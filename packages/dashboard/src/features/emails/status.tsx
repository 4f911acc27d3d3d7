import { Badge, type Tone } from '../../ui/badge.js';
import type { EmailStatus } from './filters.js';
import { useEmailWords } from './words.js';

const TONES: Record<EmailStatus, Tone> = {
  PENDING: 'neutral',
  SENDING: 'accent',
  SENT: 'success',
  DELIVERED: 'success',
  OPENED: 'success',
  CLICKED: 'success',
  BOUNCED: 'danger',
  COMPLAINED: 'danger',
  FAILED: 'danger',
  CANCELLED: 'neutral',
};

interface Props {
  status: EmailStatus;
  /** `unknown` after a crash that hid the answer of the mail server. */
  detail: 'unknown' | null;
}

export function EmailStatusBadge({ status, detail }: Props) {
  const { statuses, unknown } = useEmailWords();
  if (detail === 'unknown') return <Badge tone="warning">{unknown}</Badge>;
  return <Badge tone={TONES[status]}>{statuses[status]}</Badge>;
}
