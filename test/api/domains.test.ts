import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { checkDomain } from '../../src/domain/domains/check.js';
import { loadDkim } from '../../src/domain/domains/dkim.js';
import { startDomainDns } from '../../packages/embedded/src/dns-records.js';
import { createDns } from '../../src/dns.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import { loadDkimKey } from '../../src/mail/sign.js';
import { newUser } from '../helpers/session.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { startZone } from '../helpers/dns.js';

const zone = await startZone();
const api = useApi({ DNS_SERVERS: zone.server, PUBLIC_URL: 'https://mail.sender.example' });

beforeEach(() => zone.clear());
afterAll(() => zone.stop());

interface Record {
  type: string;
  name: string;
  value: string;
  purpose: string;
  required: boolean;
  status: string;
  found: string[];
}

interface Domain {
  id: string;
  domain: string;
  status: string;
  verified: boolean;
  records: Record[];
  advice: Array<{ code: string }>;
  lastCheckedAt: string | null;
  verifiedAt: string | null;
}

let counter = 0;
const newName = (): string => `d${++counter}.test`;
const add = async (project: TestProject, domain: string): Promise<Domain> => {
  const response = await api.as(project, 'POST', '/domains', { domain });
  expect(response.statusCode, response.body).toBe(201);
  return response.json();
};
const verify = async (project: TestProject, id: string): Promise<Domain> => {
  const response = await api.as(project, 'GET', `/domains/${id}/verify`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
};
const dkimOf = ({ records }: Domain): Record => {
  const [record] = records;
  if (record?.purpose !== 'DKIM') throw new Error('The first record is DKIM');
  return record;
};
const expectError = (response: LightMyRequestResponse, status: number, code: string): void => {
  expect(response.statusCode, response.body).toBe(status);
  expect(response.json()).toMatchObject({ success: false, error: { code, statusCode: status } });
};
const intents = async (id: string): Promise<Array<{ action: string; payload: unknown }>> =>
  api.ctx.prisma.outbox.findMany({
    where: { workflowId: `domain:${id}` },
    orderBy: { id: 'asc' },
    select: { action: true, payload: true },
  });

/** Returns the cookie of a new user with this role in the project. */
async function session(
  project: TestProject | null,
  role: 'OWNER' | 'ADMIN' | 'MEMBER' = 'MEMBER',
): Promise<{ cookie: string }> {
  const user = await newUser(api);
  if (project) await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: user.id, role } });
  return { cookie: `__Host-token=${user.token}` };
}

describe('POST /domains', () => {
  test('returns 201 with the domain and the DNS records to add', async () => {
    const project = await api.project();
    const name = newName();
    const response = await api.as(project, 'POST', '/domains', {
      domain: `  ${name.toUpperCase()}. `,
      projectId: newId(),
    });
    expect(response.statusCode).toBe(201);
    const body = response.json<Domain>();
    expect(Object.keys(body).sort()).toEqual([
      'advice',
      'createdAt',
      'domain',
      'id',
      'lastCheckedAt',
      'projectId',
      'records',
      'status',
      'verified',
      'verifiedAt',
    ]);
    expect(body).toMatchObject({
      domain: name,
      projectId: project.id,
      status: 'PENDING',
      verified: false,
      verifiedAt: null,
      lastCheckedAt: expect.stringMatching(/Z$/),
    });
    expect(body.records).toEqual([
      {
        type: 'TXT',
        name: expect.stringMatching(/^sl[0-9a-f]{8}\._domainkey\.d\d+\.test$/),
        value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[\w+/]{380,}={0,2}$/),
        purpose: 'DKIM',
        required: true,
        status: 'PENDING',
        found: [],
      },
      {
        type: 'TXT',
        name,
        value: 'v=spf1 a:mail.sender.example ~all',
        purpose: 'SPF',
        required: false,
        status: 'PENDING',
        found: [],
      },
      {
        type: 'TXT',
        name: `_dmarc.${name}`,
        value: 'v=DMARC1; p=none;',
        purpose: 'DMARC',
        required: false,
        status: 'PENDING',
        found: [],
      },
      {
        type: 'CNAME',
        name: `bounces.${name}`,
        value: 'mail.sender.example',
        purpose: 'RETURN_PATH',
        required: false,
        status: 'PENDING',
        found: [],
      },
    ]);
  });

  test('creates an RSA-2048 key for the domain, stored encrypted and loaded for signing', async () => {
    const project = await api.project();
    const domain = await add(project, newName());
    const stored = await api.ctx.prisma.domain.findUniqueOrThrow({ where: { id: domain.id } });
    expect(stored.dkimPrivateKey).not.toContain('PRIVATE KEY');
    const key = await loadDkim(api.ctx, project.id, domain.domain);
    expect(key).toMatchObject({ domain: domain.domain, selector: dkimOf(domain).name.split('.')[0] });
    expect(loadDkimKey(key?.privateKeyPem ?? '').asymmetricKeyDetails?.modulusLength).toBe(2048);
    const other = await add(project, newName());
    expect(dkimOf(other).value).not.toBe(dkimOf(domain).value);
    expect(dkimOf(other).name.split('.')[0]).not.toBe(dkimOf(domain).name.split('.')[0]);
  });

  test('has no key for a domain of another project', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const domain = await add(project, newName());
    expect(await loadDkim(api.ctx, other.id, domain.domain)).toBeNull();
  });

  test('queues the start of its verification in the transaction of the row', async () => {
    const project = await api.project();
    const domain = await add(project, newName());
    expect(await intents(domain.id)).toEqual([
      {
        action: 'start',
        payload: expect.objectContaining({
          workflowId: `domain:${domain.id}`,
          workflowType: 'domainVerification',
          taskQueue: 'system',
          args: [{ domainId: domain.id, projectId: project.id }],
          projectId: project.id,
          resourceId: domain.id,
          resourceKind: 'domain',
        }),
      },
    ]);
  });

  test('converts a name of another script to its ASCII form', async () => {
    const project = await api.project();
    expect((await add(project, 'münchen.test')).domain).toBe('xn--mnchen-3ya.test');
  });

  test.each([
    [''],
    ['localhost'],
    ['user@example.com'],
    ['https://example.com'],
    ['*.example.com'],
    ['127.0.0.1'],
    [42],
    [null],
    [undefined],
  ])('returns 422 with the field for the domain name %j', async (domain) => {
    const response = await api.as(await api.project(), 'POST', '/domains', { domain });
    expectError(response, 422, 'VALIDATION_ERROR');
    expect(response.json().error.errors).toMatchObject([{ field: 'domain' }]);
  });

  test('returns 409 for a domain that the project already has', async () => {
    const project = await api.project();
    const { domain } = await add(project, newName());
    expectError(await api.as(project, 'POST', '/domains', { domain }), 409, 'CONFLICT');
  });

  test('with two concurrent requests adds the domain once and returns 409 to the other', async () => {
    const project = await api.project();
    const domain = newName();
    const responses = await Promise.all([1, 2].map(() => api.as(project, 'POST', '/domains', { domain })));
    expect(responses.map((response) => response.statusCode).sort((a, b) => a - b)).toEqual([201, 409]);
  });

  test('returns 409 for a domain that is verified in another project, and 201 if it is pending there', async () => {
    const [first, second] = [await api.project(), await api.project({ verified: false })];
    expectError(await api.as(second, 'POST', '/domains', { domain: first.domain }), 409, 'CONFLICT');
    expect((await add(first, second.domain)).status).toBe('PENDING');
  });

  test('responds within about 2 seconds if the DNS is silent, with the domain unchanged', async () => {
    const project = await api.project();
    zone.become('silent');
    const started = performance.now();
    const domain = await add(project, newName());
    expect(performance.now() - started).toBeLessThan(8000);
    expect(domain).toMatchObject({ status: 'PENDING', lastCheckedAt: null });
    expect(await intents(domain.id)).toHaveLength(1);
  });

  test('returns a verified domain if the embedded DNS publishes its records', async () => {
    const databaseUrl = api.config.DATABASE_URL;
    const stub = await startDomainDns({ port: 0, databaseUrl, log: createLog('silent') });
    const { dns } = api.ctx;
    Object.assign(api.ctx, { dns: createDns(stub.server) });
    api.config.DNS_SERVERS = stub.server;
    try {
      const domain = await add(await api.project(), newName());
      expect(domain).toMatchObject({ status: 'VERIFIED', verified: true, verifiedAt: expect.any(String) });
      expect(domain.records.map((record) => record.status)).toEqual(['VERIFIED', 'VERIFIED', 'VERIFIED', 'VERIFIED']);
    } finally {
      Object.assign(api.ctx, { dns });
      api.config.DNS_SERVERS = zone.server;
      await stub.stop();
    }
  });
});

describe('GET /domains/:id', () => {
  test('returns the domain with what the DNS answered, which POST /domains/:id/verify also returns', async () => {
    const project = await api.project();
    const domain = await add(project, newName());
    const [spf] = domain.records.filter(({ purpose }) => purpose === 'SPF');
    zone.publish([{ name: spf?.name ?? '', type: 'TXT', value: 'v=spf1 -all' }]);
    const checked = await api.as(project, 'POST', `/domains/${domain.id}/verify`);
    expect(checked.statusCode, checked.body).toBe(200);
    const read = (await api.as(project, 'GET', `/domains/${domain.id}`)).json<Domain>();
    expect(read).toEqual(checked.json());
    expect(read.records.map(({ purpose, status, found }) => [purpose, status, found])).toEqual([
      ['DKIM', 'PENDING', []],
      ['SPF', 'FAILED', ['v=spf1 -all']],
      ['DMARC', 'PENDING', []],
      ['RETURN_PATH', 'PENDING', []],
    ]);
  });

  test('its zone file has all records', async () => {
    const project = await api.project();
    const domain = await add(project, newName());
    const response = await api.as(project, 'GET', `/domains/${domain.id}/zone`);
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/dns; charset=utf-8']);
    for (const { name } of domain.records) expect(response.body).toContain(`${name}.\t300\tIN\t`);
  });
});

describe('GET /domains/:id/verify', () => {
  test('checks now and returns the domain, verified by its DKIM record alone', async () => {
    const project = await api.project();
    const domain = await add(project, newName());
    expect(await verify(project, domain.id)).toMatchObject({ status: 'PENDING', verified: false });
    zone.publish([dkimOf(domain)]);
    const verified = await verify(project, domain.id);
    expect(verified).toMatchObject({
      id: domain.id,
      status: 'VERIFIED',
      verified: true,
      verifiedAt: expect.any(String),
    });
    expect(verified.records.map((record) => record.status)).toEqual(['VERIFIED', 'PENDING', 'PENDING', 'PENDING']);
  });

  test('shows the status of each recommended record, which does not affect the result', async () => {
    const project = await api.project();
    const domain = await add(project, newName());
    zone.publish(domain.records.slice(1));
    const checked = await verify(project, domain.id);
    expect(checked.records.map((record) => record.status)).toEqual(['PENDING', 'VERIFIED', 'VERIFIED', 'VERIFIED']);
    expect(checked.verified).toBe(false);
  });

  test('leaves a domain pending if its DKIM record has another key, and marks the record as failed', async () => {
    const project = await api.project();
    const domain = await add(project, newName());
    zone.publish([{ ...dkimOf(domain), value: 'v=DKIM1; k=rsa; p=MIIB' }]);
    const checked = await verify(project, domain.id);
    expect(checked).toMatchObject({ status: 'PENDING', verified: false });
    expect(dkimOf(checked).status).toBe('FAILED');
  });

  test('pokes the workflow in the transaction that stores the result', async () => {
    const project = await api.project();
    const { id } = await add(project, newName());
    await verify(project, id);
    expect((await intents(id)).map(({ payload }) => payload)).toMatchObject([
      { action: 'start' },
      { action: 'signal', workflowId: `domain:${id}`, signal: 'poke' },
    ]);
  });

  test('returns the domain unchanged if the DNS does not respond', async () => {
    const project = await api.project();
    const domain = await add(project, newName());
    zone.publish([dkimOf(domain)]);
    const verified = await verify(project, domain.id);
    zone.become('failing');
    expect(await verify(project, domain.id)).toEqual(verified);
    const row = await api.ctx.prisma.domain.findUniqueOrThrow({ where: { id: domain.id } });
    expect(row.failingSince).toBeNull();
  });

  test('keeps a verified domain if its record is missing for less than 72 hours, and then revokes it', async () => {
    const project = await api.project();
    const domain = await add(project, newName());
    zone.publish([dkimOf(domain)]);
    await verify(project, domain.id);
    zone.clear();
    const since = Date.now();
    const after = (hours: number) => checkDomain(api.ctx, domain.id, { now: new Date(since + hours * 3_600_000) });
    expect(await after(0)).toMatchObject({ status: 'VERIFIED', records: [{ status: 'PENDING' }, {}, {}, {}] });
    expect(await after(71)).toMatchObject({ status: 'VERIFIED' });
    expect(await after(72)).toMatchObject({ status: 'PENDING', verified: false, verifiedAt: null });
  });

  test('verifies a domain for one of two projects; the other is FAILED until the first removes it', async () => {
    const [first, second] = [await api.project(), await api.project()];
    const name = newName();
    const mine = await add(first, name);
    const theirs = await add(second, name);
    zone.publish([dkimOf(mine), dkimOf(theirs)]);
    const [a, b] = await Promise.all([verify(first, mine.id), verify(second, theirs.id)]);
    expect([a.status, b.status].sort()).toEqual(['FAILED', 'VERIFIED']);
    const [winner, loser] = a.verified ? [first, second] : [second, first];
    const [won, lost] = a.verified ? [a, b] : [b, a];
    expect(lost).toMatchObject({ verified: false, verifiedAt: null });
    expect(dkimOf(lost).status).toBe('VERIFIED');
    expect((await api.as(winner, 'DELETE', `/domains/${won.id}`)).statusCode).toBe(204);
    expect(await verify(loser, lost.id)).toMatchObject({ status: 'VERIFIED', verified: true });
  });

  test('returns the same 404 for a malformed id, an unknown id, and an id of another project', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const { id } = await add(other, newName());
    for (const method of ['GET', 'DELETE'] as const) {
      const answers = await Promise.all(
        ['nonsense', newId(), id].map((one) =>
          api.as(project, method, `/domains/${one}${method === 'GET' ? '/verify' : ''}`),
        ),
      );
      for (const answer of answers) expectError(answer, 404, 'DOMAIN_NOT_FOUND');
      expect(new Set(answers.map((answer) => answer.json().error.message)).size).toBe(1);
    }
    expect(await api.ctx.prisma.domain.count({ where: { id } })).toBe(1);
  });
});

describe('GET /domains/project/:projectId', () => {
  test("returns the project's verified and pending domains as an array, newest first, without keys", async () => {
    const project = await api.project();
    const older = await add(project, newName());
    const newer = await add(project, newName());
    const response = await api.as(project, 'GET', `/domains/project/${project.id}`);
    expect(response.statusCode).toBe(200);
    expect(response.json<Domain[]>().map(({ domain, status }) => [domain, status])).toEqual([
      [newer.domain, 'PENDING'],
      [older.domain, 'PENDING'],
      [project.domain, 'VERIFIED'],
    ]);
    expect(response.json()[0]).toEqual(newer);
    expect(response.body).not.toMatch(/private/i);
  });

  test('returns 404 to a key of another project', async () => {
    const [project, other] = [await api.project(), await api.project()];
    for (const id of [other.id, newId(), 'nonsense'])
      expectError(await api.as(project, 'GET', `/domains/project/${id}`), 404, 'PROJECT_NOT_FOUND');
  });

  test('accepts a session of any member without X-Project-Id', async () => {
    const project = await api.project();
    const response = await api.app.inject({
      method: 'GET',
      url: `/domains/project/${project.id}`,
      headers: await session(project),
    });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toHaveLength(1);
  });

  test('returns 404 to a session of a non-member', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const owner = await session(other, 'OWNER');
    for (const headers of [owner, { ...owner, 'x-project-id': other.id }]) {
      for (const id of [project.id, 'nonsense'])
        expectError(
          await api.app.inject({ method: 'GET', url: `/domains/project/${id}`, headers }),
          404,
          'PROJECT_NOT_FOUND',
        );
    }
  });

  test('returns 401 without a key or a session, and to a public key', async () => {
    const project = await api.project();
    const url = `/domains/project/${project.id}`;
    expectError(await api.app.inject({ method: 'GET', url }), 401, 'INVALID_API_KEY');
    expectError(
      await api.as(project, 'GET', url, undefined, { authorization: `Bearer ${project.public}` }),
      401,
      'INVALID_API_KEY',
    );
  });
});

describe('DELETE /domains/:id', () => {
  const content = { subject: 's', body: '<p>b</p>' };
  const template = (project: TestProject, from: string) =>
    api.ctx.prisma.template.create({ data: { id: newId(), projectId: project.id, name: 'Welcome', from, ...content } });
  const campaign = (
    project: TestProject,
    from: string,
    status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'CANCELLED',
  ) =>
    api.ctx.prisma.campaign.create({
      data: { id: newId(), projectId: project.id, name: 'News', from, audienceType: 'ALL', status, ...content },
    });

  test('removes the domain with 204 and no body, and cancels its workflow', async () => {
    const project = await api.project();
    const { id } = await add(project, newName());
    const response = await api.as(project, 'DELETE', `/domains/${id}`);
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe('');
    expect(await api.ctx.prisma.domain.count({ where: { id } })).toBe(0);
    expect((await intents(id)).at(-1)?.payload).toMatchObject({ action: 'cancel', workflowId: `domain:${id}` });
    expectError(await api.as(project, 'GET', `/domains/${id}/verify`), 404, 'DOMAIN_NOT_FOUND');
  });

  test('returns 409 while a template uses the domain, and names it', async () => {
    const project = await api.project();
    const { id, domain } = await add(project, newName());
    const used = await template(project, `hello@${domain}`);
    const response = await api.as(project, 'DELETE', `/domains/${id}`);
    expectError(response, 409, 'CONFLICT');
    expect(response.json().error.details).toEqual({
      templates: [{ id: used.id, name: 'Welcome' }],
      workflowSteps: [],
      campaigns: [],
    });
    expect(await api.ctx.prisma.domain.count({ where: { id } })).toBe(1);
    expect(await intents(id)).toHaveLength(1);
  });

  test('returns 409 while a workflow step uses the domain by its template, and names it', async () => {
    const project = await api.project();
    const { id, domain } = await add(project, newName());
    const { id: templateId } = await template(project, `hello@${domain}`);
    const workflowId = newId();
    const stepId = newId();
    await api.ctx.prisma.workflow.create({
      data: { id: workflowId, projectId: project.id, name: 'Onboarding', eventName: 'signup' },
    });
    await api.ctx.prisma.workflowStep.create({
      data: { id: stepId, projectId: project.id, workflowId, type: 'SEND_EMAIL', name: 'Hello', templateId },
    });
    const response = await api.as(project, 'DELETE', `/domains/${id}`);
    expectError(response, 409, 'CONFLICT');
    expect(response.json().error.details.workflowSteps).toEqual([{ id: stepId, name: 'Hello', workflowId }]);
  });

  test.each(['DRAFT', 'SCHEDULED', 'SENDING'] as const)(
    'returns 409 while a %s campaign uses the domain',
    async (status) => {
      const project = await api.project();
      const { id, domain } = await add(project, newName());
      await campaign(project, `news@${domain}`, status);
      expectError(await api.as(project, 'DELETE', `/domains/${id}`), 409, 'CONFLICT');
    },
  );

  test('ignores ended campaigns, senders at parent domains and subdomains, and other projects', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const { id, domain } = await add(project, `sub.${newName()}`);
    await campaign(project, `news@${domain}`, 'SENT');
    await campaign(project, `news@${domain}`, 'CANCELLED');
    await template(project, `a@x.${domain}`);
    await template(project, `a@${domain.slice(4)}`);
    await template(project, `a@x${domain}`);
    await template(other, `a@${domain}`);
    expect((await api.as(project, 'DELETE', `/domains/${id}`)).statusCode).toBe(204);
  });
});

describe('roles', () => {
  const inject = (
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    project: TestProject,
    headers: { cookie: string },
    payload?: object,
  ) =>
    api.app.inject({ method, url, headers: { ...headers, 'x-project-id': project.id }, ...(payload && { payload }) });

  test.each(['OWNER', 'ADMIN'] as const)('a session of an %s adds, verifies, and removes domains', async (role) => {
    const project = await api.project();
    const headers = await session(project, role);
    const added = await inject('POST', '/domains', project, headers, { domain: newName() });
    expect(added.statusCode, added.body).toBe(201);
    const { id } = added.json<Domain>();
    expect((await inject('GET', `/domains/${id}/verify`, project, headers)).statusCode).toBe(200);
    expect((await inject('DELETE', `/domains/${id}`, project, headers)).statusCode).toBe(204);
  });

  test('a session of a MEMBER verifies domains, but cannot add or remove them', async () => {
    const project = await api.project();
    const { id } = await add(project, newName());
    const headers = await session(project, 'MEMBER');
    expectError(await inject('POST', '/domains', project, headers, { domain: newName() }), 403, 'FORBIDDEN');
    expectError(await inject('DELETE', `/domains/${id}`, project, headers), 403, 'FORBIDDEN');
    expect((await inject('GET', `/domains/${id}/verify`, project, headers)).statusCode).toBe(200);
  });

  test('a session on other domain paths needs X-Project-Id: 400 without it, 403 for a non-member', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const headers = await session(other, 'OWNER');
    expectError(
      await api.app.inject({ method: 'POST', url: '/domains', headers, payload: { domain: newName() } }),
      400,
      'BAD_REQUEST',
    );
    expectError(await inject('POST', '/domains', project, headers, { domain: newName() }), 403, 'FORBIDDEN');
  });
});

test('the OpenAPI document has Domain as a component', async () => {
  const response = await api.app.inject({ method: 'GET', url: '/openapi.json' });
  const url = response.statusCode === 200 ? '/openapi.json' : '/docs/json';
  const document = (await api.app.inject({ method: 'GET', url })).json();
  expect(document.components.schemas.Domain.properties.status.enum).toEqual(['PENDING', 'VERIFIED', 'FAILED']);
});

describe('the advice for a domain', () => {
  const adviceOf = (domain: Domain): string[] => domain.advice.map(({ code }) => code);

  test('is dmarc_missing until the DNS has a valid DMARC record', async () => {
    const project = await api.project();
    const domain = await add(project, newName());
    expect(adviceOf(domain)).toEqual(['dmarc_missing']);
    zone.publish([{ name: `_dmarc.${domain.domain}`, type: 'TXT', value: 'v=DMARC1; rua=mailto:a@b.test' }]);
    expect(adviceOf(await verify(project, domain.id))).toEqual(['dmarc_missing']);
    zone.clear();
    zone.publish([{ name: `_dmarc.${domain.domain}`, type: 'TXT', value: 'v=DMARC1; p=reject' }]);
    expect(adviceOf(await verify(project, domain.id))).toEqual([]);
    const list = await api.as(project, 'GET', `/domains/project/${project.id}`);
    expect(list.json<Domain[]>().find(({ id }) => id === domain.id)?.advice).toEqual([]);
    // Without an answer, the stored result stays.
    zone.become('failing', `_dmarc.${domain.domain}`);
    expect(adviceOf(await verify(project, domain.id))).toEqual([]);
  });

  test('follows the DMARC record of a parent domain, as receivers do', async () => {
    const project = await api.project();
    const parent = newName();
    zone.publish([{ name: `_dmarc.${parent}`, type: 'TXT', value: 'v=DMARC1; p=none' }]);
    const domain = await add(project, `news.mail.${parent}`);
    expect(adviceOf(domain)).toEqual([]);
    expect(domain.records.find(({ purpose }) => purpose === 'DMARC')).toMatchObject({
      status: 'VERIFIED',
      found: ['v=DMARC1; p=none'],
    });
    expect(zone.asked('_dmarc.test')).toBe(0);
  });
});
