import { describe, expect, it } from 'vitest';
import { selectContinued, type QueuedEmail } from '../../src/domain/delivery/queue.js';
import { createRequestOrder } from '../../src/domain/delivery/request-order.js';

/** What the rule reads of an email. */
const emailOf = (claimId: string, messageId: string, isOrdered = true): QueuedEmail =>
  // @ts-expect-error: an email has many other fields
  ({ email: { claimId, messageId, isOrdered } });

describe('a request is continued', () => {
  const order = createRequestOrder<QueuedEmail>();
  for (const [claim, request, count] of [
    ['c1', 'few', 5],
    ['c2', 'many', 6],
    ['c3', 'released', 1],
  ] as const)
    for (let number = 0; number < count; number++) order.add(request, emailOf(claim, request));
  const last = [emailOf('c4', 'ended'), emailOf('c5', 'few'), emailOf('c6', 'released'), emailOf('c7', 'alone', false)];
  const released = new Set(['released']);

  it('while at most five of its emails are in flight, and none is released', () => {
    expect(selectContinued({ order, last, released }, { few: 5 })).toEqual(['c1', 'c4', 'c5']);
  });

  it('with a rate limit, when all of its claims have ended', () => {
    // The request "few" has another claim, which is not named.
    expect(selectContinued({ order, last, released }, { few: 0 })).toEqual(['c4', 'c5']);
  });
});
