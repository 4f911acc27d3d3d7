/** Limits and usage for tests. */
import { expect } from 'vitest';
import type { ApiContext } from '../../src/context.js';
import { newId } from '../../src/ids.js';
import type { TestApi, TestProject } from './api.js';

export interface Limits {
  workflows?: number | null;
  campaigns?: number | null;
  transactional?: number | null;
}

export const setLimits = async (
  { prisma }: ApiContext,
  { id }: { id: string },
  { workflows, campaigns, transactional }: Limits,
): Promise<void> => {
  await prisma.project.update({
    where: { id },
    data: {
      billingLimitWorkflows: workflows,
      billingLimitCampaigns: campaigns,
      billingLimitTransactional: transactional,
    },
  });
};

type Counts = Record<'WORKFLOW' | 'CAMPAIGN' | 'TRANSACTIONAL', number>;

/** What is counted this month; it must be what the emails themselves say. */
export async function usageOf({ pool }: ApiContext, { id }: { id: string }): Promise<Counts> {
  const { rows } = await pool.query<{ source: keyof Counts; counted: number; there: number }>(
    `SELECT s.source, usage_of($1, s.source) AS counted, (SELECT count(*) FROM emails e WHERE e.project_id = $1 AND e.source = s.source AND e.status <> 'CANCELLED') AS there
       FROM unnest('{WORKFLOW,CAMPAIGN,TRANSACTIONAL}'::email_source[]) AS s(source)`,
    [id],
  );
  expect(rows.map(({ source, counted }) => [source, counted])).toEqual(
    rows.map(({ source, there }) => [source, there]),
  );
  const counts: Counts = { WORKFLOW: 0, CAMPAIGN: 0, TRANSACTIONAL: 0 };
  for (const { source, counted } of rows) counts[source] = counted;
  return counts;
}

/** A send to so many new addresses. */
export const send = (
  api: Pick<TestApi, 'as'>,
  project: TestProject,
  {
    recipients = 1,
    headers,
    ...fields
  }: { recipients?: number; headers?: Record<string, string>; [field: string]: unknown } = {},
) =>
  api.as(
    project,
    'POST',
    '/v1/send',
    {
      to: Array.from({ length: recipients }, () => `${newId()}@inbox.test`),
      subject: 'Hi',
      body: '<p>Hi</p>',
      from: `news@${project.domain}`,
      ...fields,
    },
    headers,
  );
