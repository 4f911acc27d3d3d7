/** The status of an email in a word. */
import type { Schemas } from '../../../client/src/index.js';
import { useWords } from '../words/words.js';
import { Badge, type Tone } from './badge.js';

type EmailStatus = Schemas['Email']['status'];

const TONES: Record<EmailStatus, Tone> = {
  SCHEDULED: 'neutral',
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
  const { emailStatuses } = useWords();
  if (detail === 'unknown') return <Badge tone="warning">{emailStatuses.unknown}</Badge>;
  return <Badge tone={TONES[status]}>{emailStatuses[status]}</Badge>;
}
