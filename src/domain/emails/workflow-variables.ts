/** What an email of a workflow knows besides its contact; written by src/domain/executions/sql/send.ts. Pure. */

export interface WorkflowVariables {
  /** The execution's context, as it was when the step was reached. */
  event: Record<string, unknown>;
  /** Whom an email to a custom address is about; null where the recipient is the contact. */
  about: { id: string; email: string; data: Record<string, unknown> } | null;
  /** W3C traceparent of the step: emails of a workflow share their message, which has none. */
  trace: string | null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readWorkflowVariables(variables: Record<string, unknown> | null): WorkflowVariables {
  const { event, contact, trace } = variables ?? {};
  const about =
    isObject(contact) && typeof contact.id === 'string' && typeof contact.email === 'string'
      ? { id: contact.id, email: contact.email, data: isObject(contact.data) ? contact.data : {} }
      : null;
  return { event: isObject(event) ? event : {}, about, trace: typeof trace === 'string' ? trace : null };
}

/**
 * What its template sees of them: the contact's data, over it the context, which is also under `event.` (contract,
 * section 4).
 */
export const workflowData = (
  { event, about }: WorkflowVariables,
  contactData: Record<string, unknown> | null,
): Record<string, unknown> => ({ ...(about?.data ?? contactData), ...event, event });

/**
 * The names that CONDITION steps have for the same (contract, section 7), in templates too: `contact.data.plan`,
 * `workflow.total`.
 */
export const conditionNames = (
  { event, about }: WorkflowVariables,
  contact: { id: string | null; email: string; data: Record<string, unknown> | null },
): Record<string, unknown> => ({ contact: about ?? contact, workflow: event });
