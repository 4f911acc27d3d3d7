/** Campaigns over the API, and the number of mails per recipient. */
import { expect } from 'vitest';
import { z } from 'zod';
import { campaignContent, type Audience } from './audience.js';
import type { Cluster } from './cluster.js';
import { eventually } from './eventually.js';

export interface Answer {
  status: number;
  /** The body as JSON. */
  body: unknown;
}

/** A request with the project's secret key. */
export async function request(
  { api }: Pick<Cluster, 'api'>,
  { secret }: Audience,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const Created = z.object({ data: z.object({ id: z.string() }) });

export async function createCampaign(cluster: Pick<Cluster, 'api'>, project: Audience): Promise<string> {
  const { status, body } = await request(cluster, project, 'POST', '/campaigns', campaignContent(project));
  expect(status).toBe(201);
  return Created.parse(body).data.id;
}

/** Creates a campaign to all contacts and sends it now. @returns its id */
export async function sendCampaign(cluster: Pick<Cluster, 'api'>, project: Audience): Promise<string> {
  const id = await createCampaign(cluster, project);
  const { status } = await request(cluster, project, 'POST', `/campaigns/${id}/send`, {});
  expect(status).toBe(200);
  return id;
}

const Stats = z.object({
  totalRecipients: z.number(),
  sentCount: z.number(),
  failedCount: z.number(),
  unknownCount: z.number(),
  cancelledCount: z.number(),
  pendingCount: z.number(),
});
const View = z.object({ status: z.string(), totalRecipients: z.number(), sentCount: z.number() });

/** Returns a campaign and its stats from the API. */
export async function fetchCampaign(
  cluster: Pick<Cluster, 'api'>,
  project: Audience,
  id: string,
): Promise<z.infer<typeof Stats> & { status: string }> {
  const view = View.parse((await request(cluster, project, 'GET', `/campaigns/${id}`)).body);
  const stats = Stats.parse((await request(cluster, project, 'GET', `/campaigns/${id}/stats`)).body);
  return { ...view, ...stats };
}

/** Waits until the campaign has this status in the API and no pending emails. */
export async function settled(
  cluster: Pick<Cluster, 'api'>,
  project: Audience,
  id: string,
  status: string,
  within = 60_000,
) {
  return eventually(
    async () => {
      const shown = await fetchCampaign(cluster, project, id);
      expect(shown).toMatchObject({ status, pendingCount: 0 });
      return shown;
    },
    { within, every: 200 },
  );
}

export interface Account {
  /** Recipients with more than one mail in the sink. */
  twice: string[];
  /** Recipients whose row is SENT, but without a mail in the sink. */
  lost: string[];
  /** Recipients with a mail in the sink whose row is neither SENT nor ambiguous. */
  denied: string[];
  ambiguous: number;
  /** Recipients of this campaign with a mail in the sink. */
  mailed: number;
}

/** Compares the email rows of a campaign with the mails in the sink. */
export async function accountFor({ ctx, sink }: Pick<Cluster, 'ctx' | 'sink'>, campaignId: string): Promise<Account> {
  const { rows } = await ctx.pool.query<{ to: string; status: string; ambiguous: boolean }>(
    `SELECT to_email AS "to", status, ambiguous FROM emails WHERE campaign_id = $1`,
    [campaignId],
  );
  const counts = sink.counts();
  return {
    twice: rows.filter(({ to }) => (counts.get(to) ?? 0) > 1).map(({ to }) => to),
    lost: rows.filter(({ to, status }) => !counts.has(to) && status === 'SENT').map(({ to }) => to),
    denied: rows
      .filter(({ to, status, ambiguous }) => counts.has(to) && status !== 'SENT' && !ambiguous)
      .map(({ to }) => to),
    ambiguous: rows.filter(({ ambiguous }) => ambiguous).length,
    mailed: rows.filter(({ to }) => counts.has(to)).length,
  };
}
