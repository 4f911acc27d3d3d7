/** Mails to users, while the processes that they depend on are killed. */
import { expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { openCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

const USERS = 60;

test(
  'the API is killed after its answers, and workers while they write and hand over: every user gets a mail, nobody gets one that was not asked for, and twice it comes only where a worker died in the middle of it',
  { tags: 'faults', timeout: 180_000 },
  async () => {
    const { ctx, api, worker, sink } = await openCluster({
      start: ['api'],
      env: { PLATFORM_FROM: 'accounts@platform.test', SMTP_CONNECTIONS: '2' },
    });
    const addresses = Array.from({ length: USERS }, (_, index) => `user${index}@users.test`);
    await ctx.prisma.user.createMany({ data: addresses.map((email) => ({ id: newId(), email })) });
    const ask = async (email: string): Promise<void> => {
      const response = await fetch(`${api.url}/auth/request-password-reset`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      });
      expect(response.status).toBe(200);
    };
    for (const email of [...addresses, 'stranger@users.test']) await ask(email);
    await api.kill('SIGKILL');

    // Each worker dies in the very moment in which the mail server takes a mail: others are in its hands, and most are
    // not written or not claimed yet.
    for (const count of [1, 10, 25]) {
      const reached = sink.reached(count);
      await worker.start();
      await reached;
      await worker.kill('SIGKILL');
    }
    await worker.start();

    const emails = await eventually(
      async () => {
        const rows = await ctx.prisma.email.findMany({
          where: { source: 'PLATFORM' },
          select: { toEmail: true, status: true, ambiguous: true },
        });
        expect(rows.map(({ toEmail }) => toEmail).sort()).toEqual([...addresses].sort());
        expect(rows.filter(({ status }) => status !== 'SENT')).toEqual([]);
        return rows;
      },
      { within: 90_000, every: 200 },
    );
    expect(await ctx.prisma.accountMail.count()).toBe(0);
    expect(await ctx.prisma.authToken.count()).toBe(USERS);
    // At most what the connections of each dead worker held; these are sent again, whatever AMBIGUOUS_SEND says of other
    // mail.
    const inHands = emails.filter(({ ambiguous }) => ambiguous);
    expect(inHands.length).toBeLessThanOrEqual(3 * 2);
    const counts = sink.counts();
    for (const { toEmail, ambiguous } of emails)
      expect(counts.get(toEmail), toEmail).toSatisfy((count) => count === 1 || (ambiguous && count === 2));
    expect([...counts.keys()].filter((address) => !addresses.includes(address))).toEqual([]);
  },
);
