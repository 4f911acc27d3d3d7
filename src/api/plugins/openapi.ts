/** OpenAPI 3.1 from the routes' schemas at /openapi.json, and a page to read it at /docs that needs no network. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fp from 'fastify-plugin';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { Timestamp } from '../schemas.js';

const SECURITY: Record<string, Array<Record<string, string[]>>> = {
  secret: [{ secretKey: [] }, { session: [] }],
  public: [{ publicKey: [] }],
  session: [{ session: [] }],
  optional: [{}, { session: [] }],
  none: [],
};

/** What takes an Idempotency-Key (contract, section 1); the handlers read and judge it. */
const ONCE = new Set(['/v1/send', '/v1/track', '/events/track']);
const IDEMPOTENCY_KEY = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Printable ASCII. Does this once: a repeat with the same key within 24 hours is a 409, with the first answer in its details.',
    },
  },
};

/** Every answer that a route does not list: the envelope of the specification, as errors.ts makes it. */
const ErrorReply = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.string().describe('`VALIDATION_ERROR`, `RATE_LIMIT_EXCEEDED`, …'),
      message: z.string(),
      statusCode: z.int(),
      requestId: z.string().describe("For support: the same is in the server's log"),
      errors: z
        .array(
          z.object({
            field: z.string().describe('`to.0.email`'),
            message: z.string(),
            code: z.string(),
            received: z.unknown().optional(),
          }),
        )
        .optional(),
      details: z.record(z.string(), z.unknown()).optional(),
      suggestion: z.string().optional(),
    }),
    timestamp: Timestamp,
  })
  .meta({ id: 'Error' });
const errorReply = { default: ErrorReply.describe('Any error') };

export const openapiPlugin = fp<{ ctx: Context }>(
  async (app, { ctx }) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Sendloom',
          version: '1.0.0',
          description:
            'Transactional and marketing email over one REST API. `/v1/*` answers `{ success, data }`; every other endpoint answers the resource. ' +
            'Errors are `{ success: false, error: { code, message, statusCode, requestId, errors? }, timestamp }`.',
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [{ url: ctx.config.PUBLIC_URL }],
        components: {
          securitySchemes: {
            secretKey: {
              type: 'http',
              scheme: 'bearer',
              description: 'The secret key of a project, `sk_…`. Server-side only.',
            },
            publicKey: {
              type: 'http',
              scheme: 'bearer',
              description: 'The public key of a project, `pk_…`. Calls `POST /v1/track` only.',
            },
            session: {
              type: 'apiKey',
              in: 'cookie',
              name: 'token',
              description:
                "The dashboard's session; secret-key endpoints also take it, with the header `X-Project-Id`.",
            },
          },
        },
      },
      transform: (route) => {
        const { schema } = route;
        // What a route produces, pages or pictures, would be said of its errors too.
        const listsAll = !schema || schema.produces !== undefined;
        const transformed = jsonSchemaTransform(
          listsAll
            ? route
            : { ...route, schema: { ...schema, response: { ...Object(schema.response), ...errorReply } } },
        );
        const kind = route.route.config?.auth ?? 'secret';
        return {
          ...transformed,
          schema: {
            ...transformed.schema,
            security: SECURITY[kind],
            ...(ONCE.has(route.url) && { headers: IDEMPOTENCY_KEY }),
          },
        };
      },
      transformObject: jsonSchemaTransformObject,
    });
    await app.register(async (scope) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, auth: 'none' };
        route.schema = { ...route.schema, hide: true };
      });
      await scope.register(swaggerUi, { routePrefix: '/docs', uiConfig: { deepLinking: true, docExpansion: 'list' } });
      scope.get('/openapi.json', async () => app.swagger());
    });
  },
  { name: 'openapi' },
);
