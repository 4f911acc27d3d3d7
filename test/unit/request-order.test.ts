import { describe, expect, it } from 'vitest';
import { createRequestOrder } from '../../src/domain/delivery/request-order.js';

describe('the order of a request', () => {
  it('lets the first email go, and each other one after the result of the one before', () => {
    const order = createRequestOrder<string>();
    for (const email of ['a', 'b', 'c']) order.add('request', email);
    expect(['a', 'b', 'c'].map((email) => order.isNext('request', email))).toEqual([true, false, false]);
    expect(['a', 'b', 'c', 'd'].map((email) => order.after('request', email))).toEqual(['b', 'c', null, null]);
    expect(order.remove('request', 'a')).toBe('b');
    expect(order.isNext('request', 'b')).toBe(true);
    expect(order.remove('request', 'b')).toBe('c');
    expect(order.remove('request', 'c')).toBe(null);
  });

  it('lets no other email go when one fails before its turn', () => {
    const order = createRequestOrder<string>();
    for (const email of ['a', 'b', 'c']) order.add('request', email);
    expect(order.remove('request', 'b')).toBe(null);
    expect(order.remove('request', 'a')).toBe('c');
  });

  it('is that of each request alone', () => {
    const order = createRequestOrder<string>();
    order.add('one', 'a');
    order.add('other', 'b');
    expect(order.isNext('other', 'b')).toBe(true);
    expect(order.remove('one', 'a')).toBe(null);
    expect(order.remove('unknown', 'c')).toBe(null);
  });

  it('counts the emails that wait for another one', () => {
    const order = createRequestOrder<string>();
    for (const email of ['a', 'b', 'c']) order.add('one', email);
    order.add('other', 'd');
    expect(order.waiting()).toBe(2);
    order.remove('one', 'a');
    order.remove('one', 'a');
    order.remove('other', 'd');
    expect(order.waiting()).toBe(1);
  });
});
