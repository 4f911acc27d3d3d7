/** Translates field names of CONDITION steps (contract, section 7) to those of segments (section 6). Pure. */

/** The source of a field: the contact, or the execution's context, which is read like a contact's data. */
export interface ConditionField {
  of: 'contact' | 'context';
  /** As in a segment's filter; for the context always `data.<path>`. */
  field: string;
}

const STANDARD = new Set(['email', 'subscribed', 'createdAt', 'updatedAt']);
/** With these operators, `event.<name>` is an event of the contact; with all others, it is a value of the context. */
const EVENT_OPERATORS = /^(t|notT)riggered/;

/**
 * - `contact.email`, `contact.subscribed`, `contact.createdAt`, `contact.updatedAt`, and `contact.data.<path>`;
 *   `contact.<key>` means `contact.data.<key>`
 * - `event.<path>` and `workflow.<path>`: a value of the execution's context; with an operator such as `triggered`,
 *   `event.<name>` is an event of the contact
 * - any other name is a field of segments: `email`, `data.<path>`, `email.opened`, `segment.<id>`
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
      return typeof operator === 'string' && EVENT_OPERATORS.test(operator)
        ? { of: 'contact', field }
        : { of: 'context', field: `data.${rest}` };
    default:
      return { of: 'contact', field };
  }
}
