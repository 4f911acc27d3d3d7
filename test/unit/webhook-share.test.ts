/** The slots for requests of WEBHOOK steps, which the projects of a worker share. */
import { describe, expect, test } from 'vitest';
import { createWebhookSlots, slotDelayMs } from '../../src/domain/executions/webhook/retry.js';

/** Acquires all slots that a project can get. */
function acquireAll(slots: ReturnType<typeof createWebhookSlots>, project: string): Array<() => void> {
  const acquired: Array<() => void> = [];
  for (let next = slots.acquire(project); next; next = slots.acquire(project)) acquired.push(next);
  return acquired;
}

describe('the slots for requests', () => {
  test('a single project gets half of them, and other projects get slots', () => {
    const slots = createWebhookSlots(100);
    expect(acquireAll(slots, 'a')).toHaveLength(50);
    expect(slots.acquire('b')).not.toBeNull();
  });

  test('five projects that acquire all they can leave a slot for another one', () => {
    const slots = createWebhookSlots(100);
    for (let n = 0; n < 5; n++) acquireAll(slots, `greedy ${n}`);
    expect(slots.acquire('modest')).not.toBeNull();
  });

  test('a released slot is available to any project', () => {
    const slots = createWebhookSlots(100);
    for (const release of acquireAll(slots, 'a')) release();
    expect(acquireAll(slots, 'b')).toHaveLength(50);
    expect(acquireAll(slots, 'a')).toHaveLength(25);
  });

  test('the delay without a slot grows with each attempt to at most seven and a half minutes, with jitter', () => {
    for (const [attempt, minMs] of [
      [1, 2500],
      [2, 5000],
      [3, 10_000],
      [20, 150_000],
      [1000, 150_000],
    ] as const) {
      const delays = Array.from({ length: 50 }, () => slotDelayMs(attempt));
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(minMs);
      expect(Math.max(...delays)).toBeLessThanOrEqual(3 * minMs);
      expect(new Set(delays).size).toBeGreaterThan(10);
    }
  });
});
