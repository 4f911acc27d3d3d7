/** The parts of an OpenAPI 3.1 document that the API reference reads and completes. */

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  examples?: unknown[];
  default?: unknown;
  minimum?: number;
}

export type Schemas = Record<string, JsonSchema>;

export interface MediaType {
  schema?: JsonSchema;
  example?: unknown;
}

export interface Response {
  description: string;
  content?: Record<string, MediaType>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  schema?: JsonSchema;
  example?: unknown;
}

export interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

export interface Operation {
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Array<Record<string, string[]>>;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType>; required?: boolean };
  responses: Record<string, Response>;
  'x-codeSamples'?: CodeSample[];
}

export interface Document {
  servers?: Array<{ url: string }>;
  tags?: Array<{ name: string; description: string }>;
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Schemas };
}

/** An operation with its place: `POST`, `/contacts`. */
export interface Endpoint {
  method: string;
  path: string;
  operation: Operation;
}

/** Returns all operations of a document. */
export const endpointsOf = ({ paths }: Document): Endpoint[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** Narrows the generated document to the parts that this folder reads. */
export function readGenerated(document: unknown): Document {
  if (!isDocument(document)) throw new Error('The OpenAPI document has no paths.');
  return document;
}

const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && 'paths' in value && typeof value.paths === 'object';
