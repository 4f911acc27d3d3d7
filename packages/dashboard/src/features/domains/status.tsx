import type { Schemas } from '../../../../client/src/index.js';
import { Badge } from '../../ui/badge.js';
import { useDomainWords } from './words.js';

const TONES = { PENDING: 'warning', VERIFIED: 'success', FAILED: 'danger' } as const;

export function DomainBadge({ status }: { status: Schemas['Domain']['status'] }) {
  const { statuses } = useDomainWords();
  return <Badge tone={TONES[status]}>{statuses[status]}</Badge>;
}

export function RecordBadge({
  status,
  isRequired,
}: {
  status: Schemas['DomainRecord']['status'];
  isRequired: boolean;
}) {
  const { recordStatuses } = useDomainWords();
  const isHarmless = status === 'PENDING' && !isRequired;
  return <Badge tone={isHarmless ? 'neutral' : TONES[status]}>{recordStatuses[status]}</Badge>;
}
