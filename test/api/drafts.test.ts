/** Drafts of templates and campaigns (additions, section 2). */
import { simpleParser } from 'mailparser';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { begin, snapshot as snapshotRun } from '../../src/domain/campaigns/run.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, content, refused, TOMORROW } from '../helpers/campaign-api.js';
import { createCaptureTransport } from '../helpers/capture-transport.js';
import { sendDue } from '../helpers/send-due.js';
import { sendLane } from '../helpers/send-lane.js';

const api = useApi();
const { contact, draft: createCampaign, segment, snapshot } = campaignHelpers(api);

const Draft = z.object({
  id: z.string(),
  draft: z.boolean(),
  problems: z.array(z.looseObject({ code: z.string(), level: z.string(), path: z.string().optional() })),
});

const RESOURCES = ['templates', 'campaigns'] as const;
type Resource = (typeof RESOURCES)[number];

/** Returns the resource of a response, which `POST /campaigns` wraps. */
const unwrap = (body: unknown): unknown => z.object({ data: z.unknown() }).safeParse(body).data?.data ?? body;

async function save(
  project: TestProject,
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body: Record<string, unknown>,
) {
  const response = await api.as(project, method, path, body);
  expect(response.statusCode, response.body).toBeLessThan(300);
  return Draft.loose().parse(unwrap(response.json()));
}

const createDraft = (project: TestProject, resource: Resource, body: Record<string, unknown> = {}) =>
  save(project, 'POST', `/${resource}`, { name: 'Autumn news', draft: true, ...body });

const read = async (project: TestProject, path: string) =>
  Draft.loose().parse((await api.as(project, 'GET', path)).json());

const errorsIn = ({ problems }: z.infer<typeof Draft>): string[] =>
  problems.filter(({ level }) => level === 'error').map(({ code, path }) => `${code} ${path}`);

const HOLES: Record<Resource, string[]> = {
  templates: ['missing_subject subject', 'missing_body body', 'missing_sender from'],
  campaigns: ['missing_subject subject', 'missing_body body', 'missing_sender from', 'missing_audience audienceType'],
};

/** The fields that make a draft complete. */
const rest = (project: TestProject, resource: Resource) => {
  const { name: _name, audienceType, ...fields } = content(project);
  return { ...fields, ...(resource === 'campaigns' && { audienceType }) };
};

/** The codes and fields of the problems that a 422 lists. */
const listed = (response: { json: () => unknown }): string[] =>
  z
    .object({ error: z.object({ details: z.object({ problems: Draft.shape.problems }) }) })
    .parse(response.json())
    .error.details.problems.map(({ code, path }) => `${code} ${path}`);

describe.each(RESOURCES)('a draft of %s', (resource) => {
  test('needs only a name, and lists what is missing', async () => {
    const project = await api.project();
    const draft = await createDraft(project, resource);
    expect(draft).toMatchObject({ name: 'Autumn news', draft: true, subject: null, body: null, from: null });
    expect(errorsIn(draft)).toEqual(HOLES[resource]);
    expect(await read(project, `/${resource}/${draft.id}`)).toEqual(draft);
    expect((await api.as(project, 'GET', `/${resource}`)).json().data).toEqual([draft]);
  });

  test('without a name returns 422, also if draft is not a boolean', async () => {
    const project = await api.project();
    expect(refused(await api.as(project, 'POST', `/${resource}`, { draft: true }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: ['name required'],
    });
    const body = { ...content(project), draft: 'yes' };
    expect(refused(await api.as(project, 'POST', `/${resource}`, body))).toMatchObject({
      status: 422,
      errors: ['draft invalid_type'],
    });
    expect((await api.as(project, 'GET', `/${resource}`)).json().data).toEqual([]);
  });

  test('treats empty fields as missing', async () => {
    const project = await api.project();
    const draft = await createDraft(project, resource, { subject: '', body: '', from: '', preheader: '' });
    expect(draft).toMatchObject({ subject: null, body: null, from: null, preheader: null });
  });

  test('keeps text that does not parse, and an unverified sender', async () => {
    const project = await api.project();
    const fields = { ...rest(project, resource), body: '<p>\n{{ na', from: 'news@elsewhere.test' };
    const draft = await createDraft(project, resource, fields);
    expect(draft).toMatchObject(fields);
    expect(errorsIn(draft)).toEqual(['template_syntax body', 'unverified_sender from']);
    expect(draft.problems[0]).toMatchObject({ line: 2, column: 1 });
  });

  test.each([
    ['subject', 'x'.repeat(999), 'too_big'],
    ['subject', 'a\nb', 'invalid_string'],
    ['from', 'ada', 'invalid_string'],
    ['body', 1, 'invalid_type'],
  ])('still rejects a wrong %s', async (field, value, code) => {
    const project = await api.project();
    expect(refused(await api.as(project, 'POST', `/${resource}`, { name: 'n', draft: true, [field]: value }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [`${field} ${code}`],
    });
  });

  test('PATCH changes what is given, and stays a draft', async () => {
    const project = await api.project();
    const draft = await createDraft(project, resource, { subject: 'Old' });
    const path = `/${resource}/${draft.id}`;
    expect(await save(project, 'PATCH', path, { subject: 'New' })).toMatchObject({ subject: 'New', draft: true });
    expect(await save(project, 'PATCH', path, { body: '{{', draft: true })).toMatchObject({
      subject: 'New',
      body: '{{',
    });
    expect(await save(project, 'PATCH', path, { subject: null, draft: true })).toMatchObject({ subject: null });
  });

  test.each([
    ['a syntax error', { body: '{{' }, 422],
    ['a syntax error in the preheader', { preheader: '{{' }, 422],
    ['an empty design', { design: { version: 1, blocks: [] } }, 422],
    ['an unverified sender', { from: 'news@elsewhere.test' }, 403],
  ])('is not changed by a PATCH without draft that has %s', async (_, patch, status) => {
    const project = await api.project();
    const draft = await createDraft(project, resource, { subject: '{{ na' });
    const path = `/${resource}/${draft.id}`;
    expect(refused(await api.as(project, 'PATCH', path, patch))).toMatchObject({ status });
    expect(await read(project, path)).toEqual(draft);
    expect(await save(project, 'PATCH', path, { body: 'Hi' })).toMatchObject({ subject: '{{ na', draft: true });
  });

  test('becomes complete with draft: false, if nothing is missing', async () => {
    const project = await api.project();
    const draft = await createDraft(project, resource, { subject: 'Hi' });
    const path = `/${resource}/${draft.id}`;
    const response = await api.as(project, 'PATCH', path, { draft: false });
    expect(refused(response).errors).toEqual(HOLES[resource].slice(1).map((hole) => `${hole.split(' ')[1]} required`));
    expect(await read(project, path)).toEqual(draft);
    const saved = await save(project, 'PATCH', path, { ...rest(project, resource), draft: false });
    expect(saved).toMatchObject({ draft: false });
    expect(errorsIn(saved)).toEqual([]);
  });

  test('does not become complete with an unverified sender', async () => {
    const project = await api.project();
    const fields = { ...rest(project, resource), from: 'news@elsewhere.test' };
    const draft = await createDraft(project, resource, fields);
    const path = `/${resource}/${draft.id}`;
    expect(refused(await api.as(project, 'PATCH', path, { draft: false }))).toMatchObject({ status: 403 });
    expect(await read(project, path)).toEqual(draft);
  });

  test('a complete one can become a draft again', async () => {
    const project = await api.project();
    const { id } = await save(project, 'POST', `/${resource}`, { name: 'n', ...rest(project, resource) });
    const draft = await save(project, 'PATCH', `/${resource}/${id}`, { subject: '', draft: true });
    expect(draft).toMatchObject({ draft: true, subject: null });
    expect(errorsIn(draft)).toEqual(['missing_subject subject']);
  });

  test('can be duplicated', async () => {
    const project = await api.project();
    const draft = await createDraft(project, resource, { preheader: 'p', body: '{{' });
    const copy = await save(project, 'POST', `/${resource}/${draft.id}/duplicate`, {});
    expect(copy).toMatchObject({ draft: true, body: '{{', preheader: 'p', problems: draft.problems });
  });

  test('parallel changes of different fields are all kept', async () => {
    const project = await api.project();
    const { id } = await createDraft(project, resource);
    const fields = { ...rest(project, resource), description: 'd', preheader: 'p' };
    await Promise.all(
      Object.entries(fields).map(([field, value]) => save(project, 'PATCH', `/${resource}/${id}`, { [field]: value })),
    );
    const draft = await read(project, `/${resource}/${id}`);
    expect(draft).toMatchObject(fields);
    expect(await save(project, 'PATCH', `/${resource}/${id}`, { draft: false })).toMatchObject({ draft: false });
  });

  test('of another project returns 404', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const draft = await createDraft(project, resource);
    const path = `/${resource}/${draft.id}`;
    for (const [method, url, body] of [
      ['PATCH', path, { name: 'n', draft: true }],
      ['POST', `${path}/test`, { email: 'a@x.test' }],
    ] as const)
      expect(refused(await api.as(other, method, url, body))).toMatchObject({ status: 404 });
    expect(await read(project, path)).toEqual(draft);
  });
});

test('PUT of a campaign without draft needs everything, and with draft only a name', async () => {
  const project = await api.project();
  const { id } = await createDraft(project, 'campaigns', { subject: 'Hi' });
  const response = await api.as(project, 'PUT', `/campaigns/${id}`, { name: 'n', audienceType: 'ALL' });
  expect(refused(response).errors).toEqual(['subject required', 'body required', 'from required']);
  expect(await save(project, 'PUT', `/campaigns/${id}`, content(project))).toMatchObject({ draft: false });
  const draft = await save(project, 'PUT', `/campaigns/${id}`, { name: 'n', draft: true });
  expect(draft).toMatchObject({ draft: true, subject: null, audienceType: null });
  expect(errorsIn(draft)).toEqual(HOLES.campaigns);
});

describe('PATCH /campaigns/:id', () => {
  test('keeps the fields that are not given, and the template', async () => {
    const project = await api.project();
    const { id: templateId } = await save(project, 'POST', '/templates', {
      name: 'n',
      ...rest(project, 'templates'),
      fromName: 'Shop',
    });
    const id = await createCampaign(project, { templateId, preheader: 'p' });
    const before = await read(project, `/campaigns/${id}`);
    const changed = await save(project, 'PATCH', `/campaigns/${id}`, { fromName: null, subject: 'New' });
    expect(changed).toEqual({ ...before, fromName: null, subject: 'New', updatedAt: changed.updatedAt });
    expect(await save(project, 'PATCH', `/campaigns/${id}`, { name: 'N' })).toMatchObject({ fromName: null });
  });

  test('a new template supplies the fields without a value', async () => {
    const project = await api.project();
    const fields = { ...rest(project, 'templates'), preheader: 'p', replyTo: 'help@x.test' };
    const { id: templateId } = await save(project, 'POST', '/templates', { name: 'n', ...fields });
    const { id } = await createDraft(project, 'campaigns', { subject: 'Own' });
    expect(await save(project, 'PATCH', `/campaigns/${id}`, { templateId })).toMatchObject({
      ...fields,
      subject: 'Own',
      templateId,
    });
  });

  test.each([
    ['an empty subject', { subject: '' }, 422],
    ['no subject', { subject: null }, 422],
    ['a syntax error', { body: '{{' }, 422],
    ['an unverified sender', { from: 'a@elsewhere.test' }, 403],
    ['an audience without a segment', { audienceType: 'SEGMENT' }, 422],
    ['an unknown segment', { audienceType: 'SEGMENT', segmentId: newId() }, 404],
    ['an unknown template', { templateId: newId() }, 404],
  ])('without draft, %s changes nothing', async (_, patch, status) => {
    const project = await api.project();
    const id = await createCampaign(project);
    const before = await snapshot(project);
    expect(refused(await api.as(project, 'PATCH', `/campaigns/${id}`, patch)).status).toBe(status);
    expect(await snapshot(project)).toEqual(before);
  });

  test.each([
    ['PATCH', {}],
    ['PUT', { name: 'n', audienceType: 'ALL' }],
  ] as const)('a SCHEDULED campaign must stay complete (%s)', async (method, body) => {
    const project = await api.project();
    await contact(project, 'a@x.test');
    const id = await createCampaign(project);
    await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor: TOMORROW() });
    const before = await read(project, `/campaigns/${id}`);
    const response = await api.as(project, method, `/campaigns/${id}`, { ...body, subject: '', draft: true });
    expect(refused(response).errors).toContain('subject required');
    expect(await read(project, `/campaigns/${id}`)).toEqual(before);
    const changed = await save(project, 'PATCH', `/campaigns/${id}`, { subject: 'New', draft: true });
    expect(changed).toMatchObject({ subject: 'New', status: 'SCHEDULED', draft: false });
  });

  test.each(['SENDING', 'SENT', 'CANCELLED'] as const)('a campaign with the status %s returns 409', async (status) => {
    const project = await api.project();
    const id = await createCampaign(project);
    await api.ctx.prisma.campaign.update({ where: { id }, data: { status } });
    for (const draft of [true, false])
      expect(refused(await api.as(project, 'PATCH', `/campaigns/${id}`, { subject: 'New', draft }))).toEqual({
        status: 409,
        code: 'CONFLICT',
      });
  });
});

describe('POST /campaigns/:id/send', () => {
  test('a draft with errors returns 422 that lists them, and nothing changes', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test');
    const { id } = await createDraft(project, 'campaigns', {
      subject: '{{',
      from: 'a@elsewhere.test',
      audienceType: 'SEGMENT',
    });
    const before = await snapshot(project);
    for (const scheduledFor of [null, TOMORROW()]) {
      const response = await api.as(project, 'POST', `/campaigns/${id}/send`, { scheduledFor });
      expect(refused(response)).toEqual({
        status: 422,
        code: 'VALIDATION_ERROR',
        errors: ['body required', 'subject custom', 'from custom', 'segmentId required'],
      });
      expect(listed(response)).toEqual([
        'missing_body body',
        'template_syntax subject',
        'unverified_sender from',
        'missing_audience segmentId',
      ]);
    }
    expect(await snapshot(project)).toEqual(before);
  });

  test('a draft without errors is sent, with its preheader, and is complete afterwards', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test');
    const { id } = await createDraft(project, 'campaigns', {
      ...rest(project, 'campaigns'),
      body: '<p>Hi</p>',
      preheader: 'For {{ email }}',
    });
    expect((await api.as(project, 'POST', `/campaigns/${id}/send`, {})).statusCode).toBe(200);
    expect(await read(project, `/campaigns/${id}`)).toMatchObject({ status: 'SENDING', draft: false, problems: [] });
    const run = { campaignId: id, projectId: project.id, attempt: 1 };
    expect(await begin(api.ctx, run)).toBe(true);
    await snapshotRun(api.ctx, run);
    const client = createCaptureTransport();
    // The second attempt has the same bytes.
    client.failNext({ kind: 'transient', stage: 'after-data', response: '451 later' });
    await sendLane(api.ctx, run, client);
    await api.ctx.prisma.campaignRetry.updateMany({ where: { campaignId: id }, data: { dueAt: new Date(0) } });
    await sendLane(api.ctx, run, client);
    const [first, second] = client.attempts;
    expect(second?.raw.equals(first?.raw ?? Buffer.alloc(0))).toBe(true);
    const { html, text } = await simpleParser(first?.raw ?? '');
    expect(html).toMatch(/^<div data-preheader[^>]*>For a@x\.test/);
    expect(text).toMatch(/^Hi/);
  });

  test('a campaign that loses its content during the check is not sent', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test');
    const { id } = await createDraft(project, 'campaigns', rest(project, 'campaigns'));
    const [sent, saved] = await Promise.all([
      api.as(project, 'POST', `/campaigns/${id}/send`, {}),
      api.as(project, 'PATCH', `/campaigns/${id}`, { subject: '', draft: true }),
    ]);
    expect([`${sent.statusCode} ${saved.statusCode}`]).toEqual([expect.stringMatching(/^(422 200|200 4(09|22))$/)]);
  });

  test('a complete campaign whose domain is no longer verified returns 403, as before', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test');
    const id = await createCampaign(project);
    await api.ctx.prisma.domain.updateMany({ where: { projectId: project.id }, data: { status: 'PENDING' } });
    expect(errorsIn(await read(project, `/campaigns/${id}`))).toEqual(['unverified_sender from']);
    expect(refused(await api.as(project, 'POST', `/campaigns/${id}/send`, {}))).toMatchObject({ status: 403 });
  });

  test('a deleted segment is a problem', async () => {
    const project = await api.project();
    const segmentId = await segment(project, []);
    const id = await createCampaign(project, { audienceType: 'SEGMENT', segmentId });
    await api.as(project, 'DELETE', `/segments/${segmentId}`);
    expect(errorsIn(await read(project, `/campaigns/${id}`))).toEqual(['missing_audience segmentId']);
  });
});

describe('the use of a template', () => {
  const ERRORS = ['missing_body body', 'missing_sender from'];

  async function enabledWorkflow(project: TestProject, templateId: string) {
    const body = { name: 'Welcome series', eventName: 'signup' };
    const { id } = (await api.as(project, 'POST', '/workflows', body)).json<{ id: string }>();
    const step = { type: 'SEND_EMAIL', name: 'Say hello', templateId };
    expect((await api.as(project, 'POST', `/workflows/${id}/steps`, step)).statusCode).toBe(201);
    return id;
  }

  test('by POST /v1/send: a draft with errors returns 422 that lists them', async () => {
    const project = await api.project();
    const { id: template } = await createDraft(project, 'templates', { subject: 'Hi' });
    const before = await snapshot(project);
    const response = await api.as(project, 'POST', '/v1/send', { to: 'a@x.test', template });
    expect(refused(response)).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
    expect(listed(response)).toEqual(ERRORS);
    expect(await snapshot(project)).toEqual(before);
  });

  test.each([
    ['nothing', [], ['missing_body design.blocks']],
    [
      'a syntax error',
      [{ id: 'a', type: 'text', content: [{ type: 'text', text: '{% if x %}' }] }],
      ['template_syntax design.blocks.0.content.0.text'],
    ],
  ])('a draft whose design has %s returns 422 that lists the error, everywhere', async (_, blocks, errors) => {
    const project = await api.project();
    const fields = { ...rest(project, 'templates'), type: 'TRANSACTIONAL', design: { version: 1, blocks } };
    const { id } = await createDraft(project, 'templates', fields);
    const before = await snapshot(project);
    for (const [path, body] of [
      ['/v1/send', { to: 'a@x.test', template: id }],
      ['/campaigns', { name: 'n', audienceType: 'ALL', templateId: id }],
      [`/templates/${id}/test`, { email: 'a@x.test' }],
    ] as const) {
      const response = await api.as(project, 'POST', path, body);
      expect([response.statusCode, listed(response)]).toEqual([422, errors]);
    }
    expect(await snapshot(project)).toEqual(before);
  });

  test('by POST /v1/send: a draft without errors is sent, with its preheader', async () => {
    const project = await api.project();
    const fields = { ...rest(project, 'templates'), type: 'TRANSACTIONAL', preheader: 'Order {{ order }}' };
    const { id: template } = await createDraft(project, 'templates', fields);
    const response = await api.as(project, 'POST', '/v1/send', { to: 'a@x.test', template, data: { order: '<7>' } });
    expect(response.statusCode, response.body).toBe(200);
    const [mail] = await sendDue(api.ctx);
    expect((await simpleParser(mail?.raw ?? '')).html).toMatch(/^<div data-preheader[^>]*>Order &lt;7&gt;/);
  });

  test('by a campaign: a draft with errors returns 422, unless the campaign is a draft, too', async () => {
    const project = await api.project();
    const { id: templateId } = await createDraft(project, 'templates', { subject: 'Hi' });
    const response = await api.as(project, 'POST', '/campaigns', content(project, { templateId }));
    expect(listed(response)).toEqual(ERRORS);
    const draft = await createDraft(project, 'campaigns', { templateId });
    expect(draft).toMatchObject({ subject: 'Hi', templateId });
  });

  test('by a step: a draft with errors returns 422', async () => {
    const project = await api.project();
    const { id: templateId } = await createDraft(project, 'templates', { subject: 'Hi' });
    const body = { name: 'Welcome series', eventName: 'signup' };
    const { id } = (await api.as(project, 'POST', '/workflows', body)).json<{ id: string }>();
    const response = await api.as(project, 'POST', `/workflows/${id}/steps`, { type: 'SEND_EMAIL', templateId });
    expect(refused(response).status).toBe(422);
    expect(listed(response)).toEqual(['missing_body templateId', 'missing_sender templateId']);
  });

  test('by a workflow that is enabled: a draft with errors returns 422, and the workflow stays disabled', async () => {
    const project = await api.project();
    const { id: templateId } = await createDraft(project, 'templates', rest(project, 'templates'));
    const id = await enabledWorkflow(project, templateId);
    await save(project, 'PATCH', `/templates/${templateId}`, { body: '', draft: true });
    const response = await api.as(project, 'PATCH', `/workflows/${id}`, { enabled: true });
    expect(listed(response)).toEqual(['missing_body steps.1.templateId']);
    expect((await api.as(project, 'GET', `/workflows/${id}`)).json()).toMatchObject({ enabled: false });
    await save(project, 'PATCH', `/templates/${templateId}`, { body: 'Hi' });
    expect((await api.as(project, 'PATCH', `/workflows/${id}`, { enabled: true })).json()).toMatchObject({
      enabled: true,
    });
  });
});

describe('test emails', () => {
  const parsed = async () => {
    const [mail] = await sendDue(api.ctx);
    return { recipient: mail?.to, ...(await simpleParser(mail?.raw ?? '')) };
  };

  const withContact = async (project: TestProject, email: string, name: string): Promise<string> => {
    const id = await contact(project, email);
    await api.ctx.prisma.contact.update({ where: { id }, data: { data: { name } } });
    return id;
  };

  test.each(RESOURCES)('of %s show the data of the given contact, and change nothing of it', async (resource) => {
    const project = await api.project();
    const contactId = await withContact(project, 'grace@x.test', 'Grace');
    await withContact(project, 'ada@x.test', 'Ada');
    const { id } = await save(project, 'POST', `/${resource}`, {
      name: 'n',
      ...rest(project, resource),
      subject: '{{ name }} {{ email }} {{ id }}',
      body: '<p>{{ data.name }}</p>{{ unsubscribeUrl }}',
      preheader: 'For {{ name }}',
    });
    const response = await api.as(project, 'POST', `/${resource}/${id}/test`, { email: 'Ada@x.test', contactId });
    expect(response.json()).toEqual({ id: expect.any(String), email: 'ada@x.test', status: 'PENDING' });
    const { recipient, subject, html } = await parsed();
    expect([recipient, subject]).toEqual(['ada@x.test', `[TEST] Grace grace@x.test ${contactId}`]);
    expect(html).toMatch(/^<div data-preheader[^>]*>For Grace[\s\S]*<p>Grace<\/p>/);
    expect(html).not.toContain(contactId);
    expect(await api.ctx.prisma.event.count({ where: { projectId: project.id } })).toBe(0);
  });

  test.each(RESOURCES)('of %s show the contact of the address by default', async (resource) => {
    const project = await api.project();
    await withContact(project, 'ada@x.test', 'Ada');
    const { id } = await save(project, 'POST', `/${resource}`, { name: 'n', ...rest(project, resource) });
    await api.as(project, 'POST', `/${resource}/${id}/test`, { email: 'ada@x.test' });
    expect((await parsed()).html).toContain('<p>Hi Ada</p>');
  });

  test.each(RESOURCES)('of %s are refused for a draft with errors in its content', async (resource) => {
    const project = await api.project();
    const { id } = await createDraft(project, resource, { ...rest(project, resource), body: '' });
    const response = await api.as(project, 'POST', `/${resource}/${id}/test`, { email: 'ada@x.test' });
    expect(refused(response).status).toBe(422);
    expect(listed(response)).toEqual(['missing_body body']);
    expect(await api.ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(0);
  });

  test.each(RESOURCES)('of %s return 404 for an unknown contact or one of another project', async (resource) => {
    const [project, other] = [await api.project(), await api.project()];
    const { id } = await save(project, 'POST', `/${resource}`, { name: 'n', ...rest(project, resource) });
    for (const contactId of [newId(), 'x', await contact(other, 'a@x.test')])
      expect(
        refused(await api.as(project, 'POST', `/${resource}/${id}/test`, { email: 'ada@x.test', contactId })),
      ).toEqual({ status: 404, code: 'CONTACT_NOT_FOUND' });
    expect(await api.ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(0);
  });
});
