import { describe, expect, it } from 'vitest';
import { fitsContact, readContactData } from '../../src/domain/contacts/data.js';
import { ApiError } from '../../src/errors.js';

const refusal = (data: Record<string, unknown>): ApiError => {
  try {
    readContactData(data);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('It was accepted');
};

describe('contact data', () => {
  it('stores primitives and provides them as variables', () => {
    expect(readContactData({ name: 'Ada', age: 36, vip: false, zero: 0 })).toEqual({
      set: { name: 'Ada', age: 36, vip: false, zero: 0 },
      unset: [],
      variables: { name: 'Ada', age: 36, vip: false, zero: 0 },
    });
  });

  it('removes a field for null', () => {
    expect(readContactData({ plan: null })).toEqual({ set: {}, unset: ['plan'], variables: {} });
  });

  it('ignores an empty string', () => {
    expect(readContactData({ plan: '' })).toEqual({ set: {}, unset: [], variables: {} });
  });

  it('provides { value, persistent: false } once and does not store it', () => {
    expect(
      readContactData({ code: { value: '1234', persistent: false }, gone: { value: null, persistent: false } }),
    ).toEqual({
      set: {},
      unset: [],
      variables: { code: '1234', gone: null },
    });
  });

  it('stores the value of { value, persistent: true } by the rules of a bare value', () => {
    expect(
      readContactData({
        a: { value: 1, persistent: true },
        b: { value: null, persistent: true },
        c: { value: '', persistent: true },
      }),
    ).toEqual({
      set: { a: 1 },
      unset: ['b'],
      variables: { a: 1 },
    });
  });

  it('stores plain objects and lists, even if they resemble a wrapper', () => {
    const data = {
      address: { city: 'Paris' },
      tags: ['a', null],
      price: { value: 3, currency: 'EUR' },
      odd: { value: 1, persistent: 'no' },
      more: { value: 1, persistent: false, at: 2 },
    };
    expect(readContactData(data).set).toEqual(data);
  });

  it('ignores reserved keys', () => {
    const reserved = Object.fromEntries(
      ['id', 'svc_id', 'svc_email', 'email', 'unsubscribeUrl', 'subscribeUrl', 'manageUrl'].map((key) => [key, 'x']),
    );
    expect(readContactData(reserved)).toEqual({ set: {}, unset: [], variables: {} });
    expect(readContactData({ Email: 'kept', data: 'kept' }).set).toEqual({ Email: 'kept', data: 'kept' });
  });

  it('removes the names of prototype properties', () => {
    const data: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"prototype":2,"ok":3}');
    const { set, variables } = readContactData(data as Record<string, unknown>);
    expect(set).toEqual({ ok: 3 });
    expect(Object.getPrototypeOf(set)).toBe(Object.prototype);
    expect(Reflect.get(variables, 'admin')).toBeUndefined();
  });

  it('accepts 100 keys and rejects 101', () => {
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));
    expect(Object.keys(readContactData(keys(100)).set)).toHaveLength(100);
    const error = refusal(keys(101));
    expect(error).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [{ field: 'data', code: 'too_big' }],
    });
  });

  it('rejects more than 64 KiB, counted in bytes', () => {
    expect(readContactData({ text: 'x'.repeat(65_000) }).unset).toEqual([]);
    expect(refusal({ text: 'é'.repeat(33_000) })).toMatchObject({
      status: 422,
      errors: [{ field: 'data', code: 'too_big' }],
    });
  });

  it('rejects a number that JavaScript parses as infinite, because it would be stored as null', () => {
    const read = (json: string) => refusal(JSON.parse(json) as Record<string, unknown>);
    expect(read('{"n":1e999}')).toMatchObject({ status: 422, errors: [{ field: 'data.n', code: 'too_big' }] });
    expect(read('{"n":{"value":-1e999,"persistent":false}}')).toMatchObject({
      status: 422,
      errors: [{ field: 'data.n', code: 'too_big' }],
    });
  });

  it('checks whether stored data is within the limits', () => {
    expect([fitsContact(100, 65_536), fitsContact(101, 10), fitsContact(1, 65_537)]).toEqual([true, false, false]);
  });
});
