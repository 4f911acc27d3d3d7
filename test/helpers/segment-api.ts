/** Segments for tests through `inject`. */
import { expect } from 'vitest';
import { z } from 'zod';
import { newId } from '../../src/ids.js';
import type { Filter } from '../../src/domain/conditions/tree.js';
import type { TestApi, TestProject } from './api.js';

/** A tree of filters that must all hold. */
export const where = (...filters: Filter[]) => ({ logic: 'AND', groups: [{ filters }] });
export const PRO = where({ field: 'data.plan', operator: 'equals', value: 'pro' });
export const memberOf = (id: string) => where({ field: `segment.${id}`, operator: 'memberOfSegment' });

const Created = z.object({ id: z.string(), slug: z.string(), memberCount: z.number() });

export function segmentHelpers(api: TestApi) {
  return {
    /** Inserts a contact. @returns its id */
    contact: async (
      project: TestProject,
      email: string,
      data: Record<string, string | number> = {},
      subscribed = true,
    ): Promise<string> => {
      const id = newId();
      await api.ctx.prisma.contact.create({ data: { id, projectId: project.id, email, subscribed, data } });
      return id;
    },

    /** Creates a segment through the API. */
    segment: async (project: TestProject, body: Record<string, unknown> = {}) => {
      const response = await api.as(project, 'POST', '/segments', {
        name: 'People',
        ...(body.type !== 'STATIC' && { condition: PRO }),
        ...body,
      });
      expect(response.statusCode, response.body).toBe(201);
      return Created.parse(response.json());
    },

    /** The addresses that `GET /segments/:id/contacts` shows. */
    contactsOf: async (project: TestProject, id: string): Promise<string[]> => {
      const response = await api.as(project, 'GET', `/segments/${id}/contacts?pageSize=100`);
      expect(response.statusCode, response.body).toBe(200);
      return z
        .object({ data: z.array(z.object({ email: z.string() })) })
        .parse(response.json())
        .data.map(({ email }) => email);
    },

    /** The segment events of a project, oldest first: `entry a@x.test`. */
    events: async (project: TestProject): Promise<string[]> => {
      const { rows } = await api.ctx.pool.query<{ line: string }>(
        `SELECT e.name || ' ' || c.email AS line FROM events e JOIN contacts c ON c.id = e.contact_id WHERE e.project_id = $1 AND e.name LIKE 'segment.%' ORDER BY e.created_at, e.name, c.email`,
        [project.id],
      );
      return rows.map(({ line }) => line);
    },
  };
}
