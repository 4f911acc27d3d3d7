/** The hours in which bulk email is sent (research, ahead.md, section 3.2). */
import { describe, expect, test } from 'vitest';
import { selectOpenings } from '../../src/domain/delivery/sql/waves.js';
import { DAYS, type SendWindow } from '../../src/domain/send-window.js';
import { knownTimezones } from '../../src/domain/timezone.js';
import { useApi } from '../helpers/api.js';

const api = useApi();

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const nextOpen = async (window: SendWindow, at: string, zone: string): Promise<string | undefined> =>
  (await selectOpenings(api.ctx.pool, window, [zone], new Date(at)))[0]?.at.toISOString();

const OFFICE: SendWindow = {
  timezone: 'recipient',
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '09:00',
  until: '17:00',
};
const NIGHT: SendWindow = { timezone: 'recipient', days: ['fri'], from: '22:00', until: '02:00' };
const ALWAYS: SendWindow = { timezone: 'recipient', days: [...DAYS], from: '00:00', until: '00:00' };

describe('the next opening of a window', () => {
  test.each([
    ['is now while it is open', OFFICE, '2026-11-24T10:30:00Z', 'UTC', '2026-11-24T10:30:00.000Z'],
    ['is today before it opens', OFFICE, '2026-11-24T06:00:00Z', 'Europe/Berlin', '2026-11-24T08:00:00.000Z'],
    [
      'is tomorrow from the minute on in which it closes',
      OFFICE,
      '2026-11-24T17:00:00Z',
      'UTC',
      '2026-11-25T09:00:00.000Z',
    ],
    ['is on Monday after Friday', OFFICE, '2026-11-27T18:00:00Z', 'UTC', '2026-11-30T09:00:00.000Z'],
    [
      'skips exceptions',
      { ...OFFICE, except: ['2026-12-24', '2026-12-25'] },
      '2026-12-23T20:00:00Z',
      'UTC',
      '2026-12-28T09:00:00.000Z',
    ],
    [
      'is now after midnight if it opened in the evening',
      NIGHT,
      '2026-11-28T01:59:00Z',
      'UTC',
      '2026-11-28T01:59:00.000Z',
    ],
    ['is in a week after it closed in the night', NIGHT, '2026-11-28T02:00:00Z', 'UTC', '2026-12-04T22:00:00.000Z'],
    ['is now if it is always open', ALWAYS, '2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    [
      'is later by the gap on the day when clocks go forward',
      { ...ALWAYS, from: '02:30', until: '05:00' },
      '2026-03-29T00:00:00Z',
      'Europe/Berlin',
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'is the second of two times on the day when clocks go back',
      { ...ALWAYS, from: '02:30', until: '05:00' },
      '2026-10-25T00:00:00Z',
      'Europe/Berlin',
      '2026-10-25T01:30:00.000Z',
    ],
    [
      'is not on a day that the calendar skipped',
      { ...OFFICE, days: ['fri'] },
      '2011-12-29T12:00:00Z',
      'Pacific/Apia',
      '2012-01-05T19:00:00.000Z',
    ],
  ] as const)('%s', async (_rule, window, at, zone, expected) => {
    expect(await nextOpen(window as unknown as SendWindow, at, zone)).toBe(expected);
  });

  test('equals that of a slow reference in all zones, for random windows and moments of five years', async () => {
    const random = randomNumbers(20_261_124);
    const zones = await knownTimezones(api.ctx.pool);
    for (let round = 0; round < 10; round++) {
      const window = randomWindow(random);
      // Later, the rules of PostgreSQL and JavaScript can be of different years: those of Vancouver changed in 2026.
      const year = 2021 + Math.floor(random() * 5);
      const at = new Date(Date.UTC(year, 0, 1) + Math.floor(random() * 365 * 1440) * MINUTE);
      // Half of the moments are close to a change of clocks in Europe.
      if (round % 2 === 1)
        at.setTime(Date.UTC(year, random() < 0.5 ? 2 : 9, 28) + Math.floor(random() * 5760 - 4320) * MINUTE);
      const openings = await selectOpenings(api.ctx.pool, window, zones, at);
      const wrong = openings
        .map(({ zone, at: found }) => ({ zone, found: found.toISOString(), expected: slowNextOpen(window, at, zone) }))
        .filter(({ found, expected }) => found !== expected);
      expect({ window, at, wrong }).toEqual({ window, at, wrong: [] });
    }
  });
});

describe('the zone of a contact for the window of a step', () => {
  const zonesOf = async (names: readonly string[], fallback: string) =>
    (
      await api.ctx.pool.query<{ name: string; zone: string; summer: Date; winter: Date }>(
        `SELECT name, zone, '2025-07-15T09:00'::timestamp AT TIME ZONE zone AS summer,
                '2025-12-15T09:00'::timestamp AT TIME ZONE zone AS winter
           FROM unnest($1::text[]) AS name, contact_zone(jsonb_build_object('timezone', name), $2) AS zone`,
        [names, fallback],
      )
    ).rows;
  const wallClock = (at: Date, timeZone: string): string =>
    new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(at);

  test('is each zone that PostgreSQL and JavaScript share, with its summer time', async () => {
    const rows = await zonesOf(await knownTimezones(api.ctx.pool), 'Antarctica/Vostok');
    const wrong = rows.filter(
      ({ name, summer, winter }) =>
        wallClock(summer, name) !== '2025-07-15 09:00' || wallClock(winter, name) !== '2025-12-15 09:00',
    );
    expect(wrong).toEqual([]);
  });

  test('is the fallback for abbreviations and specifications, and the fallback has its summer time', async () => {
    const names = ['IST', 'BST', 'PST', 'foo+3', 'EST5', 'Mars/Olympus+3', 'Mars/Olympus', 'Etc/GMT+15', ''];
    const rows = await zonesOf(names, 'CET');
    expect(rows.map(({ summer }) => wallClock(summer, 'Europe/Brussels'))).toEqual(names.map(() => '2025-07-15 09:00'));
  });
});

describe('the window of a project and of a campaign', () => {
  test('is stored, and null removes it', async () => {
    const project = await api.project();
    const user = await api.ctx.prisma.membership.findFirst({ where: { projectId: project.id } });
    expect(user).toBeDefined();
    const created = await api.as(project, 'POST', '/campaigns', {
      name: 'n',
      subject: 's',
      body: 'b',
      from: `a@${project.domain}`,
      audienceType: 'ALL',
      sendWindow: OFFICE,
    });
    const { id } = created.json().data;
    expect(created.json().data.sendWindow).toEqual(OFFICE);
    const patch = (body: object) => api.as(project, 'PATCH', `/campaigns/${id}`, body);
    expect((await patch({ name: 'm' })).json().sendWindow).toEqual(OFFICE);
    expect((await patch({ sendWindow: NIGHT })).json().sendWindow).toEqual(NIGHT);
    expect((await api.as(project, 'POST', `/campaigns/${id}/duplicate`)).json().sendWindow).toEqual(NIGHT);
    expect((await patch({ sendWindow: null })).json().sendWindow).toBeNull();
  });

  test.each([
    [{ ...OFFICE, timezone: 'Europe/Atlantis' }, 'sendWindow.timezone'],
    [{ ...OFFICE, days: [] }, 'sendWindow.days'],
    [{ ...OFFICE, days: ['someday'] }, 'sendWindow.days.0'],
    [{ ...OFFICE, from: '9:00' }, 'sendWindow.from'],
    [{ ...OFFICE, from: 'noon' }, 'sendWindow.from'],
    [{ ...OFFICE, until: '24:00' }, 'sendWindow.until'],
    [{ ...OFFICE, days: ['mon', 'mon'], from: '09:00', until: '09:30' }, 'sendWindow.until'],
    [{ ...OFFICE, except: ['2026-02-30'] }, 'sendWindow.except.0'],
    [{ ...OFFICE, except: Array.from({ length: 367 }, () => '2026-12-24') }, 'sendWindow.except'],
  ])('rejects the window %j', async (sendWindow, field) => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/campaigns', { draft: true, name: 'n', sendWindow });
    expect(response.statusCode, response.body).toBe(422);
    expect(response.json().error.errors).toMatchObject([{ field }]);
  });
});

/** Mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function randomWindow(random: () => number): SendWindow {
  const time = (): string => {
    const minutes = Math.floor(random() * 96) * 15;
    return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  };
  const days = DAYS.filter(() => random() < 0.6);
  return { timezone: 'recipient', days: days.length > 0 ? days : ['sun'], from: time(), until: time() };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock in the zone shows, as if it were UTC. */
function wallClock(at: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    const numeric = 'numeric';
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
    });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
}

/** The moment of a local time: the last one at which a clock shows it, or else later by as much as the clock skips. */
function momentOf(local: number, zone: string): number {
  const offsets = new Set<number>();
  for (let hours = -30; hours <= 30; hours++) {
    const at = local + hours * 60 * MINUTE;
    offsets.add(wallClock(at, zone) - at);
  }
  const exact = [...offsets].map((offset) => local - offset).filter((at) => wallClock(at, zone) === local);
  return exact.length > 0 ? Math.max(...exact) : local - Math.min(...offsets);
}

function slowNextOpen({ days, from, until }: SendWindow, at: Date, zone: string): string {
  const minutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  const today = Math.floor(wallClock(at.getTime(), zone) / DAY) * DAY;
  for (let day = today - 2 * DAY; ; day += DAY) {
    const name = DAYS[(new Date(day).getUTCDay() + 6) % 7];
    if (!days.some((one) => one === name)) continue;
    const opens = momentOf(day + minutes(from) * MINUTE, zone);
    const closes = momentOf(day + minutes(until) * MINUTE + (minutes(until) <= minutes(from) ? DAY : 0), zone);
    if (Math.floor(wallClock(opens, zone) / DAY) * DAY !== day) continue;
    if (opens < closes && at.getTime() < closes) return new Date(Math.max(opens, at.getTime())).toISOString();
  }
}
