/** The typed client of the API with the session cookie, and what happens when the session has ended. */
import createQueryClient from 'openapi-react-query';
import { createSendloom } from '../../../client/src/index.js';

/** Asks for the password in place. Resolves when the user has signed in again; rejects if the user leaves. */
type Reauthenticate = () => Promise<void>;

let reauthenticate: Reauthenticate | null = null;
let pending: Promise<void> | null = null;

/** Sets what asks for the password, once someone is signed in; null while no one is. */
export function onSessionEnd(ask: Reauthenticate | null): void {
  reauthenticate = ask;
}

/**
 * Sends a request. If the session has ended, it waits until the user has signed in again and repeats the request, so
 * that nothing that was typed is lost. All requests of that time share one question.
 */
async function send(request: Request): Promise<Response> {
  const repeat = request.clone();
  const response = await fetchPatiently(request);
  const isSignIn = new URL(request.url).pathname.startsWith('/auth/');
  if (response.status !== 401 || isSignIn || !reauthenticate) return response;
  pending ??= reauthenticate().finally(() => (pending = null));
  await pending;
  return fetch(repeat);
}

/** A read is repeated this often while the server asks to wait, each time at most this long. */
const MAX_WAITS = 2;
const MAX_WAIT_SECONDS = 20;

/** Sends a request. Reads obey `Retry-After` of 429 and 503. */
async function fetchPatiently(request: Request): Promise<Response> {
  for (let waits = 0; ; waits++) {
    const response = await fetch(request.clone());
    const seconds = Number(response.headers.get('Retry-After'));
    const isRead = request.method === 'GET';
    if (!isRead || ![429, 503].includes(response.status) || waits === MAX_WAITS) return response;
    if (!(seconds > 0 && seconds <= MAX_WAIT_SECONDS)) return response;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

/** The client of what belongs to no project: accounts and projects. */
export const api = createSendloom({ baseUrl: location.origin, fetch: send });
export const $api = createQueryClient(api);

/** Creates the client of a project: requests name the project in a header. They wait for `ready` before they are sent. */
export const createProjectClient = (projectId: string, ready: () => Promise<void>): ReturnType<typeof createSendloom> =>
  createSendloom({
    baseUrl: location.origin,
    projectId,
    fetch: async (request) => {
      await ready();
      return send(request);
    },
  });
