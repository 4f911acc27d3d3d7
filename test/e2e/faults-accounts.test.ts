/** Platform mails to users while processes are killed. */
import { expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { openCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

const USERS = 60;

test(
  'every user gets the requested mail when APIs and workers are killed, and only killed workers cause repeats',
  { tags: 'faults' },
  async () => {
    const { ctx, api, worker, sink } = await openCluster({
      start: ['api'],
      env: { PLATFORM_FROM: 'accounts@platform.test', SMTP_CONNECTIONS: '2' },
    });
    const addresses = Array.from({ length: USERS }, (_, index) => `user${index}@users.test`);
    await ctx.prisma.user.createMany({ data: addresses.map((email) => ({ id: newId(), email })) });
    const requestReset = async (email: string): Promise<void> => {
      const response = await fetch(`${api.url}/auth/request-password-reset`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      });
      expect(response.status).toBe(200);
    };
    for (const email of [...addresses, 'stranger@users.test']) await requestReset(email);
    await api.kill('SIGKILL');

    // Each worker is killed as soon as the mail server accepts a mail. Other mails are in flight then, and most are not
    // written or claimed yet.
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
    // At most the mails in flight of each killed worker. Platform mail is sent again, regardless of AMBIGUOUS_SEND.
    const uncertain = emails.filter(({ ambiguous }) => ambiguous);
    expect(uncertain.length).toBeLessThanOrEqual(3 * 2);
    const counts = sink.counts();
    for (const { toEmail, ambiguous } of emails)
      expect(counts.get(toEmail), toEmail).toSatisfy((count) => count === 1 || (ambiguous && count === 2));
    expect([...counts.keys()].filter((address) => !addresses.includes(address))).toEqual([]);
  },
);
