import { Badge, type Tone } from '../../ui/badge.js';
import type { CampaignStatus } from './model.js';
import { useCampaignWords } from './words.js';

const TONES: Record<CampaignStatus, Tone> = {
  DRAFT: 'neutral',
  SCHEDULED: 'accent',
  SENDING: 'warning',
  SENT: 'success',
  CANCELLED: 'neutral',
};

export function CampaignStatusBadge({ status }: { status: CampaignStatus }) {
  const { statuses } = useCampaignWords();
  return <Badge tone={TONES[status]}>{statuses[status]}</Badge>;
}
