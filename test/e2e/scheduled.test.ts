/** Scheduled email with a worker and a mail server. Temporal is not running. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parse, useDelivery } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';

const delivery = useDelivery();

const EMAILS = 100;
/** Between the times of two emails: 100 per second. */
const GAP_MS = 10;

test('each email is sent once when it is due, with its time as the header Date', async () => {
  const project = await delivery.project();
  const begin = Date.now() + 3000;
  const times = new Map(
    Array.from({ length: EMAILS }, (_, index) => [`due${index}@x.test`, begin + index * GAP_MS] as const),
  );
  await Promise.all(
    [...times].map(([to, time]) => delivery.send(project, { to, scheduledFor: new Date(time).toISOString() })),
  );
  await sleep(begin - Date.now() - 500);
  expect(delivery.sink.mails).toEqual([]);
  await eventually(() => expect(delivery.sink.mails).toHaveLength(EMAILS));
  for (const [to, time] of times) {
    const [mail, ...others] = delivery.sink.to(to);
    expect(others).toEqual([]);
    expect(mail?.at).toBeGreaterThanOrEqual(time);
    // The limit is 1 s; this machine may be busy with other tests.
    expect((mail?.at ?? 0) - time).toBeLessThan(5000);
    expect(mail && (await parse(mail)).date?.getTime()).toBe(Math.floor(time / 1000) * 1000);
  }
  const late = [...times].map(([to, time]) => (delivery.sink.to(to)[0]?.at ?? 0) - time).sort((a, b) => a - b);
  console.log(`late by ${late[EMAILS / 2]} ms (p50), ${late.at(-1)} ms (max)`);
});

test('an email whose domain was removed meanwhile is FAILED with the reason', async () => {
  const project = await delivery.project();
  const [id = ''] = await delivery.send(project, {
    to: 'orphan@x.test',
    scheduledFor: new Date(Date.now() + 1500).toISOString(),
  });
  await delivery.ctx.prisma.domain.deleteMany({ where: { projectId: project.id } });
  await eventually(async () =>
    expect(await delivery.email(project, id)).toMatchObject({
      status: 'FAILED',
      error: 'The sender domain was removed, so the email cannot be signed.',
    }),
  );
  expect(delivery.sink.to('orphan@x.test')).toEqual([]);
});
