/** Rules for event names (specification, "Events"; contract, section 8). */

/** In characters of any script, not bytes. */
export const MAX_EVENT_NAME = 255;

/** Whether the name is valid: trimmed, 1 to 255 characters. (JavaScript's length counts most emoji twice.) */
export const isEventName = (name: string): boolean =>
  name !== '' && name.trim() === name && name.length <= 2 * MAX_EVENT_NAME && Array.from(name).length <= MAX_EVENT_NAME;

/**
 * Whether the name is reserved for the service: `email.*`, `contact.subscribed`, `contact.unsubscribed`,
 * `segment.<slug>.entry`, and `segment.<slug>.exit`. A slug has no dot.
 */
export const isReservedEvent = (name: string): boolean =>
  /^(email\..*|contact\.(un)?subscribed|segment\.[^.]+\.(entry|exit))$/su.test(name);
