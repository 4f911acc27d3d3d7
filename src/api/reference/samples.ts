/** Code samples of an operation: curl, and TypeScript with the typed client. */
import type { AuthKind } from '../plugins/auth.js';
import type { CodeSample, Endpoint, Parameter } from './document.js';

interface Request {
  endpoint: Endpoint;
  auth: AuthKind;
  baseUrl: string;
  /** The example of the body, and its media type. */
  body?: { type: string; value: unknown };
}

const KEY_VARIABLE: Partial<Record<AuthKind, string>> = {
  secret: 'SENDLOOM_SECRET_KEY',
  public: 'SENDLOOM_PUBLIC_KEY',
};
const FORM = 'multipart/form-data';

export const samplesOf = (request: Request): CodeSample[] => [
  { lang: 'Shell', label: 'curl', source: curlOf(request) },
  { lang: 'TypeScript', label: 'TypeScript', source: typescriptOf(request) },
];

/** The parameters that a sample shows: those of the path, required ones, and the idempotency key. */
const shown = ({ parameters = [] }: Endpoint['operation']): Parameter[] =>
  parameters.filter((parameter) => parameter.required || parameter.name === 'Idempotency-Key');

const exampleIn = (parameters: Parameter[], place: Parameter['in']): Record<string, unknown> =>
  Object.fromEntries(parameters.filter((one) => one.in === place).map(({ name, example }) => [name, example]));

function curlOf({ endpoint: { method, path, operation }, auth, baseUrl, body }: Request): string {
  const parameters = shown(operation);
  const values = exampleIn(parameters, 'path');
  const query = new URLSearchParams(
    Object.entries(exampleIn(parameters, 'query')).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const variable = KEY_VARIABLE[auth];
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${baseUrl}${filled}${query && `?${query}`}'`,
    ...(variable ? [`-H "Authorization: Bearer $${variable}"`] : []),
    ...(auth === 'session' ? [`-b cookies.txt`] : []),
    ...Object.entries(exampleIn(parameters, 'header')).map(([name, value]) => `-H '${name}: ${String(value)}'`),
    ...(body ? curlBodyOf(body) : []),
  ].join(' \\\n  ');
}

const curlBodyOf = ({ type, value }: NonNullable<Request['body']>): string[] =>
  type === FORM
    ? Object.entries(Object(value)).map(([name, part]) =>
        part === BINARY ? `-F '${name}=@${FILES[name] ?? name}'` : `-F '${name}=${escapeQuotes(textOf(part))}'`,
      )
    : [`-H 'Content-Type: ${type}'`, `-d '${escapeQuotes(JSON.stringify(value, null, 2))}'`];

const escapeQuotes = (text: string): string => text.replaceAll("'", String.raw`'\''`);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The example of a file in a form. */
const BINARY = '<binary>';
/** The file that a form's part uploads. */
const FILES: Record<string, string> = { file: 'contacts.csv', image: 'logo.png' };

function typescriptOf({ endpoint: { method, path, operation }, auth, baseUrl, body }: Request): string {
  const isForm = body?.type === FORM;
  const variable = KEY_VARIABLE[auth];
  const params = Object.fromEntries(
    (['path', 'query', 'header'] as const)
      .map((place) => [place, exampleIn(shown(operation), place)] as const)
      .filter(([, values]) => Object.keys(values).length > 0),
  );
  const options = [
    ...(Object.keys(params).length > 0 ? [`params: ${sourceOf(params, 1)}`] : []),
    ...(body ? [`body: ${sourceOf(body.value, 1)}`] : []),
    ...(isForm ? ['bodySerializer: form'] : []),
    ...(returnsJson(operation) ? [] : [`parseAs: 'text'`]),
  ];
  const call = `sendloom.${method}('${path}'${options.length > 0 ? `, {\n${options.map((one) => `  ${one},\n`).join('')}}` : ''})`;
  return [
    `import { createSendloom, ${isForm ? 'form, ' : ''}unwrap } from '@sendloom/client';`,
    '',
    `const sendloom = createSendloom({ baseUrl: '${baseUrl}'${variable ? `, key: process.env.${variable}` : ''} });`,
    `const result = unwrap(await ${call});`,
  ].join('\n');
}

const returnsJson = ({ responses }: Endpoint['operation']): boolean =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .every(([, { content }]) => content === undefined || 'application/json' in content);

/** Prints a JSON value as TypeScript: keys without quotes where possible, and strings in single quotes. */
export function sourceOf(value: unknown, depth = 0): string {
  if (value === BINARY) return 'new Blob([content])';
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value))
    return listOf(
      '[',
      value.map((item) => sourceOf(item, depth + 1)),
      ']',
      depth,
    );
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, item]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quote(name)}: ${sourceOf(item, depth + 1)}`,
  );
  return listOf('{', entries, '}', depth);
}

const quote = (text: string): string =>
  text.includes("'")
    ? JSON.stringify(text)
    : `'${JSON.stringify(text)
        .slice(1, -1)
        .replaceAll(String.raw`\"`, '"')}'`;

const MAX_LINE_LENGTH = 80;

function listOf(open: string, items: string[], close: string, depth: number): string {
  const pad = open === '{' && items.length > 0 ? ' ' : '';
  const line = `${open}${pad}${items.join(', ')}${pad}${close}`;
  if (line.length + 2 * depth <= MAX_LINE_LENGTH && !line.includes('\n')) return line;
  const indent = '  '.repeat(depth + 1);
  return `${open}\n${items.map((item) => `${indent}${item},\n`).join('')}${'  '.repeat(depth)}${close}`;
}
