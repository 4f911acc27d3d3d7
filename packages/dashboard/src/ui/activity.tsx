/** How an entry of the activity is told. */
import type { Schemas } from '../../../client/src/index.js';
import { Badge, type Tone } from './badge.js';
import { useWords } from '../words/words.js';

export type Activity = Schemas['Activity'];

const TONES: Record<string, Tone> = {
  'email.bounced': 'danger',
  'email.complained': 'danger',
  'email.failed': 'danger',
  'contact.unsubscribed': 'warning',
  'contact.subscribed': 'success',
  'email.opened': 'accent',
  'email.clicked': 'accent',
};

export function ActivityBadge({ type }: { type: string }) {
  const { activityTypes: types } = useWords();
  const isKnown = (name: string): name is keyof typeof types => Object.hasOwn(types, name);
  return <Badge tone={TONES[type] ?? 'neutral'}>{isKnown(type) ? types[type] : type}</Badge>;
}

/** Returns the most telling text of an entry: the subject, the link, or the name of what it is about. */
export function detailOf({ metadata }: Activity): string {
  for (const key of ['url', 'subject', 'campaignName', 'workflowName', 'eventName', 'reason']) {
    const value = metadata[key];
    if (typeof value === 'string') return value;
  }
  return '';
}
