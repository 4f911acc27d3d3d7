/** Completes the OpenAPI document for readers: groups in order, errors, examples, and code samples. */
import { STATUS_CODES } from 'node:http';
import type { AuthKind } from '../plugins/auth.js';
import {
  endpointsOf,
  type Document,
  type Endpoint,
  type JsonSchema,
  type MediaType,
  type Schemas,
} from './document.js';
import { errorsOf } from './errors.js';
import { exampleOf } from './example.js';
import { REQUESTS } from './requests.js';
import { samplesOf } from './samples.js';
import { TAGS } from './tags.js';

/** Returns the document with everything that readers need. The schemas stay as they are. */
export function completeDocument(document: Document, authOf: (endpoint: Endpoint) => AuthKind): Document {
  const schemas = document.components?.schemas ?? {};
  const baseUrl = document.servers?.[0]?.url ?? '';
  for (const endpoint of endpointsOf(document))
    completeOperation(endpoint, { schemas, baseUrl, auth: authOf(endpoint) });
  return { ...document, tags: TAGS };
}

interface Setting {
  schemas: Schemas;
  baseUrl: string;
  auth: AuthKind;
}

const EXAMPLES_OF_HEADERS: Record<string, string> = { 'Idempotency-Key': 'order-1001', 'If-Match': '"7"' };

function completeOperation(endpoint: Endpoint, { schemas, baseUrl, auth }: Setting): void {
  const { path, operation } = endpoint;
  const owner = ownerOf(path);
  const example = (schema: JsonSchema, name: string, isResponse: boolean): unknown =>
    exampleOf(schema, { schemas, name, owner, isResponse, above: [] });
  const complete = (content: Record<string, MediaType> | undefined, isResponse: boolean): void => {
    for (const media of Object.values(content ?? {}))
      if (media.schema && media.example === undefined) media.example = example(media.schema, '', isResponse);
  };

  for (const parameter of operation.parameters ?? [])
    parameter.example ??= EXAMPLES_OF_HEADERS[parameter.name] ?? example(parameter.schema ?? {}, parameter.name, false);
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    media.example ??= REQUESTS[`${endpoint.method} ${path}`];
  complete(operation.requestBody?.content, false);
  for (const [status, response] of Object.entries(operation.responses)) {
    if (status === 'default') continue;
    complete(response.content, true);
    // What @fastify/swagger writes for a response without a description.
    if (response.description === 'Default Response') response.description = STATUS_CODES[status] ?? status;
  }
  const { default: other, ...listed } = operation.responses;
  operation.responses = {
    ...listed,
    ...Object.fromEntries(
      Object.entries(errorsOf(endpoint, auth, fieldOf(endpoint))).filter(([status]) => !(status in listed)),
    ),
    ...(other && { default: other }),
  };
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  operation['x-codeSamples'] = samplesOf({
    endpoint,
    auth,
    baseUrl,
    ...(type !== undefined && { body: { type, value: media?.example } }),
  });
}

/** The resource of a path: `contact` of `/contacts/{id}`. */
const ownerOf = (path: string): string =>
  (/^\/(?:users\/@me\/)?([\w-]+)/.exec(path)?.[1] ?? '').replace(/ies$/, 'y').replace(/s$/, '');

/** A field of the request, for the example of a validation error; null if it has none that a rule concerns. */
function fieldOf({ operation }: Endpoint): string | null {
  const [media] = Object.values(operation.requestBody?.content ?? {});
  const fields = media?.example;
  if (typeof fields === 'object' && fields !== null) return Object.keys(fields)[0] ?? null;
  return operation.parameters?.find((parameter) => parameter.in === 'query')?.name ?? null;
}
