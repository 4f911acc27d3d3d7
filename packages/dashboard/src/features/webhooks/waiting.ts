/** How many deliveries wait, as a text. */
import { useFormat } from '../../words/format.js';
import { useWebhookWords } from './words.js';

/** More are not counted (API, `waiting`). */
const MAX_COUNTED = 10_000;

export function useWaiting(): (count: number) => string {
  const { more } = useWebhookWords();
  const format = useFormat();
  return (count) => (count > MAX_COUNTED ? more(format.number(MAX_COUNTED)) : format.number(count));
}
