/** The calls of the API that belong to a page, and their samples for curl and the typed client. Pure. */
import type { paths } from '../../../client/src/schema.js';
import type { HelpTopic } from './help-words.js';

export interface Call {
  method: 'GET' | 'POST';
  path: keyof paths;
  /** Values of the path's parameters. `{id}` gets the id of the open page. */
  values?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  /** Calls of browsers and apps use the public key. */
  isPublic?: true;
}

const ADDRESS = 'ada@example.com';

/** The calls of each topic, in the order of their names in the words. */
export const CALLS: Record<HelpTopic, Call[]> = {
  home: [{ method: 'GET', path: '/analytics/timeseries', query: { days: '30' } }],
  activity: [{ method: 'GET', path: '/activity', query: { limit: '50' } }],
  campaigns: [
    { method: 'POST', path: '/campaigns/{id}/send', body: {} },
    { method: 'GET', path: '/campaigns/{id}/stats' },
  ],
  templates: [
    { method: 'POST', path: '/v1/send', body: { to: ADDRESS, template: 'ID', data: { name: 'Ada' } } },
    { method: 'GET', path: '/templates', query: { search: 'welcome' } },
  ],
  workflows: [
    { method: 'POST', path: '/workflows/{id}/executions', body: { contactId: 'CONTACT_ID', context: { plan: 'pro' } } },
    { method: 'GET', path: '/workflows/{id}/stats' },
  ],
  contacts: [
    { method: 'POST', path: '/contacts', body: { email: ADDRESS, data: { plan: 'pro' } } },
    { method: 'POST', path: '/contacts/query', body: { status: 'subscribed', limit: 100 } },
  ],
  segments: [
    {
      method: 'POST',
      path: '/segments',
      body: {
        name: 'Customers',
        condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }] },
      },
    },
    { method: 'GET', path: '/segments/{id}/contacts' },
  ],
  fields: [
    { method: 'GET', path: '/contacts/fields' },
    { method: 'GET', path: '/contacts/fields/{field}/values', values: { field: 'plan' } },
  ],
  events: [
    {
      method: 'POST',
      path: '/v1/track',
      body: { event: 'signed_up', email: ADDRESS, data: { plan: 'pro' } },
      isPublic: true,
    },
    { method: 'GET', path: '/events', query: { eventName: 'signed_up' } },
  ],
  jobs: [
    { method: 'POST', path: '/exports', body: { kind: 'contacts', format: 'csv' } },
    { method: 'GET', path: '/jobs/{id}' },
  ],
  emails: [
    {
      method: 'POST',
      path: '/v1/send',
      body: { to: ADDRESS, from: 'shop@example.com', subject: 'Your order', body: '<p>Thank you.</p>' },
    },
    { method: 'GET', path: '/emails', query: { status: 'BOUNCED' } },
  ],
  domains: [
    { method: 'POST', path: '/domains', body: { domain: 'example.com' } },
    { method: 'POST', path: '/domains/{id}/verify' },
  ],
  deliverability: [],
  suppressions: [{ method: 'POST', path: '/suppressions', body: { email: ADDRESS, reason: 'manual' } }],
  webhooks: [
    { method: 'POST', path: '/webhooks', body: { url: 'https://example.com/hook', events: ['email.bounced'] } },
    { method: 'POST', path: '/webhooks/{id}/test', body: { type: 'email.bounced' } },
  ],
  settings: [],
  account: [],
};

/** What the samples know of the project and of the open page. */
export interface SampleContext {
  origin: string;
  publicKey: string;
  /** The id in the address of the open page. */
  id: string | undefined;
}

const valuesOf = ({ path, values = {} }: Call, { id = 'ID' }: SampleContext): Record<string, string> => ({
  ...(path.includes('{id}') && { id }),
  ...values,
});

/** Writes a string for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function curlOf(call: Call, context: SampleContext): string {
  const values = valuesOf(call, context);
  const filled = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
  const query = new URLSearchParams(call.query).toString();
  const key = call.isPublic ? context.publicKey : '$SENDLOOM_SECRET_KEY';
  return [
    `curl -X ${call.method} ${quote(`${context.origin}${filled}${query && `?${query}`}`)}`,
    // In double quotation marks, the shell replaces the variable.
    `  -H "Authorization: Bearer ${key}"`,
    ...(call.body === undefined
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d ${quote(JSON.stringify(call.body))}`]),
  ].join(' \\\n');
}

export function typescriptOf(call: Call, context: SampleContext): string {
  const values = valuesOf(call, context);
  const params = {
    ...(Object.keys(values).length > 0 && { path: values }),
    ...(call.query && { query: call.query }),
  };
  const options = {
    ...(Object.keys(params).length > 0 && { params }),
    ...(call.body !== undefined && { body: call.body }),
  };
  const key = call.isPublic ? `'${context.publicKey}'` : 'process.env.SENDLOOM_SECRET_KEY';
  const second = Object.keys(options).length > 0 ? `, ${toLiteral(options)}` : '';
  return [
    `import { createSendloom, unwrap } from '@sendloom/client';`,
    '',
    `const sendloom = createSendloom({ baseUrl: '${context.origin}', key: ${key} });`,
    `const result = unwrap(await sendloom.${call.method}('${call.path}'${second}));`,
  ].join('\n');
}

/** Writes a value as in TypeScript: keys without quotation marks. Numbers of a query are numbers there. */
const toLiteral = (value: object): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/"(\w+)":/g, '$1:')
    .replaceAll(/(days|limit): "(\d+)"/g, '$1: $2')
    .replaceAll('"', "'");
