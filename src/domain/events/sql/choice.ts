/** Selects events by name, or by kind of name if there are too many names to list. */

/** The service's own names for events of emails and contacts. Each is a kind of its own. */
export const OWN_NAMES = [
  'email.scheduled',
  'email.cancelled',
  'email.sent',
  'email.delivered',
  'email.opened',
  'email.clicked',
  'email.bounced',
  'email.complained',
  'email.failed',
  'email.received',
  'contact.subscribed',
  'contact.unsubscribed',
] as const;

/** The other kinds: entries and exits of tracked segments, and all names that clients choose. */
export const EVENT_KINDS = [...OWN_NAMES, 'segment.entry', 'segment.exit', 'event.tracked'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const isOwnName = (name: string): name is (typeof OWN_NAMES)[number] => OWN_NAMES.some((own) => own === name);

/** Returns the kind of an event name. */
export function kindOfEvent(name: string): EventKind {
  if (isOwnName(name)) return name;
  if (/^segment\.[^.]+\.entry$/u.test(name)) return 'segment.entry';
  return /^segment\.[^.]+\.exit$/u.test(name) ? 'segment.exit' : 'event.tracked';
}

const KIND = (column: string): string =>
  `CASE WHEN ${column} IN (${OWN_NAMES.map((name) => `'${name}'`).join(', ')}) THEN ${column}
        WHEN ${column} ~ '^segment\\.[^.]+\\.entry$' THEN 'segment.entry' WHEN ${column} ~ '^segment\\.[^.]+\\.exit$' THEN 'segment.exit' ELSE 'event.tracked' END`;

export type EventChoice =
  | { by: 'all' }
  | { by: 'name'; names: readonly string[] }
  | { by: 'kind'; kinds: readonly EventKind[] };

/** Renders the selection as conditions on the column with the name. Appends its parameters to `values`. */
export function nameClauses(choice: EventChoice, column: string, values: unknown[]): string[] {
  switch (choice.by) {
    case 'all':
      return [];
    case 'name':
      return [`${column} = ANY ($${values.push(choice.names)}::text[])`];
    case 'kind':
      return [`${KIND(column)} = ANY ($${values.push(choice.kinds)}::text[])`];
  }
}
