/** Tracked events for tests through `inject`, and events made directly in the database. */
import { expect } from 'vitest';
import { newId } from '../../src/ids.js';
import type { TestApi, TestProject } from './api.js';

export interface Tracked {
  contact: string;
  event: string;
  timestamp: string;
}

export function eventHelpers(api: TestApi) {
  /** `POST /v1/track` with the public key. */
  const track = (project: TestProject, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    api.as(
      project,
      'POST',
      '/v1/track',
      { email: 'ada@x.test', event: 'signed up', ...body },
      { authorization: `Bearer ${project.public}`, ...headers },
    );

  /** Tracks an event that must be accepted. @returns the answer's `data` */
  const tracked = async (
    project: TestProject,
    body: Record<string, unknown> = {},
    headers?: Record<string, string>,
  ): Promise<Tracked> => {
    const response = await track(project, body, headers);
    expect(response.statusCode, response.body).toBe(200);
    return response.json<{ data: Tracked }>().data;
  };

  const contact = (project: TestProject, email = 'ada@x.test') =>
    api.ctx.prisma.contact.findUniqueOrThrow({ where: { projectId_email: { projectId: project.id, email } } });
  const contacts = (project: TestProject) => api.ctx.prisma.contact.count({ where: { projectId: project.id } });

  /** Name and data of the project's events, the oldest first. */
  const events = async (project: TestProject) =>
    (
      await api.ctx.prisma.event.findMany({
        where: { projectId: project.id },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      })
    ).map(({ name, data }) => [name, data]);

  /** Inserts a contact. @returns its id */
  const insertContact = async (
    project: TestProject,
    fields: { email?: string; subscribed?: boolean; snoozedUntil?: Date } = {},
  ): Promise<string> => {
    const id = newId();
    await api.ctx.prisma.contact.create({
      data: { id, projectId: project.id, email: `${id}@x.test`, subscribed: true, ...fields },
    });
    return id;
  };

  /** Inserts events directly, so that the test says when. @returns their ids */
  const insertEvents = async (
    project: TestProject,
    rows: Array<{ name?: string; createdAt?: Date; contactId?: string; emailId?: string }>,
  ): Promise<string[]> => {
    const data = rows.map((row) => ({ id: newId(), projectId: project.id, name: 'opened', ...row }));
    await api.ctx.prisma.event.createMany({ data });
    return data.map(({ id }) => id);
  };

  return { track, tracked, contact, contacts, events, insertContact, insertEvents };
}
