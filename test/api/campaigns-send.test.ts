import { describe, expect, test } from 'vitest';
import { parseDate } from '../../src/domain/campaigns/dates.js';
import { useApi } from '../helpers/api.js';
import { campaignHelpers, refused, TOMORROW } from '../helpers/campaign-api.js';

const api = useApi();
const { contact, draft, email, intents, segment, setState, snapshot } = campaignHelpers(api);

describe('POST /campaigns/:id/send', () => {
  test.each([
    ['an empty body', undefined],
    ['{}', {}],
    ['scheduledFor null', { scheduledFor: null }],
  ])('DRAFT → SENDING with %s; the start is queued with it', async (_, body) => {
    const project = await api.project();
    await contact(project, 'a@b.test');
    const id = await draft(project);
    const response = await api.as(project, 'POST', `/campaigns/${id}/send`, body);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      success: true,
      data: { id, name: 'Autumn news', status: 'SENDING', scheduledFor: null },
      message: expect.any(String),
    });
    expect(await intents(project)).toEqual([
      {
        workflowId: `campaign:${id}:1`,
        action: 'start',
        payload: {
          action: 'start',
          workflowId: `campaign:${id}:1`,
          workflowType: 'campaignSend',
          taskQueue: 'bulk',
          args: [{ campaignId: id, projectId: project.id, attempt: 1 }],
          projectId: project.id,
          resourceId: id,
          resourceKind: 'campaign',
          summary: 'Send a campaign now',
        },
      },
    ]);
  });

  test('DRAFT → SCHEDULED with a future date; the start carries the date', async () => {
    const project = await api.project();
    const id = await draft(project);
    const scheduledFor = TOMORROW();
    const response = await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor });
    expect(response.json()).toEqual({
      success: true,
      data: { id, name: 'Autumn news', status: 'SCHEDULED', scheduledFor },
      message: expect.any(String),
    });
    expect((await api.as(project, 'GET', `/campaigns/${id}`)).json()).toMatchObject({
      status: 'SCHEDULED',
      scheduledFor,
    });
    expect(await intents(project)).toMatchObject([
      { workflowId: `campaign:${id}:1`, payload: { startAt: scheduledFor } },
    ]);
  });

  test('SCHEDULED → SCHEDULED: a new date replaces the old one and ends its workflow', async () => {
    const project = await api.project();
    const id = await draft(project);
    await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor: TOMORROW() });
    const later = new Date(Date.now() + 48 * 3600 * 1000).toISOString();
    expect((await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor: later })).json().data).toMatchObject(
      { status: 'SCHEDULED', scheduledFor: later },
    );
    expect(await intents(project)).toMatchObject([
      { workflowId: `campaign:${id}:1`, action: 'start' },
      { workflowId: `campaign:${id}:1`, action: 'cancel' },
      { workflowId: `campaign:${id}:2`, action: 'start', payload: { startAt: later, args: [{ attempt: 2 }] } },
    ]);
  });

  test('SCHEDULED → SENDING without a date, and the old date is removed', async () => {
    const project = await api.project();
    await contact(project, 'a@b.test');
    const id = await draft(project);
    await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor: TOMORROW() });
    expect((await api.as(project, 'POST', `/campaigns/${id}/send`)).json().data).toMatchObject({
      status: 'SENDING',
      scheduledFor: null,
    });
    expect((await intents(project)).map(({ action, workflowId }) => `${action} ${workflowId.slice(-1)}`)).toEqual([
      'start 1',
      'cancel 1',
      'start 2',
    ]);
  });

  test.each(['SENDING', 'SENT', 'CANCELLED'] as const)(
    'returns 409 while %s, with and without a date, and changes nothing',
    async (status) => {
      const project = await api.project();
      await contact(project, 'a@b.test');
      const id = await draft(project);
      await setState(id, status);
      const before = await snapshot(project);
      for (const body of [{}, { scheduledFor: TOMORROW() }]) {
        expect(refused(await api.as(project, 'POST', `/campaigns/${id}/send`, body))).toEqual({
          status: 409,
          code: 'CONFLICT',
        });
      }
      expect(await snapshot(project)).toEqual(before);
    },
  );

  test.each([
    ['an unparseable date', 'soon', 400, 'BAD_REQUEST'],
    ['an empty date', '', 400, 'BAD_REQUEST'],
    ['a date in the past', '2020-01-01T00:00:00Z', 400, 'BAD_REQUEST'],
    ['a date after the year 9999', '+012000-01-01T00:00:00Z', 400, 'BAD_REQUEST'],
    ['a number', 1_900_000_000_000, 422, 'VALIDATION_ERROR'],
    ['a boolean', true, 422, 'VALIDATION_ERROR'],
    ['an object', {}, 422, 'VALIDATION_ERROR'],
  ])('%s as scheduledFor is rejected, and changes nothing', async (_, scheduledFor, status, code) => {
    const project = await api.project();
    await contact(project, 'a@b.test');
    const id = await draft(project);
    const before = await snapshot(project);
    const answer = refused(await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor }));
    expect(answer).toMatchObject({ status, code });
    if (status === 422) expect(answer.errors).toEqual(['scheduledFor invalid_type']);
    expect(await snapshot(project)).toEqual(before);
  });

  test.each([
    ['2101-03-04', '2101-03-04T00:00:00.000Z'],
    ['2101-03-04T10:00', '2101-03-04T10:00:00.000Z'],
    ['2101-03-04T10:00:00+02:00', '2101-03-04T08:00:00.000Z'],
    ['Mar 4, 2101 10:00', '2101-03-04T10:00:00.000Z'],
    ['Fri, 04 Mar 2101 10:00:00 GMT', '2101-03-04T10:00:00.000Z'],
  ])('parses %s as JavaScript does, in UTC if it has no time zone', async (given, expected) => {
    const project = await api.project();
    const id = await draft(project);
    const response = await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor: given });
    expect(response.json().data).toMatchObject({ status: 'SCHEDULED', scheduledFor: expected });
    expect((await api.as(project, 'GET', `/campaigns/${id}`)).json().scheduledFor).toBe(expected);
  });

  test('an empty audience returns 400 BAD_REQUEST now, but can be scheduled', async () => {
    const project = await api.project();
    await contact(project, 'gone@b.test', { subscribed: false });
    await contact(await api.project(), 'other@b.test');
    const id = await draft(project);
    const before = await snapshot(project);
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/send`))).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
    });
    expect(await snapshot(project)).toEqual(before);
    expect((await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor: TOMORROW() })).statusCode).toBe(200);
  });

  test('MARKETING and HEADLESS reach subscribed contacts only, TRANSACTIONAL all', async () => {
    const project = await api.project();
    await contact(project, 'gone@b.test', { subscribed: false });
    const statuses = await Promise.all(
      ['MARKETING', 'HEADLESS', 'TRANSACTIONAL'].map(
        async (type) => (await api.as(project, 'POST', `/campaigns/${await draft(project, { type })}/send`)).statusCode,
      ),
    );
    expect(statuses).toEqual([400, 400, 200]);
  });

  test('a static segment reaches its subscribed members', async () => {
    const project = await api.project();
    const inside = await contact(project, 'in@b.test');
    const outside = await contact(project, 'out@b.test', { subscribed: false });
    const send = async (members: string[]) =>
      refused(
        await api.as(
          project,
          'POST',
          `/campaigns/${await draft(project, { audienceType: 'SEGMENT', segmentId: await segment(project, members) })}/send`,
        ),
      );
    expect(await send([inside])).toMatchObject({ status: 200 });
    expect(await send([outside])).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    expect(await send([])).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  });

  test('a sender domain that is no longer verified returns 403 and changes nothing', async () => {
    const project = await api.project();
    await contact(project, 'a@b.test');
    const id = await draft(project);
    await api.ctx.prisma.domain.updateMany({ where: { projectId: project.id }, data: { status: 'PENDING' } });
    const before = await snapshot(project);
    for (const body of [{}, { scheduledFor: TOMORROW() }]) {
      expect(refused(await api.as(project, 'POST', `/campaigns/${id}/send`, body))).toEqual({
        status: 403,
        code: 'INTERNAL_SERVER_ERROR',
      });
    }
    expect(await snapshot(project)).toEqual(before);
  });

  test('only one of several concurrent sends succeeds, and one start is queued', async () => {
    const project = await api.project();
    await contact(project, 'a@b.test');
    const id = await draft(project);
    // All pass the first check concurrently; the guarded update accepts one.
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.as(project, 'POST', `/campaigns/${id}/send`)),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b)).toEqual([
      200, 409, 409, 409, 409, 409, 409, 409,
    ]);
    expect(await intents(project)).toHaveLength(1);
  });
});

test.each([
  ['2101-07-04T10:00', '2101-07-04T10:00:00.000Z'],
  ['2101-07-04 10:00', '2101-07-04T10:00:00.000Z'],
  ['2101-07-04', '2101-07-04T00:00:00.000Z'],
  ['2101-7-4', '2101-07-04T00:00:00.000Z'],
  ['2101', '2101-01-01T00:00:00.000Z'],
  ['July 4, 2101 10:00 PM', '2101-07-04T22:00:00.000Z'],
  ['07/04/2101 (a note, EST)', '2101-07-04T00:00:00.000Z'],
  ['2101-07-04T10:00:00-05:00', '2101-07-04T15:00:00.000Z'],
  ['July 4, 2101 10:00 EST', '2101-07-04T15:00:00.000Z'],
  ['Mon Jul 04 2101 10:00:00 GMT+0200 (CEST)', '2101-07-04T08:00:00.000Z'],
  ['2101-03-13T02:30', '2101-03-13T02:30:00.000Z'],
])('a process in another zone reads %s as %s', (given, expected) => {
  const zone = process.env.TZ;
  process.env.TZ = 'America/New_York';
  try {
    expect(new Date('2101-07-04T10:00').toISOString()).toBe('2101-07-04T14:00:00.000Z');
    expect(parseDate(given)?.toISOString()).toBe(expected);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

describe('POST /campaigns/:id/cancel', () => {
  test('SENDING → CANCELLED: pending emails are never sent, emails in flight keep their state', async () => {
    const project = await api.project();
    await contact(project, 'a@b.test');
    const id = await draft(project);
    await api.as(project, 'POST', `/campaigns/${id}/send`);
    const states = [
      ['PENDING', 'CANCELLED'],
      ['SENDING', 'SENDING'],
      ['SENT', 'SENT'],
      ['FAILED', 'FAILED'],
    ] as const;
    const emails = await Promise.all(
      states.map(async ([status, after]) => ({
        id: await email(project, id, { status, ...(status === 'SENT' && { sentAt: new Date() }) }),
        after,
      })),
    );
    const otherCampaigns = await email(project, await draft(project));
    const response = await api.as(project, 'POST', `/campaigns/${id}/cancel`);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ id, status: 'CANCELLED', totalRecipients: 4, sentCount: 1 });
    for (const { id: emailId, after } of [...emails, { id: otherCampaigns, after: 'PENDING' }]) {
      expect((await api.ctx.prisma.email.findUnique({ where: { id: emailId } }))?.status).toBe(after);
    }
    expect((await intents(project)).map(({ action, workflowId }) => `${action} ${workflowId}`)).toEqual([
      `start campaign:${id}:1`,
      `cancel campaign:${id}:1`,
    ]);
  });

  test('SCHEDULED → CANCELLED: the date stays visible', async () => {
    const project = await api.project();
    const id = await draft(project);
    const scheduledFor = TOMORROW();
    await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor });
    expect((await api.as(project, 'POST', `/campaigns/${id}/cancel`)).json()).toMatchObject({
      status: 'CANCELLED',
      scheduledFor,
    });
  });

  test.each(['DRAFT', 'SENT', 'CANCELLED'] as const)('returns 409 while %s, and changes nothing', async (status) => {
    const project = await api.project();
    const id = await draft(project);
    await email(project, id);
    await setState(id, status);
    const before = await snapshot(project);
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/cancel`))).toEqual({
      status: 409,
      code: 'CONFLICT',
    });
    expect(await snapshot(project)).toEqual(before);
  });
});

describe('POST /campaigns/:id/test', () => {
  test.each(['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED'] as const)(
    'works while %s, and is not counted',
    async (status) => {
      const project = await api.project();
      const id = await draft(project, { type: 'TRANSACTIONAL', replyTo: 'r@x.test', fromName: 'News' });
      await setState(id, status);
      const response = await api.as(project, 'POST', `/campaigns/${id}/test`, { email: ' Me@Example.COM ' });
      expect(response.statusCode).toBe(200);
      expect(response.json()).toEqual({ id: expect.any(String), email: 'me@example.com', status: 'PENDING' });
      const row = await api.ctx.prisma.email.findUnique({
        where: { id: response.json().id },
        include: { message: true },
      });
      // The mailer adds [TEST] before the rendered subject of emails with this source.
      expect(row).toMatchObject({
        source: 'TEST',
        type: 'TRANSACTIONAL',
        campaignId: null,
        contactId: null,
        toEmail: 'me@example.com',
        message: { subject: 'Hello {{ name ?? you }}', replyTo: 'r@x.test', fromName: 'News' },
      });
      expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(0);
      expect(await api.ctx.prisma.event.count({ where: { projectId: project.id } })).toBe(0);
      expect((await api.as(project, 'GET', `/campaigns/${id}/stats`)).json()).toMatchObject({
        totalRecipients: 0,
        pendingCount: 0,
      });
    },
  );

  test('uses the contact with the address if it exists, subscribed or not', async () => {
    const project = await api.project();
    const contactId = await contact(project, 'me@x.test', { subscribed: false });
    await contact(await api.project(), 'other@x.test');
    const id = await draft(project);
    const [own, foreign] = await Promise.all(
      ['me@x.test', 'other@x.test'].map(
        async (address) =>
          (await api.as(project, 'POST', `/campaigns/${id}/test`, { email: address })).json().id as string,
      ),
    );
    expect((await api.ctx.prisma.email.findUnique({ where: { id: own } }))?.contactId).toBe(contactId);
    expect((await api.ctx.prisma.email.findUnique({ where: { id: foreign } }))?.contactId).toBeNull();
    expect((await api.ctx.prisma.contact.findUnique({ where: { id: contactId } }))?.subscribed).toBe(false);
  });

  test('requires an address (422) and a verified sender domain (403), and otherwise writes nothing', async () => {
    const project = await api.project();
    const id = await draft(project);
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/test`, {}))).toMatchObject({
      status: 422,
      errors: ['email required'],
    });
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/test`, { email: 'x' }))).toMatchObject({
      status: 422,
      errors: ['email invalid_string'],
    });
    await api.ctx.prisma.domain.updateMany({ where: { projectId: project.id }, data: { status: 'PENDING' } });
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/test`, { email: 'a@b.test' }))).toEqual({
      status: 403,
      code: 'INTERNAL_SERVER_ERROR',
    });
    expect(await api.ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(0);
    expect(await api.ctx.prisma.message.count({ where: { projectId: project.id } })).toBe(0);
  });
});

describe('GET /campaigns/:id/stats', () => {
  test('counts the emails while SENDING, with rates as fractions of sent, and agrees with the campaign', async () => {
    const project = await api.project();
    const id = await draft(project);
    await setState(id, 'SENDING');
    const at = new Date();
    await email(project, id);
    await email(project, id, { status: 'SENDING' });
    await email(project, id, { status: 'FAILED' });
    await email(project, id, { status: 'FAILED', ambiguous: true });
    await email(project, id, { status: 'CANCELLED' });
    await email(project, id, { status: 'SENT', sentAt: at });
    await email(project, id, { status: 'BOUNCED', sentAt: at, bouncedAt: at });
    const clicked = await email(project, id, {
      status: 'CLICKED',
      sentAt: at,
      deliveredAt: at,
      openedAt: at,
      clickedAt: at,
    });
    await email(project, id, { status: 'COMPLAINED', sentAt: at, deliveredAt: at, complainedAt: at });
    await email(project, await draft(project), { status: 'SENT', sentAt: at });
    await api.ctx.pool.query(
      `INSERT INTO email_unsubscribes (email_id, project_id, campaign_id, at) VALUES ($1, $2, $3, now())`,
      [clicked, project.id, id],
    );
    const stats = (await api.as(project, 'GET', `/campaigns/${id}/stats`)).json();
    expect(stats).toEqual({
      totalRecipients: 9,
      sentCount: 4,
      deliveredCount: 2,
      openedCount: 1,
      clickedCount: 1,
      bouncedCount: 1,
      complainedCount: 1,
      unsubscribedCount: 1,
      failedCount: 1,
      unknownCount: 1,
      pendingCount: 2,
      cancelledCount: 1,
      deliveryRate: 0.5,
      openRate: 0.25,
      clickRate: 0.25,
      bounceRate: 0.25,
      variants: [],
      fallbackZone: 0,
    });
    const shown = {
      totalRecipients: 9,
      sentCount: 4,
      deliveredCount: 2,
      openedCount: 1,
      clickedCount: 1,
      bouncedCount: 1,
    };
    expect((await api.as(project, 'GET', `/campaigns/${id}`)).json()).toMatchObject(shown);
    expect((await api.as(project, 'GET', '/campaigns?status=SENDING')).json().data[0]).toMatchObject(shown);
  });

  test('rates are 0 if nothing was sent', async () => {
    const project = await api.project();
    const stats = (await api.as(project, 'GET', `/campaigns/${await draft(project)}/stats`)).json();
    expect(stats).toMatchObject({ sentCount: 0, openRate: 0, clickRate: 0, bounceRate: 0, deliveryRate: 0 });
  });
});
