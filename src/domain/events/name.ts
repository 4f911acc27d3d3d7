/** Rules for event names (specification, "Events"; contract, section 8). */

/** In characters of any script, not bytes. */
export const MAX_EVENT_NAME = 255;

/** Whether the name is valid: trimmed, 1 to 255 characters. (JavaScript's length counts most emoji twice.) */
export const isEventName = (name: string): boolean =>
  name !== '' && name.trim() === name && name.length <= 2 * MAX_EVENT_NAME && Array.from(name).length <= MAX_EVENT_NAME;

/** What webhooks tell beyond events (src/domain/webhooks/announce.ts). */
export const NOTICE_TYPES = [
  'campaign.started',
  'campaign.sent',
  'campaign.cancelled',
  'execution.completed',
  'execution.failed',
  'import.completed',
  'domain.verified',
  'domain.failed',
  'project.disabled',
  'webhook.disabled',
] as const;

export type NoticeType = (typeof NOTICE_TYPES)[number];

export const isNoticeType = (name: string): name is NoticeType => (NOTICE_TYPES as readonly string[]).includes(name);

/**
 * Whether the name is reserved for the service: `email.*`, `contact.subscribed`, `contact.unsubscribed`,
 * `segment.<slug>.entry`, `segment.<slug>.exit`, and the types of notices: a webhook with such a name is the service's own
 * word. A slug has no dot.
 */
export const isReservedEvent = (name: string): boolean =>
  isNoticeType(name) || /^(email\..*|contact\.(un)?subscribed|segment\.[^.]+\.(entry|exit))$/su.test(name);
