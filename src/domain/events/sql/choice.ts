/** Choosing events by their names: by the names themselves, or by the kind of name where there are too many to list. */

/** Names that the service gives to what happens to emails and contacts: each is a kind of its own. */
export const OWN_NAMES = [
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

/** The other kinds: joins and leaves of tracked segments, and all names that clients choose. */
export const EVENT_KINDS = [...OWN_NAMES, 'segment.entry', 'segment.exit', 'event.tracked'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const isOwnName = (name: string): name is (typeof OWN_NAMES)[number] => OWN_NAMES.some((own) => own === name);

/** The kind of an event by its name. */
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

/** The choice as conditions on a column with the name; parameters are appended to `values`. */
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
