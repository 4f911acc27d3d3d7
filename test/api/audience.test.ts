import { describe, expect, test } from 'vitest';
import { begin, snapshot } from '../../src/domain/campaigns/run.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, content, refused, TOMORROW } from '../helpers/campaign-api.js';
import { memberOf, PRO, segmentHelpers, where } from '../helpers/segment-api.js';

const api = useApi();
const { contact, segment } = segmentHelpers(api);
const { draft } = campaignHelpers(api);

/** Creates three paying contacts, one of them unsubscribed, and one contact that does not pay. */
async function people(project: TestProject): Promise<void> {
  await contact(project, 'a@x.test', { plan: 'pro' });
  await contact(project, 'b@x.test', { plan: 'pro' });
  await contact(project, 'gone@x.test', { plan: 'pro' }, false);
  await contact(project, 'free@x.test', { plan: 'free' });
}

/** Sends a campaign and takes its snapshot as its workflow does. @returns the addresses */
async function recipients(project: TestProject, id: string): Promise<string[]> {
  const sent = await api.as(project, 'POST', `/campaigns/${id}/send`);
  expect(sent.statusCode, sent.body).toBe(200);
  const run = { campaignId: id, projectId: project.id, attempt: 1 };
  await begin(api.ctx, run);
  expect(await snapshot(api.ctx, run)).toMatchObject({ done: true });
  const emails = await api.ctx.prisma.email.findMany({
    where: { campaignId: id },
    select: { toEmail: true },
    orderBy: { toEmail: 'asc' },
  });
  return emails.map(({ toEmail }) => toEmail);
}

describe('a campaign', () => {
  test('to a dynamic segment reaches the contacts that meet its condition when sending starts', async () => {
    const project = await api.project();
    const { id: segmentId } = await segment(project);
    const id = await draft(project, { audienceType: 'SEGMENT', segmentId });
    await people(project);
    expect(await recipients(project, id)).toEqual(['a@x.test', 'b@x.test']);
  });

  test('with FILTERED reaches matching contacts; TRANSACTIONAL includes unsubscribed contacts', async () => {
    const project = await api.project();
    await people(project);
    const filtered = { audienceType: 'FILTERED', audienceCondition: PRO };
    expect(await recipients(project, await draft(project, filtered))).toEqual(['a@x.test', 'b@x.test']);
    expect(await recipients(project, await draft(project, { ...filtered, type: 'HEADLESS' }))).toEqual([
      'a@x.test',
      'b@x.test',
    ]);
    expect(await recipients(project, await draft(project, { ...filtered, type: 'TRANSACTIONAL' }))).toEqual([
      'a@x.test',
      'b@x.test',
      'gone@x.test',
    ]);
  });

  test('does not reach contacts of another project that match its condition', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await people(other);
    await contact(project, 'mine@x.test', { plan: 'pro' });
    const either = {
      logic: 'OR',
      groups: [...PRO.groups, ...where({ field: 'data.plan', operator: 'notEquals', value: 'pro' }).groups],
    };
    expect(
      await recipients(project, await draft(project, { audienceType: 'FILTERED', audienceCondition: either })),
    ).toEqual(['mine@x.test']);
  });

  test('returns 400 if no contact matches its condition now, but can be scheduled', async () => {
    const project = await api.project();
    await contact(project, 'gone@x.test', { plan: 'pro' }, false);
    const id = await draft(project, { audienceType: 'FILTERED', audienceCondition: PRO });
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/send`))).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
    });
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor: TOMORROW() }))).toEqual({
      status: 200,
    });
  });

  test('counts the periods of its condition from the moment when sending starts', async () => {
    const project = await api.project();
    const fresh = await contact(project, 'fresh@x.test');
    const old = await contact(project, 'old@x.test');
    await api.ctx.prisma.contact.update({
      where: { id: old },
      data: { createdAt: new Date(Date.now() - 25 * 3_600_000) },
    });
    const id = await draft(project, {
      audienceType: 'FILTERED',
      audienceCondition: where({ field: 'createdAt', operator: 'within', value: 1, unit: 'days' }),
    });
    await api.as(project, 'POST', `/campaigns/${id}/send`);
    const run = { campaignId: id, projectId: project.id, attempt: 1 };
    await begin(api.ctx, run);
    // Simulates a page of the snapshot hours later: the contact was recent when sending began.
    await api.ctx.prisma.campaign.update({ where: { id }, data: { startedAt: new Date(Date.now() - 20 * 3_600_000) } });
    await api.ctx.prisma.contact.update({
      where: { id: fresh },
      data: { createdAt: new Date(Date.now() - 30 * 3_600_000) },
    });
    await snapshot(api.ctx, run);
    expect(
      await api.ctx.prisma.email.findMany({
        where: { campaignId: id },
        select: { toEmail: true },
        orderBy: { toEmail: 'asc' },
      }),
    ).toEqual([{ toEmail: 'fresh@x.test' }, { toEmail: 'old@x.test' }]);
  });

  test('is canceled and sends nothing if its audience cannot be read when sending starts', async () => {
    const project = await api.project();
    await people(project);
    const { id: segmentId } = await segment(project);
    const id = await draft(project, { audienceType: 'FILTERED', audienceCondition: memberOf(segmentId) });
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/send`))).toEqual({ status: 200 });
    // No request can cause this: a segment that an active campaign names cannot be deleted.
    await api.ctx.prisma.segment.delete({ where: { id: segmentId } });
    const run = { campaignId: id, projectId: project.id, attempt: 1 };
    await begin(api.ctx, run);
    expect(await snapshot(api.ctx, run)).toEqual({ done: true, totalRecipients: 0 });
    expect((await api.as(project, 'GET', `/campaigns/${id}`)).json()).toMatchObject({
      status: 'CANCELLED',
      totalRecipients: 0,
    });
  });
});

describe.each([
  ['POST /campaigns', 'POST', async () => '/campaigns'],
  ['PUT /campaigns/:id', 'PUT', async (project: TestProject) => `/campaigns/${await draft(project)}`],
  ['POST /campaigns/audience', 'POST', async () => '/campaigns/audience'],
] as const)('%s', (_, method, url) => {
  const put = async (project: TestProject, audience: Record<string, unknown>) =>
    refused(
      await api.as(project, method, await url(project), content(project, { audienceType: 'FILTERED', ...audience })),
    );

  test.each<[string, unknown, string]>([
    [
      'an unknown operator',
      where({ field: 'data.plan', operator: 'equals', value: 'pro' }, {
        field: 'email',
        operator: 'is',
        value: 'x',
      } as never),
      'audienceCondition.groups.0.filters.1.operator invalid_string',
    ],
    [
      'an unknown field',
      where({ field: 'plan', operator: 'equals', value: 'pro' }),
      'audienceCondition.groups.0.filters.0.field invalid_string',
    ],
    [
      'an unknown unit',
      where({ field: 'createdAt', operator: 'within', value: 1, unit: 'weeks' as never }),
      'audienceCondition.groups.0.filters.0.unit invalid_string',
    ],
    [
      'a mistyped value',
      where({ field: 'subscribed', operator: 'equals', value: 'yes' }),
      'audienceCondition.groups.0.filters.0.value invalid_type',
    ],
    ['no filter at all', { logic: 'AND', groups: [] }, 'audienceCondition.groups too_small'],
    ['only groups without filters', { logic: 'OR', groups: [{ filters: [] }] }, 'audienceCondition.groups too_small'],
    ['no condition', undefined, 'audienceCondition required'],
  ])('returns 422 with the path of %s', async (_, audienceCondition, error) => {
    expect(await put(await api.project(), { audienceCondition })).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [error],
    });
  });

  test('returns 400 for a condition that names a segment of another project', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const foreign = await segment(other);
    for (const id of [foreign.id, newId(), 'nope'])
      expect(await put(project, { audienceCondition: memberOf(id) })).toEqual({ status: 400, code: 'BAD_REQUEST' });
  });
});

describe('POST /campaigns/audience', () => {
  const preview = async (project: TestProject, body: Record<string, unknown>) =>
    (await api.as(project, 'POST', '/campaigns/audience', body)).json();

  test('returns the number of members, of unsubscribed members, and of recipients', async () => {
    const project = await api.project();
    await people(project);
    const dynamic = await segment(project);
    const hand = await segment(project, { type: 'STATIC' });
    await api.as(project, 'POST', `/segments/${hand.id}/members`, { emails: ['gone@x.test', 'free@x.test'] });
    expect(await preview(project, { audienceType: 'ALL', type: 'MARKETING' })).toEqual({
      matched: 4,
      unsubscribed: 1,
      willSend: 3,
    });
    expect(await preview(project, { audienceType: 'ALL', type: 'TRANSACTIONAL' })).toEqual({
      matched: 4,
      unsubscribed: 1,
      willSend: 4,
    });
    expect(await preview(project, { audienceType: 'SEGMENT', segmentId: dynamic.id, type: 'MARKETING' })).toEqual({
      matched: 3,
      unsubscribed: 1,
      willSend: 2,
    });
    expect(await preview(project, { audienceType: 'SEGMENT', segmentId: hand.id, type: 'HEADLESS' })).toEqual({
      matched: 2,
      unsubscribed: 1,
      willSend: 1,
    });
    expect(await preview(project, { audienceType: 'FILTERED', audienceCondition: PRO, type: 'TRANSACTIONAL' })).toEqual(
      { matched: 3, unsubscribed: 1, willSend: 3 },
    );
    expect(await preview(project, { audienceType: 'FILTERED', audienceCondition: PRO })).toEqual({
      matched: 3,
      unsubscribed: 1,
      willSend: 2,
    });
  });

  test('agrees with the campaign that is then sent', async () => {
    const project = await api.project();
    await people(project);
    const audience = { audienceType: 'FILTERED', audienceCondition: PRO };
    const { willSend } = await preview(project, audience);
    expect(await recipients(project, await draft(project, audience))).toHaveLength(willSend);
  });

  test('returns 404 for an unknown segment, and 422 without one', async () => {
    const [project, other] = [await api.project(), await api.project()];
    for (const segmentId of [newId(), (await segment(other)).id]) {
      expect(
        refused(await api.as(project, 'POST', '/campaigns/audience', { audienceType: 'SEGMENT', segmentId })),
      ).toEqual({ status: 404, code: 'SEGMENT_NOT_FOUND' });
    }
    expect(refused(await api.as(project, 'POST', '/campaigns/audience', { audienceType: 'SEGMENT' }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: ['segmentId required'],
    });
  });
});
