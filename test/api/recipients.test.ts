/** The recipients of a campaign and the results of their emails. Not part of the specification. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { EmailStatus } from '../../src/generated/prisma/enums.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers } from '../helpers/campaign-api.js';
import { feedbackHelpers } from '../helpers/feedback.js';
import { refusal } from '../helpers/session.js';

const api = useApi();
const { contact, draft, email } = campaignHelpers(api);
const { apply } = feedbackHelpers(api);

const Recipient = z.looseObject({ emailId: z.string(), status: z.string() });
const List = z.strictObject({
  data: z.array(Recipient),
  cursor: z.string().nullable(),
  hasMore: z.boolean(),
  total: z.number(),
});

const list = async (project: TestProject, campaignId: string, query = '') => {
  const response = await api.as(project, 'GET', `/campaigns/${campaignId}/recipients${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return List.parse(response.json());
};

async function allPages(project: TestProject, campaignId: string, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ;) {
    const page = await list(project, campaignId, `${query}${cursor && `&cursor=${cursor}`}`);
    if (cursor) expect(page.total).toBe(0);
    ids.push(...page.data.map(({ emailId }) => emailId));
    if (page.cursor === null) return ids;
    cursor = page.cursor;
  }
}

const STATUSES: EmailStatus[] = [
  'PENDING',
  'SENDING',
  'SENT',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'BOUNCED',
  'COMPLAINED',
  'FAILED',
  'CANCELLED',
];

test('a campaign that was not sent has no recipients', async () => {
  const project = await api.project();
  expect(await list(project, await draft(project))).toEqual({ data: [], cursor: null, hasMore: false, total: 0 });
});

test('a recipient has its contact, its address, its times, and its error', async () => {
  const project = await api.project();
  const id = await draft(project);
  const ada = await contact(project, 'ada@x.test');
  const at = (minute: number): Date => new Date(Date.UTC(2026, 2, 10, 12, minute));
  const emailId = await email(project, id, {
    contactId: ada,
    toEmail: 'ada@x.test',
    status: 'SENT',
    attempts: 2,
    createdAt: at(0),
    sentAt: at(1),
  });
  await apply(
    { emailId, kind: 'delivered', at: at(2) },
    { emailId, kind: 'opened', at: at(3) },
    { emailId, kind: 'clicked', at: at(4), url: 'https://x.test' },
    { emailId, kind: 'bounced', at: at(5), bounceType: 'transient', reason: 'full' },
  );
  const failed = await email(project, id, {
    toEmail: 'bob@x.test',
    status: 'FAILED',
    error: '550 no such user',
    createdAt: at(0),
  });
  expect((await list(project, id)).data).toEqual([
    {
      emailId,
      contactId: ada,
      email: 'ada@x.test',
      status: 'BOUNCED',
      attempts: 2,
      error: null,
      bounceType: 'transient',
      bounceReason: 'full',
      opens: 1,
      clicks: 1,
      createdAt: at(0).toISOString(),
      sentAt: at(1).toISOString(),
      deliveredAt: at(2).toISOString(),
      openedAt: at(3).toISOString(),
      clickedAt: at(4).toISOString(),
      bouncedAt: at(5).toISOString(),
      complainedAt: null,
    },
    expect.objectContaining({
      emailId: failed,
      contactId: null,
      email: 'bob@x.test',
      status: 'FAILED',
      error: '550 no such user',
      sentAt: null,
    }),
  ]);
});

test('pages neither repeat nor omit recipients, with and without a status filter', async () => {
  const project = await api.project();
  const [id, other] = [await draft(project), await draft(project)];
  const made: Array<{ id: string; status: EmailStatus }> = [];
  for (let n = 0; n < 33; n++) {
    const status = STATUSES[(n * 7) % 10] ?? 'SENT';
    made.push({ id: await email(project, id, { status }), status });
    if (n % 3 === 0) await email(project, other, { status });
  }
  for (const limit of [1, 4, 100])
    expect(await allPages(project, id, `?limit=${limit}`)).toEqual(made.map((one) => one.id));
  expect((await list(project, id, '?limit=1')).total).toBe(33);
  for (const status of STATUSES) {
    const expected = made.filter((one) => one.status === status).map((one) => one.id);
    expect(await allPages(project, id, `?limit=2&status=${status}`)).toEqual(expected);
    expect((await list(project, id, `?limit=1&status=${status}`)).total).toBe(expected.length);
  }
});

test("an unknown and another project's campaign return 404; malformed parameters return 422", async () => {
  const project = await api.project();
  const foreign = await draft(await api.project());
  const id = await draft(project);
  for (const unknown of [newId(), foreign])
    expect(refusal(await api.as(project, 'GET', `/campaigns/${unknown}/recipients`)).slice(0, 2)).toEqual([
      404,
      'CAMPAIGN_NOT_FOUND',
    ]);
  const cursor = Buffer.from(JSON.stringify([new Date().toISOString(), newId()])).toString('base64url');
  for (const [path, field] of [
    ['nope/recipients', 'id'],
    [`${id}/recipients?status=READ`, 'status'],
    [`${id}/recipients?cursor=${cursor}`, 'cursor'],
    [`${id}/recipients?limit=0`, 'limit'],
  ] as const) {
    expect(refusal(await api.as(project, 'GET', `/campaigns/${path}`))).toEqual([422, 'VALIDATION_ERROR', field]);
  }
});
