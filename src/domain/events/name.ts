/** Names of events (specification, "Events"; contract, section 8). */

/** Characters, not bytes: of any script. */
export const MAX_EVENT_NAME = 255;

/** Whether an event can have the name: trimmed, 1 to 255 characters. JavaScript's length counts most emoji twice. */
export const isEventName = (name: string): boolean =>
  name !== '' && name.trim() === name && name.length <= 2 * MAX_EVENT_NAME && Array.from(name).length <= MAX_EVENT_NAME;

/**
 * Whether a name is one that the service gives itself: `email.*`, `contact.subscribed`, `contact.unsubscribed`,
 * `segment.<slug>.entry` and
 * `segment.<slug>.exit`. A slug has no dot.
 */
export const isReservedEvent = (name: string): boolean =>
  /^(email\..*|contact\.(un)?subscribed|segment\.[^.]+\.(entry|exit))$/su.test(name);
