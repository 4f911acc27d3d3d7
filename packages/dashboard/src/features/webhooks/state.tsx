/** The state of an endpoint in a word. */
import type { Schemas } from '../../../../client/src/index.js';
import { Badge, type Tone } from '../../ui/badge.js';
import { useWebhookWords } from './words.js';

type Webhook = Schemas['Webhook'];

const TONES: Record<'on' | 'failing' | 'paused' | 'off', Tone> = {
  on: 'success',
  failing: 'warning',
  paused: 'warning',
  off: 'danger',
};

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const words = useWebhookWords();
  const state = !webhook.enabled ? 'off' : webhook.pausedUntil ? 'paused' : webhook.failingSince ? 'failing' : 'on';
  return <Badge tone={TONES[state]}>{words.states[state]}</Badge>;
}
