import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useApi } from '../helpers/api.js';

const api = useApi({ PUBLIC_URL: 'https://mail.example.test' });

const Operation = z.object({
  tags: z.array(z.string()).optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['path', 'query', 'header', 'cookie']),
        required: z.boolean().optional(),
        schema: z.looseObject({}),
      }),
    )
    .optional(),
  requestBody: z
    .object({
      content: z.record(z.string(), z.object({ schema: z.looseObject({}) })),
      required: z.boolean().optional(),
    })
    .optional(),
  responses: z.record(
    z.string(),
    z.object({
      description: z.string(),
      content: z.record(z.string(), z.object({ schema: z.looseObject({}) })).optional(),
    }),
  ),
});
const Document = z.object({
  openapi: z.string(),
  info: z.object({
    title: z.string(),
    version: z.string(),
    license: z.object({ name: z.string(), identifier: z.string() }),
  }),
  servers: z.array(z.object({ url: z.string() })),
  components: z.object({
    schemas: z.record(z.string(), z.looseObject({})),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.enum(['http', 'apiKey']) })),
  }),
  paths: z.record(
    z.string().startsWith('/'),
    z
      .record(z.enum(['get', 'post', 'put', 'patch', 'delete']), Operation)
      .or(z.partialRecord(z.enum(['get', 'post', 'put', 'patch', 'delete']), Operation)),
  ),
});

async function load() {
  const response = await api.app.inject('/openapi.json');
  expect(response.statusCode).toBe(200);
  const document = Document.parse(response.json());
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation: Operation.parse(operation),
    })),
  );
  return { raw: response.json<unknown>(), document, operations };
}

/** Returns every `$ref` of a document. */
function refs(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refs);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    name === '$ref' && typeof item === 'string' ? [item] : refs(item),
  );
}

describe('GET /openapi.json', () => {
  test('is an OpenAPI 3.1 document of this installation', async () => {
    const { document } = await load();
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.servers).toEqual([{ url: 'https://mail.example.test' }]);
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual(['publicKey', 'secretKey', 'session']);
  });

  test('every reference resolves', async () => {
    const { raw, document } = await load();
    for (const ref of refs(raw))
      expect(ref.replace('#/components/schemas/', '') in document.components.schemas, ref).toBe(true);
  });

  test('every path parameter is declared, and no other', async () => {
    for (const { name, path, operation } of (await load()).operations) {
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(declared.map((parameter) => parameter.name).sort(), name).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter).sort(),
      );
      expect(
        declared.every((parameter) => parameter.required),
        name,
      ).toBe(true);
    }
  });

  test('every route has tags, a summary, a success response, and its security', async () => {
    const { operations } = await load();
    const incomplete = operations.filter(
      ({ operation }) =>
        !operation.tags?.length ||
        !operation.summary ||
        !operation.security ||
        !Object.keys(operation.responses).some((status) => /^[23]/.test(status)),
    );
    expect(incomplete.map(({ name }) => name)).toEqual([]);
  });

  test('every declared security scheme exists', async () => {
    const { document, operations } = await load();
    for (const { name, operation } of operations)
      for (const scheme of (operation.security ?? []).flatMap((entry) => Object.keys(entry)))
        expect(document.components.securitySchemes, name).toHaveProperty(scheme);
  });

  test('has accounts, projects, and the configuration, with their security', async () => {
    const { operations } = await load();
    const security = Object.fromEntries(operations.map(({ name, operation }) => [name, operation.security]));
    for (const name of ['POST /auth/signup', 'POST /auth/login', 'GET /auth/oauth-config', 'GET /config'])
      expect(security[name], name).toEqual([]);
    for (const name of ['GET /auth/logout', 'POST /auth/logout'])
      expect(security[name], name).toEqual([{}, { session: [] }]);
    for (const name of [
      'GET /users/@me',
      'GET /users/@me/projects',
      'POST /users/@me/projects',
      'PATCH /users/@me/projects/{id}',
      'DELETE /users/@me/projects/{id}',
      'POST /users/@me/projects/{id}/regenerate-keys',
    ]) {
      expect(security[name], name).toEqual([{ session: [] }]);
    }
  });

  test('every route except public pages documents the error envelope', async () => {
    const { document, operations } = await load();
    const others = operations.filter(
      ({ operation }) =>
        !z
          .object({ $ref: z.literal('#/components/schemas/Error') })
          .safeParse(operation.responses.default?.content?.['application/json']?.schema).success,
    );
    expect(
      others
        .filter(({ operation }) => !operation.tags?.includes('Public pages'))
        .map(({ name }) => name)
        .sort(),
    ).toEqual([]);
    const envelope = z
      .object({
        required: z.array(z.string()),
        properties: z.object({
          error: z.object({ required: z.array(z.string()), properties: z.record(z.string(), z.unknown()) }),
        }),
      })
      .parse(document.components.schemas.Error);
    expect([envelope.required, envelope.properties.error.required]).toEqual([
      ['success', 'error', 'timestamp'],
      ['code', 'message', 'statusCode', 'requestId'],
    ]);
    expect(Object.keys(envelope.properties.error.properties)).toEqual([
      'code',
      'message',
      'statusCode',
      'requestId',
      'errors',
      'details',
      'suggestion',
    ]);
  });

  test('documents the shape of a project', async () => {
    const { document } = await load();
    const properties = z
      .object({ properties: z.record(z.string(), z.unknown()) })
      .parse(document.components.schemas.Project).properties;
    expect(Object.keys(properties)).toEqual([
      'id',
      'name',
      'public',
      'secretLast4',
      'disabled',
      'disabledReason',
      'tracking',
      'language',
      'timezone',
      'postalAddress',
      'sendWindow',
      'brand',
      'defaultFrom',
      'defaultFromName',
      'trackMayChangeSubscription',
      'role',
      'billingLimitWorkflows',
      'billingLimitCampaigns',
      'billingLimitTransactional',
      'createdAt',
      'updatedAt',
    ]);
  });

  test('contains nothing internal: no documentation routes, no probes', async () => {
    expect((await load()).operations.filter(({ path }) => /^\/(docs|openapi|probe)/.test(path))).toEqual([]);
  });
});
