/** The order of deliveries, and that no mail is delayed by another one. */
import { afterEach, describe, expect, it } from 'vitest';
import { useDelivery, type Refusal } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';

const delivery = useDelivery();

const range = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}@x.test`);

let release: () => void = () => undefined;
afterEach(() => {
  delivery.sink.answer(null);
  release();
});

/**
 * Makes the server delay its reply to a recipient's mail until the test ends or `release` is
 * called.
 */
function hang(recipient: string, otherwise: (to: string) => Refusal | null = () => null): void {
  const released = new Promise<null>((resolve) => {
    release = () => resolve(null);
  });
  delivery.sink.answer((to) => (to === recipient ? released : otherwise(to)));
}

describe('mails of one request', () => {
  it('are delivered in its order', async () => {
    const project = await delivery.project();
    const to = range(50, 'order').reverse();
    await delivery.send(project, { to });
    await eventually(() => expect(delivery.sink.mails.filter((mail) => mail.to.startsWith('order'))).toHaveLength(50));
    expect(delivery.sink.mails.map((mail) => mail.to).filter((address) => address.startsWith('order'))).toEqual(to);
  });

  it('do not wait for a postponed one', async () => {
    const project = await delivery.project();
    let refused = 0;
    delivery.sink.answer((to) => (to === 'put1@x.test' && refused++ === 0 ? { code: 451, message: 'later' } : null));
    await delivery.send(project, { to: range(4, 'put') });
    await eventually(() => expect(delivery.sink.mails.filter(({ to }) => to.startsWith('put'))).toHaveLength(4));
    delivery.sink.answer(null);
    expect(delivery.sink.mails.map(({ to }) => to).filter((to) => to.startsWith('put'))).toEqual([
      'put0@x.test',
      'put2@x.test',
      'put3@x.test',
      'put1@x.test',
    ]);
  });
});

// The race: a server that does not reply to one mail keeps the dispatcher busy, and delays everything that
// only happens between runs.
describe('while the server keeps one mail waiting', () => {
  it('another request is delivered immediately and in its order', async () => {
    const project = await delivery.project();
    hang('slow@x.test');
    const [slow] = await delivery.send(project, { to: 'slow@x.test' });
    await eventually(() => expect(delivery.sink.attempts).toContain('slow@x.test'));
    const begun = Date.now();
    await delivery.send(project, { to: range(30, 'quick') });
    await eventually(() => expect(delivery.sink.mails.filter(({ to }) => to.startsWith('quick'))).toHaveLength(30));
    // With two polls per second they would take 15 s.
    expect(Date.now() - begun).toBeLessThan(6000);
    expect((await delivery.email(project, slow ?? '')).status).toBe('SENDING');
    release();
    await eventually(async () => expect((await delivery.email(project, slow ?? '')).status).toBe('SENT'));
  });

  it('a postponed mail is retried', async () => {
    const project = await delivery.project();
    let refused = 0;
    hang('slow2@x.test', (to) => (to === 'later@x.test' && refused++ === 0 ? { code: 451, message: 'later' } : null));
    await delivery.send(project, { to: 'slow2@x.test' });
    await eventually(() => expect(delivery.sink.attempts).toContain('slow2@x.test'));
    const [id] = await delivery.send(project, { to: 'later@x.test' });
    await eventually(async () =>
      expect(await delivery.email(project, id ?? '')).toMatchObject({ status: 'SENT', attempts: 2 }),
    );
  });
});

describe('projects', () => {
  it('with a backlog of 2,000 mails do not delay the single mail of another project', async () => {
    const [busy, other] = [await delivery.project(), await delivery.project()];
    for (const half of ['a', 'b']) await delivery.send(busy, { to: range(1000, `backlog-${half}`) });
    // Without an order, they use every connection that they can get.
    await delivery.ctx.pool.query(
      `UPDATE emails SET is_ordered = false WHERE id IN (
         SELECT id FROM emails WHERE project_id = $1 AND status = 'PENDING' FOR UPDATE SKIP LOCKED)`,
      [busy.id],
    );
    await delivery.send(other, { to: 'single@x.test' });
    await eventually(() => expect(delivery.sink.to('single@x.test')).toHaveLength(1), { every: 5 });
    expect(await delivery.ctx.prisma.email.count({ where: { projectId: busy.id, status: 'PENDING' } })).toBeGreaterThan(
      500,
    );
    await eventually(
      () => expect(delivery.sink.mails.filter(({ to }) => to.startsWith('backlog'))).toHaveLength(2000),
      { within: 60_000 },
    );
  });
});
