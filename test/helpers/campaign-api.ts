/** Campaigns for tests through `inject`: drafts through the API, states and emails directly in the database. */
import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Prisma } from '../../src/generated/prisma/client.js';
import { newId } from '../../src/ids.js';
import type { TestApi, TestProject } from './api.js';

/** A valid condition tree. */
export const CONDITION = {
  logic: 'AND',
  groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }],
};

/** A date for `scheduledFor`, in the format of responses. */
export const TOMORROW = (): string => new Date(Date.now() + 24 * 3600 * 1000).toISOString();

/** A valid body of `POST /campaigns`, with the overrides of a test. */
export const content = (project: TestProject, overrides: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'Autumn news',
  subject: 'Hello {{ name ?? you }}',
  body: '<p>Hi {{ name }}</p>',
  from: `news@${project.domain}`,
  audienceType: 'ALL',
  ...overrides,
});

const Envelope = z.object({
  error: z.object({ code: z.string(), errors: z.array(z.object({ field: z.string(), code: z.string() })).optional() }),
});

export interface Refused {
  status: number;
  code?: string;
  /** The field and code of each entry of a 422: `name required`. */
  errors?: string[];
}

/** The status and code of a response, or only the status if it is not an error. */
export function refused(response: LightMyRequestResponse): Refused {
  const envelope = Envelope.safeParse(response.body === '' ? null : response.json());
  if (!envelope.success) return { status: response.statusCode };
  const { code, errors } = envelope.data.error;
  return {
    status: response.statusCode,
    code,
    ...(errors && { errors: errors.map((entry) => `${entry.field} ${entry.code}`) }),
  };
}

const Created = z.object({ data: z.object({ id: z.string() }) });

/** Helpers for tests of campaigns. */
export function campaignHelpers(api: TestApi) {
  /** @returns the id of a new contact, subscribed unless said otherwise */
  const contact = async (
    project: TestProject,
    email: string,
    fields: { subscribed?: boolean } = {},
  ): Promise<string> => {
    const id = newId();
    await api.ctx.prisma.contact.create({ data: { id, projectId: project.id, email, subscribed: true, ...fields } });
    return id;
  };

  /** Creates a campaign through the API. @returns its id */
  const draft = async (project: TestProject, overrides: Record<string, unknown> = {}): Promise<string> => {
    const response = await api.as(project, 'POST', '/campaigns', content(project, overrides));
    expect(response.statusCode, response.body).toBe(201);
    return Created.parse(response.json()).data.id;
  };

  /**
   * Inserts an email of a campaign, to a unique address unless `fields` has one, and the figures that belong to its
   * times. @returns its id
   */
  const email = async (
    project: TestProject,
    campaignId: string,
    fields: Partial<Prisma.EmailUncheckedCreateInput> = {},
  ): Promise<string> => {
    const [id, messageId] = [fields.id ?? newId(), newId()];
    await api.ctx.prisma.message.create({
      data: {
        id: messageId,
        projectId: project.id,
        type: 'MARKETING',
        subject: 's',
        body: 'b',
        from: `news@${project.domain}`,
      },
    });
    await api.ctx.prisma.email.create({
      data: {
        id,
        projectId: project.id,
        messageId,
        campaignId,
        source: 'CAMPAIGN',
        type: 'MARKETING',
        toEmail: `${id}@x.test`,
        ...fields,
      },
    });
    await api.ctx.prisma.campaign.update({ where: { id: campaignId }, data: { totalRecipients: { increment: 1 } } });
    const one = (time: unknown): number => (time ? 1 : 0);
    const { sentAt, deliveredAt, openedAt, clickedAt, bouncedAt, complainedAt } = fields;
    await api.ctx.prisma.statDelta.create({
      data: {
        projectId: project.id,
        campaignId,
        day: new Date(),
        sent: one(sentAt),
        delivered: one(deliveredAt),
        opened: one(openedAt),
        clicked: one(clickedAt),
        bounced: one(bouncedAt),
        complained: one(complainedAt),
      },
    });
    return id;
  };

  /** The workflow starts and cancellations that the project's campaigns have queued, in their order. */
  const intents = async (project: TestProject) => {
    const campaigns = await api.ctx.prisma.campaign.findMany({
      where: { projectId: project.id },
      select: { id: true },
    });
    return api.ctx.prisma.outbox.findMany({
      where: { OR: campaigns.map(({ id }) => ({ workflowId: { startsWith: `campaign:${id}:` } })) },
      orderBy: { id: 'asc' },
      select: { workflowId: true, action: true, payload: true },
    });
  };

  /** Inserts a static segment with these contacts. @returns its id */
  const segment = async (project: TestProject, contactIds: string[]): Promise<string> => {
    const id = newId();
    await api.ctx.prisma.segment.create({ data: { id, projectId: project.id, name: id, slug: id, type: 'STATIC' } });
    await api.ctx.prisma.segmentMember.createMany({
      data: contactIds.map((contactId) => ({ projectId: project.id, segmentId: id, contactId })),
    });
    return id;
  };

  const setState = async (
    id: string,
    status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'CANCELLED',
  ): Promise<void> => {
    await api.ctx.prisma.campaign.update({ where: { id }, data: { status } });
  };

  /** Everything of a project that a refused request about campaigns could have changed. */
  const snapshot = async (project: TestProject) => {
    const where = { projectId: project.id };
    const orderBy = { id: 'asc' } as const;
    const { prisma } = api.ctx;
    return {
      campaigns: await prisma.campaign.findMany({ where, orderBy }),
      contacts: await prisma.contact.findMany({ where, orderBy }),
      emails: await prisma.email.findMany({ where, orderBy }),
      messages: await prisma.message.findMany({ where, orderBy }),
      events: await prisma.event.findMany({ where, orderBy }),
      intents: await intents(project),
    };
  };

  return { contact, draft, email, intents, segment, setState, snapshot };
}
