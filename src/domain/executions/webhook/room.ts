/**
 * How many requests of WEBHOOK steps a worker makes at once, and whose: a receiver that does not answer holds its
 * request for ten seconds.
 */

export const MOST_REQUESTS = 400;

const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 5 * 60_000;

export interface WebhookRoom {
  /** @returns what ends the request; null where the project has to wait */
  enter: (projectId: string) => (() => void) | null;
}

/**
 * A project may have as many requests under way as are left for all others together: one alone gets half of them, of
 * two with dead receivers each a third, and there is always room for the next one.
 */
export function createWebhookRoom(most = MOST_REQUESTS): WebhookRoom {
  const underWay = new Map<string, number>();
  let all = 0;
  return {
    enter(projectId) {
      const mine = underWay.get(projectId) ?? 0;
      if (mine >= most - all) return null;
      underWay.set(projectId, mine + 1);
      all += 1;
      return () => {
        all -= 1;
        const left = (underWay.get(projectId) ?? 1) - 1;
        if (left > 0) underWay.set(projectId, left);
        else underWay.delete(projectId);
      };
    },
  };
}

/**
 * When a request that found no room is tried again: apart from the others, and the later the more often it has waited.
 */
export const waitForRoom = (attempt: number): number =>
  Math.round(Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_WAIT_MS) * (0.5 + Math.random()));
