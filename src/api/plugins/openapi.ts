/** OpenAPI 3.1 from the routes' schemas at /openapi.json, and the API reference at /docs. */
import swagger from '@fastify/swagger';
import fp from 'fastify-plugin';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { ApiContext } from '../../context.js';
import { ErrorReply } from '../error-replies.js';
import { completeDocument } from '../reference/complete.js';
import { readGenerated, type Document } from '../reference/document.js';
import { referencePage } from '../reference/page.js';
import { sessionCookieName } from '../session.js';
import type { AuthKind } from './auth.js';
import { describeRevisions } from './revisions.js';

/** The response for every status that a route does not list. */
const anyError = { default: ErrorReply.describe('Any error.') };

const SECURITY: Record<string, Array<Record<string, string[]>>> = {
  secret: [{ secretKey: [] }, { session: [] }],
  public: [{ publicKey: [] }],
  session: [{ session: [] }],
  optional: [{}, { session: [] }],
  none: [],
};

/** The routes that accept an Idempotency-Key (contract, section 1). Their handlers validate it. */
const IDEMPOTENT_ROUTES = new Set(['/v1/send', '/v1/batch', '/v1/track', '/events/track']);
const IDEMPOTENCY_HEADER = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Printable ASCII characters. A repeated request with the same key within 24 hours returns 409 ' +
        '`IDEMPOTENCY_KEY_REUSED`, with the first response in `error.details`. Requests with the public key ' +
        'have keys of their own.',
    },
  },
};

/** `/contacts/:id` in the notation of OpenAPI: `/contacts/{id}`. */
const pathOf = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}');

const INTRODUCTION = `Transactional and marketing email over one REST API.

## Requests

Send JSON and the secret key of a project: \`Authorization: Bearer sk_…\`. The dashboard sends the session cookie instead,
and names the project in \`X-Project-Id\`. \`/v1/*\` returns \`{ success, data }\`; most other endpoints return the resource
itself. Timestamps are in UTC, and lists have a \`cursor\` or pages.

\`\`\`ts
import { createSendloom, unwrap } from '@sendloom/client';

const sendloom = createSendloom({ baseUrl, key: process.env.SENDLOOM_SECRET_KEY });
\`\`\`

## Errors

Errors are \`{ success: false, error: { code, message, statusCode, requestId, errors? }, timestamp }\`. A 422 names each
field and its rule in \`errors\`, and changes nothing. A request that got no response can be repeated safely with the same
\`Idempotency-Key\`.

## Concurrent edits

Templates, campaigns, segments, and workflows have an \`ETag\`. Send it as \`If-Match\` with the next \`PUT\`, \`PATCH\`, or
\`DELETE\`: if the resource has changed since, you get 412 \`PRECONDITION_FAILED\` with the current \`ETag\`, and
nothing is overwritten. Without \`If-Match\`, the last change wins.

## Rate limits

Each project may make 1,000 requests per rolling minute with its public key, as many with its secret key, and as many with
each user's sessions. Every response to such a request has the headers \`RateLimit-Limit\`, \`RateLimit-Remaining\`, and
\`RateLimit-Reset\`; beyond the limit, the API returns 429 with \`Retry-After\`.`;

export const openapiPlugin = fp<{ ctx: ApiContext }>(
  async (app, { ctx }) => {
    const kinds = new Map<string, AuthKind>();
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Sendloom',
          version: '1.0.0',
          description: INTRODUCTION,
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [{ url: ctx.config.PUBLIC_URL }],
        components: {
          securitySchemes: {
            secretKey: {
              type: 'http',
              scheme: 'bearer',
              description: 'The secret key of a project, `sk_…`. Use it only on servers.',
            },
            publicKey: {
              type: 'http',
              scheme: 'bearer',
              description: 'The public key of a project, `pk_…`. It only calls `POST /v1/track`.',
            },
            session: {
              type: 'apiKey',
              in: 'cookie',
              name: sessionCookieName(ctx.config),
              description:
                'The session of a user. Endpoints for the secret key also accept it, with the header `X-Project-Id`. ' +
                'Requests that change something must have `Sec-Fetch-Site: same-origin` or `none`, or an `Origin` of ' +
                'the dashboard or the API, or neither header (403 otherwise).',
            },
          },
        },
      },
      transform: (route) => {
        const { schema } = route;
        const transformed = jsonSchemaTransform(
          schema ? { ...route, schema: { ...schema, response: { ...anyError, ...Object(schema.response) } } } : route,
        );
        const kind = route.route.config?.auth ?? 'secret';
        for (const method of [route.route.method].flat()) kinds.set(`${method} ${pathOf(route.url)}`, kind);
        const described = route.route.config?.revisioned
          ? describeRevisions([route.route.method].flat().join(), transformed.schema)
          : transformed.schema;
        return {
          ...transformed,
          schema: {
            ...described,
            security: SECURITY[kind],
            ...(IDEMPOTENT_ROUTES.has(route.url) && { headers: IDEMPOTENCY_HEADER }),
          },
        };
      },
      transformObject: jsonSchemaTransformObject,
    });
    let document: Document | undefined;
    const readDocument = (): Document =>
      (document ??= completeDocument(
        readGenerated(app.swagger()),
        ({ method, path }) => kinds.get(`${method} ${path}`) ?? 'secret',
      ));
    await app.register(async (scope) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, auth: 'none' };
        route.schema = { ...route.schema, hide: true };
      });
      for (const url of ['/openapi.json', '/docs/json']) scope.get(url, async () => readDocument());
      await scope.register(referencePage, { ctx });
    });
  },
  { name: 'openapi' },
);
