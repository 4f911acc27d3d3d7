/** Where a WEBHOOK step's request goes, before any value is known. Pure. */
import { scanTemplate } from '../../mail/template-scan.js';

/**
 * The scheme, host and port that a URL's template has before its first value; null when it has none, as where a value
 * is part of the host.
 */
export function literalOrigin(template: string): string | null {
  const [first] = scanTemplate(template);
  if (first?.kind !== 'text' || !URL.canParse(first.text)) return null;
  const { protocol, origin } = new URL(first.text);
  return protocol === 'http:' || protocol === 'https:' ? origin : null;
}
