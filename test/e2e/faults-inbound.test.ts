/** A worker that is killed or kept busy while mails arrive: senders retry, and each mail has its effect once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../packages/embedded/src/ports.js';
import { newId } from '../../src/ids.js';
import { insertProject } from '../helpers/api.js';
import { openCluster } from '../helpers/cluster.js';
import { startZone } from '../helpers/dns.js';
import { eventually } from '../helpers/eventually.js';
import { MAIL_HOST } from '../helpers/inbound.js';
import { dsn } from '../helpers/reports.js';
import { sendTo } from '../helpers/smtp-client.js';

const MAILS_PER_KIND = 30;
const KILL_COUNT = 4;

test(
  'a worker that is killed repeatedly applies each bounce and stores each mail once',
  { tags: 'faults', timeout: 240_000 },
  async () => {
    const zone = await startZone();
    onTestFinished(() => zone.stop());
    const port = await freePort();
    const { ctx, worker } = await openCluster({
      start: ['worker'],
      env: { INBOUND_SMTP_PORT: String(port), DNS_SERVERS: zone.server },
    });
    const project = await insertProject(ctx);
    zone.publish([{ name: project.domain, type: 'MX', value: MAIL_HOST, priority: 10 }]);

    const messageId = newId();
    await ctx.prisma.message.create({
      data: {
        id: messageId,
        projectId: project.id,
        type: 'MARKETING',
        subject: 's',
        body: 'b',
        from: `team@${project.domain}`,
      },
    });
    const emails = Array.from({ length: MAILS_PER_KIND }, () => ({ id: newId(), contactId: newId() }));
    await ctx.prisma.contact.createMany({
      data: emails.map(({ contactId }) => ({
        id: contactId,
        projectId: project.id,
        email: `${contactId}@x.test`,
        subscribed: true,
      })),
    });
    await ctx.prisma.email.createMany({
      data: emails.map(({ id, contactId }) => ({
        id,
        projectId: project.id,
        messageId,
        contactId,
        source: 'TRANSACTIONAL',
        type: 'MARKETING',
        toEmail: `${contactId}@x.test`,
        status: 'SENT',
        sentAt: new Date(),
      })),
    });

    const mails = emails.flatMap(({ id }, index): Array<[from: string, to: string, mail: string]> => [
      ['', ctx.returnPaths.of(id, `bounces.${project.domain}`), dsn()],
      [
        'ann@x.test',
        `help@${project.domain}`,
        `From: person${index}@x.test\nSubject: s\nMessage-ID: <${newId()}@x.test>\n\nHello\n`,
      ],
    ]);
    let answered = 0;
    let repeats = 0;
    const deliver = async ([from, to, mail]: (typeof mails)[number]): Promise<void> => {
      while ((await sendTo(port, from, to, mail).catch(() => 'no connection')) !== '250 Accepted') {
        repeats += 1;
        await sleep(100);
      }
      answered += 1;
    };
    // Two concurrently, so that each kill interrupts mails at different stages.
    const queue = [...mails];
    const sending = Promise.all(
      [1, 2].map(async () => {
        for (let next = queue.shift(); next; next = queue.shift()) await deliver(next);
      }),
    );
    for (let kill = 1; kill <= KILL_COUNT; kill++) {
      await eventually(() => expect(answered).toBeGreaterThan((mails.length / (KILL_COUNT + 1)) * kill - 1), {
        every: 1,
      });
      await worker.kill('SIGKILL');
      await worker.start();
    }
    await sending;
    expect(repeats).toBeGreaterThan(0);

    const events = await ctx.prisma.event.groupBy({ by: ['name'], where: { projectId: project.id }, _count: true });
    expect(Object.fromEntries(events.map(({ name, _count }) => [name, _count]))).toEqual({
      'email.bounced': MAILS_PER_KIND,
      'contact.unsubscribed': MAILS_PER_KIND,
      'email.received': MAILS_PER_KIND,
    });
    expect(await ctx.prisma.email.count({ where: { projectId: project.id, status: 'BOUNCED' } })).toBe(MAILS_PER_KIND);
    expect(await ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(2 * MAILS_PER_KIND);
    // Housekeeping folds differences into days meanwhile.
    const { rows } = await ctx.pool.query<{ hard: number }>(
      `SELECT sum(hard_bounced)::int AS hard
         FROM (SELECT hard_bounced FROM stat_deltas WHERE project_id = $1
               UNION ALL
               SELECT hard_bounced FROM project_days WHERE project_id = $1) AS f`,
      [project.id],
    );
    expect(rows[0]?.hard).toBe(MAILS_PER_KIND);
  },
);

test('a mail that keeps a parser busy is rejected and delays no other mail', async () => {
  const zone = await startZone();
  onTestFinished(() => zone.stop());
  const port = await freePort();
  const { ctx } = await openCluster({
    start: ['worker'],
    env: { INBOUND_SMTP_PORT: String(port), DNS_SERVERS: zone.server },
  });
  const project = await insertProject(ctx);
  zone.publish([{ name: project.domain, type: 'MX', value: MAIL_HOST, priority: 10 }]);
  const to = `help@${project.domain}`;
  // The decoder of flowed text needs minutes for this many soft line breaks. The worker rejects it after 15 s.
  const flowed = `${'x'.repeat(70)} \n`.repeat(300_000);
  const startBusyMail = () => {
    const busy = {
      isOver: false,
      reply: sendTo(
        port,
        'ann@x.test',
        to,
        `From: ann@x.test\nContent-Type: text/plain; format=flowed; delsp=yes\n\n${flowed}`,
      ),
    };
    void busy.reply.then(() => (busy.isOver = true));
    return busy;
  };
  // Only mails that are accepted while one busy mail is parsed count. On a slow machine, several busy mails follow.
  let busy = startBusyMail();
  const replies = [busy.reply];
  let accepted = 0;
  for (let duringBusy = 0; duringBusy < 20;) {
    if (busy.isOver) replies.push((busy = startBusyMail()).reply);
    expect(
      await eventually(() =>
        sendTo(port, 'bob@x.test', to, `From: bob@x.test\nMessage-ID: <${newId()}@x.test>\n\nHello\n`),
      ),
    ).toBe('250 Accepted');
    accepted++;
    if (!busy.isOver) duringBusy++;
  }
  for (const reply of replies) expect(await reply).toMatch(/^554 5\.6\.0 /);
  expect(await ctx.prisma.event.count({ where: { projectId: project.id, name: 'email.received' } })).toBe(accepted);
});
