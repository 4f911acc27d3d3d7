import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as account from '../../packages/client/examples/account.js';
import * as automation from '../../packages/client/examples/automation.js';
import * as contactQueries from '../../packages/client/examples/contact-queries.js';
import * as contacts from '../../packages/client/examples/contacts.js';
import * as content from '../../packages/client/examples/content.js';
import * as files from '../../packages/client/examples/files.js';
import * as designs from '../../packages/client/examples/designs.js';
import * as drafts from '../../packages/client/examples/drafts.js';
import * as insight from '../../packages/client/examples/insight.js';
import * as reports from '../../packages/client/examples/reports.js';
import * as live from '../../packages/client/examples/live.js';
import * as send from '../../packages/client/examples/send.js';
import * as webhooks from '../../packages/client/examples/webhooks.js';
import * as workflows from '../../packages/client/examples/workflows.js';
import { generate, SCHEMA_FILE } from '../../packages/client/generate.js';
import { createSendloom, SendloomError, unwrap, type SendloomClient } from '../../packages/client/src/index.js';
import { advance } from '../../src/domain/executions/advance.js';
import { newId } from '../../src/ids.js';
import { runExport } from '../../src/domain/exports/run.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { insertContact } from '../helpers/workflow-graph.js';
import { IMAGES } from '../helpers/images.js';
import { PASSWORD, request, signUp } from '../helpers/session.js';

// Port 9 refuses connections immediately: these examples do not depend on DNS lookups.
const api = useApi({
  DNS_SERVERS: '127.0.0.1:9',
  UPLOADS_URL: `file:${process.env.TMPDIR ?? '/tmp'}/sendloom-client-${process.pid}`,
});
let baseUrl: string;
let project: TestProject;
let sendloom: SendloomClient;
let ofBrowser: SendloomClient;
let from: string;

beforeAll(async () => {
  baseUrl = await api.app.listen({ host: '127.0.0.1', port: 0 });
  project = await api.project();
  sendloom = createSendloom({ baseUrl, key: project.secret });
  ofBrowser = createSendloom({ baseUrl, key: project.public });
  from = `shop@${project.domain}`;
});
afterAll(async () => {
  await api.ctx.storage.removeFolder(project.id);
});

test('the generated types match the OpenAPI document (update: `npm run generate` in packages/client)', async () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(await generate((await api.app.inject('/openapi.json')).body));
});

test('compiles with only the types of the web, so it runs in browsers', () => {
  const folder = path.dirname(path.dirname(SCHEMA_FILE));
  const { status, stdout } = spawnSync(
    process.execPath,
    [path.join(folder, 'node_modules/typescript/bin/tsc'), '-p', folder, '--noEmit'],
    { encoding: 'utf8' },
  );
  expect([status, stdout]).toEqual([0, '']);
});

describe('the examples, against the running API', () => {
  test('send, track and verify', async () => {
    const sent = await send.sendReceipt(sendloom, { from, orderId: '1001' });
    expect(await send.statusOf(sendloom, sent.emailId)).toBe('PENDING');
    expect(await send.remindUnlessPaid(sendloom, { from, orderId: '1004' })).toBe(1);
    expect(await send.sendReceipts(sendloom, { from, orderIds: ['1005', '1006'] })).toHaveLength(2);
    const day = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
    expect(await send.invoiceTomorrow(sendloom, { from, day })).toHaveLength(2);
    expect(await send.trackSignup(ofBrowser, 'ada@example.test')).toEqual(expect.any(String));
    expect(await send.looksReal(sendloom, 'unknown@example.test')).toBe(false);
    await expect(send.sendReceipt(sendloom, { from, orderId: '1001' })).rejects.toMatchObject({
      name: 'SendloomError',
      status: 409,
      code: 'IDEMPOTENCY_KEY_REUSED',
      requestId: expect.any(String),
      details: expect.objectContaining({ key: 'receipt-1001', originalStatusCode: 200 }),
    });
  });

  test('search', async () => {
    const contact = await contacts.keepContact(sendloom, 'findable@search.test');
    expect(await account.findAnything(sendloom, 'findable')).toEqual(['contact findable@search.test']);
    await contacts.deleteContact(sendloom, contact.id);
  });

  test('the account and its sessions', async () => {
    const user = await signUp(api.app);
    await request(api.app, 'POST', '/auth/login', { body: { email: user.email, password: PASSWORD } });
    let cookie = user.token;
    const ofUser = createSendloom({
      baseUrl,
      fetch: async (sent) => {
        sent.headers.set('cookie', `token=${cookie}`);
        const response = await fetch(sent);
        cookie = /^token=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? cookie;
        return response;
      },
    });
    expect(await account.endOtherSessions(ofUser)).toEqual(['unknown device']);
    expect(await account.changePassword(ofUser, PASSWORD, 'another password')).toBe(false);
    expect(await account.endOtherSessions(ofUser)).toEqual([]);
  });

  test('contacts', async () => {
    const contact = await contacts.keepContact(sendloom, 'grace@example.test');
    expect(contact).toMatchObject({ email: 'grace@example.test', subscribed: false, data: { plan: 'pro' } });
    const everybody: string[] = [];
    for await (const { email } of contacts.allContacts(sendloom)) everybody.push(email);
    expect(everybody).toContain('grace@example.test');
    expect(await contacts.whoIsKnown(sendloom, ['grace@example.test', 'x@example.test'])).toEqual([
      'grace@example.test',
    ]);
    expect(await contacts.renameField(sendloom, 'plan', 'tier')).toBe(2);
    expect(await contacts.renameField(sendloom, 'tier', 'plan')).toBe(2);
    expect(await contacts.retireField(sendloom, 'plan')).toMatchObject({
      known: expect.arrayContaining(['email', 'data.plan']),
      values: ['pro'],
      deleted: expect.any(Number),
    });
    expect(await contacts.importFile(sendloom, 'email,plan\nlin@example.test,pro\n')).toBe('waiting');
    expect(await contacts.bulk(sendloom, [contact.id])).toBe(0);
    await contacts.deleteContact(sendloom, contact.id);
    expect(await contacts.suppress(sendloom, 'gone@example.test')).toEqual({ reason: 'manual', total: 1 });
  });

  test('queries for contacts', async () => {
    const [ann, ben] = [
      await contacts.keepContact(sendloom, 'ann@query.test'),
      await contacts.keepContact(sendloom, 'ben@query.test'),
    ];
    const { total, emails } = await contactQueries.scrollTo(sendloom, 0);
    expect([total, emails]).toEqual([2, [ann.email, ben.email]]);
    expect(await contactQueries.previewEdited(sendloom)).toEqual({ total: 2, incomplete: ['groups.0.filters.1'] });
    expect(await contactQueries.upgradeAll(sendloom, ann.id)).toEqual(expect.any(String));
    const segment = await sendloom.POST('/segments', {
      body: {
        name: 'Team',
        condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'team' }] }] },
      },
    });
    expect(await contactQueries.missingFilters(sendloom, segment.data?.id ?? '', ann.id)).toEqual([
      'groups.0.filters.0',
    ]);
    expect(await contactQueries.historyOf(sendloom, ann.id)).toEqual({ emails: 0, executions: 0 });
    for (const { id } of [ann, ben]) await contacts.deleteContact(sendloom, id);
  });

  test('jobs and imports', async () => {
    const segment = await sendloom.POST('/segments', { body: { name: 'Imported', type: 'STATIC' } });
    const file = new File(['E-Mail;Kundennummer;Notiz\na@example.test;007;x\n'], 'kunden.csv');
    const dryRun = await files.testImport(sendloom, file, segment.data?.id ?? '');
    expect(await files.jobs(sendloom, dryRun)).toEqual({ newest: dryRun, operation: 'dryRun' });
    const { jobId } = await files.startImport(sendloom, 'email\nnot an address\n');
    expect(await files.jobs(sendloom, jobId)).toEqual({ newest: jobId, operation: 'import' });
    expect(await files.cancelJob(sendloom, jobId)).toEqual({ state: 'cancelled', errors: 'email,sendloom_error\r\n' });
  });

  test('exports', async () => {
    const jobId = await files.startExport(sendloom);
    expect(await files.downloadExport(sendloom, jobId)).toBeNull();
    while ((await runExport(api.ctx, { jobId, projectId: project.id }))?.done === false);
    expect(await files.downloadExport(sendloom, jobId)).toContain('id,email,subscribed');
  });

  test('templates, images and campaigns', async () => {
    await contacts.keepContact(sendloom, 'reader@example.test');
    await api.ctx.prisma.contact.updateMany({ where: { projectId: project.id }, data: { subscribed: true } });
    expect(await content.uploadLogo(sendloom, new Blob([new Uint8Array(IMAGES.png)]))).toEqual({
      url: expect.stringContaining('/uploads/'),
      size: IMAGES.png.length,
    });
    expect(await content.templates(sendloom, from)).toMatchObject({ name: 'Welcome', emailsSent: 0, total: 1 });
    expect(await content.campaign(sendloom, from)).toMatchObject({
      willSend: expect.any(Number),
      status: 'CANCELLED',
      openRate: 0,
      total: 1,
    });
  });

  test('previews, drafts, and tests', async () => {
    const contact = await contacts.keepContact(sendloom, 'preview@example.test');
    expect(await drafts.preview(sendloom, from, contact.id)).toEqual({
      subject: 'News for preview@example.test',
      codes: ['unknown_variable', 'image_without_alt'],
    });
    expect(await drafts.writeCampaign(sendloom, from)).toEqual({
      missing: ['subject', 'body', 'from', 'audienceType'],
      draft: false,
    });
    const body = { name: 'Tested', subject: 'Hi', body: 'Hi', from, type: 'MARKETING' } as const;
    const template = unwrap(await sendloom.POST('/templates', { body }));
    expect(await drafts.testTemplate(sendloom, template.id, contact.id)).toBe('PENDING');
    await sendloom.DELETE('/templates/{id}', { params: { path: { id: template.id } } });
  });

  test('designs and versions', async () => {
    expect(await designs.designTemplate(sendloom, from)).toEqual({
      versions: 2,
      hasSameBody: true,
      editors: ['blocks', 'blocks'],
    });
    expect(await designs.savedBlocks(sendloom, from)).toEqual({ names: ['Our signature'], isSigned: true });
  });

  test('webhook endpoints and their deliveries', async () => {
    const { id, secret } = await webhooks.addEndpoint(sendloom);
    expect(secret).toMatch(/^whsec_/);
    const delivery = await webhooks.testEndpoint(sendloom, id);
    expect(delivery).toMatchObject({ type: 'email.bounced', status: 'PENDING' });
    expect(await webhooks.deliverAgain(sendloom, id, delivery.id)).toEqual({ waiting: 1, replayed: 0 });
    expect(await webhooks.manageEndpoint(sendloom, id)).toEqual({ enabled: false, left: 0, hasBounces: true });
  });

  test('segments and workflows', async () => {
    const contact = await contacts.keepContact(sendloom, 'plan@example.test');
    expect(await automation.dynamicSegment(sendloom)).toEqual({
      memberCount: expect.any(Number),
      emails: expect.arrayContaining(['plan@example.test']),
    });
    expect(await automation.staticSegment(sendloom, ['beta@example.test'])).toContain('Beta testers');
    expect(await automation.workflow(sendloom, contact.id)).toEqual({ total: 1, status: 'CANCELLED' });
    expect((await automation.aboutWorkflows(sendloom)).secret).toMatch(/^whsec_/);
  });

  test('graphs of workflows', async () => {
    const saved = await workflows.saveGraph(sendloom);
    expect(saved).toMatchObject({
      problems: [],
      keys: { start: expect.any(String), wait: expect.any(String), end: expect.any(String) },
      secondSave: 'PRECONDITION_FAILED',
    });
    const contactId = await insertContact(api.ctx, project.id);
    const executionId = newId();
    await api.ctx.prisma.workflowExecution.create({
      data: { id: executionId, projectId: project.id, workflowId: saved.id, contactId },
    });
    await advance(api.ctx, { projectId: project.id, executionId, now: Date.now() });
    expect(await workflows.showFigures(sendloom, saved.id)).toEqual({
      active: 1,
      waiting: expect.arrayContaining(['0 of 1', '1 of 1', '0 of 0']),
    });
    expect(await workflows.skipWaits(sendloom, saved.id, saved.keys.wait ?? '')).toBe(1);
    expect(await workflows.duplicateWorkflow(sendloom, saved.id)).toBe('Welcome (copy)');
  });

  test('events, activity, analytics and domains', async () => {
    const { contactId } = await send.sendReceipt(sendloom, { from, orderId: '1002' });
    expect(await insight.events(sendloom, contactId)).toMatchObject({
      recorded: 1,
      eventNames: expect.arrayContaining(['trial/ended']),
      canDelete: true,
      deletedCount: 1,
    });
    expect((await insight.activity(sendloom)).types).toContain('event.tracked');
    expect(await insight.figures(sendloom)).toMatchObject({ days: 7 });
    expect(await insight.domain(sendloom, project.id)).toMatchObject({
      records: expect.arrayContaining([expect.stringMatching(/^TXT /)]),
      all: 2,
    });
  });

  test('reports', async () => {
    const campaign = await api.ctx.prisma.campaign.create({
      data: {
        id: newId(),
        projectId: project.id,
        name: 'n',
        subject: 's',
        body: 'b',
        from,
        audienceType: 'ALL',
        status: 'SENT',
      },
    });
    expect(await reports.retryFailures(sendloom, campaign.id)).toEqual({ reasons: [], retried: 0 });
    expect(await reports.campaignReport(sendloom, campaign.id)).toEqual({ best: null, hours: 0, nonOpeners: 0 });
    const tested = await api.ctx.prisma.campaign.create({
      data: {
        id: newId(),
        projectId: project.id,
        name: 'n',
        subject: 's',
        body: 'b',
        from,
        audienceType: 'ALL',
        status: 'SENDING',
        snapshotDone: true,
        variants: [{ id: 'a', weight: 100 }],
        test: { share: 50, metric: 'clicks' },
        messagesOfVariants: { create: { id: 'a', position: 1, weight: 100, messageId: newId() } },
      },
    });
    expect(await reports.chooseBest(sendloom, tested.id)).toBe('a');
    const { emailId } = await send.sendReceipt(sendloom, { from, orderId: '1003' });
    const { toEmail } = await api.ctx.prisma.email.findUniqueOrThrow({ where: { id: emailId } });
    expect(await reports.lastEmailTo(sendloom, toEmail)).toEqual({
      subject: expect.any(String),
      exact: true,
      attempts: 0,
      opens: 0,
    });
    expect(await reports.growth(sendloom)).toMatchObject({ groups: expect.any(Array), contacts: 7 });
  });

  test('live updates', async () => {
    const options = { baseUrl, key: project.secret, projectId: project.id };
    const track = (event: string) => sendloom.POST('/events/track', { body: { email: 'live@example.test', event } });
    // The stream shows what is tracked after it was opened, so the event is tracked until it has arrived.
    const watched = live.watchUntil(options, 'seen');
    const arrived = new AbortController();
    const tracked = (async () => {
      while (!arrived.signal.aborted) await Promise.all([track('seen'), sleep(100)]);
    })();
    await watched.finally(() => arrived.abort());
    await tracked;
    const { lines, lastEventId } = await watched;
    expect(lines).toContain('event.tracked live@example.test');
    await track('later');
    expect(await live.nextActivity(options, lastEventId)).toMatchObject({ type: 'event.tracked' });
  });

  test('call every endpoint that accepts a key, and each call succeeds', async () => {
    const Document = z.object({
      paths: z.record(
        z.string(),
        z.record(z.string(), z.object({ security: z.array(z.record(z.string(), z.unknown())) })),
      ),
    });
    const { paths } = Document.parse((await api.app.inject('/openapi.json')).json());
    const withKey = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { security }]) =>
        security.some((entry) => 'secretKey' in entry || 'publicKey' in entry)
          ? [`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`]
          : [],
      ),
    );
    const { values } = await api.ctx.metrics.http.get();
    const succeeded = new Set(
      values.flatMap(({ labels }) =>
        String(labels.status).startsWith('2') ? [`${labels.method} ${labels.route}`] : [],
      ),
    );
    // A contact may have this name, and the document has a path of its own for it.
    expect(withKey.filter((name) => !succeeded.has(name) && name !== 'GET /events/contact/usage')).toEqual([]);
    expect(withKey.length).toBeGreaterThan(80);
  });
});

describe('an error', () => {
  test('has the status, code, fields, request id, and seconds of the response', async () => {
    const error = await contacts.keepContact(sendloom, 'no address').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SendloomError);
    expect(error).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      message: 'Request validation failed',
      errors: [expect.objectContaining({ field: 'email' })],
      requestId: expect.stringMatching(/./),
      retryAfter: null,
      details: {},
      suggestion: null,
    });
    await expect(contacts.keepContact(ofBrowser, 'x@example.test')).rejects.toMatchObject({
      status: 401,
      code: 'INVALID_API_KEY',
    });
  });

  test('has the documented type if the response is not unwrapped', async () => {
    const { data, error } = await sendloom.GET('/contacts/{id}', { params: { path: { id: 'ada' } } });
    const code: string | undefined = error?.error.code;
    expect([data, code, error?.error.statusCode]).toEqual([undefined, 'CONTACT_NOT_FOUND', 404]);
  });

  test('has the message of a flat error', async () => {
    const { response, error } = await sendloom.POST('/segments', { body: { name: 'Without a condition' } });
    expect(new SendloomError(response, error)).toMatchObject({
      status: 400,
      code: null,
      message: expect.stringContaining('condition'),
    });
  });
});
