/**
 * What happened to a project, made directly in the database so that the test says when, and the feed as the API shows
 * it.
 */
import { expect } from 'vitest';
import { z } from 'zod';
import { newId } from '../../src/ids.js';
import type { TestApi, TestProject } from './api.js';

const Activity = z.strictObject({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  contactId: z.string().nullable(),
  contactEmail: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
});
const Feed = z.strictObject({
  data: z.array(Activity),
  cursor: z.string().nullable(),
  hasMore: z.boolean(),
  total: z.number(),
});

export type FeedItem = z.infer<typeof Activity>;

/** An activity that the test has made. */
export interface Made {
  id: string;
  type: string;
  at: Date;
  contactId: string | null;
}

/** The order of the feed. */
export const newestFirst = (a: { at: Date; id: string }, b: { at: Date; id: string }): number =>
  b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1);

export function activityHelpers(api: TestApi) {
  const get = async (project: TestProject, url: string): Promise<unknown> => {
    const response = await api.as(project, 'GET', url);
    expect(response.statusCode, response.body).toBe(200);
    return response.json();
  };

  const feed = async (project: TestProject, query = '') => Feed.parse(await get(project, `/activity${query}`));

  /** All pages from a cursor on, one after the other. */
  const allPages = async (
    project: TestProject,
    query: string,
    { from = '', between }: { from?: string; between?: () => Promise<unknown> } = {},
  ): Promise<FeedItem[]> => {
    const items: FeedItem[] = [];
    for (let cursor = from; ;) {
      const page = await feed(project, `${query}${cursor && `&cursor=${cursor}`}`);
      if (cursor) expect(page.total).toBe(0);
      items.push(...page.data);
      expect(page.hasMore).toBe(page.cursor !== null);
      if (page.cursor === null) return items;
      cursor = page.cursor;
      await between?.();
    }
  };

  const contact = async (project: TestProject, email = `${newId()}@x.test`): Promise<string> => {
    const id = newId();
    await api.ctx.prisma.contact.create({ data: { id, projectId: project.id, email, subscribed: true } });
    return id;
  };

  const event = async (
    project: TestProject,
    name: string,
    at: Date,
    fields: { contactId?: string; emailId?: string; data?: Record<string, string> } = {},
  ): Promise<string> => {
    const id = newId();
    await api.ctx.prisma.event.create({ data: { id, projectId: project.id, name, createdAt: at, ...fields } });
    return id;
  };

  const workflow = async (project: TestProject, name = 'Welcome'): Promise<string> => {
    const id = newId();
    await api.ctx.prisma.workflow.create({ data: { id, projectId: project.id, name, eventName: 'never' } });
    return id;
  };

  const execution = async (
    project: TestProject,
    workflowId: string,
    contactId: string,
    startedAt: Date,
    fields: { wakeAt?: Date; waitingFor?: string } = {},
  ): Promise<string> => {
    const id = newId();
    await api.ctx.prisma.workflowExecution.create({
      data: {
        id,
        projectId: project.id,
        workflowId,
        contactId,
        startedAt,
        status: fields.wakeAt || fields.waitingFor ? 'WAITING' : 'COMPLETED',
        ...fields,
      },
    });
    return id;
  };

  const campaign = async (
    project: TestProject,
    fields: {
      name?: string;
      status?: 'SENT' | 'SCHEDULED' | 'SENDING' | 'DRAFT';
      sentAt?: Date;
      startedAt?: Date;
      scheduledFor?: Date;
      totalRecipients?: number;
      sentCount?: number;
      openedCount?: number;
      clickedCount?: number;
    } = {},
  ): Promise<string> => {
    const id = newId();
    await api.ctx.prisma.campaign.create({
      data: {
        id,
        projectId: project.id,
        name: 'News',
        subject: 'Hello',
        body: 'b',
        from: `news@${project.domain}`,
        audienceType: 'ALL',
        ...fields,
      },
    });
    return id;
  };

  return { get, feed, allPages, contact, event, workflow, execution, campaign };
}
