/** The names of fields in CONDITION steps (contract, section 7), as those of segments (contract, section 6). Pure. */

/** What a condition looks at: the contact, or the execution's context, which is then read like a contact's data. */
export interface ConditionField {
  of: 'contact' | 'context';
  /** As in a segment's filter; of the context always `data.<path>`. */
  field: string;
}

const STANDARD = new Set(['email', 'subscribed', 'createdAt', 'updatedAt']);
/**
 * Operators that ask whether an event happened: beside them `event.<name>` is an event of the contact, beside all
 * others a value of the context.
 */
const ASKS_FOR_EVENT = /^(t|notT)riggered/;

/**
 * - `contact.email`, `contact.subscribed`, `contact.createdAt`, `contact.updatedAt`, `contact.data.<path>`;
 * `contact.<key>` is `contact.data.<key>`
 * - `event.<path>` and `workflow.<path>`: a value of the execution's context; `event.<name>` with an operator such as
 * `triggered`: an event of the contact
 * - everything else is a field of segments: `email`, `data.<path>`, `email.opened`, `segment.<id>`
 */
export function readConditionField(field: string, operator: unknown): ConditionField {
  const dot = field.indexOf('.');
  const rest = field.slice(dot + 1);
  switch (field.slice(0, Math.max(dot, 0))) {
    case 'contact':
      return { of: 'contact', field: STANDARD.has(rest) || rest.startsWith('data.') ? rest : `data.${rest}` };
    case 'workflow':
      return { of: 'context', field: `data.${rest}` };
    case 'event':
      return typeof operator === 'string' && ASKS_FOR_EVENT.test(operator)
        ? { of: 'contact', field }
        : { of: 'context', field: `data.${rest}` };
    default:
      return { of: 'contact', field };
  }
}
