/** Names of events (specification, "Events"; contract, section 8). */

/** Characters, not bytes: of any script. */
export const MAX_EVENT_NAME = 255;

/**
 * Whether a name is one that the service gives itself: `email.*`, `contact.subscribed`, `contact.unsubscribed`, `segment.<slug>.entry` and
 * `segment.<slug>.exit`. A slug has no dot.
 */
export const isReservedEvent = (name: string): boolean => /^(email\..*|contact\.(un)?subscribed|segment\.[^.]+\.(entry|exit))$/su.test(name);
