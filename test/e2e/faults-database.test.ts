/** PostgreSQL stops under requests and a running campaign, and starts again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { insertAudience } from '../helpers/audience.js';
import { accountFor, request, sendCampaign, settled, type Answer } from '../helpers/campaigns.js';
import { openCluster } from '../helpers/cluster.js';
import { FAULT_TIMEOUT_MS, reportFigures, scaled } from '../helpers/fault-scale.js';
import { eventually } from '../helpers/eventually.js';

/** Longer than the wait for a connection (5 s), so that requests and heartbeats fail. */
const OUTAGE_MS = scaled(12_000, 60_000);

test(
  'requests return 503 while PostgreSQL is down, and afterwards no email is lost or sent twice',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    const cluster = await openCluster({ ownPostgres: true });
    const { ctx, sink, postgres } = cluster;
    const contacts = scaled(6000, 100_000);
    const project = await insertAudience(ctx, contacts);
    const id = await sendCampaign(cluster, project);

    const answers: Answer[] = [];
    const accepted: string[] = [];
    const refused: string[] = [];
    const enough = new AbortController();
    let next = 0;
    // Four clients, so that requests are in different stages when the server stops and starts.
    const client = async (): Promise<void> => {
      while (!enough.signal.aborted) {
        const to = `t${next++}@inbox.${project.domain}`;
        const sent = await transactional(to);
        (sent.status === 200 ? accepted : refused).push(to);
        // A short pause instead of Retry-After, to limit the number of requests that are repeated below.
        if (sent.status === 503) await sleep(200);
        answers.push(
          sent,
          await request(cluster, project, 'POST', '/contacts', { email: `new-${to}` }),
          await request(cluster, project, 'GET', '/contacts?limit=1'),
        );
      }
    };
    const transactional = (to: string): Promise<Answer> =>
      request(
        cluster,
        project,
        'POST',
        '/v1/send',
        { to, from: `news@${project.domain}`, subject: 'Now', body: '<p>Now</p>' },
        { 'idempotency-key': to },
      );
    const clients = [client(), client(), client(), client()];

    await eventually(() => expect(accepted.length).toBeGreaterThan(5));
    await sink.reached(1000);
    await postgres.stop();
    // Half a lease after the last flush (two seconds here), nothing more is sent.
    await sleep(OUTAGE_MS / 2);
    const sentDuringOutage = sink.mails.length;
    expect(sentDuringOutage).toBeLessThan(contacts);
    await sleep(OUTAGE_MS / 2);
    expect(sink.mails.length).toBe(sentDuringOutage);
    await postgres.start();
    const restarted = performance.now();
    await sink.reached(sentDuringOutage + 1);
    const resumeMs = Math.round(performance.now() - restarted);
    expect(resumeMs).toBeLessThan(10_000);
    const before = accepted.length;
    await eventually(() => expect(accepted.length).toBeGreaterThan(before + 5));
    enough.abort();
    await Promise.all(clients);

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201, 503]));
    for (const { body } of answers.filter(({ status }) => status === 503)) {
      expect(body).toMatchObject({
        success: false,
        error: { code: 'SERVICE_UNAVAILABLE', statusCode: 503, requestId: expect.any(String) },
      });
    }
    // A repeated request with the same idempotency key sends one mail, regardless of the outcome of the first attempt.
    for (const to of refused) expect([200, 409]).toContain((await transactional(to)).status);

    const shown = await settled(cluster, project, id, 'SENT', scaled(120_000, 600_000));
    reportFigures({ contacts, outageMs: OUTAGE_MS, resumeMs });
    expect(shown.totalRecipients).toBe(shown.sentCount);
    expect(shown).toMatchObject({ failedCount: 0, cancelledCount: 0 });
    expect(await accountFor(cluster, id)).toEqual({
      twice: [],
      lost: [],
      denied: [],
      ambiguous: 0,
      mailed: shown.totalRecipients,
    });
    await eventually(() => expect([...accepted, ...refused].filter((to) => !sink.counts().has(to))).toEqual([]));
    const messages = sink.mails.map(({ messageId }) => messageId);
    expect(messages.length - new Set(messages).size).toBe(0);
  },
);
