/**
 * Concurrent edits (additions, section 2): with `config.revisioned`, a route returns the revision of its resource as the
 * `ETag`, and its handler gets the revisions that `If-Match` accepts as `request.expected`. The domain checks them in the
 * statement or under the lock that changes the resource (src/domain/revisions.ts).
 */
import fp from 'fastify-plugin';
import { REVISION, type ExpectedRevisions } from '../../domain/revisions.js';
import { readIfMatch, toEtag } from '../etag.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the resource of the route has a revision. */
    revisioned?: boolean;
  }
  interface FastifyRequest {
    /** The revisions that `If-Match` accepts; null accepts every revision. */
    expected: ExpectedRevisions;
  }
}

const ETAG =
  'The version of the resource. Every change of content changes it; figures and counters do not. Send it as ' +
  '`If-Match` with the next change.';

const IF_MATCH = {
  type: 'object',
  properties: {
    'If-Match': {
      type: 'string',
      description:
        'The `ETag` of the version that was edited, a list of them, or `*`. If the resource has another one now, the ' +
        'request returns 412 and changes nothing. Without this header, the last change wins.',
    },
  },
};

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

const STALE =
  'If the resource has another `ETag` than `If-Match`, the request returns 412 `PRECONDITION_FAILED` with the current ' +
  '`ETag`.';

/** Adds the headers of a revisioned route to the schema of its operation. */
export function describeRevisions<Schema extends { description?: string; response?: unknown }>(
  method: string,
  schema: Schema,
) {
  const response = Object.entries(Object(schema.response)).map(([status, value]) =>
    status === '200'
      ? [status, { ...Object(value), headers: { ETag: { type: 'string', description: ETAG } } }]
      : [status, value],
  );
  const description = [schema.description, STALE].filter(Boolean).join(' ');
  return {
    ...schema,
    response: Object.fromEntries(response),
    ...(!isRead(method) && { headers: IF_MATCH, description }),
  };
}

export const revisionsPlugin = fp(
  async (app) => {
    app.decorateRequest('expected', null);
    app.addHook('preHandler', async (request) => {
      const { config } = request.routeOptions;
      if (config.revisioned && !isRead(request.method)) request.expected = readIfMatch(request.headers['if-match']);
    });
    app.addHook('preSerialization', async (request, reply, payload: unknown) => {
      if (!request.routeOptions.config.revisioned || reply.statusCode >= 400) return payload;
      const revision: unknown = Object(payload)[REVISION];
      if (typeof revision === 'number') void reply.header('ETag', toEtag(revision));
      return payload;
    });
  },
  { name: 'revisions' },
);
