import { describe, expect, it } from 'vitest';
import { createSlots } from '../../src/domain/emails/slots.js';

describe('slots', () => {
  it('are never acquired twice', () => {
    const slots = createSlots(10);
    const [one, two] = [slots.join(0), slots.join(2)];
    const got = one.take(7) + two.take(7);
    expect(got).toBeLessThanOrEqual(10);
    expect(one.take(10) + got).toBeLessThanOrEqual(10);
  });

  it('below a reserve are left to other senders', () => {
    const slots = createSlots(10);
    const campaign = slots.join(2);
    expect(campaign.take(100)).toBe(8);
    expect(campaign.take(1)).toBe(0);
    const others = slots.join(0);
    expect(others.take(100)).toBe(2);
    campaign.settle(8, 0, 0);
    others.take(7);
    // One slot is free, and it is reserved for others.
    expect(campaign.take(100)).toBe(0);
  });

  it('are shared equally by senders with the same reserve, and each gets at least one', () => {
    const slots = createSlots(10);
    const seats = [slots.join(2), slots.join(2)];
    expect(seats.map((seat) => [seat.share(), seat.take(100)])).toEqual([
      [4, 4],
      [4, 4],
    ]);
    for (let more = 0; more < 20; more++) seats.push(slots.join(2));
    expect(seats.at(-1)?.share()).toBe(1);
  });

  it('wake a waiting sender when they are released', async () => {
    const slots = createSlots(4);
    const seat = slots.join(0);
    const other = slots.join(0);
    seat.take(2);
    other.take(2);
    let woken = false;
    const waiting = seat.free().then(() => (woken = true));
    await Promise.resolve();
    expect(woken).toBe(false);
    // A statement that recorded two results and claimed one email of the two that it requested.
    other.settle(2, 2, 1);
    await waiting;
    expect(woken).toBe(true);
  });

  it('of finished mails are transferred to the new mails', () => {
    const slots = createSlots(4);
    const seat = slots.join(0);
    expect(seat.take(4)).toBe(4);
    seat.settle(3, 3, 3);
    expect(seat.take(4)).toBe(0);
    seat.settle(4, 2, 1);
    expect(seat.take(4)).toBe(3);
  });

  it('are released when their sender ends', async () => {
    const slots = createSlots(4);
    const [gone, left] = [slots.join(0), slots.join(1)];
    gone.take(4);
    const waiting = left.free();
    gone.leave();
    await waiting;
    expect(left.take(10)).toBe(3);
  });
});
