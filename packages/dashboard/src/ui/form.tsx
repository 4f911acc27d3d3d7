/** What forms share. */
import type { FormEvent } from 'react';
import { errorOf, fieldErrors } from '../api/query.js';
import { useWords } from '../words/words.js';

/** Takes over the submission of a form. A field that the server then refuses gets the focus. @returns its fields by name */
export function readForm(event: FormEvent<HTMLFormElement>): Record<string, string> {
  event.preventDefault();
  event.currentTarget.dataset.submitted = '';
  return Object.fromEntries(
    [...new FormData(event.currentTarget)].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
  );
}

/** Whether a message names what it is about: "The sender is missing." */
const isSentence = (message: string): boolean => message.endsWith('.');

/**
 * The part of an error that no field of the form shows: its message, or those of other fields.
 *
 * @param fields the names of the fields that show their errors themselves
 */
export function FormProblem({ error, fields = [] }: { error: unknown; fields?: readonly string[] }) {
  const { common, errors } = useWords();
  if (!error) return null;
  const problem = errorOf(error);
  const named = Object.entries(fieldErrors(error));
  const others = named.filter(([field]) => !fields.includes(field));
  if (named.length > 0 && others.length === 0) return null;
  return (
    <div role="alert" className="grid gap-1 rounded-lg bg-danger-soft p-3 text-danger">
      {others.length === 0 && <span>{problem?.message ?? errors.offline}</span>}
      {others.map(([field, message]) => (
        <span key={field}>
          {!isSentence(message) && (
            <>
              <code>{field}</code>:{' '}
            </>
          )}
          {message}
        </span>
      ))}
      {problem?.requestId && <code className="text-sm">{common.requestId(problem.requestId)}</code>}
    </div>
  );
}
