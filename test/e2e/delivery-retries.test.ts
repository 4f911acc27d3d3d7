/** A mail server that rejects mails, stops, and restarts; and the throttle. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../packages/embedded/src/ports.js';
import { parse, startSink, useDelivery } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';

const delivery = useDelivery({ worker: false });
const stops: Array<() => Promise<void>> = [];
afterEach(async () => {
  delivery.sink.answer(null);
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function worker(overrides: Parameters<typeof delivery.worker>[0] = {}): Promise<void> {
  const { stop } = await delivery.worker(overrides);
  stops.push(stop);
}

describe('a server that replies', () => {
  it('451 and later accepts: the mail is SENT once, with counted attempts and the same Message-ID', async () => {
    const project = await delivery.project();
    const seen: string[] = [];
    delivery.sink.answer((to) => {
      seen.push(to);
      return seen.length <= 2 ? { code: 451, message: '4.3.0 Greylisted, come back' } : null;
    });
    await worker();
    const [id = ''] = await delivery.send(project, { to: 'grey@x.test' });
    const waiting = await eventually(async () => {
      const email = await delivery.email(project, id);
      expect(email).toMatchObject({ status: 'PENDING', error: expect.stringContaining('Greylisted') });
      return email;
    });
    expect(Date.parse(waiting.nextAttemptAt ?? '')).toBeGreaterThan(Date.now() - 1000);
    await eventually(async () =>
      expect(await delivery.email(project, id)).toMatchObject({
        status: 'SENT',
        attempts: 3,
        error: null,
        nextAttemptAt: null,
        messageId: waiting.messageId,
      }),
    );
    const mails = delivery.sink.to('grey@x.test');
    expect(mails).toHaveLength(1);
    expect(mails[0] && (await parse(mails[0])).messageId).toBe(waiting.messageId);
    expect(await delivery.events(id)).toEqual(['email.sent']);
  });

  it("550: the mail is FAILED with the server's reply, emits email.failed, and is not retried", async () => {
    const project = await delivery.project();
    delivery.sink.answer((to) => (to === 'gone@x.test' ? { code: 550, message: '5.1.1 No such mailbox' } : null));
    await worker();
    const [id = ''] = await delivery.send(project, { to: 'gone@x.test' });
    await eventually(async () =>
      expect(await delivery.email(project, id)).toMatchObject({
        status: 'FAILED',
        attempts: 1,
        response: expect.stringContaining('550 5.1.1 No such mailbox'),
        sentAt: null,
        nextAttemptAt: null,
      }),
    );
    expect(await delivery.events(id)).toEqual(['email.failed']);
    // The next email over the same connections is accepted: a rejection is not an outage.
    const [next = ''] = await delivery.send(project, { to: 'here@x.test' });
    await eventually(async () => expect((await delivery.email(project, next)).status).toBe('SENT'));
    expect(delivery.sink.attempts.filter((to) => to === 'gone@x.test')).toHaveLength(1);
  });

  it('nothing because it is down: emails wait as PENDING and are sent once when it is back', async () => {
    const project = await delivery.project();
    const port = await freePort();
    await worker({ SMTP_URL: `smtp://127.0.0.1:${port}` });
    const ids = await delivery.send(project, { to: Array.from({ length: 30 }, (_, index) => `dead${index}@x.test`) });
    await eventually(async () =>
      expect(await delivery.email(project, ids[0] ?? '')).toMatchObject({
        status: 'PENDING',
        attempts: 2,
        error: expect.stringMatching(/ECONNREFUSED/),
      }),
    );
    const back = await startSink(port);
    stops.push(back.stop);
    await eventually(() => expect(new Set(back.mails.map(({ to }) => to)).size).toBe(30));
    await eventually(async () =>
      expect(await delivery.ctx.prisma.email.count({ where: { projectId: project.id, status: 'SENT' } })).toBe(30),
    );
    expect(back.mails).toHaveLength(30);
  });
});

describe('an email that no retry can fix', () => {
  it('whose template fails while it is rendered is FAILED with the reason', async () => {
    const project = await delivery.project();
    await worker();
    const [id = ''] = await delivery.send(project, {
      to: 'loop@x.test',
      body: '{% for a in (1..100000) %}{% for b in (1..100000) %}{{ b }}{% endfor %}{% endfor %}',
    });
    await eventually(async () =>
      expect(await delivery.email(project, id)).toMatchObject({
        status: 'FAILED',
        error: expect.stringMatching(/limit|more than/i),
      }),
    );
    expect(await delivery.events(id)).toEqual(['email.failed']);
  });

  it('whose domain was removed is FAILED, and never sent unsigned', async () => {
    const project = await delivery.project();
    const [id = ''] = await delivery.send(project, { to: 'unsigned@x.test' });
    await delivery.ctx.prisma.domain.deleteMany({ where: { projectId: project.id } });
    await worker();
    await eventually(async () =>
      expect(await delivery.email(project, id)).toMatchObject({
        status: 'FAILED',
        error: expect.stringContaining('sign'),
      }),
    );
    expect(delivery.sink.to('unsigned@x.test')).toEqual([]);
  });
});

describe('SEND_RATE_PER_SECOND', () => {
  it('applies to each project, and counts no attempt for a throttled email', async () => {
    const [project, other] = [await delivery.project(), await delivery.project()];
    await worker({ SEND_RATE_PER_SECOND: 10 });
    const to = (prefix: string) => Array.from({ length: 35 }, (_, index) => `${prefix}${index}@x.test`);
    const began = Date.now();
    // Single requests have no order that would slow them down.
    const ids = (
      await Promise.all([
        ...to('slow').map((address) => delivery.send(project, { to: address })),
        ...to('also').map((address) => delivery.send(other, { to: address })),
      ])
    ).flat();
    await eventually(() =>
      expect(delivery.sink.mails.filter(({ to: address }) => /^(slow|also)/.test(address))).toHaveLength(70),
    );
    for (const prefix of ['slow', 'also']) {
      const times = delivery.sink.mails.filter(({ to: address }) => address.startsWith(prefix)).map(({ at }) => at);
      // A full bucket of 10, and 10 a second after it: 35 take at least 2.5 s after the requests.
      expect(Math.max(...times) - began).toBeGreaterThan(2400);
      expect(Math.max(...times) - began).toBeLessThan(8000);
    }
    await eventually(async () =>
      expect(await delivery.ctx.prisma.email.count({ where: { id: { in: ids }, status: 'SENT', attempts: 1 } })).toBe(
        70,
      ),
    );
  });
});

describe('wake-ups', () => {
  it('an accepted email is delivered long before the next poll', async () => {
    const project = await delivery.project();
    await worker();
    const [first = ''] = await delivery.send(project, { to: 'warm@x.test' });
    await eventually(async () => expect((await delivery.email(project, first)).status).toBe('SENT'));
    const delays: number[] = [];
    for (let turn = 0; turn < 10; turn++) {
      // Each time at another time between two polls.
      await sleep(37 * turn);
      const begun = Date.now();
      await delivery.send(project, { to: `turn${turn}@x.test` });
      await eventually(() => expect(delivery.sink.to(`turn${turn}@x.test`)).toHaveLength(1), { every: 5 });
      delays.push(Date.now() - begun);
    }
    expect(delays.sort((a, b) => a - b)[5]).toBeLessThan(300);
  });
});
