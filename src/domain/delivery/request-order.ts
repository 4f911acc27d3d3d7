/**
 * The order of the emails of a request: each is handed over when the one before has a result (contract, section 4). Pure.
 */

export interface RequestOrder<T> {
  /** The number of emails that are not the next one of their request. */
  waiting: () => number;
  /** Returns the claimed emails of each request that have no result and were not released, in their order. */
  requests: () => ReadonlyArray<readonly T[]>;
  /** Adds a claimed email of a request after the others. */
  add: (requestId: string, email: T) => void;
  /** Whether no other email of the request comes first. */
  isNext: (requestId: string, email: T) => boolean;
  /** Returns the claimed emails of the request that have no result and were not released, in their order. */
  emails: (requestId: string) => readonly T[];
  /** Returns the email of the request that comes after this one; null without any. */
  after: (requestId: string, email: T) => T | null;
  /** Removes an email that has a result or was released. @returns the one that becomes the next one; null without any */
  remove: (requestId: string, email: T) => T | null;
}

export function createRequestOrder<T>(): RequestOrder<T> {
  const requests = new Map<string, T[]>();
  let size = 0;
  const emailsOf = (requestId: string): readonly T[] => requests.get(requestId) ?? [];
  return {
    waiting: () => size - requests.size,
    requests: () => [...requests.values()],
    emails: emailsOf,
    add(requestId, email) {
      size++;
      const emails = requests.get(requestId);
      if (emails) emails.push(email);
      else requests.set(requestId, [email]);
    },
    isNext: (requestId, email) => emailsOf(requestId)[0] === email,
    after(requestId, email) {
      const emails = emailsOf(requestId);
      const index = emails.indexOf(email);
      return index === -1 ? null : (emails[index + 1] ?? null);
    },
    remove(requestId, email) {
      const emails = requests.get(requestId) ?? [];
      const index = emails.indexOf(email);
      if (index !== -1) {
        emails.splice(index, 1);
        size--;
      }
      if (emails.length === 0) requests.delete(requestId);
      return index === 0 ? (emails[0] ?? null) : null;
    },
  };
}
