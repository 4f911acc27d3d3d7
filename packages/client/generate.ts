/** Writes src/schema.ts, the types of the API, from its OpenAPI document: `npm run generate` in this folder. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { buildApp } from '../../src/api/app.js';
import { completeConfig, parseEnvironment } from '../../src/config.js';
import { createContext } from '../../src/context.js';
import { createLog } from '../../src/log.js';

export const SCHEMA_FILE = fileURLToPath(new URL('src/schema.ts', import.meta.url));

/** Returns the TypeScript types of an OpenAPI document. */
export async function generate(document: string): Promise<string> {
  const ast = await openapiTS(JSON.parse(document, withoutSamples) as OpenAPI3, {
    alphabetize: true,
    defaultNonNullable: false,
    // Files in forms and in responses.
    transform: (schema) =>
      'format' in schema && schema.format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined,
  });
  return `/** Generated from the OpenAPI document by packages/client/generate.ts. Do not edit. */\n${astToString(ast)}`;
}

/**
 * Omits what the types do not need: examples, and the errors that have the schema of all errors (`default`).
 *
 * @param name the property of `value`: a reviver of JSON.parse
 */
function withoutSamples(name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (name === 'responses')
    return Object.fromEntries(Object.entries(value).filter(([status, one]) => status === 'default' || !isError(one)));
  if ('schema' in value) Reflect.deleteProperty(value, 'example');
  return value;
}

const isError = (response: unknown): boolean =>
  JSON.stringify(response).includes('"schema":{"$ref":"#/components/schemas/Error"}');

/** Returns the document of an API that connects to no server. */
async function readDocument(): Promise<string> {
  const unusedServers = {
    DATABASE_URL: 'postgresql://127.0.0.1:1/none',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    SMTP_URL: 'smtp://127.0.0.1:1',
    SECRET_KEY: 'x'.repeat(32),
  };
  const ctx = createContext(completeConfig(parseEnvironment(unusedServers)), createLog('silent'), { name: 'document' });
  const app = await buildApp(ctx);
  try {
    return (await app.inject('/openapi.json')).body;
  } finally {
    await app.close();
    await ctx.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(SCHEMA_FILE, await generate(await readDocument()));
  console.log(`Wrote ${path.relative(process.cwd(), SCHEMA_FILE)}`);
}
