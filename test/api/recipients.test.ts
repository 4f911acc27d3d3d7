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

/** Statuses of emails without a stage, in the order of the snapshot. */
interface ChunkFixture {
  emails: EmailStatus[];
  /** The number of recorded results of an open chunk. Undefined: it is closed. */
  settled?: number;
}

/** Inserts the emails of a campaign that wait in chunks, or were sent from them. @returns the emails in their order */
async function insertChunks(
  project: TestProject,
  campaignId: string,
  chunks: ChunkFixture[],
): Promise<Array<{ id: string; status: EmailStatus }>> {
  const nextAttemptAt = new Date('9999-12-31T00:00:00Z');
  const all: Array<{ id: string; status: EmailStatus }> = [];
  for (const { emails, settled } of chunks) {
    const made: Array<{ id: string; status: EmailStatus }> = [];
    for (const status of emails) made.push({ id: await email(project, campaignId, { status, nextAttemptAt }), status });
    await api.ctx.prisma.campaignChunk.create({
      data: {
        projectId: project.id,
        campaignId,
        chunk: all.length + 1,
        firstId: made.at(0)?.id ?? null,
        lastId: made.at(-1)?.id ?? null,
        size: emails.length,
        settled: settled ?? emails.length,
        closedAt: settled === undefined ? new Date() : null,
      },
    });
    all.push(...made);
  }
  return all;
}

const [P, S, D] = ['PENDING', 'SENT', 'DELIVERED'] as const;

test.for<[string, ChunkFixture[]]>([
  [
    'nothing was sent',
    [
      { emails: [P, P], settled: 0 },
      { emails: [P, P], settled: 0 },
    ],
  ],
  [
    'a chunk is in progress',
    [
      { emails: [S, S, P], settled: 2 },
      { emails: [P, P, P], settled: 0 },
    ],
  ],
  [
    'a later chunk was sent before an earlier one',
    [
      { emails: [P, P], settled: 0 },
      { emails: [S, D] },
      { emails: [P, 'CANCELLED'], settled: 0 },
      { emails: [S, S, P], settled: 1 },
      { emails: [P, P], settled: 0 },
      { emails: [P, P], settled: 0 },
    ],
  ],
  ['everything was sent', [{ emails: [S, S] }, { emails: [D, S, 'FAILED'] }]],
])('the status filter finds the emails of chunks: %s', async ([, chunks]) => {
  const project = await api.project();
  const id = await draft(project);
  const made = await insertChunks(project, id, chunks);
  const idsOf = (status: EmailStatus): string[] => made.filter((one) => one.status === status).map((one) => one.id);
  expect(await allPages(project, id, '?limit=2')).toEqual(made.map((one) => one.id));
  for (const status of STATUSES) {
    expect(await allPages(project, id, `?limit=2&status=${status}`), status).toEqual(idsOf(status));
    expect((await list(project, id, `?limit=1&status=${status}`)).total, status).toBe(idsOf(status).length);
  }
});

test('the status filter finds emails that wait for a retry, each once', async () => {
  const project = await api.project();
  const id = await draft(project);
  const made = await insertChunks(project, id, [
    { emails: [S, P, P, P, S] },
    // The first email of the open chunk waits for a retry.
    { emails: [P, S, P], settled: 2 },
    { emails: [P], settled: 0 },
  ]);
  const idOf = (index: number): string => made[index]?.id ?? '';
  await api.ctx.prisma.campaignRetry.createMany({
    data: [1, 5].map((index) => ({
      projectId: project.id,
      campaignId: id,
      emailId: idOf(index),
      dueAt: new Date(),
    })),
  });
  await api.ctx.prisma.campaignChunk.create({
    data: { projectId: project.id, campaignId: id, chunk: 5_000_000_000, size: 2, members: [idOf(2), idOf(3)] },
  });
  const pending = made.filter(({ status }) => status === P).map((one) => one.id);
  expect(await allPages(project, id, '?limit=2&status=PENDING')).toEqual(pending);
  expect((await list(project, id, '?status=PENDING')).total).toBe(6);
  expect(await allPages(project, id, '?limit=1&status=SENT')).toEqual([0, 4, 6].map(idOf));
  expect((await list(project, id, '?status=SENT')).total).toBe(3);
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
