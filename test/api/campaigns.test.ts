import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi } from '../helpers/api.js';
import { campaignHelpers, CONDITION, content, refused, TOMORROW } from '../helpers/campaign-api.js';

const api = useApi();
const { draft, email, segment, setState, snapshot } = campaignHelpers(api);

describe('POST /campaigns', () => {
  test('creates a DRAFT and returns 201 in the envelope, with every field and null for omitted fields', async () => {
    const project = await api.project();
    const response = await api.as(
      project,
      'POST',
      '/campaigns',
      content(project, { from: ` News@${project.domain.toUpperCase()} `, unknown: 1 }),
    );
    expect(response.statusCode).toBe(201);
    expect(response.json()).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        projectId: project.id,
        name: 'Autumn news',
        description: null,
        subject: 'Hello {{ name ?? you }}',
        preheader: null,
        editor: 'html',
        design: null,
        body: '<p>Hi {{ name }}</p>',
        from: `news@${project.domain}`,
        fromName: null,
        replyTo: null,
        type: 'MARKETING',
        status: 'DRAFT',
        draft: false,
        audienceType: 'ALL',
        segmentId: null,
        audienceCondition: null,
        templateId: null,
        scheduledFor: null,
        localSchedule: null,
        sendWindow: null,
        variants: null,
        test: null,
        decision: null,
        sentAt: null,
        totalRecipients: 0,
        sentCount: 0,
        deliveredCount: 0,
        openedCount: 0,
        clickedCount: 0,
        bouncedCount: 0,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: expect.any(String),
        problems: expect.any(Array),
      },
    });
  });

  test('a body without the required fields returns 422 with the name of each', async () => {
    const project = await api.project();
    expect(refused(await api.as(project, 'POST', '/campaigns', {}))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: ['name required', 'audienceType required'],
    });
    expect(refused(await api.as(project, 'POST', '/campaigns', { name: 'n', audienceType: 'SEGMENT' }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: ['subject required', 'body required', 'from required', 'segmentId required'],
    });
    expect(await api.ctx.prisma.campaign.count({ where: { projectId: project.id } })).toBe(0);
  });

  test.each([
    ['an empty name', { name: '' }, 'name too_small'],
    ['a name of blanks', { name: '  ' }, 'name too_small'],
    ['a number as name', { name: 5 }, 'name invalid_type'],
    ['an empty subject', { subject: '' }, 'subject too_small'],
    ['a subject of 999 characters', { subject: 'x'.repeat(999) }, 'subject too_big'],
    ['a subject with a newline', { subject: 'a\nBcc: x@y.test' }, 'subject invalid_string'],
    ['a subject with a syntax error', { subject: '{{ name' }, 'subject custom'],
    ['a preheader of 256 characters', { preheader: 'x'.repeat(256) }, 'preheader too_big'],
    ['a preheader with a syntax error', { preheader: '{{ name' }, 'preheader custom'],
    ['an empty body', { body: '' }, 'body too_small'],
    ['a body with a syntax error', { body: '{% if x %}' }, 'body custom'],
    ['a sender that is not an address', { from: 'news' }, 'from invalid_string'],
    ['a sender name with a newline', { fromName: 'a\r\nb' }, 'fromName invalid_string'],
    ['a reply address that is not an address', { replyTo: 'ada' }, 'replyTo invalid_string'],
    ['an unknown type', { type: 'NEWS' }, 'type invalid_string'],
    ['an unknown audience type', { audienceType: 'SOME' }, 'audienceType invalid_string'],
    ['a segment id that is not a UUID', { audienceType: 'SEGMENT', segmentId: 'x' }, 'segmentId invalid_string'],
    ['SEGMENT without a segmentId', { audienceType: 'SEGMENT' }, 'segmentId required'],
    ['SEGMENT with segmentId null', { audienceType: 'SEGMENT', segmentId: null }, 'segmentId required'],
    ['FILTERED without an audienceCondition', { audienceType: 'FILTERED' }, 'audienceCondition required'],
    [
      'an audienceCondition that is not an object',
      { audienceType: 'FILTERED', audienceCondition: 'all' },
      'audienceCondition invalid_type',
    ],
    [
      'an audienceCondition with another logic',
      { audienceType: 'FILTERED', audienceCondition: { logic: 'XOR', groups: [] } },
      'audienceCondition.logic invalid_string',
    ],
    [
      'an audienceCondition without groups',
      { audienceType: 'FILTERED', audienceCondition: { logic: 'OR' } },
      'audienceCondition.groups required',
    ],
  ])('%s returns 422 with the field', async (_, overrides, error) => {
    const project = await api.project();
    expect(refused(await api.as(project, 'POST', '/campaigns', content(project, overrides)))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [error],
    });
    expect(await api.ctx.prisma.campaign.count({ where: { projectId: project.id } })).toBe(0);
  });

  test('a subject of 998 characters is accepted', async () => {
    const project = await api.project();
    await draft(project, { subject: 'x'.repeat(998) });
  });

  test('an unverified sender domain returns 403 with the code INTERNAL_SERVER_ERROR', async () => {
    const project = await api.project({ verified: false });
    const response = await api.as(project, 'POST', '/campaigns', content(project));
    expect(refused(response)).toEqual({ status: 403, code: 'INTERNAL_SERVER_ERROR' });
    expect(
      refused(await api.as(project, 'POST', '/campaigns', content(project, { from: `a@sub.${project.domain}` }))),
    ).toEqual({ status: 403, code: 'INTERNAL_SERVER_ERROR' });
    expect(await api.ctx.prisma.campaign.count({ where: { projectId: project.id } })).toBe(0);
  });

  test('a segmentId that is unknown or of another project returns 404 SEGMENT_NOT_FOUND', async () => {
    const [project, other] = [await api.project(), await api.project()];
    for (const segmentId of [newId(), await segment(other, [])]) {
      expect(
        refused(await api.as(project, 'POST', '/campaigns', content(project, { audienceType: 'SEGMENT', segmentId }))),
      ).toEqual({ status: 404, code: 'SEGMENT_NOT_FOUND' });
    }
  });

  test('keeps the segment with SEGMENT, the condition with FILTERED, and neither with ALL', async () => {
    const project = await api.project();
    const segmentId = await segment(project, []);
    const both = { segmentId, audienceCondition: CONDITION };
    const shown = async (audienceType: string) =>
      (await api.as(project, 'POST', '/campaigns', content(project, { ...both, audienceType }))).json().data;
    expect(await shown('SEGMENT')).toMatchObject({ segmentId, audienceCondition: null });
    expect(await shown('FILTERED')).toMatchObject({ segmentId: null, audienceCondition: CONDITION });
    expect(await shown('ALL')).toMatchObject({ segmentId: null, audienceCondition: null });
  });

  test('a template supplies omitted fields, and the request overrides it', async () => {
    const project = await api.project();
    const templateId = newId();
    await api.ctx.prisma.template.create({
      data: {
        id: templateId,
        projectId: project.id,
        name: 'T',
        subject: 'From T',
        body: '<b>T</b>',
        from: `t@${project.domain}`,
        fromName: 'Tee',
        replyTo: 'reply@t.test',
        type: 'HEADLESS',
      },
    });
    const filled = await api.as(project, 'POST', '/campaigns', { name: 'n', audienceType: 'ALL', templateId });
    expect(filled.json().data).toMatchObject({
      templateId,
      subject: 'From T',
      body: '<b>T</b>',
      from: `t@${project.domain}`,
      fromName: 'Tee',
      replyTo: 'reply@t.test',
      type: 'HEADLESS',
    });
    const overridden = await api.as(project, 'POST', '/campaigns', {
      name: 'n',
      audienceType: 'ALL',
      templateId,
      subject: 'Mine',
      type: 'TRANSACTIONAL',
      from: `me@${project.domain}`,
    });
    expect(overridden.json().data).toMatchObject({
      subject: 'Mine',
      body: '<b>T</b>',
      type: 'TRANSACTIONAL',
      from: `me@${project.domain}`,
      fromName: null,
    });
  });

  test('an unknown template, or one of another project, returns 404 TEMPLATE_NOT_FOUND', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const templateId = newId();
    await api.ctx.prisma.template.create({
      data: { id: templateId, projectId: other.id, name: 'T', subject: 's', body: 'b', from: 'a@b.test' },
    });
    for (const id of [newId(), templateId]) {
      expect(refused(await api.as(project, 'POST', '/campaigns', content(project, { templateId: id })))).toEqual({
        status: 404,
        code: 'TEMPLATE_NOT_FOUND',
      });
    }
  });
});

describe('GET /campaigns', () => {
  test('returns pages, newest first, with the totals', async () => {
    const project = await api.project();
    const ids = [await draft(project), await draft(project), await draft(project)];
    const first = (await api.as(project, 'GET', '/campaigns?pageSize=2')).json();
    expect(first).toMatchObject({ page: 1, pageSize: 2, total: 3, totalPages: 2 });
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]]);
    const second = (await api.as(project, 'GET', '/campaigns?pageSize=2&page=2')).json();
    expect(second.data.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
    expect((await api.as(project, 'GET', '/campaigns')).json()).toMatchObject({ page: 1, pageSize: 20 });
  });

  test('filters by status; an unrecognized status returns 400 BAD_REQUEST', async () => {
    const project = await api.project();
    const [sent] = [await draft(project), await draft(project)];
    await setState(sent, 'SENT');
    expect((await api.as(project, 'GET', '/campaigns?status=SENT')).json()).toMatchObject({
      total: 1,
      data: [{ id: sent }],
    });
    for (const status of ['sent', 'DONE', '']) {
      expect(refused(await api.as(project, 'GET', `/campaigns?status=${status}`))).toEqual({
        status: 400,
        code: 'BAD_REQUEST',
      });
    }
  });

  test('searches a part of name, subject, or sender address in any case, and uses % and _ literally', async () => {
    const project = await api.project();
    await draft(project, { name: 'a winter SALE' });
    await draft(project, { name: 'b', subject: 'The sale ends' });
    await draft(project, { name: 'c', from: `sales@${project.domain}` });
    await draft(project, { name: '100% off', subject: 'x_y' });
    const names = async (search: string) =>
      (await api.as(project, 'GET', `/campaigns?sort=name&dir=asc&search=${encodeURIComponent(search)}`))
        .json()
        .data.map(({ name }: { name: string }) => name);
    expect(await names('sALe')).toEqual(['a winter SALE', 'b', 'c']);
    expect(await names('0%')).toEqual(['100% off']);
    expect(await names('%')).toEqual(['100% off']);
    expect(await names('_y')).toEqual(['100% off']);
    expect(await names('\\')).toEqual([]);
  });

  test('an unknown sort or dir uses the default; a page that is not a positive integer returns 422', async () => {
    const project = await api.project();
    const ids = [await draft(project, { name: 'a' }), await draft(project, { name: 'b' })];
    const listed = (await api.as(project, 'GET', '/campaigns?sort=sentCount&dir=up')).json();
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[0]]);
    expect(refused(await api.as(project, 'GET', '/campaigns?page=0'))).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
    });
  });

  test("does not show another project's campaigns", async () => {
    const [project, other] = [await api.project(), await api.project()];
    await draft(other);
    expect((await api.as(project, 'GET', '/campaigns')).json()).toMatchObject({ total: 0, data: [], totalPages: 1 });
  });
});

describe('campaign paths', () => {
  const paths = [
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/duplicate'],
    ['POST', '/send'],
    ['POST', '/cancel'],
    ['POST', '/test'],
    ['GET', '/stats'],
  ] as const;

  test.each(paths)(
    "%s /campaigns/:id%s returns 422 for a malformed uuid, and the same 404 for an unknown id and another project's",
    async (method, path) => {
      const [project, other] = [await api.project(), await api.project()];
      const foreign = await draft(other);
      const before = await snapshot(other);
      const body =
        method === 'PUT'
          ? content(project)
          : path === '/test'
            ? { email: 'a@b.test' }
            : method === 'POST'
              ? {}
              : undefined;
      expect(refused(await api.as(project, method, `/campaigns/nope${path}`, body))).toEqual({
        status: 422,
        code: 'VALIDATION_ERROR',
        errors: ['id invalid_string'],
      });
      const answers = await Promise.all(
        [newId(), foreign].map((id) => api.as(project, method, `/campaigns/${id}${path}`, body)),
      );
      const [unknown, others] = answers.map((answer) => ({
        status: answer.statusCode,
        code: answer.json().error.code,
        message: answer.json().error.message,
      }));
      expect(unknown).toMatchObject({ status: 404, code: 'CAMPAIGN_NOT_FOUND' });
      expect(others).toEqual(unknown);
      expect(await snapshot(other)).toEqual(before);
    },
  );

  test('a public key returns 401 INVALID_API_KEY', async () => {
    const project = await api.project();
    const response = await api.app.inject({
      method: 'GET',
      url: '/campaigns',
      headers: { authorization: `Bearer ${project.public}` },
    });
    expect(refused(response)).toEqual({ status: 401, code: 'INVALID_API_KEY' });
  });
});

describe('PUT /campaigns/:id', () => {
  test('replaces the content: omitted fields become null or their default', async () => {
    const project = await api.project();
    const id = await draft(project, {
      description: 'd',
      fromName: 'f',
      replyTo: 'r@x.test',
      type: 'HEADLESS',
      audienceType: 'FILTERED',
      audienceCondition: CONDITION,
    });
    const response = await api.as(project, 'PUT', `/campaigns/${id}`, content(project, { name: 'New' }));
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      id,
      name: 'New',
      description: null,
      fromName: null,
      replyTo: null,
      type: 'MARKETING',
      audienceType: 'ALL',
      audienceCondition: null,
      status: 'DRAFT',
    });
    expect((await api.as(project, 'GET', `/campaigns/${id}`)).json()).toEqual(response.json());
  });

  test('requires the fields of POST, and a rejected request changes nothing', async () => {
    const project = await api.project();
    const id = await draft(project);
    const before = await snapshot(project);
    expect(refused(await api.as(project, 'PUT', `/campaigns/${id}`, { name: 'x', audienceType: 'ALL' }))).toMatchObject(
      { status: 422, errors: ['subject required', 'body required', 'from required'] },
    );
    expect(
      refused(await api.as(project, 'PUT', `/campaigns/${id}`, content(project, { from: 'a@elsewhere.test' }))),
    ).toEqual({ status: 403, code: 'INTERNAL_SERVER_ERROR' });
    expect(
      refused(
        await api.as(
          project,
          'PUT',
          `/campaigns/${id}`,
          content(project, { audienceType: 'SEGMENT', segmentId: newId() }),
        ),
      ),
    ).toEqual({ status: 404, code: 'SEGMENT_NOT_FOUND' });
    expect(await snapshot(project)).toEqual(before);
  });

  test('an unknown campaign and one of another project return 404 for any body', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const bodies = [
      content(project, { from: 'a@elsewhere.test' }),
      content(project, { subject: '{{ name' }),
      content(project, { templateId: newId() }),
    ];
    for (const id of [newId(), await draft(other)]) {
      for (const body of bodies)
        expect(refused(await api.as(project, 'PUT', `/campaigns/${id}`, body))).toEqual({
          status: 404,
          code: 'CAMPAIGN_NOT_FOUND',
        });
    }
  });

  test('is allowed while SCHEDULED, and the campaign keeps its date', async () => {
    const project = await api.project();
    const id = await draft(project);
    const scheduledFor = TOMORROW();
    await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor });
    const response = await api.as(project, 'PUT', `/campaigns/${id}`, content(project, { name: 'New' }));
    expect(response.json()).toMatchObject({ name: 'New', status: 'SCHEDULED', scheduledFor });
  });

  test.each(['SENDING', 'SENT', 'CANCELLED'] as const)('returns 409 while %s, and changes nothing', async (status) => {
    const project = await api.project();
    const id = await draft(project);
    await setState(id, status);
    const before = await snapshot(project);
    expect(refused(await api.as(project, 'PUT', `/campaigns/${id}`, content(project, { name: 'New' })))).toEqual({
      status: 409,
      code: 'CONFLICT',
    });
    expect(await snapshot(project)).toEqual(before);
  });
});

describe('DELETE /campaigns/:id', () => {
  test.each(['DRAFT', 'SENT', 'CANCELLED'] as const)(
    'deletes a %s campaign with 204 and no body; its emails stay',
    async (status) => {
      const project = await api.project();
      const id = await draft(project);
      const emailId = await email(project, id, { status: 'SENT', sentAt: new Date() });
      await setState(id, status);
      const response = await api.as(project, 'DELETE', `/campaigns/${id}`);
      expect([response.statusCode, response.body]).toEqual([204, '']);
      expect((await api.as(project, 'GET', `/campaigns/${id}`)).statusCode).toBe(404);
      expect(await api.ctx.prisma.email.findUnique({ where: { id: emailId } })).toMatchObject({
        campaignId: null,
        status: 'SENT',
      });
    },
  );

  test.each(['SCHEDULED', 'SENDING'] as const)('returns 409 while %s, and changes nothing', async (status) => {
    const project = await api.project();
    const id = await draft(project);
    await email(project, id);
    await setState(id, status);
    const before = await snapshot(project);
    expect(refused(await api.as(project, 'DELETE', `/campaigns/${id}`))).toEqual({ status: 409, code: 'CONFLICT' });
    expect(await snapshot(project)).toEqual(before);
  });

  test('returns 409 while the transport handles emails of a canceled campaign', async () => {
    const project = await api.project();
    const id = await draft(project);
    await email(project, id, { status: 'SENDING' });
    await setState(id, 'CANCELLED');
    expect(refused(await api.as(project, 'DELETE', `/campaigns/${id}`))).toEqual({ status: 409, code: 'CONFLICT' });
  });

  test('cancels pending emails, so that the dispatcher cannot send them', async () => {
    const project = await api.project();
    const id = await draft(project);
    const emailId = await email(project, id);
    await setState(id, 'CANCELLED');
    expect((await api.as(project, 'DELETE', `/campaigns/${id}`)).statusCode).toBe(204);
    expect(await api.ctx.prisma.email.findUnique({ where: { id: emailId } })).toMatchObject({
      campaignId: null,
      status: 'CANCELLED',
    });
  });
});

test('POST /campaigns/:id/duplicate returns a new DRAFT with the content, counters zero and no date', async () => {
  const project = await api.project();
  const id = await draft(project, {
    description: 'd',
    type: 'HEADLESS',
    audienceType: 'FILTERED',
    audienceCondition: CONDITION,
  });
  await api.ctx.prisma.campaign.update({
    where: { id },
    data: {
      status: 'SENT',
      sentCount: 5,
      totalRecipients: 5,
      attempt: 2,
      scheduledFor: new Date(),
      sentAt: new Date(),
      startedAt: new Date(),
      snapshotDone: true,
    },
  });
  const response = await api.as(project, 'POST', `/campaigns/${id}/duplicate`);
  expect(response.statusCode).toBe(201);
  const original = (await api.as(project, 'GET', `/campaigns/${id}`)).json();
  const copy = response.json();
  expect(copy.id).not.toBe(id);
  const { createdAt, updatedAt } = copy;
  expect(copy).toEqual({
    ...original,
    id: copy.id,
    name: 'Autumn news (copy)',
    status: 'DRAFT',
    scheduledFor: null,
    sentAt: null,
    totalRecipients: 0,
    sentCount: 0,
    createdAt,
    updatedAt,
    problems: copy.problems,
  });
  expect(await api.ctx.prisma.campaign.findUnique({ where: { id: copy.id } })).toMatchObject({
    attempt: 0,
    snapshotDone: false,
    startedAt: null,
    messageId: null,
  });
});
