/** Emails in flight on a dead worker, and late results of a living one. */
import { beforeAll, describe, expect, it } from 'vitest';
import { claimDue } from '../../src/domain/emails/sql/claim.js';
import { settle, type DeliveryResult } from '../../src/domain/emails/sql/delivery.js';
import { heartbeat, releaseUnknownClaims, settleAmbiguous } from '../../src/domain/emails/sql/liveness.js';
import { transaction } from '../../src/db/pool.js';
import { queuePlatformEmail } from '../../src/domain/platform/emails.js';
import { newId } from '../../src/ids.js';
import type { TestProject } from '../helpers/api.js';
import { parse, useDelivery } from '../helpers/delivery.js';
import { eventually } from '../helpers/eventually.js';

const delivery = useDelivery({ worker: false, environment: { WORKER_HEARTBEAT_MS: '400' } });
let project: TestProject;
beforeAll(async () => {
  project = await delivery.project();
});

const SILENT = 20;
/** Makes the claim of an email that old. */
const age = (id: string, seconds: number) =>
  delivery.ctx.pool.query(
    `WITH claim AS (
       UPDATE email_claims SET claimed_at = now() - make_interval(secs => $2) WHERE $1 = ANY (email_ids) RETURNING claimed_at)
     UPDATE emails SET claimed_at = claim.claimed_at FROM claim WHERE id = $1`,
    [id, seconds],
  );
const settleDead = (policy: 'skip' | 'resend') =>
  settleAmbiguous(delivery.ctx.pool, { workerId: newId(), silentSeconds: SILENT, policy });
const releaseUnknown = (workerId: string, known: string[] = []) =>
  releaseUnknownClaims(delivery.ctx.pool, workerId, known, new Date(Date.now() - 30_000));
const sent = (id: string): DeliveryResult => ({ id, status: 'SENT', error: null, response: '250 taken', retryMs: 0 });

/**
 * An email that a worker claimed some time ago. The worker's heartbeat is as old as the claim, or does not exist
 * at all.
 */
async function claimed(
  to: string,
  { seconds = 60, beat = false }: { seconds?: number; beat?: boolean } = {},
): Promise<{ id: string; claimId: string; workerId: string }> {
  const [id = ''] = await delivery.send(project, { to });
  const workerId = newId();
  if (beat) await heartbeat(delivery.ctx.pool, workerId);
  const rows = await claimDue(delivery.ctx.pool, { workerId, limit: 10, results: [] });
  expect(rows.map((row) => row.id)).toEqual([id]);
  await age(id, seconds);
  return { id, claimId: rows[0]?.claimId ?? '', workerId };
}

describe('an email in flight on a dead worker', () => {
  it('is FAILED and ambiguous with the policy skip, with that reason, and emits email.failed', async () => {
    const { id } = await claimed('skip@x.test');
    expect(await settleDead('skip')).toBe(1);
    expect(await delivery.email(project, id)).toMatchObject({
      status: 'FAILED',
      ambiguous: true,
      error: expect.stringContaining('AMBIGUOUS_SEND=skip'),
    });
    expect(await delivery.events(id)).toEqual(['email.failed']);
    expect(await settleDead('skip')).toBe(0);
  });

  it('is sent again with the policy resend, with the same Message-ID, and stays marked as ambiguous', async () => {
    const { id } = await claimed('resend@x.test');
    const { messageId } = await delivery.email(project, id);
    expect(await settleDead('resend')).toBe(1);
    expect(await delivery.email(project, id)).toMatchObject({ status: 'PENDING', ambiguous: true });
    const worker = await delivery.worker();
    await eventually(async () =>
      expect(await delivery.email(project, id)).toMatchObject({ status: 'SENT', ambiguous: true, attempts: 2 }),
    );
    const [mail] = delivery.sink.to('resend@x.test');
    expect(mail && (await parse(mail)).messageId).toBe(messageId);
    expect(await delivery.events(id)).toEqual(['email.sent']);
    await worker.stop();
  });

  it('is sent again with either policy if it is platform mail, because the user waits for its link', async () => {
    const { ctx } = delivery;
    await transaction(ctx.pool, (tx) =>
      queuePlatformEmail(tx, ctx.config, {
        to: 'reset@x.test',
        subject: 'Reset',
        body: '<p>{{ link }}</p>',
        variables: { link: 'https://app.test/reset' },
      }),
    );
    const workerId = newId();
    const [claim] = await claimDue(ctx.pool, { workerId, limit: 10, results: [] });
    const id = claim?.id ?? '';
    await age(id, 60);
    expect(await settleDead('skip')).toBe(1);
    const worker = await delivery.worker();
    await eventually(async () =>
      expect(await ctx.prisma.email.findUniqueOrThrow({ where: { id } })).toMatchObject({
        source: 'PLATFORM',
        status: 'SENT',
        ambiguous: true,
        attempts: 2,
        error: null,
      }),
    );
    await worker.stop();
    const [mail] = delivery.sink.to('reset@x.test');
    expect(mail && (await parse(mail)).text).toContain('https://app.test/reset');
  });

  it('is settled once by two concurrent watchers', async () => {
    await claimed('twice@x.test');
    expect(
      (await Promise.all([settleDead('skip'), settleDead('skip'), settleDead('skip')])).reduce((sum, n) => sum + n, 0),
    ).toBe(1);
  });

  it('is settled by a running worker without a trigger', async () => {
    const { id } = await claimed('watched@x.test');
    const worker = await delivery.worker({ AMBIGUOUS_SEND: 'resend' });
    await eventually(async () => expect((await delivery.email(project, id)).status).toBe('SENT'));
    await worker.stop();
  });
});

describe('an email in flight on a living worker', () => {
  it('is not settled while the worker writes its heartbeat, however long the mail takes', async () => {
    const { id, workerId } = await claimed('alive@x.test', { seconds: 3600, beat: true });
    expect(await settleDead('skip')).toBe(0);
    expect((await delivery.email(project, id)).status).toBe('SENDING');
    await settle(delivery.ctx.pool, workerId, [sent(id)]);
  });

  // The race: a machine that was suspended wakes up and claims before its next heartbeat.
  it('is not settled if it was just claimed, even if the heartbeat is old or missing', async () => {
    const { id, workerId } = await claimed('woken@x.test', { seconds: 5 });
    expect(await settleDead('resend')).toBe(0);
    expect((await delivery.email(project, id)).status).toBe('SENDING');
    await settle(delivery.ctx.pool, workerId, [sent(id)]);
  });

  it('is corrected by the late result of a worker that was assumed dead (skip)', async () => {
    const { id, workerId } = await claimed('late@x.test');
    await settleDead('skip');
    await settle(delivery.ctx.pool, workerId, [sent(id)]);
    expect(await delivery.email(project, id)).toMatchObject({ status: 'SENT', error: null, response: '250 taken' });
    expect(await delivery.events(id)).toEqual(['email.failed', 'email.sent']);
  });

  it('is not sent again if its late result arrives before the resend', async () => {
    const { id, workerId } = await claimed('late-resend@x.test');
    await settleDead('resend');
    await settle(delivery.ctx.pool, workerId, [sent(id)]);
    expect(await delivery.email(project, id)).toMatchObject({ status: 'SENT' });
    expect(await claimDue(delivery.ctx.pool, { workerId: newId(), limit: 10, results: [] })).toEqual([]);
  });

  it('is recorded once, and only by its own worker', async () => {
    const { id, workerId } = await claimed('own@x.test');
    expect(await settle(delivery.ctx.pool, newId(), [sent(id)])).toEqual([]);
    expect((await delivery.email(project, id)).status).toBe('SENDING');
    expect(await settle(delivery.ctx.pool, workerId, [sent(id)])).toEqual([id]);
    expect(await settle(delivery.ctx.pool, workerId, [sent(id)])).toEqual([]);
    expect(await delivery.events(id)).toEqual(['email.sent']);
  });
});

describe('an email that its worker released and claimed again while the rest of the first claim is in flight', () => {
  it('belongs to the second claim only', async () => {
    const { id, claimId, workerId } = await claimed('again@x.test');
    const released = { ...sent(id), status: 'PENDING' as const, response: null, untried: true };
    // The claim does not end: it stands for one with other emails.
    expect(await settle(delivery.ctx.pool, workerId, [released])).toEqual([id]);
    const [again] = await claimDue(delivery.ctx.pool, { workerId, limit: 10, results: [] });
    expect(again).toMatchObject({ id, attempts: 1 });
    expect(again?.claimId).not.toBe(claimId);
    expect(await settleDead('skip')).toBe(0);
    expect(await releaseUnknown(workerId, [again?.claimId ?? ''])).toBe(0);
    expect(await settle(delivery.ctx.pool, workerId, [sent(id)])).toEqual([id]);
  });
});

describe('a claim whose result was lost with the connection', () => {
  it('is released after some time without counting an attempt, unless the worker knows it', async () => {
    const { id, claimId, workerId } = await claimed('unknown@x.test', { seconds: 20 });
    expect(await releaseUnknown(workerId)).toBe(0);
    await age(id, 40);
    expect(await releaseUnknown(workerId, [claimId])).toBe(0);
    expect(await releaseUnknown(newId())).toBe(0);
    expect(await releaseUnknown(workerId)).toBe(1);
    expect(await delivery.email(project, id)).toMatchObject({ status: 'PENDING', attempts: 0, ambiguous: false });
    await claimDue(delivery.ctx.pool, { workerId, limit: 10, results: [] });
    expect(await releaseUnknown(workerId)).toBe(0);
    await settle(delivery.ctx.pool, workerId, [sent(id)]);
  });
});
