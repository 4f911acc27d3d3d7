/** Feedback on sent emails: delivered, opened, clicked, bounced, complained, in any order and with repeats. */
import { describe, expect, test } from 'vitest';
import { settle, type DeliveryResult } from '../../src/domain/emails/sql/delivery.js';
import { settleAmbiguous } from '../../src/domain/emails/sql/liveness.js';
import { applyFeedback } from '../../src/domain/feedback/sql/feedback.js';
import { newId } from '../../src/ids.js';
import { useApi } from '../helpers/api.js';
import { about, feedbackHelpers, type Saying, type SentOptions } from '../helpers/feedback.js';

const api = useApi();
const { sent, apply, fate, fates } = feedbackHelpers(api);

const day = (n: number, clock = '12:00:00.000'): Date => new Date(`2026-03-0${n}T${clock}Z`);
const delivered = (at: Date): Saying => ({ kind: 'delivered', at });
const opened = (at: Date): Saying => ({ kind: 'opened', at });
const clicked = (at: Date, url = 'https://shop.test/a'): Saying => ({ kind: 'clicked', at, url });
const bounced = (
  at: Date,
  bounceType: 'permanent' | 'transient',
  reason: string | null = '550 5.1.1 no such user',
): Saying => ({ kind: 'bounced', at, bounceType, reason });
const complained = (at: Date, reason: string | null = 'abuse'): Saying => ({ kind: 'complained', at, reason });

/** Returns a reproducible source of numbers in [0, 1) (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function permutations<T>(items: T[]): T[][] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  );
}

/**
 * Applies the batches of one email per sequence: first all first batches, then all second ones, and so on.
 *
 * @returns the final states
 */
async function play(sequences: Saying[][][], options: SentOptions = {}) {
  const project = await api.project();
  const emails = await sent(project, sequences.length, options);
  for (let round = 0; round < Math.max(...sequences.map((batches) => batches.length)); round++) {
    await apply(
      ...emails.flatMap((email, index) => (sequences[index]?.[round] ?? []).map((saying) => about(email.id, saying))),
    );
  }
  return fates(emails);
}

describe('all orders of delivered, opened, clicked, bounced, complained end in the same state', () => {
  test('one of each, in all 120 orders, one by one', async () => {
    const one = [delivered(day(1)), opened(day(2)), clicked(day(3)), bounced(day(4), 'permanent'), complained(day(5))];
    const [first, ...others] = await play(permutations(one).map((order) => order.map((saying) => [saying])));
    expect(first).toEqual({
      row: {
        status: 'COMPLAINED',
        ambiguous: false,
        error: null,
        opens: 1,
        clicks: 1,
        bounceType: 'permanent',
        bounceReason: '550 5.1.1 no such user',
        deliveredAt: day(1),
        openedAt: day(2),
        clickedAt: day(3),
        bouncedAt: day(4),
        complainedAt: day(5),
        isSent: true,
      },
      subscribed: false,
      suppression: { reason: 'complaint', detail: 'abuse', createdAt: day(5), isOfThis: true },
      events: [
        'contact.unsubscribed {"source":"complaint","emailId":"<id>"}',
        'email.bounced {"reason":"550 5.1.1 no such user","timestamp":"2026-03-04T12:00:00.000Z","bounceType":"permanent","campaignId":"<campaign>"}',
        'email.clicked {"url":"https://shop.test/a","timestamp":"2026-03-03T12:00:00.000Z","campaignId":"<campaign>"}',
        'email.complained {"reason":"abuse","timestamp":"2026-03-05T12:00:00.000Z","campaignId":"<campaign>"}',
        'email.delivered {"timestamp":"2026-03-01T12:00:00.000Z","campaignId":"<campaign>"}',
        'email.opened {"timestamp":"2026-03-02T12:00:00.000Z","campaignId":"<campaign>"}',
      ],
      figures: [
        { day: '2026-03-01', sent: 0, delivered: 1, opened: 0, clicked: 0, bounced: 0, hard: 0, complained: 0 },
        { day: '2026-03-02', sent: 0, delivered: 0, opened: 1, clicked: 0, bounced: 0, hard: 0, complained: 0 },
        { day: '2026-03-03', sent: 0, delivered: 0, opened: 0, clicked: 1, bounced: 0, hard: 0, complained: 0 },
        { day: '2026-03-04', sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 1, hard: 1, complained: 0 },
        { day: '2026-03-05', sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, hard: 0, complained: 1 },
      ],
    });
    for (const other of others) expect(other).toEqual(first);
  });

  test.each([
    ['with a contact', {}],
    ['without a contact', { contact: false }],
    ['while it is being handed over', { status: 'SENDING' }],
    ['of a test', { source: 'TEST' }],
  ] as Array<[string, SentOptions]>)(
    'many of each, at different times and of different kinds, shuffled and cut into batches: %s',
    async (_name, options) => {
      const pool = [
        delivered(day(3)),
        delivered(day(1)),
        delivered(day(1, '12:00:00.001')),
        opened(day(4)),
        opened(day(2)),
        opened(day(2, '23:59:59.999')),
        opened(day(3)),
        clicked(day(5)),
        clicked(day(3)),
        clicked(day(4), 'https://shop.test/b?x=1&y=ü'),
        clicked(day(2), 'https://shop.test/b?x=1&y=ü'),
        bounced(day(2), 'transient', 'mailbox full'),
        bounced(day(5), 'permanent', 'unknown user'),
        bounced(day(4), 'permanent', 'gone'),
        bounced(day(4), 'permanent', 'away'),
        bounced(day(1), 'transient', null),
        complained(day(6)),
        complained(day(4), 'fraud'),
        complained(day(7), null),
      ];
      for (let seed = 1; seed <= 4; seed++) {
        const random = numbers(seed);
        const said = pool
          .filter(() => random() < 0.6)
          .flatMap((saying) => (random() < 0.3 ? [saying, saying] : [saying]));
        const sequences = Array.from({ length: 25 }, () => {
          const order = said.map((saying) => ({ saying, key: random() })).sort((a, b) => a.key - b.key);
          const batches: Saying[][] = [];
          for (const { saying } of order) {
            const last = batches.at(-1);
            if (last && random() < 0.4) last.push(saying);
            else batches.push([saying]);
          }
          return batches;
        });
        const [first, ...others] = await play(sequences, options);
        expect(first?.row.opens).toBe(said.filter(({ kind }) => kind === 'opened').length);
        for (const other of others) expect(other, `seed ${seed}`).toEqual(first);
      }
    },
  );

  test('a repeat of everything changes only the counters of opens and clicks', async () => {
    const all = [delivered(day(1)), opened(day(2)), clicked(day(3)), bounced(day(4), 'transient'), complained(day(5))];
    const [once, again] = await play([[all], [all, all]]);
    expect(again).toEqual({ ...once, row: { ...once?.row, opens: 2, clicks: 2 } });
  });
});

describe('feedback', () => {
  test('does not lower a status', async () => {
    const ends = await play([
      [[clicked(day(2))], [opened(day(3))], [delivered(day(4))]],
      [[bounced(day(2), 'transient')], [delivered(day(3))], [opened(day(4))]],
      [[complained(day(2))], [bounced(day(3), 'permanent')]],
    ]);
    expect(ends.map(({ row }) => row.status)).toEqual(['CLICKED', 'BOUNCED', 'COMPLAINED']);
  });

  test('a permanent bounce and a complaint unsubscribe with one event; a transient bounce does not', async () => {
    const ends = await play([
      [[bounced(day(1), 'transient')]],
      [[bounced(day(1), 'permanent')], [bounced(day(2), 'permanent')]],
      [[complained(day(1))], [complained(day(1))]],
      [[bounced(day(1), 'transient')], [bounced(day(2), 'permanent', 'user left')]],
    ]);
    const flips = ends.map(({ events }) => events.filter((event) => event.startsWith('contact.')));
    expect(ends.map(({ subscribed, suppression }) => [subscribed, suppression?.reason])).toEqual([
      [true, undefined],
      [false, 'bounce'],
      [false, 'complaint'],
      [false, 'bounce'],
    ]);
    expect(flips).toEqual([
      [],
      ['contact.unsubscribed {"source":"bounce","emailId":"<id>"}'],
      ['contact.unsubscribed {"source":"complaint","emailId":"<id>"}'],
      ['contact.unsubscribed {"source":"bounce","emailId":"<id>"}'],
    ]);
    expect(ends[3]?.row).toMatchObject({ bounceType: 'permanent', bounceReason: 'user left', bouncedAt: day(2) });
    expect(ends[3]?.figures).toEqual([
      { day: '2026-03-02', sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 1, hard: 1, complained: 0 },
    ]);
  });

  test('a repeat does not end a later subscription, and does not restore a lifted suppression', async () => {
    const project = await api.project();
    const [email] = await sent(project, 1);
    if (!email?.contactId) throw new Error('unreachable');
    await apply(about(email.id, bounced(day(1), 'permanent')), about(email.id, complained(day(2))));
    await api.ctx.prisma.contact.update({ where: { id: email.contactId }, data: { subscribed: true } });
    await api.ctx.prisma.suppression.deleteMany({ where: { projectId: project.id } });
    await apply(about(email.id, bounced(day(1), 'permanent')), about(email.id, complained(day(1))));
    expect(await fate(email)).toMatchObject({ subscribed: true, suppression: null });
  });

  test("unsubscribes the address's current contact; one with a new address, only by its own complaint", async () => {
    const project = await api.project();
    const [bounce, complaint] = await sent(project, 2);
    if (!bounce?.contactId || !complaint?.contactId) throw new Error('unreachable');
    const contacts = api.ctx.prisma.contact;
    for (const { contactId, address } of [bounce, complaint]) {
      await contacts.update({ where: { id: contactId ?? '' }, data: { email: `moved-${address}` } });
      await contacts.create({ data: { id: newId(), projectId: project.id, email: address, subscribed: true } });
    }
    await apply(about(bounce.id, bounced(day(1), 'permanent')), about(complaint.id, complained(day(1))));
    const states = Object.fromEntries(
      (await contacts.findMany({ where: { projectId: project.id } })).map(({ email, subscribed }) => [
        email,
        subscribed,
      ]),
    );
    expect(states).toEqual({
      [bounce.address]: false,
      [`moved-${bounce.address}`]: true,
      [complaint.address]: false,
      [`moved-${complaint.address}`]: false,
    });
  });

  test('two emails to one contact in one batch unsubscribe it once, and a complaint precedes a bounce', async () => {
    const project = await api.project();
    const [one, two] = await sent(project, 2);
    if (!one?.contactId || !two) throw new Error('unreachable');
    await api.ctx.prisma.email.update({
      where: { id: two.id },
      data: { contactId: one.contactId, toEmail: one.address },
    });
    await apply(about(one.id, bounced(day(1), 'permanent')), about(two.id, complained(day(2))));
    expect(
      await api.ctx.prisma.event.findMany({
        where: { contactId: one.contactId, name: 'contact.unsubscribed' },
        select: { emailId: true, data: true },
      }),
    ).toEqual([{ emailId: two.id, data: { source: 'complaint', emailId: two.id } }]);
    expect(
      await api.ctx.prisma.suppression.findMany({
        where: { projectId: project.id },
        select: { reason: true, emailId: true },
      }),
    ).toEqual([{ reason: 'complaint', emailId: two.id }]);
  });

  test('ends a snooze without an event, because the contact was not subscribed', async () => {
    const project = await api.project();
    const [email] = await sent(project, 1);
    if (!email?.contactId) throw new Error('unreachable');
    await api.ctx.prisma.contact.update({
      where: { id: email.contactId },
      data: { subscribed: false, snoozedUntil: day(9) },
    });
    await apply(about(email.id, complained(day(1))));
    expect(await api.ctx.prisma.contact.findUniqueOrThrow({ where: { id: email.contactId } })).toMatchObject({
      subscribed: false,
      snoozedUntil: null,
    });
    expect((await fate(email)).events.filter((event) => event.startsWith('contact.'))).toEqual([]);
  });

  test('on a test or an email of the platform changes only its row', async () => {
    const said = [
      [delivered(day(1)), opened(day(2)), clicked(day(3)), bounced(day(4), 'permanent'), complained(day(5))],
    ];
    for (const source of ['TEST', 'PLATFORM'] as const) {
      const [one] = await play([said], { source });
      expect(one).toMatchObject({
        row: { status: 'COMPLAINED', opens: 1, bouncedAt: day(4) },
        subscribed: true,
        suppression: null,
        events: [],
        figures: [],
      });
    }
  });

  test('on an unknown email, or on none, changes nothing', async () => {
    expect(await apply(about(newId(), complained(day(1))))).toBe(0);
    expect(await apply()).toBe(0);
    const project = await api.project();
    const [email] = await sent(project, 1);
    expect(await apply(about(newId(), opened(day(1))), about(email?.id ?? '', opened(day(1))))).toBe(1);
  });

  test('starts a waiting workflow in its own transaction', async () => {
    const project = await api.project();
    const [email] = await sent(project, 1);
    const id = newId();
    await api.ctx.prisma.workflow.create({
      data: { id, projectId: project.id, name: 'w', eventName: 'email.opened', enabled: true },
    });
    await apply(about(email?.id ?? '', opened(day(1))), about(email?.id ?? '', opened(day(2))));
    expect(
      await api.ctx.prisma.workflowExecution.count({ where: { workflowId: id, contactId: email?.contactId ?? '' } }),
    ).toBe(1);
  });
});

describe('feedback and the record of the delivery', () => {
  const WORKER = newId();
  const result = (id: string, status: DeliveryResult['status'], ambiguous = false): DeliveryResult => ({
    id,
    status,
    error: status === 'SENT' ? null : 'reset',
    response: null,
    retryMs: 0,
    ambiguous,
  });

  test('an email in flight keeps its status until the result is known, and then gets the reported one', async () => {
    const project = await api.project();
    const emails = await sent(project, 4, { status: 'SENDING', claimedBy: WORKER });
    const [before, after, failed, failedAfter] = emails;
    if (!before || !after || !failed || !failedAfter) throw new Error('unreachable');
    await apply(about(before.id, opened(day(1))), about(failed.id, delivered(day(1))));
    expect((await fate(before)).row).toMatchObject({ status: 'SENDING', openedAt: day(1), isSent: false });
    await settle(api.ctx.pool, WORKER, [
      result(before.id, 'SENT'),
      result(after.id, 'SENT'),
      result(failed.id, 'FAILED'),
      result(failedAfter.id, 'FAILED'),
    ]);
    await apply(about(after.id, opened(day(1))), about(failedAfter.id, delivered(day(1))));
    const [first, second, third, fourth] = await fates(emails);
    expect(first?.row).toMatchObject({ status: 'OPENED', isSent: true, error: null });
    expect(second).toEqual(first);
    // The server rejected the email, so a report of "delivered" is about another email.
    expect(third?.row).toMatchObject({ status: 'FAILED', isSent: false, error: 'reset', deliveredAt: day(1) });
    expect(fourth).toEqual(third);
  });

  test.each(['FAILED', 'PENDING', 'CANCELLED'] as const)(
    'an email whose outcome a crash hid counts as sent if it is %s: status, event, and figure',
    async (status) => {
      const project = await api.project();
      const [hidden, plain] = [
        ...(await sent(project, 1, { status, ambiguous: true })),
        ...(await sent(project, 1, { status })),
      ];
      if (!hidden || !plain) throw new Error('unreachable');
      await apply(about(hidden.id, delivered(day(1))), about(plain.id, delivered(day(1))));
      await apply(about(hidden.id, opened(day(2))));
      const proven = await fate(hidden);
      expect(proven.row).toMatchObject({ status: 'OPENED', isSent: true, ambiguous: true, error: null });
      expect(proven.events.filter((event) => event.startsWith('email.sent'))).toHaveLength(1);
      expect(proven.figures.reduce((sum, { sent: count }) => sum + Number(count), 0)).toBe(1);
      expect((await fate(plain)).row).toMatchObject({ status, isSent: false, deliveredAt: day(1) });
    },
  );

  test('feedback proves that an email was sent if a broken connection or a killed worker hid its outcome', async () => {
    const project = await api.project();
    const emails = await sent(project, 4, { status: 'SENDING', claimedBy: WORKER });
    const [broken, silent, dead, forgotten] = emails;
    if (!broken || !silent || !dead || !forgotten) throw new Error('unreachable');
    await apply(about(broken.id, delivered(day(1))), about(dead.id, opened(day(1))));
    await settle(api.ctx.pool, WORKER, [result(broken.id, 'PENDING', true), result(silent.id, 'PENDING', true)]);
    const ids = [dead.id, forgotten.id];
    const data = { claimedAt: new Date(Date.now() - 3600_000) };
    await api.ctx.prisma.email.updateMany({ where: { id: { in: ids } }, data });
    await api.ctx.prisma.emailClaim.updateMany({ where: { emailIds: { hasSome: ids } }, data });
    expect(await settleAmbiguous(api.ctx.pool, { workerId: newId(), silentSeconds: 20, policy: 'skip' })).toBe(2);
    const ends = await fates(emails);
    expect(ends.map(({ row }) => [row.status, row.isSent, row.ambiguous, row.error !== null])).toEqual([
      ['DELIVERED', true, true, false],
      ['PENDING', false, true, true],
      ['OPENED', true, true, false],
      ['FAILED', false, true, true],
    ]);
    expect(
      ends.map(({ events }) =>
        events.filter((event) => /^email\.(sent|failed)/.test(event)).map((event) => event.split(' ')[0]),
      ),
    ).toEqual([['email.sent'], [], ['email.sent'], ['email.failed']]);
    expect(ends.map(({ figures }) => figures.reduce((sum, { sent: count }) => sum + Number(count), 0))).toEqual([
      1, 0, 1, 0,
    ]);
  });

  test('a worker that was assumed dead still records canceled emails once', async () => {
    const project = await api.project();
    const emails = await sent(project, 2, { status: 'CANCELLED', ambiguous: true, claimedBy: WORKER });
    const [proven, late] = emails;
    if (!proven || !late) throw new Error('unreachable');
    await apply(about(proven.id, delivered(day(1))));
    await settle(api.ctx.pool, WORKER, [result(proven.id, 'SENT'), result(late.id, 'SENT')]);
    const ends = await fates(emails);
    expect(ends.map(({ row }) => row.status)).toEqual(['DELIVERED', 'SENT']);
    expect(ends.map(({ figures }) => figures.reduce((sum, { sent: count }) => sum + Number(count), 0))).toEqual([1, 1]);
  });
});

describe('concurrent feedback', () => {
  test('and the results of the same emails, in another order, do not deadlock', async () => {
    const project = await api.project();
    const worker = newId();
    for (let round = 0; round < 5; round++) {
      const ids = (await sent(project, 50, { status: 'SENDING', claimedBy: worker })).map(({ id }) => id);
      const results = [...ids]
        .reverse()
        .map((id): DeliveryResult => ({ id, status: 'SENT', error: null, response: null, retryMs: 0 }));
      const [settled] = await Promise.all([
        settle(api.ctx.pool, worker, results),
        apply(...ids.map((id) => about(id, opened(day(2))))),
      ]);
      expect(settled).toHaveLength(50);
      expect(
        await api.ctx.prisma.email.count({
          where: { id: { in: ids }, status: 'OPENED', opens: 1, sentAt: { not: null } },
        }),
      ).toBe(50);
    }
  });

  test('over the same emails in both orders does not deadlock and loses nothing', async () => {
    const project = await api.project();
    const emails = await sent(project, 120);
    const there = emails.flatMap(({ id }) => [about(id, opened(day(2))), about(id, clicked(day(3)))]);
    // Calls the function without the retry, which would hide a deadlock.
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => applyFeedback(api.ctx.pool, n % 2 === 0 ? there : [...there].reverse())),
    );
    const rows = await api.ctx.prisma.email.findMany({
      where: { projectId: project.id },
      select: { opens: true, clicks: true },
    });
    expect(rows.every(({ opens, clicks }) => opens === 12 && clicks === 12)).toBe(true);
    expect(await api.ctx.prisma.event.count({ where: { projectId: project.id } })).toBe(240);
    const { rows: figures } = await api.ctx.pool.query(
      `SELECT sum(opened) AS opened, sum(clicked) AS clicked FROM stat_deltas WHERE project_id = $1`,
      [project.id],
    );
    expect(figures).toEqual([{ opened: 120, clicked: 120 }]);
  });
});
