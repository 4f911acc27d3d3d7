import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  endpointsOf,
  readGenerated,
  type Document,
  type Endpoint,
  type JsonSchema,
} from '../../src/api/reference/document.js';
import { REQUESTS } from '../../src/api/reference/requests.js';
import { TAGS } from '../../src/api/reference/tags.js';
import { useApi } from '../helpers/api.js';

const api = useApi({ PUBLIC_URL: 'https://mail.example.test' });
let document: Document;
let endpoints: Endpoint[];

beforeAll(async () => {
  document = readGenerated((await api.app.inject('/openapi.json')).json());
  endpoints = endpointsOf(document);
});

const nameOf = ({ method, path: url }: Endpoint): string => `${method} ${url}`;

/** Validates values with the schemas of the document. */
function createValidator(): (schema: JsonSchema, value: unknown) => string {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', components: document.components });
  const absolute = (schema: unknown): unknown =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'));
  return (schema, value) => {
    const validate = ajv.compile(Object(absolute(schema)));
    return validate(value) ? '' : ajv.errorsText(validate.errors);
  };
}

describe('the OpenAPI document for readers', () => {
  test('every group has a description and its place, the public API is first, and probes are last', () => {
    expect(document.tags).toEqual(TAGS);
    const used = new Set(endpoints.flatMap(({ operation }) => operation.tags ?? []));
    expect([...used].sort()).toEqual(TAGS.map(({ name }) => name).sort());
    expect([TAGS[0]?.name, TAGS.at(-1)?.name]).toEqual(['Public API', 'Health']);
  });

  test('every body and every response has an example that its schema accepts', () => {
    const validate = createValidator();
    const wrong = endpoints.flatMap((endpoint) => {
      const { requestBody, responses } = endpoint.operation;
      const bodies = [
        ...Object.entries(requestBody?.content ?? {}),
        ...Object.entries(responses)
          .filter(([status]) => status !== 'default')
          .flatMap(([, { content }]) => Object.entries(content ?? {})),
      ];
      return bodies.flatMap(([type, { schema, example }]) => {
        if (example === undefined) return [`${nameOf(endpoint)}: ${type} has no example`];
        const problem = schema && type === 'application/json' ? validate(schema, example) : '';
        return problem ? [`${nameOf(endpoint)}: ${problem}`] : [];
      });
    });
    expect(wrong).toEqual([]);
  });

  test('every parameter has an example that its schema accepts', () => {
    const validate = createValidator();
    const wrong = endpoints.flatMap((endpoint) =>
      (endpoint.operation.parameters ?? []).flatMap(({ name, schema, example }) => {
        const problem = example === undefined ? 'no example' : validate(schema ?? {}, example);
        return problem ? [`${nameOf(endpoint)}: ${name}: ${problem}`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('every written example is of an operation', () => {
    expect(Object.keys(REQUESTS).filter((name) => !endpoints.some((endpoint) => nameOf(endpoint) === name))).toEqual(
      [],
    );
  });

  test('every operation lists the errors of its credential, its id, and its body', () => {
    const statusesOf = (name: string): string[] =>
      Object.keys(endpoints.find((endpoint) => nameOf(endpoint) === name)?.operation.responses ?? {});
    expect(statusesOf('GET /contacts/{id}')).toEqual(['200', '401', '403', '404', '429', 'default']);
    expect(statusesOf('POST /v1/track')).toEqual(expect.arrayContaining(['400', '401', '409', '422', '429']));
    expect(statusesOf('DELETE /domains/{id}')).toEqual(expect.arrayContaining(['404', '409']));
    expect(statusesOf('POST /auth/login')).toContain('422');
    expect(statusesOf('GET /health/live')).toEqual(['200', 'default']);
  });

  test('a 404 names the code of its resource', () => {
    const response = endpoints.find((endpoint) => nameOf(endpoint) === 'DELETE /workflows/{id}/steps/{stepId}');
    expect(response?.operation.responses['404']?.content?.['application/json']?.example).toMatchObject({
      success: false,
      error: { code: 'STEP_NOT_FOUND', message: 'Step not found', statusCode: 404 },
    });
  });

  test('every operation has samples for curl and for the typed client, which compile', () => {
    const folder = fileURLToPath(new URL('../../packages/client', import.meta.url));
    const samples = mkdtempSync(path.join(folder, 'samples-'));
    try {
      for (const [index, endpoint] of endpoints.entries()) {
        const [curl, typescript] = endpoint.operation['x-codeSamples'] ?? [];
        expect(curl?.source, nameOf(endpoint)).toMatch(/^curl /);
        writeFileSync(
          path.join(samples, `${index}.ts`),
          `declare const process: { env: Record<string, string> };\ndeclare const content: string;\n${typescript?.source
            .replace('@sendloom/client', '../src/index.js')
            .concat('\nexport default result;\n')}`,
        );
      }
      writeFileSync(
        path.join(samples, 'tsconfig.json'),
        JSON.stringify({
          extends: '../tsconfig.json',
          compilerOptions: { noEmit: true, rootDir: '..' },
          include: ['*.ts'],
        }),
      );
      const { status, stdout } = spawnSync(
        process.execPath,
        [path.join(folder, 'node_modules/typescript/bin/tsc'), '-p', samples],
        { encoding: 'utf8' },
      );
      expect([status, stdout]).toEqual([0, '']);
    } finally {
      rmSync(samples, { recursive: true });
    }
  });
});

describe('GET /docs', () => {
  test('the page and its script come from this API, and its policy permits no other host', async () => {
    const page = await api.app.inject('/docs');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')]);
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'.*connect-src 'self'/);
    expect(page.headers['content-security-policy']).not.toMatch(/https?:|\*/);
    expect(page.body.replaceAll('http://www.w3.org/', '')).not.toMatch(/https?:\/\//);
    const [, script = ''] = /<script src="([^"]+)"/.exec(page.body) ?? [];
    const bundle = await api.app.inject(script);
    expect([bundle.statusCode, bundle.headers['content-encoding']]).toEqual([200, 'gzip']);
  });

  test('/docs/json is the same document as /openapi.json', async () => {
    expect((await api.app.inject('/docs/json')).json()).toEqual((await api.app.inject('/openapi.json')).json());
  });
});
