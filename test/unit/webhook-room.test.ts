/** How the requests of WEBHOOK steps share a worker. */
import { describe, expect, test } from 'vitest';
import { createWebhookRoom, waitForRoom } from '../../src/domain/executions/webhook/room.js';

/** Enters as often as there is room. */
function fill(room: ReturnType<typeof createWebhookRoom>, project: string): Array<() => void> {
  const leave: Array<() => void> = [];
  for (let next = room.enter(project); next; next = room.enter(project)) leave.push(next);
  return leave;
}

describe('the room for requests', () => {
  test('one project gets half of it, and there is room for others', () => {
    const room = createWebhookRoom(100);
    expect(fill(room, 'a')).toHaveLength(50);
    expect(room.enter('b')).not.toBeNull();
  });

  test('five projects that take all they can leave room for one more', () => {
    const room = createWebhookRoom(100);
    for (let n = 0; n < 5; n++) fill(room, `greedy ${n}`);
    expect(room.enter('modest')).not.toBeNull();
  });

  test('what has ended can be used again, by anybody', () => {
    const room = createWebhookRoom(100);
    for (const leave of fill(room, 'a')) leave();
    expect(fill(room, 'b')).toHaveLength(50);
    expect(fill(room, 'a')).toHaveLength(25);
  });

  test('who has to wait, waits the longer the more often, at most seven and a half minutes, and not all the same time', () => {
    for (const [attempt, least] of [
      [1, 2500],
      [2, 5000],
      [3, 10_000],
      [20, 150_000],
      [1000, 150_000],
    ] as const) {
      const waits = Array.from({ length: 50 }, () => waitForRoom(attempt));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...waits)).toBeLessThanOrEqual(3 * least);
      expect(new Set(waits).size).toBeGreaterThan(10);
    }
  });
});
