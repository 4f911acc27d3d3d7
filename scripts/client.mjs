/** Requests to a running Sendloom, for scripts that need nothing installed. */
const WAIT_TIMEOUT_MS = 120_000;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Creates a client. Its `headers` keep the session's cookie.
 *
 * @param {string} api
 * @param {(seconds: number) => void} onWait called before it waits because the rate limit requires it
 */
export function createClient(api, onWait = () => {}) {
  const headers = { 'content-type': 'application/json' };
  return {
    headers,
    async call(method, path, body) {
      const request = body ? { method, headers, body: JSON.stringify(body) } : { method, headers };
      for (;;) {
        const response = await fetch(`${api}${path}`, request).catch((error) => {
          throw new Error(`${api} does not respond (${error.cause?.code ?? error.message}).`);
        });
        if (response.status === 429) {
          const seconds = Number(response.headers.get('retry-after')) || 1;
          onWait(seconds);
          await response.text();
          await pause(seconds * 1000);
          continue;
        }
        const text = await response.text();
        if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
        const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
        if (cookie) headers.cookie = cookie;
        return text ? JSON.parse(text) : null;
      }
    },
  };
}

/** Repeats `load` until `isReady` returns true for its result. */
export async function waitUntil(load, isReady, what) {
  const deadline = Date.now() + WAIT_TIMEOUT_MS;
  for (let wait = 100; ; wait = Math.min(wait * 1.3, 1000)) {
    const value = await load();
    if (isReady(value)) return value;
    if (Date.now() > deadline)
      throw new Error(`${what} took longer than ${WAIT_TIMEOUT_MS / 1000} s: ${JSON.stringify(value)}`);
    await pause(wait);
  }
}
