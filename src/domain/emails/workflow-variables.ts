/** The variables of a workflow's email, apart from its contact. src/domain/executions/sql/send.ts writes them. Pure. */

/** The contact that an email to another address is about. */
export interface AboutContact {
  id: string;
  email: string;
  data: Record<string, unknown>;
}

export interface WorkflowVariables {
  /** The execution's context at the time of the step. */
  event: Record<string, unknown>;
  /** Null if the recipient is the contact. */
  about: AboutContact | null;
  /** W3C traceparent of the step. The message cannot have it, because emails of a workflow share their message. */
  trace: string | null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readWorkflowVariables(variables: Record<string, unknown> | null): WorkflowVariables {
  const { event, trace } = variables ?? {};
  return {
    event: isObject(event) ? event : {},
    about: readAboutContact(variables),
    trace: typeof trace === 'string' ? trace : null,
  };
}

export function readAboutContact(variables: Record<string, unknown> | null): AboutContact | null {
  const { contact } = variables ?? {};
  return isObject(contact) && typeof contact.id === 'string' && typeof contact.email === 'string'
    ? { id: contact.id, email: contact.email, data: isObject(contact.data) ? contact.data : {} }
    : null;
}

/** Merges the contact's data and the context, which is also available as `event.` (contract, section 4). */
export const workflowData = (
  { event, about }: WorkflowVariables,
  contactData: Record<string, unknown> | null,
): Record<string, unknown> => ({ ...(about?.data ?? contactData), ...event, event });

/** The names of CONDITION steps (contract, section 7), such as `contact.data.plan`, for templates, too. */
export const conditionNames = (
  { event, about }: WorkflowVariables,
  contact: { id: string | null; email: string; data: Record<string, unknown> | null },
): Record<string, unknown> => ({ contact: about ?? contact, workflow: event });
