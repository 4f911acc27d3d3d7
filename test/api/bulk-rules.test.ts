/** The warning `bulk_sender_rules` of campaigns with many recipients, by real answers of a DNS server. */
import { afterAll, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, content } from '../helpers/campaign-api.js';
import { startZone } from '../helpers/dns.js';

const zone = await startZone();
const api = useApi({ DNS_SERVERS: zone.server, PUBLIC_URL: 'https://mail.sender.example', VERP: 'true' });
const { segment } = campaignHelpers(api);

afterAll(() => zone.stop());

const MANY = 5_001;
const SPF = { purpose: 'SPF', value: 'v=spf1 include:relay.example ~all' };
const DMARC = { purpose: 'DMARC', value: 'v=DMARC1; p=none' };
const RETURN_PATH = { purpose: 'RETURN_PATH', value: 'mail.sender.example' };

interface Domain {
  id: string;
  domain: string;
  verified: boolean;
  records: Array<{ purpose: string; type: string; name: string; value: string }>;
}

/** A project with so many subscribed contacts, and a verified domain. Publishes these records, apart from DKIM. */
async function sender(contacts: number, published: Array<{ purpose: string; value: string }>) {
  const project = await api.project();
  const name = `s-${newId()}.test`;
  const { id, records } = (await api.as(project, 'POST', '/domains', { domain: name })).json<Domain>();
  const values = new Map(published.map(({ purpose, value }) => [purpose, value]));
  for (const { purpose, type, name: host, value } of records) {
    const answer = purpose === 'DKIM' ? value : values.get(purpose);
    if (answer !== undefined) zone.publish([{ name: host, type, value: answer }]);
  }
  const verified = await api.as(project, 'POST', `/domains/${id}/verify`);
  expect(verified.json<Domain>()).toMatchObject({ verified: true });
  await api.ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, data)
     SELECT uuid_v7(), $1, 'c' || i || '@x.test', true, jsonb_build_object('n', i) FROM generate_series(1, $2::int) AS i`,
    [project.id, contacts],
  );
  return { project: { ...project, domain: name }, domainId: id, records };
}

interface Answer {
  id: string;
  problems: Array<{ code: string; level: string; message: string; path?: string }>;
}

/** Creates a campaign. @returns its warnings about the rules, also read again and in the list */
async function warnings(project: TestProject, fields: Record<string, unknown> = {}): Promise<Answer['problems']> {
  const created = await api.as(project, 'POST', '/campaigns', content(project, fields));
  expect(created.statusCode, created.body).toBe(201);
  const { id, problems } = created.json<{ data: Answer }>().data;
  const rules = ({ code }: { code: string }): boolean => code === 'bulk_sender_rules';
  const read = (await api.as(project, 'GET', `/campaigns/${id}`)).json<Answer>();
  const list = (await api.as(project, 'GET', '/campaigns')).json<{ data: Answer[] }>();
  const found = problems.filter(rules);
  expect(read.problems.filter(rules)).toEqual(found);
  expect(list.data.find((campaign) => campaign.id === id)?.problems.filter(rules)).toEqual(found);
  return found;
}

test('a campaign to more than 5,000 recipients without SPF and DMARC has a warning, and can be sent', async () => {
  const { project, domainId, records } = await sender(MANY, []);
  const asked = () => records.map(({ name }) => zone.asked(name));
  const before = asked();
  expect(await warnings(project)).toEqual([
    {
      code: 'bulk_sender_rules',
      level: 'warning',
      path: 'from',
      message: expect.stringMatching(/more than 5,000 recipients.* no valid SPF and no DMARC record for s-/),
    },
  ]);
  expect(await warnings(project, { type: 'HEADLESS' })).toHaveLength(1);
  expect(await warnings(project, { type: 'TRANSACTIONAL' })).toEqual([]);
  const draft = await api.as(project, 'POST', '/campaigns', { ...content(project), audienceType: null, draft: true });
  expect(draft.json<{ data: Answer }>().data.problems.map(({ code }) => code)).not.toContain('bulk_sender_rules');
  expect(asked()).toEqual(before);

  const list = (await api.as(project, 'GET', '/campaigns')).json<{ data: Answer[] }>().data;
  const warned = list.find(({ problems }) => problems.some(({ code }) => code === 'bulk_sender_rules'));
  expect((await api.as(project, 'POST', `/campaigns/${warned?.id}/send`, {})).statusCode).toBe(200);

  for (const { purpose, type, name, value } of records)
    if (purpose === 'SPF' || purpose === 'DMARC') zone.publish([{ name, type, value }]);
  expect(await warnings(project)).toHaveLength(1);
  await api.as(project, 'POST', `/domains/${domainId}/verify`);
  expect(await warnings(project)).toEqual([]);
});

test.each([
  ['SPF', [DMARC], 'no valid SPF record'],
  ['DMARC', [SPF], 'no valid DMARC record'],
  ['DMARC, with a return path', [RETURN_PATH], 'no valid DMARC record'],
  ['nothing', [SPF, DMARC], null],
  ['nothing, with a return path', [RETURN_PATH, DMARC], null],
])('the warning names what is missing: %s', async (_, published, words) => {
  const { project } = await sender(MANY, published);
  const found = await warnings(project);
  expect(found.map(({ message }) => message)).toEqual(words === null ? [] : [expect.stringContaining(words)]);
});

test('only recipients count: subscribed contacts of the audience whose address is not suppressed', async () => {
  const { project } = await sender(MANY, []);
  const { pool, prisma } = api.ctx;
  const where = { projectId: project.id };
  const all = await prisma.contact.findMany({ where, select: { id: true } });
  const segmentId = await segment(
    project,
    all.map(({ id }) => id),
  );
  const filter = (operator: string, value: number) => ({
    audienceType: 'FILTERED',
    audienceCondition: {
      logic: 'AND',
      groups: [{ filters: [{ field: 'data.n', operator, value }] }],
    },
  });
  expect(await warnings(project, { audienceType: 'SEGMENT', segmentId })).toHaveLength(1);
  expect(await warnings(project, filter('greaterThanOrEqual', 1))).toHaveLength(1);
  expect(await warnings(project, filter('greaterThan', 1))).toEqual([]);

  await pool.query(`INSERT INTO suppressions (project_id, email, reason) VALUES ($1, 'c1@x.test', 'bounce')`, [
    project.id,
  ]);
  for (const audience of [{}, { audienceType: 'SEGMENT', segmentId }, filter('greaterThanOrEqual', 1)])
    expect(await warnings(project, audience)).toEqual([]);
  await prisma.suppression.deleteMany({ where });
  expect(await warnings(project)).toHaveLength(1);
  await prisma.contact.update({ where: { id: all[0]?.id ?? '' }, data: { subscribed: false } });
  expect(await warnings(project)).toEqual([]);
});
