import { describe, expect, test } from 'vitest';
import { instantOf, localOf, rangeOfDays, startOfDay } from '../../../packages/dashboard/src/words/zones.js';

describe('times of day in a zone', () => {
  test.each([
    ['2030-01-15T09:00', 'Europe/Berlin', '2030-01-15T08:00:00.000Z', 'exact'],
    ['2030-07-15T09:00', 'Europe/Berlin', '2030-07-15T07:00:00.000Z', 'exact'],
    ['2030-03-31T01:59', 'Europe/Berlin', '2030-03-31T00:59:00.000Z', 'exact'],
    ['2030-03-31T02:30', 'Europe/Berlin', '2030-03-31T01:30:00.000Z', 'skipped'],
    ['2030-03-31T03:00', 'Europe/Berlin', '2030-03-31T01:00:00.000Z', 'exact'],
    ['2030-10-27T02:30', 'Europe/Berlin', '2030-10-27T00:30:00.000Z', 'repeated'],
    ['2030-10-27T03:00', 'Europe/Berlin', '2030-10-27T02:00:00.000Z', 'exact'],
    ['2030-11-03T01:30', 'America/New_York', '2030-11-03T05:30:00.000Z', 'repeated'],
    ['2030-10-06T02:15', 'Australia/Lord_Howe', '2030-10-05T15:45:00.000Z', 'skipped'],
    ['2030-06-01T00:00', 'Asia/Kathmandu', '2030-05-31T18:15:00.000Z', 'exact'],
    ['2030-06-01T00:00', 'UTC', '2030-06-01T00:00:00.000Z', 'exact'],
  ])('%s in %s is %s and %s', (local, zone, instant, kind) => {
    expect(instantOf(local, zone)).toEqual({ instant, kind });
  });

  test('an instant is written as the time of day of its zone', () => {
    expect(localOf('2030-03-31T01:30:00.000Z', 'Europe/Berlin')).toBe('2030-03-31T03:30');
    expect(localOf('2030-01-01T00:00:00.000Z', 'America/New_York')).toBe('2029-12-31T19:00');
  });

  test('an incomplete time has no instant', () => {
    expect(instantOf('', 'Europe/Berlin')).toBeNull();
    expect(instantOf('2030-13-01T09:00', 'Europe/Berlin')).toBeNull();
  });

  test.each([
    ['2026-11-23', 'UTC', '2026-11-23T00:00:00.000Z'],
    ['2026-11-23', 'America/New_York', '2026-11-23T05:00:00.000Z'],
    ['2026-11-23', 'Pacific/Auckland', '2026-11-22T11:00:00.000Z'],
    // The clocks change later on this day.
    ['2030-03-31', 'Europe/Berlin', '2030-03-30T23:00:00.000Z'],
    // The clock skips midnight.
    ['2030-09-08', 'America/Santiago', '2030-09-08T04:00:00.000Z'],
  ])('the day %s in %s begins at %s', (date, zone, start) => {
    expect(startOfDay(date, zone)).toBe(start);
  });

  test('a range of days ends with the last moment of the last day', () => {
    expect(rangeOfDays({ since: '2030-03-31', until: '2030-03-31' }, 'Europe/Berlin')).toEqual({
      first: '2030-03-30T23:00:00.000Z',
      last: '2030-03-31T21:59:59.999Z',
    });
    expect(rangeOfDays({ since: 'soon', until: 'later' }, 'UTC')).toEqual({});
  });
});
