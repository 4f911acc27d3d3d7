/** `GET /search`. */
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { chooseHits } from '../../src/domain/search/search.js';
import type { RankedHit, SearchKind } from '../../src/domain/search/sql.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refusal } from '../helpers/session.js';

const api = useApi();
let project: TestProject;
let other: TestProject;
let emailId: string;
let contactId: string;

async function addContent(owner: TestProject): Promise<{ contactId: string; emailId: string }> {
  const { prisma } = api.ctx;
  const content = { projectId: owner.id, subject: 'Spring offers', body: 'b', from: `a@${owner.domain}` };
  await prisma.campaign.create({ data: { ...content, id: newId(), name: 'Launch of 100%', audienceType: 'ALL' } });
  await prisma.template.create({ data: { ...content, id: newId(), name: 'The launch', type: 'MARKETING' } });
  await prisma.segment.create({
    data: { id: newId(), projectId: owner.id, name: 'Launch', slug: 'launch', type: 'STATIC', description: 'Early' },
  });
  await prisma.workflow.create({
    data: { id: newId(), projectId: owner.id, name: 'Hello', eventName: 'launch.joined' },
  });
  const contact = { projectId: owner.id, subscribed: true };
  const launchId = newId();
  await prisma.contact.createMany({
    data: [
      { ...contact, id: launchId, email: 'launch@x.test', data: { firstName: 'Ada', lastName: 'Lovelace' } },
      { ...contact, id: newId(), email: 'launcher@x.test', data: { name: 'Grace' } },
      { ...contact, id: newId(), email: 'ann_b@x.test', data: {} },
      { ...contact, id: newId(), email: 'annxb@x.test', data: {} },
    ],
  });
  const sent = await api.as(owner, 'POST', '/v1/send', {
    to: 'reader@x.test',
    from: `a@${owner.domain}`,
    subject: 'Receipt',
    body: 'b',
  });
  const [email] = sent.json<{ data: { emails: Array<{ email: string }> } }>().data.emails;
  return { contactId: launchId, emailId: email?.email ?? '' };
}

beforeAll(async () => {
  [project, other] = [await api.project(), await api.project()];
  ({ contactId, emailId } = await addContent(project));
});

interface Hit {
  kind: SearchKind;
  id: string;
  title: string;
  subtitle: string | null;
}

async function find(q: string, { limit = 20, by = project } = {}): Promise<Hit[]> {
  const response = await api.as(by, 'GET', `/search?limit=${limit}&q=${encodeURIComponent(q)}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ data: Hit[] }>().data;
}
const brief = (hits: Hit[]): string[] => hits.map(({ kind, title, subtitle }) => `${kind} ${title}: ${subtitle ?? ''}`);

test('whole titles come first, then their starts, then other parts', async () => {
  expect(brief(await find(' LAUNCH '))).toEqual([
    'segment Launch: Early',
    'contact launch@x.test: Ada Lovelace',
    'contact launcher@x.test: Grace',
    'campaign Launch of 100%: Spring offers',
    'template The launch: Spring offers',
    'workflow Hello: launch.joined',
  ]);
});

test('a contact is found by its whole address and by the start of it, and by no other part', async () => {
  expect(brief(await find('launch@x.test'))).toEqual(['contact launch@x.test: Ada Lovelace']);
  expect(await find('auncher')).toEqual([]);
});

test('characters of patterns have no special meaning', async () => {
  expect(brief(await find('ann_'))).toEqual(['contact ann_b@x.test: ']);
  expect(brief(await find('100%'))).toEqual(['campaign Launch of 100%: Spring offers']);
  expect(await find('%')).toHaveLength(1);
});

test('an email, a contact, and a domain are found by their id', async () => {
  expect(brief(await find(emailId))).toEqual(['email reader@x.test: Receipt']);
  expect(brief(await find(contactId.toUpperCase()))).toEqual(['contact launch@x.test: Ada Lovelace']);
  const { id } = await api.ctx.prisma.domain.findFirstOrThrow({ where: { projectId: project.id } });
  expect(brief(await find(id))).toEqual([`domain ${project.domain}: VERIFIED`]);
});

test('the subtitle of an email is its subject as the recipient sees it', async () => {
  const sent = await api.as(project, 'POST', '/v1/send', {
    to: 'launch@x.test',
    from: `a@${project.domain}`,
    subject: 'For {{ firstName }}',
    body: 'b',
  });
  const id = sent.json<{ data: { emails: Array<{ email: string }> } }>().data.emails[0]?.email ?? '';
  expect(brief(await find(id))).toEqual(['email launch@x.test: For Ada']);
});

test('a limit leaves each kind its share', async () => {
  expect((await find('launch', { limit: 1 })).map(({ kind }) => kind)).toEqual(['segment']);
  const kinds = (await find('launch', { limit: 5 })).map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(['campaign', 'contact', 'segment', 'template', 'workflow']);
});

test('another project finds nothing of it, by name or by id', async () => {
  for (const q of ['launch', 'spring', emailId, contactId, project.domain])
    expect(await find(q, { by: other })).toEqual([]);
});

describe('a query that breaks a rule returns 422 with its field', () => {
  test.each([
    ['without q', '', 'q'],
    ['an empty q', '?q=%20', 'q'],
    ['a q of 256 characters', `?q=${'a'.repeat(256)}`, 'q'],
    ['a limit of 0', '?q=a&limit=0', 'limit'],
  ])('%s', async (_, query, field) => {
    expect(refusal(await api.as(project, 'GET', `/search${query}`))).toEqual([422, 'VALIDATION_ERROR', field]);
  });
});

test('the shares of kinds without hits go to the others', () => {
  const hits = Array.from({ length: 30 }, (_, index): RankedHit => {
    return { kind: 'contact', id: String(index), title: 't', subtitle: null, rank: 1 };
  });
  hits.push({ kind: 'domain', id: 'd', title: 't', subtitle: null, rank: 2 });
  const chosen = chooseHits(hits, 10);
  expect(chosen.map(({ id }) => id)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', 'd']);
});
