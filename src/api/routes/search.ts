/** The search of a project. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { search } from '../../domain/search/search.js';
import { SEARCH_KINDS } from '../../domain/search/sql.js';
import { positiveInteger } from '../schemas.js';
import { withTypes } from '../typed.js';

const SearchHit = z
  .object({
    kind: z.enum(SEARCH_KINDS),
    id: z.string(),
    title: z.string().describe('The name, or the address of a contact and of an email.'),
    subtitle: z
      .string()
      .nullable()
      .describe(
        "The contact's `name` or `firstName` and `lastName`; the subject of a campaign, a template, and an email; the " +
          "segment's description; the workflow's event; the domain's status.",
      ),
  })
  .meta({ id: 'SearchHit' });

const SearchQuery = z.object({
  q: z.string().trim().min(1).max(255).describe('The text, regardless of upper and lower case.'),
  limit: positiveInteger(20, 100),
});

export const searchRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  withTypes(instance).get(
    '/search',
    {
      schema: {
        tags: ['Search'],
        summary: 'Search a project',
        description:
          'Finds contacts by the start of their address, campaigns, templates, segments, workflows, and domains by any ' +
          'part of their name or subtitle, and each of these and emails by their id.\n\nIds and whole titles come ' +
          'first, then titles that begin with `q`, then the others; of equals, the newest, and contacts by address. Each ' +
          'kind gets a fair share of `limit` (20 by default, at most 100). A missing or empty `q`, and one of more ' +
          'than 255 characters, returns 422. To find contacts by any part of their address, use ' +
          '`POST /contacts/query`.',
        querystring: SearchQuery,
        response: { 200: z.object({ data: z.array(SearchHit) }) },
      },
    },
    async ({ project, query }) => ({ data: await search(ctx, project.id, query) }),
  );
};
