import { describe, expect, it } from 'vitest';
import { insertEmail, insertMessage } from '../../src/domain/emails/sql/emails.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';

const api = useApi();

const content = (project: TestProject, body: Record<string, unknown> = {}) => ({
  name: 'Welcome',
  subject: 'Hello {{ name }}',
  body: '<p>Hi {{ name ?? there }}</p>',
  from: `team@${project.domain}`,
  ...body,
});

async function create(project: TestProject, body: Record<string, unknown> = {}) {
  const response = await api.as(project, 'POST', '/templates', content(project, body));
  expect(response.statusCode).toBe(201);
  return response.json();
}

const get = async (project: TestProject, id: string) => (await api.as(project, 'GET', `/templates/${id}`)).json();

/** Creates a workflow with one step that sends the template. */
async function addStep(project: TestProject, templateId: string) {
  const workflow = await api.ctx.prisma.workflow.create({
    data: { id: newId(), projectId: project.id, name: 'Onboarding', eventName: 'signup' },
  });
  return api.ctx.prisma.workflowStep.create({
    data: {
      id: newId(),
      projectId: project.id,
      workflowId: workflow.id,
      type: 'SEND_EMAIL',
      name: 'Say hello',
      templateId,
    },
  });
}

const addCampaign = (project: TestProject, templateId: string) =>
  api.ctx.prisma.campaign.create({
    data: {
      id: newId(),
      projectId: project.id,
      name: 'News',
      subject: 's',
      body: 'b',
      from: 'a@x.test',
      audienceType: 'ALL',
      templateId,
    },
  });

// Mistakes that POST and PATCH both reject.
const MISTAKES: Array<[Record<string, unknown>, string, string]> = [
  [{ name: '' }, 'name', 'too_small'],
  [{ name: '  ' }, 'name', 'too_small'],
  [{ name: null }, 'name', 'invalid_type'],
  [{ name: 1 }, 'name', 'invalid_type'],
  [{ description: 1 }, 'description', 'invalid_type'],
  [{ subject: '' }, 'subject', 'too_small'],
  [{ subject: null }, 'subject', 'invalid_type'],
  [{ subject: 'x'.repeat(999) }, 'subject', 'too_big'],
  [{ subject: 'a\nb' }, 'subject', 'invalid_string'],
  [{ subject: 'a\rb' }, 'subject', 'invalid_string'],
  [{ subject: 'Hello {{ name' }, 'subject', 'custom'],
  [{ preheader: 1 }, 'preheader', 'invalid_type'],
  [{ preheader: '😀'.repeat(256) }, 'preheader', 'too_big'],
  [{ preheader: '{{ name' }, 'preheader', 'custom'],
  [{ body: '' }, 'body', 'too_small'],
  [{ body: null }, 'body', 'invalid_type'],
  [{ body: '{% if name %}' }, 'body', 'custom'],
  [{ body: '{% include "x" %}' }, 'body', 'custom'],
  [{ body: '{{ name | nofilter }}' }, 'body', 'custom'],
  [{ from: '' }, 'from', 'invalid_string'],
  [{ from: 'ada' }, 'from', 'invalid_string'],
  [{ from: 1 }, 'from', 'invalid_type'],
  [{ fromName: 1 }, 'fromName', 'invalid_type'],
  [{ fromName: 'a\r\nBcc: b@x.test' }, 'fromName', 'invalid_string'],
  [{ replyTo: 'ada' }, 'replyTo', 'invalid_string'],
  [{ type: 'NEWSLETTER' }, 'type', 'invalid_string'],
  [{ type: null }, 'type', 'invalid_type'],
];

describe('POST /templates', () => {
  it('creates a MARKETING template by default: 201, optional fields null', async () => {
    const project = await api.project();
    const template = await create(project);
    expect(template).toEqual({
      id: expect.any(String),
      projectId: project.id,
      name: 'Welcome',
      description: null,
      subject: 'Hello {{ name }}',
      preheader: null,
      editor: 'html',
      design: null,
      body: '<p>Hi {{ name ?? there }}</p>',
      from: `team@${project.domain}`,
      fromName: null,
      replyTo: null,
      type: 'MARKETING',
      draft: false,
      createdAt: expect.stringMatching(/\.\d{3}Z$/),
      updatedAt: expect.stringMatching(/\.\d{3}Z$/),
      problems: expect.any(Array),
    });
    expect(await get(project, template.id)).toEqual(template);
  });

  it.each(['TRANSACTIONAL', 'MARKETING', 'HEADLESS'])('keeps every field, with the type %s', async (type) => {
    const project = await api.project();
    const fields = {
      description: 'For new users',
      fromName: 'The Team',
      replyTo: 'help@elsewhere.test',
      preheader: 'For {{ name }}',
      type,
      subject: 'x'.repeat(998),
    };
    expect(await create(project, fields)).toMatchObject(fields);
  });

  it.each([
    ['absent', { from: undefined }],
    ['null', { from: null }],
    ['absent along with other mistakes', { from: undefined, name: '', subject: 1 }],
  ])('returns the flat 400 for a missing from (%s)', async (_what, body) => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/templates', content(project, body));
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ error: expect.stringContaining('from') });
  });

  it.each(['name', 'subject', 'body'])('requires %s', async (field) => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/templates', content(project, { [field]: undefined }));
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toEqual([{ field, message: 'Required', code: 'required' }]);
  });

  it.each(MISTAKES)('rejects %j', async (body, field, code) => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/templates', content(project, body));
    expect(response.statusCode).toBe(422);
    expect(response.json().error).toMatchObject({
      code: 'VALIDATION_ERROR',
      errors: [expect.objectContaining({ field, code })],
    });
    expect(await api.ctx.prisma.template.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('returns the position at which a template does not parse', async () => {
    const project = await api.project();
    const response = await api.as(
      project,
      'POST',
      '/templates',
      content(project, { subject: '{{ a', body: '<p>\n  {{ b' }),
    );
    expect(response.json().error.errors).toEqual([
      expect.objectContaining({ field: 'subject', message: expect.stringContaining('line 1, column 1') }),
      expect.objectContaining({ field: 'body', message: expect.stringContaining('line 2, column 3') }),
    ]);
  });

  it.each([
    ['is pending', (project: TestProject) => project.domain, false],
    ['is not the project’s', () => 'elsewhere.test', true],
    ['is below the verified one', (project: TestProject) => `mail.${project.domain}`, true],
  ])('rejects a sender whose domain %s with 403 INTERNAL_SERVER_ERROR', async (_what, domain, verified) => {
    const project = await api.project({ verified });
    const response = await api.as(project, 'POST', '/templates', content(project, { from: `a@${domain(project)}` }));
    expect(response.statusCode).toBe(403);
    expect(response.json().error).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      statusCode: 403,
      message: expect.stringContaining('not verified'),
    });
    expect(await api.ctx.prisma.template.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('rejects a sender whose domain another project has verified', async () => {
    const [project, other] = [await api.project(), await api.project()];
    expect((await api.as(project, 'POST', '/templates', content(other))).statusCode).toBe(403);
  });
});

describe('GET /templates', () => {
  it('pages: newest first, 20 per page', async () => {
    const project = await api.project();
    const at = Date.now();
    await api.ctx.prisma.template.createMany({
      data: Array.from({ length: 45 }, (_, index) => ({
        id: newId(),
        projectId: project.id,
        name: `n${index}`,
        subject: 's',
        body: 'b',
        from: 'a@x.test',
        createdAt: new Date(at + (index % 2)),
      })),
    });
    const first = (await api.as(project, 'GET', '/templates')).json();
    expect(first).toMatchObject({ page: 1, pageSize: 20, total: 45, totalPages: 3 });
    const pages = await Promise.all(
      [1, 2, 3, 4].map(async (page) => (await api.as(project, 'GET', `/templates?page=${page}`)).json()),
    );
    expect(pages.map((page) => page.data.length)).toEqual([20, 20, 5, 0]);
    expect(pages[3]).toMatchObject({ page: 4, total: 45, totalPages: 3 });
    const all = pages.flatMap((page) => page.data);
    expect(new Set(all.map((template) => template.id)).size).toBe(45);
    const times: string[] = all.map((template) => template.createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('sorts by name, createdAt, and updatedAt in both directions; anything else falls back', async () => {
    const project = await api.project();
    for (const name of ['b', 'a', 'c']) await create(project, { name });
    const { data } = (await api.as(project, 'GET', '/templates?search=b')).json();
    await api.as(project, 'PATCH', `/templates/${data[0].id}`, { description: 'later' });
    const order = async (query: string) =>
      (await api.as(project, 'GET', `/templates?${query}`))
        .json()
        .data.map((template: { name: string }) => template.name)
        .join('');
    expect(await order('sort=name&dir=asc')).toBe('abc');
    expect(await order('sort=name&dir=desc')).toBe('cba');
    expect(await order('sort=name')).toBe('cba');
    expect(await order('sort=createdAt&dir=asc')).toBe('bac');
    expect(await order('sort=updatedAt')).toBe('bca');
    expect(await order('sort=updatedAt&dir=asc')).toBe('acb');
    expect(await order('sort=subject&dir=sideways')).toBe('cab');
  });

  it('filters by type and rejects an unknown type', async () => {
    const project = await api.project();
    for (const type of ['TRANSACTIONAL', 'MARKETING', 'HEADLESS']) await create(project, { type });
    const page = (await api.as(project, 'GET', '/templates?type=HEADLESS')).json();
    expect(page).toMatchObject({ total: 1, data: [{ type: 'HEADLESS' }] });
    const response = await api.as(project, 'GET', '/templates?type=headless');
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toEqual([expect.objectContaining({ field: 'type' })]);
  });

  it('filters by draft', async () => {
    const project = await api.project();
    await create(project, { name: 'ready' });
    await create(project, { name: 'draft', draft: true });
    for (const [draft, name] of [
      ['true', 'draft'],
      ['false', 'ready'],
    ])
      expect((await api.as(project, 'GET', `/templates?draft=${draft}`)).json()).toMatchObject({
        total: 1,
        data: [{ name }],
      });
    expect((await api.as(project, 'GET', '/templates?draft=maybe')).statusCode).toBe(422);
  });

  it('searches name, description, and subject in any case, and uses wildcards literally', async () => {
    const project = await api.project();
    await create(project, { name: 'Übersicht' });
    await create(project, { name: 'b', description: 'The MONTHLY one' });
    await create(project, { name: 'c', subject: '100% off' });
    await create(project, { name: 'd', body: 'monthly' });
    const found = async (search: string) =>
      (await api.as(project, 'GET', `/templates?sort=name&dir=asc&search=${encodeURIComponent(search)}`))
        .json()
        .data.map((template: { name: string }) => template.name);
    expect(await found('übers')).toEqual(['Übersicht']);
    expect(await found('monthly')).toEqual(['b']);
    expect(await found('0% OFF')).toEqual(['c']);
    expect(await found('%')).toEqual(['c']);
    expect(await found('_')).toEqual([]);
    expect(await found('')).toHaveLength(4);
  });

  it.each(['page=0', 'page=x', 'page=-1', 'pageSize=0', 'pageSize=1.5'])('rejects %s', async (query) => {
    const response = await api.as(await api.project(), 'GET', `/templates?${query}`);
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toEqual([expect.objectContaining({ field: query.split('=')[0] })]);
  });

  it('clamps a pageSize above 1,000', async () => {
    expect((await api.as(await api.project(), 'GET', '/templates?pageSize=5000')).json()).toMatchObject({
      data: [],
      pageSize: 1000,
      total: 0,
      totalPages: 1,
    });
  });

  it('shows no template of another project', async () => {
    await create(await api.project());
    expect((await api.as(await api.project(), 'GET', '/templates')).json()).toMatchObject({ data: [], total: 0 });
  });
});

describe('one template', () => {
  it.each([
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/duplicate'],
    ['GET', '/usage'],
  ] as const)(
    '%s …%s returns the same 404 for a malformed id, an unknown id, and an id of another project',
    async (method, path) => {
      const [project, other] = [await api.project(), await api.project()];
      const foreign = await create(other);
      const bodies = [];
      for (const id of ['nothing', newId(), foreign.id]) {
        const response = await api.as(
          project,
          method,
          `/templates/${id}${path}`,
          method === 'PATCH' ? { name: 'Mine' } : undefined,
        );
        expect(response.statusCode).toBe(404);
        const { requestId: _requestId, ...error } = response.json().error;
        bodies.push(error);
      }
      expect(bodies[0]).toMatchObject({ code: 'TEMPLATE_NOT_FOUND' });
      expect(bodies[1]).toEqual(bodies[0]);
      expect(bodies[2]).toEqual(bodies[0]);
      expect(await get(other, foreign.id)).toEqual(foreign);
    },
  );

  it('PATCH changes the given fields; null clears optional fields', async () => {
    const project = await api.project();
    const template = await create(project, { description: 'd', fromName: 'f', replyTo: 'r@x.test' });
    const change = {
      name: 'New',
      subject: 'S',
      body: 'B',
      from: `new@${project.domain}`,
      type: 'HEADLESS',
      description: null,
      fromName: null,
      replyTo: null,
    };
    const response = await api.as(project, 'PATCH', `/templates/${template.id}`, change);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      ...template,
      ...change,
      updatedAt: expect.any(String),
      problems: expect.any(Array),
    });
    expect(response.json().updatedAt > template.updatedAt).toBe(true);
    expect(await get(project, template.id)).toEqual(response.json());
    expect((await api.as(project, 'PATCH', `/templates/${template.id}`, { name: 'Newer' })).json()).toMatchObject({
      ...change,
      name: 'Newer',
    });
  });

  it.each([[{}], [undefined], [{ name: 'Welcome', description: null }], [{ unknown: 1 }]])(
    'PATCH updates updatedAt only for a real change: %j',
    async (body) => {
      const project = await api.project();
      const template = await create(project);
      expect((await api.as(project, 'PATCH', `/templates/${template.id}`, body)).json()).toEqual(template);
    },
  );

  it.each([...MISTAKES, [{ from: null }, 'from', 'invalid_type'] as const])(
    'PATCH rejects %j, and changes nothing',
    async (body, field, code) => {
      const project = await api.project();
      const template = await create(project);
      const response = await api.as(project, 'PATCH', `/templates/${template.id}`, { description: 'changed', ...body });
      expect(response.statusCode).toBe(422);
      expect(response.json().error).toMatchObject({
        code: 'VALIDATION_ERROR',
        errors: [expect.objectContaining({ field, code })],
      });
      expect(await get(project, template.id)).toEqual(template);
    },
  );

  it('PATCH rejects an unverified sender with 403, and changes nothing', async () => {
    const project = await api.project();
    const template = await create(project);
    const response = await api.as(project, 'PATCH', `/templates/${template.id}`, {
      name: 'x',
      from: 'a@elsewhere.test',
    });
    expect(response.statusCode).toBe(403);
    expect(response.json().error.code).toBe('INTERNAL_SERVER_ERROR');
    expect(await get(project, template.id)).toEqual(template);
  });

  it('DELETE returns 204 without a body, then 404', async () => {
    const project = await api.project();
    const { id } = await create(project);
    const response = await api.as(project, 'DELETE', `/templates/${id}`);
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect((await api.as(project, 'GET', `/templates/${id}`)).statusCode).toBe(404);
    expect((await api.as(project, 'DELETE', `/templates/${id}`)).statusCode).toBe(404);
  });

  it('DELETE is rejected with 409 while a workflow step uses the template', async () => {
    const project = await api.project();
    const template = await create(project);
    const step = await addStep(project, template.id);
    const campaign = await addCampaign(project, template.id);
    const response = await api.as(project, 'DELETE', `/templates/${template.id}`);
    expect(response.statusCode).toBe(409);
    expect(response.json().error).toMatchObject({
      code: 'CONFLICT',
      details: {
        workflowSteps: [{ id: step.id, name: 'Say hello', workflowId: step.workflowId, workflowName: 'Onboarding' }],
      },
    });
    expect(await get(project, template.id)).toEqual(template);
    expect(await api.ctx.prisma.campaign.findUnique({ where: { id: campaign.id } })).toEqual(campaign);
  });

  it('DELETE does not change the content of campaigns', async () => {
    const project = await api.project();
    const { id } = await create(project);
    const campaign = await addCampaign(project, id);
    expect((await api.as(project, 'DELETE', `/templates/${id}`)).statusCode).toBe(204);
    expect(await api.ctx.prisma.campaign.findUnique({ where: { id: campaign.id } })).toEqual({
      ...campaign,
      templateId: null,
    });
  });

  it('duplicate returns the new template: 201', async () => {
    const project = await api.project();
    const template = await create(project, {
      description: 'd',
      fromName: 'f',
      replyTo: 'r@x.test',
      type: 'TRANSACTIONAL',
    });
    const response = await api.as(project, 'POST', `/templates/${template.id}/duplicate`);
    expect(response.statusCode).toBe(201);
    const copy = response.json();
    expect(copy).toEqual({
      ...template,
      id: expect.any(String),
      name: 'Welcome (copy)',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(copy.id).not.toBe(template.id);
    expect(copy.createdAt >= template.createdAt).toBe(true);
    expect(await get(project, copy.id)).toEqual(copy);
  });

  it('usage names campaigns and workflow steps, and counts the sent emails', async () => {
    const project = await api.project();
    const { id } = await create(project);
    expect((await api.as(project, 'GET', `/templates/${id}/usage`)).json()).toEqual({
      campaigns: [],
      workflowSteps: [],
      emailsSent: 0,
    });
    const [step, campaign] = [await addStep(project, id), await addCampaign(project, id)];
    const message = {
      id: newId(),
      projectId: project.id,
      type: 'MARKETING',
      subject: 's',
      body: 'b',
      from: 'a@x.test',
    } as const;
    await insertMessage(api.ctx.pool, message);
    for (const sentAt of [new Date(), new Date(), null]) {
      const email = newId();
      await insertEmail(api.ctx.pool, {
        id: email,
        projectId: project.id,
        messageId: message.id,
        contactId: null,
        source: 'TRANSACTIONAL',
        type: 'MARKETING',
        toEmail: 'a@x.test',
        templateId: id,
      });
      await api.ctx.prisma.email.update({ where: { id: email }, data: { sentAt } });
    }
    expect((await api.as(project, 'GET', `/templates/${id}/usage`)).json()).toEqual({
      campaigns: [{ id: campaign.id, name: 'News' }],
      workflowSteps: [{ id: step.id, name: 'Say hello', workflowId: step.workflowId, workflowName: 'Onboarding' }],
      emailsSent: 2,
    });
  });

  it('rejects the public key with 401', async () => {
    const project = await api.project();
    const response = await api.app.inject({
      method: 'GET',
      url: '/templates',
      headers: { authorization: `Bearer ${project.public}` },
    });
    expect([response.statusCode, response.json().error.code]).toEqual([401, 'INVALID_API_KEY']);
  });
});
