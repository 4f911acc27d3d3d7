/** Variant tests, without Temporal (research, ahead.md, section 3.4). */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { advanceTest, chooseWinner as chooseWinnerDirectly } from '../../src/domain/campaigns/decision.js';
import type { VariantFigures } from '../../src/domain/campaigns/sql/variants.js';
import { foldFigures } from '../../src/domain/analytics/sql/figures.js';
import { begin, finish, snapshot } from '../../src/domain/campaigns/run.js';
import type { Feedback } from '../../src/domain/feedback/sql/feedback.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers } from '../helpers/campaign-api.js';
import { sendDue } from '../helpers/send-due.js';
import { createCaptureTransport, type CapturedMail } from '../helpers/capture-transport.js';
import { sendLane } from '../helpers/send-lane.js';

const api = useApi();
const { draft } = campaignHelpers(api);

const HOUR = 3_600_000;
const TWO = [
  { id: 'a', subject: 'First subject', weight: 50 },
  { id: 'b', subject: 'Second subject', weight: 50 },
];

const insertContacts = (project: TestProject, count: number) =>
  api.ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed) SELECT uuid_v7(), $1, 'r' || n || '@x.test', true FROM generate_series(1, $2::int) n`,
    [project.id, count],
  );
const show = async (project: TestProject, id: string) => (await api.as(project, 'GET', `/campaigns/${id}`)).json();
const variantsOf = async (project: TestProject, id: string) =>
  (await api.as(project, 'GET', `/campaigns/${id}/stats`)).json().variants;
const chooseWinner = (project: TestProject, id: string, variant: string) =>
  api.as(project, 'POST', `/campaigns/${id}/winner`, { variant });
const subjectOf = ({ raw }: CapturedMail): string => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1] ?? '';
const countBySubject = (mails: CapturedMail[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const mail of mails) counts[subjectOf(mail)] = (counts[subjectOf(mail)] ?? 0) + 1;
  return counts;
};

async function started(contacts: number, content: Record<string, unknown>, project?: TestProject) {
  const own = project ?? (await api.project());
  await insertContacts(own, contacts);
  const id = await draft(own, { subject: 'Own subject', body: '<p>Hi</p>', ...content });
  const response = await api.as(own, 'POST', `/campaigns/${id}/send`, { force: true });
  expect(response.statusCode, response.body).toBe(200);
  const run = { campaignId: id, projectId: own.id, attempt: 1 };
  await begin(api.ctx, run);
  while (!(await snapshot(api.ctx, run)).done);
  return { project: own, id, run };
}

/** Some recipients of a variant, by id, opened, clicked, and so on. */
const report = (id: string, kind: Feedback['kind'], { variant, count = 1000 }: { variant: string; count?: number }) =>
  api.ctx.pool.query(
    `SELECT apply_feedback(array_agg(id), array_agg($4::text), array_agg(now()), array_agg('{"url": "https://x.test/"}'::jsonb))
       FROM (SELECT id FROM emails WHERE campaign_id = $1 AND variant = $2 ORDER BY id LIMIT $3) e`,
    [id, variant, count, kind],
  );

/** Counts the emails of each variant of a test whose metric is the event `bought`. */
const countVariants = async (id: string) =>
  (
    await api.ctx.pool.query<VariantFigures>(
      `SELECT variant AS id, count(*) AS recipients, count(sent_at) AS sent, count(delivered_at) AS delivered,
              count(*) FILTER (WHERE status = 'FAILED') AS failed, count(*) FILTER (WHERE opens > 0) AS opened,
              count(*) FILTER (WHERE clicks > 0) AS clicked,
              count(*) FILTER (WHERE EXISTS (
                SELECT FROM events h WHERE h.name = 'bought' AND h.contact_id = e.contact_id AND h.created_at >= e.sent_at)) AS converted
         FROM emails e WHERE campaign_id = $1 AND variant IS NOT NULL GROUP BY variant ORDER BY variant`,
      [id],
    )
  ).rows;

describe('the fields of a campaign', () => {
  test('are returned, copied, changed, and removed', async () => {
    const project = await api.project();
    const id = await draft(project, { variants: TWO, test: { share: 20, metric: 'clicks' } });
    const stored = { share: 20, metric: 'clicks', after: 4, decide: 'auto' };
    expect(await show(project, id)).toMatchObject({ variants: TWO, test: stored, decision: null });
    const copy = (await api.as(project, 'POST', `/campaigns/${id}/duplicate`)).json();
    expect(copy).toMatchObject({ variants: TWO, test: stored });
    expect((await api.as(project, 'PATCH', `/campaigns/${id}`, { name: 'n' })).json()).toMatchObject({ variants: TWO });
    const removed = await api.as(project, 'PATCH', `/campaigns/${id}`, { variants: null, test: null });
    expect(removed.json()).toMatchObject({ variants: null, test: null });
  });

  test.each([
    ['one variant', { variants: [{ id: 'a', weight: 100 }] }, 'variants'],
    ['six variants', { variants: Array.from({ length: 6 }, (_, i) => ({ id: `v${i}`, weight: 16 })) }, 'variants'],
    ['two with the same id', { variants: [TWO[0], TWO[0]] }, 'variants'],
    ['weights that do not add up to 100', { variants: [TWO[0], { ...TWO[1], weight: 40 }] }, 'variants'],
    ['a test without variants', { test: { share: 20, metric: 'clicks' } }, 'test'],
    ['a share below 5', { variants: TWO, test: { share: 4, metric: 'clicks' } }, 'test.share'],
    ['more than 72 hours', { variants: TWO, test: { share: 20, metric: 'clicks', after: 73 } }, 'test.after'],
    ['an unknown metric', { variants: TWO, test: { share: 20, metric: 'sales' } }, 'test.metric'],
    ['an unknown default', { variants: TWO, test: { share: 20, metric: 'opens', ifTied: 'c' } }, 'test.ifTied'],
    ['a long preheader', { variants: [TWO[0], { ...TWO[1], preheader: 'x'.repeat(256) }] }, 'variants.1.preheader'],
    ['a template that does not parse', { variants: [TWO[0], { ...TWO[1], subject: '{{ a' }] }, 'variants.1.subject'],
  ])('reject %s', async (_what, content, field) => {
    const project = await api.project();
    const body = { name: 'n', subject: 's', body: 'b', from: `a@${project.domain}`, audienceType: 'ALL', ...content };
    const response = await api.as(project, 'POST', '/campaigns', body);
    expect(response.statusCode, response.body).toBe(422);
    expect(response.json().error.errors[0].field).toBe(field);
  });

  test('reject a variant whose sender is not verified', async () => {
    const project = await api.project();
    const id = await draft(project);
    const variants = [TWO[0], { ...TWO[1], from: 'me@elsewhere.test' }];
    expect((await api.as(project, 'PATCH', `/campaigns/${id}`, { variants })).statusCode).toBe(403);
  });

  test('keep their domain from being removed, and are checked again when the campaign is sent or its failed emails are retried', async () => {
    const project = await api.project();
    const domain = `variant-${project.domain}`;
    const id = newId();
    await api.ctx.prisma.domain.create({
      data: {
        id,
        projectId: project.id,
        domain,
        status: 'VERIFIED',
        dkimSelector: 's',
        dkimPrivateKey: 'k',
        records: [],
      },
    });
    await insertContacts(project, 1);
    const campaign = await draft(project, { variants: [TWO[0], { ...TWO[1], from: `me@${domain}` }] });
    const removal = await api.as(project, 'DELETE', `/domains/${id}`);
    expect([removal.statusCode, removal.json().error.details]).toMatchObject([409, { campaigns: [{ id: campaign }] }]);
    await api.ctx.prisma.domain.update({ where: { id }, data: { status: 'FAILED' } });
    const sent = await api.as(project, 'POST', `/campaigns/${campaign}/send`, { force: true });
    expect([sent.statusCode, sent.json().error.message]).toEqual([403, expect.stringContaining(domain)]);
    await api.ctx.prisma.campaign.update({ where: { id: campaign }, data: { status: 'SENT' } });
    const retried = await api.as(project, 'POST', `/campaigns/${campaign}/retry-failed`, {});
    expect([retried.statusCode, retried.json().error.message]).toEqual([403, expect.stringContaining(domain)]);
  });

  test('cannot become a test with a winner while the campaign is scheduled for the local time of recipients', async () => {
    const project = await api.project();
    await insertContacts(project, 200);
    const id = await draft(project);
    await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor: '2099-01-01T09:00', timezone: 'recipient' });
    const change = (test: object | null) => api.as(project, 'PATCH', `/campaigns/${id}`, { variants: TWO, test });
    const refused = await change({ share: 20, metric: 'clicks' });
    expect([refused.statusCode, refused.json().error.errors]).toMatchObject([422, [{ field: 'test' }]]);
    expect((await change({ share: 100, metric: 'clicks' })).statusCode).toBe(200);
  });

  test('a scheduled campaign cannot get a test with fewer than 100 recipients per variant, except one that was forced', async () => {
    const project = await api.project();
    await insertContacts(project, 199);
    const send = { scheduledFor: '2099-01-01T09:00:00Z', force: true };
    const [plain, forced] = [await draft(project), await draft(project, { variants: TWO })];
    for (const id of [plain, forced])
      expect((await api.as(project, 'POST', `/campaigns/${id}/send`, send)).statusCode).toBe(200);
    const refused = await api.as(project, 'PATCH', `/campaigns/${plain}`, { variants: TWO });
    expect([refused.statusCode, refused.json().error]).toMatchObject([
      422,
      { code: 'TEST_TOO_SMALL', details: { contacts: 200 } },
    ]);
    const unchanged = await api.as(project, 'GET', `/campaigns/${plain}`);
    expect(unchanged.json().variants).toBe(null);
    const renamed = TWO.map((variant) => ({ ...variant, subject: 'Other' }));
    for (const change of [{ name: 'Other' }, { variants: renamed }])
      expect((await api.as(project, 'PATCH', `/campaigns/${forced}`, change)).statusCode).toBe(200);
  });

  test('a test needs 100 recipients per variant, unless it is forced, and no local time', async () => {
    const project = await api.project();
    await insertContacts(project, 999);
    const id = await draft(project, { variants: TWO, test: { share: 20, metric: 'clicks' } });
    const send = (body: object) => api.as(project, 'POST', `/campaigns/${id}/send`, body);
    const refused = await send({});
    expect([refused.statusCode, refused.json().error]).toMatchObject([
      422,
      { code: 'TEST_TOO_SMALL', details: { contacts: 1000 } },
    ]);
    const local = await send({ scheduledFor: '2099-01-01T09:00', timezone: 'recipient', force: true });
    expect([local.statusCode, local.json().error.errors]).toMatchObject([422, [{ field: 'timezone' }]]);
    await insertContacts(await api.project(), 1);
    await api.ctx.prisma.contact.create({
      data: { id: newId(), projectId: project.id, email: 'last@x.test', subscribed: true },
    });
    expect((await send({})).statusCode).toBe(200);
  });
});

describe('the test email of a variant', () => {
  const VARIANTS = [
    { id: 'a', subject: 'First subject', body: '<p>First body</p>', weight: 50 },
    { id: 'b', preheader: 'Second preheader', weight: 50 },
  ];
  const sendTest = (project: TestProject, id: string, variant?: string) =>
    api.as(project, 'POST', `/campaigns/${id}/test`, { email: 'me@x.test', variant });

  test('has its content, with that of the campaign where it has none, and the campaign itself has its own', async () => {
    const project = await api.project();
    const id = await draft(project, {
      subject: 'Own subject',
      body: '<p>Own body</p>',
      fromName: 'Own name',
      variants: [VARIANTS[0], { ...VARIANTS[1], from: `other@${project.domain}` }],
    });
    const mails: CapturedMail[] = [];
    for (const variant of ['a', 'b', undefined]) {
      expect((await sendTest(project, id, variant)).statusCode).toBe(200);
      // One after the other: emails are signed concurrently, so several would arrive in any order.
      mails.push(...(await sendDue(api.ctx)).filter(({ raw }) => raw.includes(project.domain)));
    }
    const text = mails.map(({ raw }) => raw.toString());
    expect(mails.map(subjectOf)).toEqual(['[TEST] First subject', '[TEST] Own subject', '[TEST] Own subject']);
    expect(text.map((raw) => raw.includes('First body'))).toEqual([true, false, false]);
    expect(text.map((raw) => raw.includes('Second preheader'))).toEqual([false, true, false]);
    expect(text.map((raw) => raw.includes('Own name'))).toEqual([true, false, true]);
    expect(text.map((raw) => raw.includes(`other@${project.domain}`))).toEqual([false, true, false]);
  });

  test('needs the id of a variant', async () => {
    const project = await api.project();
    const id = await draft(project, { variants: VARIANTS });
    const refusal = await sendTest(project, id, 'c');
    expect(refusal.statusCode).toBe(422);
    expect(refusal.json()).toMatchObject({
      error: { errors: [{ field: 'variant', message: 'must be the id of a variant' }] },
    });
    expect((await sendTest(project, await draft(project, {}), 'a')).statusCode).toBe(422);
  });
});

describe('groups', () => {
  test('match the weights and the share over 100,000 contacts, and a repeated snapshot gives the same ones', async () => {
    const weights = { a: 50, b: 30, c: 20 };
    const content = {
      variants: Object.entries(weights).map(([id, weight]) => ({ id, weight })),
      test: { share: 40, metric: 'clicks' },
    };
    const contacts = 100_000;
    const { project, id, run } = await started(contacts, content);
    const counts = async () =>
      (
        await api.ctx.pool.query<{ variant: string | null; count: number }>(
          `SELECT variant, count(*)::int AS count FROM emails WHERE campaign_id = $1 GROUP BY variant ORDER BY variant`,
          [id],
        )
      ).rows;
    const rows = await counts();
    const expected: Record<string, number> = { a: 20_000, b: 12_000, c: 8000, null: 60_000 };
    const chiSquare = rows.reduce((sum, { variant, count }) => {
      const wanted = expected[String(variant)] ?? 0;
      return sum + (count - wanted) ** 2 / wanted;
    }, 0);
    // Of three degrees of freedom, at one in a million.
    expect(chiSquare).toBeLessThan(30.67);

    // As after a crash that lost the snapshot.
    const before = await api.ctx.pool.query(
      `SELECT contact_id, variant FROM emails WHERE campaign_id = $1 ORDER BY contact_id`,
      [id],
    );
    await api.ctx.pool.query(`DELETE FROM emails WHERE campaign_id = $1`, [id]);
    await api.ctx.prisma.campaign.update({
      where: { id },
      data: { snapshotCursor: null, snapshotDone: false, totalRecipients: 0 },
    });
    while (!(await snapshot(api.ctx, run)).done);
    const after = await api.ctx.pool.query(
      `SELECT contact_id, variant FROM emails WHERE campaign_id = $1 ORDER BY contact_id`,
      [id],
    );
    expect(after.rows).toEqual(before.rows);
    expect((await show(project, id)).totalRecipients).toBe(contacts);
  }, 60_000);

  test('without a test, all contacts get a variant by its weight, and the campaign ends', async () => {
    const { project, id, run } = await started(300, { variants: TWO });
    const client = createCaptureTransport();
    await sendLane(api.ctx, run, client);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    const counts = countBySubject(client.mails);
    expect(Object.keys(counts).sort()).toEqual(['First subject', 'Second subject']);
    expect(client.mails).toHaveLength(300);
    const [a, b] = await variantsOf(project, id);
    expect(a).toMatchObject({
      id: 'a',
      recipients: counts['First subject'],
      sent: counts['First subject'],
      isWinner: false,
    });
    expect(b).toMatchObject({ id: 'b', sent: counts['Second subject'] });
    expect((await api.as(project, 'GET', `/campaigns/${id}/waves`)).json().data).toEqual([]);
  });
});

describe('a test', () => {
  const content = { variants: TWO, test: { share: 50, metric: 'clicks', after: 2 } };

  test('goes to its share, the rest waits for the winner, and each contact gets one email', async () => {
    const { project, id, run } = await started(400, content);
    const client = createCaptureTransport();
    await sendLane(api.ctx, run, client);
    const tested = client.mails.length;
    expect(tested).toBeGreaterThan(120);
    expect(tested).toBeLessThan(280);
    const begunAt = Date.now();
    const waiting = await finish(api.ctx, { ...run, now: begunAt });
    expect(waiting).toMatchObject({
      finished: false,
      next: { at: begunAt + 2 * HOUR, summary: 'test 0 of 2 h: a 0.0%, b 0.0%' },
    });
    await report(id, 'clicked', { variant: 'a', count: 10 });
    await report(id, 'clicked', { variant: 'b', count: 60 });
    expect(await finish(api.ctx, { ...run, now: begunAt + HOUR })).toMatchObject({
      next: { at: begunAt + 2 * HOUR, summary: expect.stringMatching(/^test 1 of 2 h: a \d+\.\d%, b \d+\.\d%$/) },
    });
    await sendLane(api.ctx, run, client);
    expect(client.mails).toHaveLength(tested);

    expect(await finish(api.ctx, { ...run, now: begunAt + 2 * HOUR })).toMatchObject({ finished: false });
    expect(await show(project, id)).toMatchObject({
      status: 'SENDING',
      decision: { variant: 'b', by: 'auto', significant: true },
    });
    await sendLane(api.ctx, run, client);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    expect(client.mails).toHaveLength(400);
    expect(new Set(client.mails.map(({ to }) => to)).size).toBe(400);
    expect(Object.keys(countBySubject(client.mails.slice(tested)))).toEqual(['Second subject']);
    const [a, b] = await variantsOf(project, id);
    expect(a.recipients + b.recipients).toBe(tested);
    expect(b).toMatchObject({ clicked: 60, isWinner: true, rate: 60 / b.sent });
    expect(b.interval.low).toBeLessThan(b.rate);
    expect(b.interval.high).toBeGreaterThan(b.rate);
    expect(a).toMatchObject({ clicked: 10, isWinner: false });
    expect([a.significant, b.significant]).toEqual([false, true]);
  });

  test('counts opens by people or an event after the email, as its metric says', async () => {
    const opens = await started(300, { variants: TWO, test: { share: 50, metric: 'opens', after: 1 } });
    await sendLane(api.ctx, opens.run);
    await report(opens.id, 'opened', { variant: 'a' });
    await api.ctx.pool.query(`UPDATE emails SET machine_opens = 5 WHERE campaign_id = $1 AND variant IS NOT NULL`, [
      opens.id,
    ]);
    await advanceTest(api.ctx, opens.run, new Date());
    await advanceTest(api.ctx, opens.run, new Date(Date.now() + 2 * HOUR));
    expect((await show(opens.project, opens.id)).decision).toMatchObject({ variant: 'a', significant: true });

    const bought = await started(300, { variants: TWO, test: { share: 50, metric: 'event:bought', after: 1 } });
    await sendLane(api.ctx, bought.run);
    const insert = (variant: string, at: string) =>
      api.ctx.pool.query(
        `INSERT INTO events (id, project_id, contact_id, name, created_at)
         SELECT uuid_v7(), project_id, contact_id, 'bought', sent_at + $3::interval FROM emails WHERE campaign_id = $1 AND variant = $2`,
        [bought.id, variant, at],
      );
    await insert('a', '-1 day');
    await insert('b', '1 second');
    await advanceTest(api.ctx, bought.run, new Date());
    await advanceTest(api.ctx, bought.run, new Date(Date.now() + 2 * HOUR));
    expect((await show(bought.project, bought.id)).decision).toMatchObject({ variant: 'b', significant: true });
    const [a, b] = await variantsOf(bought.project, bought.id);
    expect([a.converted, b.converted]).toEqual([0, b.sent]);
  });

  test('has the figures that a count of its emails has, folded or not, and keeps them without the emails', async () => {
    const { project, id, run } = await started(300, { variants: TWO, test: { share: 80, metric: 'event:bought' } });
    const isEqual = async () => {
      const counted = await countVariants(id);
      expect(await variantsOf(project, id)).toMatchObject(counted);
      while ((await foldFigures(api.ctx.pool, 3)) > 0);
      expect(await variantsOf(project, id)).toMatchObject(counted);
      return counted;
    };
    await isEqual();
    const client = createCaptureTransport();
    client.failNext({ kind: 'permanent', stage: 'envelope', times: 20 });
    client.failNext({ kind: 'connection', stage: 'after-data', times: 10 });
    await sendLane(api.ctx, run, client);
    await isEqual();
    await report(id, 'delivered', { variant: 'a' });
    await report(id, 'opened', { variant: 'a', count: 50 });
    await report(id, 'opened', { variant: 'b', count: 40 });
    await report(id, 'opened', { variant: 'b', count: 20 });
    await report(id, 'clicked', { variant: 'b', count: 30 });
    await api.ctx.pool.query(
      `INSERT INTO events (id, project_id, contact_id, name, created_at)
       SELECT uuid_v7(), e.project_id, e.contact_id, 'bought', e.created_at + n * interval '1 hour'
         FROM emails e CROSS JOIN generate_series(-1, 1, 2) n WHERE e.campaign_id = $1 ORDER BY e.id LIMIT 200`,
      [id],
    );
    // The delivery proves that the emails with an unknown outcome were sent.
    await report(id, 'delivered', { variant: 'b' });
    const counted = await isEqual();
    for (const { sent, delivered, failed, opened, clicked, converted } of counted)
      expect(Math.min(sent, delivered, failed, opened, clicked + 1, converted)).toBeGreaterThan(0);

    expect((await chooseWinner(project, id, 'b')).statusCode).toBe(200);
    await api.ctx.pool.query(`UPDATE campaign_retries SET due_at = now() WHERE campaign_id = $1`, [id]);
    await sendLane(api.ctx, run);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    expect((await api.as(project, 'POST', `/campaigns/${id}/retry-failed`)).statusCode).toBe(202);
    const again = { ...run, attempt: 2 };
    await begin(api.ctx, again);
    while (!(await snapshot(api.ctx, again)).done);
    await sendLane(api.ctx, again);
    expect(await finish(api.ctx, again)).toMatchObject({ finished: true });
    const ended = await isEqual();
    expect(ended.reduce((sum, { sent, failed }) => sum + sent + failed, 0)).toBe(
      ended.reduce((sum, { recipients }) => sum + recipients, 0),
    );
    await api.ctx.pool.query(`DELETE FROM emails WHERE campaign_id = $1`, [id]);
    const kept = ended.map(({ converted: _converted, failed: _failed, ...figures }) => figures);
    expect(await variantsOf(project, id)).toMatchObject(kept);
  });

  test('that is decided manually waits for a request, and only the first one counts', async () => {
    const manual = { variants: TWO, test: { share: 50, metric: 'clicks', decide: 'manual' } };
    const { project, id, run } = await started(200, manual);
    const client = createCaptureTransport();
    await sendLane(api.ctx, run, client);
    const tested = client.mails.length;
    expect(await finish(api.ctx, { ...run, now: Date.now() + 100 * HOUR })).toMatchObject({
      finished: false,
      next: { at: null, summary: 'test waits for its winner: a 0.0%, b 0.0%' },
    });
    const unknown = await chooseWinner(project, id, 'c');
    expect([unknown.statusCode, unknown.json().error.errors]).toMatchObject([422, [{ field: 'variant' }]]);
    const chosen = await chooseWinner(project, id, 'a');
    expect(chosen.json()).toMatchObject({ success: true, data: { variant: 'a', by: 'manual', significant: null } });
    expect(
      await api.ctx.prisma.outbox.findMany({ where: { workflowId: `campaign:${id}:1`, action: 'signal' } }),
    ).toHaveLength(1);
    const again = await chooseWinner(project, id, 'b');
    expect([again.statusCode, again.json().error.details]).toMatchObject([
      409,
      { decision: { variant: 'a' }, status: 'SENDING' },
    ]);
    await sendLane(api.ctx, run, client);
    expect(Object.keys(countBySubject(client.mails.slice(tested)))).toEqual(['First subject']);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
  });

  test('of which no email could be sent has no winner: the rest waits, and the owner and the admins get one email', async () => {
    const { project, id, run } = await started(100, {
      variants: TWO,
      test: { share: 50, metric: 'clicks', after: 1, ifTied: 'a' },
    });
    const owner = `owner@${project.domain}`;
    const { id: userId } = await api.ctx.prisma.user.create({ data: { id: newId(), email: owner } });
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId, role: 'OWNER' } });
    const refusing = createCaptureTransport();
    refusing.failNext({ kind: 'permanent', stage: 'envelope', times: 100 });
    await sendLane(api.ctx, run, refusing);
    await finish(api.ctx, run);
    const late = { ...run, now: Date.now() + 2 * HOUR };
    for (let call = 0; call < 3; call++)
      expect(await finish(api.ctx, late)).toMatchObject({
        finished: false,
        next: { at: null, summary: 'test waits for its winner: a 0.0%, b 0.0%' },
      });
    const shown = await show(project, id);
    expect(shown).toMatchObject({ status: 'SENDING', decision: null, test: { decide: 'manual' } });
    for (const variant of await variantsOf(project, id))
      expect(variant).toMatchObject({ sent: 0, failed: variant.recipients });
    const notices = (await sendDue(api.ctx)).filter(({ to }) => to === owner);
    expect(notices.map(subjectOf)).toEqual([`The test of ${shown.name} has no winner`]);
    expect(notices[0]?.raw.toString().replaceAll('=\r\n', '')).toContain(`/campaigns/${id}`);
    expect((await chooseWinner(project, id, 'b')).json()).toMatchObject({ data: { variant: 'b', by: 'manual' } });
  });

  test('cannot be decided before it has begun, without a rest, or for a campaign without variants', async () => {
    const project = await api.project();
    const idle = await draft(project, content);
    expect((await chooseWinner(project, idle, 'a')).statusCode).toBe(409);
    const plain = await draft(project);
    expect((await chooseWinner(project, plain, 'a')).statusCode).toBe(409);
    const split = await started(100, { variants: TWO, test: { share: 100, metric: 'clicks' } });
    expect((await chooseWinner(split.project, split.id, 'a')).statusCode).toBe(409);
  });

  test('a manual decision and the timer give one decision, 1,000 times', async () => {
    const { project, id, run } = await started(100, content);
    await sendLane(api.ctx, run);
    await advanceTest(api.ctx, run, new Date());
    const late = new Date(Date.now() + 3 * HOUR);
    const winners = new Set<string>();
    for (let round = 0; round < 1000; round++) {
      await api.ctx.pool.query(`UPDATE campaigns SET decision = NULL WHERE id = $1`, [id]);
      const [isManual] = await Promise.all([
        chooseWinnerDirectly(api.ctx, project.id, id, 'b').then(
          () => true,
          () => false,
        ),
        advanceTest(api.ctx, run, late),
      ]);
      const { by } = (await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id } })).decision as { by: string };
      expect(by).toBe(isManual ? 'manual' : 'auto');
      winners.add(by);
    }
    // Each of them comes first at times.
    expect([...winners].sort()).toEqual(['auto', 'manual']);
  }, 60_000);

  test('finishes without its rest if the statement for restored backups has canceled it', async () => {
    const notes = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const [, list = '', cancel = ''] =
      /```sql\n(SELECT id, name, test_sent_at[^;]+;)\n\n(UPDATE emails[^`]+)```/.exec(notes) ?? [];
    const { id, run } = await started(200, content);
    const client = createCaptureTransport();
    await sendLane(api.ctx, run, client);
    const tested = client.mails.length;
    await advanceTest(api.ctx, run, new Date());
    expect((await api.ctx.pool.query<{ id: string }>(list)).rows.map((row) => row.id)).toContain(id);
    await api.ctx.pool.query(cancel.replace('<id>', id));
    await finish(api.ctx, { ...run, now: Date.now() + 3 * HOUR });
    await sendLane(api.ctx, run, client);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    expect(client.mails).toHaveLength(tested);
  });

  test('is canceled with its rest, and contacts that unsubscribe meanwhile get nothing', async () => {
    const canceled = await started(200, content);
    const client = createCaptureTransport();
    await sendLane(api.ctx, canceled.run, client);
    expect((await api.as(canceled.project, 'POST', `/campaigns/${canceled.id}/cancel`)).statusCode).toBe(200);
    const rest = await api.ctx.prisma.email.groupBy({
      by: ['status'],
      where: { campaignId: canceled.id, variant: null },
      _count: true,
    });
    expect(rest).toMatchObject([{ status: 'CANCELLED', _count: 200 - client.mails.length }]);
    expect((await chooseWinner(canceled.project, canceled.id, 'a')).statusCode).toBe(409);

    const { project, id, run } = await started(200, content);
    await sendLane(api.ctx, run);
    await api.ctx.pool.query(`UPDATE contacts SET subscribed = false WHERE project_id = $1`, [project.id]);
    expect((await chooseWinner(project, id, 'a')).statusCode).toBe(200);
    expect((await sendLane(api.ctx, run)).recipients).toEqual([]);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
  });
});
