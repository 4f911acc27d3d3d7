/** The types of webhooks: what each one tells, its JSON Schema, and an example; and the check of an endpoint's types. */
import leven from 'leven';
import type { FieldError } from '../../errors.js';
import { isEventName, MAX_EVENT_NAME } from '../events/name.js';
import { NOTICE_TYPES, type NoticeType } from './announce.js';

type Properties = Record<string, { type: string | string[]; description?: string }>;

export interface WebhookType {
  type: string;
  description: string;
  /** JSON Schema of `data`. */
  schema: Record<string, unknown>;
  /** Of the whole body. */
  example: { type: string; timestamp: string; data: Record<string, unknown> };
}

const ID = '0192f3a1-7c1e-7f00-8000-3f6f0c1b2a10';
const TEXT = { type: 'string' };
const TEXT_OR_NULL = { type: ['string', 'null'] };
const NUMBER = { type: 'number' };

const objectOf = (properties: Properties): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const ABOUT: Properties = {
  projectId: TEXT,
  contactId: TEXT_OR_NULL,
  email: { type: ['string', 'null'], description: "The contact's address at the time of the delivery." },
  emailId: TEXT_OR_NULL,
};

/** Events that are stored (contract, section 8), with the properties that they usually have. */
const EVENTS: Record<string, [description: string, properties: Record<string, unknown>]> = {
  'email.sent': ['The mail server accepted an email.', { messageId: `<${ID}@example.com>` }],
  'email.failed': ['An email was rejected, or could not be sent.', { error: '550 5.1.1 No such user' }],
  'email.delivered': ['A provider reported the delivery of an email.', {}],
  'email.opened': ['A recipient opened an email.', {}],
  'email.clicked': ['A recipient clicked a link.', { url: 'https://example.com/offer' }],
  'email.bounced': ['An email bounced.', { bounceType: 'permanent', reason: '550 5.1.1 No such user' }],
  'email.complained': ['A recipient reported an email as spam.', {}],
  'email.received': ['An email arrived at the inbound listener.', { subject: 'Re: Hello' }],
  'contact.subscribed': ['A contact subscribed again.', { source: 'api' }],
  'contact.unsubscribed': ['A contact unsubscribed.', { source: 'one_click' }],
  'segment.vip.entry': ['A contact entered the tracked segment with the slug `vip`.', {}],
  'segment.vip.exit': ['A contact left the tracked segment with the slug `vip`.', {}],
};

/** The data of notices, with example values (src/db/functions/announce.sql). null: a text or nothing. */
const NOTICES: Record<NoticeType, [description: string, data: Record<string, string | number | null>]> = {
  'campaign.started': ['A campaign began to be sent.', { campaignId: ID, name: 'Autumn news' }],
  'campaign.sent': ['All emails of a campaign have ended.', { campaignId: ID, name: 'Autumn news' }],
  'campaign.cancelled': ['A campaign was canceled.', { campaignId: ID, name: 'Autumn news' }],
  'execution.completed': [
    'A contact reached the end of a workflow, or an EXIT step.',
    { executionId: ID, workflowId: ID, contactId: ID, status: 'COMPLETED', reason: null },
  ],
  'execution.failed': [
    'An execution of a workflow failed.',
    { executionId: ID, workflowId: ID, contactId: ID, status: 'FAILED', reason: null },
  ],
  'import.completed': [
    'An import has ended.',
    { jobId: ID, successCount: 100, createdCount: 90, updatedCount: 10, skippedCount: 0, failureCount: 0 },
  ],
  'domain.verified': ['A sender domain was verified.', { domainId: ID, domain: 'example.com' }],
  'domain.failed': ['A sender domain is no longer verified.', { domainId: ID, domain: 'example.com' }],
  'project.disabled': ['The project was disabled.', { reason: 'Too many complaints' }],
  'webhook.disabled': [
    'Another endpoint was disabled because it failed.',
    { webhookId: ID, url: 'https://example.com/hook', reason: 'The receiver replied 410 Gone.' },
  ],
};

const TIMESTAMP = '2026-11-23T09:41:00.000Z';

/** Returns the data of an event as it is delivered. */
const eventData = (properties: Record<string, unknown>): Record<string, unknown> => ({
  projectId: ID,
  contactId: ID,
  email: 'ada@example.com',
  emailId: ID,
  properties,
});

const ofEvent = (type: string, description: string, properties: Record<string, unknown>): WebhookType => ({
  type,
  description,
  schema: objectOf({ ...ABOUT, properties: { type: 'object' } }),
  example: { type, timestamp: TIMESTAMP, data: eventData(properties) },
});

const ofNotice = (type: string, description: string, data: Record<string, string | number | null>): WebhookType => ({
  type,
  description,
  schema: objectOf({
    projectId: TEXT,
    ...Object.fromEntries(
      Object.entries(data).map(([name, value]) => [
        name,
        typeof value === 'number' ? NUMBER : value === null ? TEXT_OR_NULL : TEXT,
      ]),
    ),
  }),
  example: { type, timestamp: TIMESTAMP, data: { projectId: ID, ...data } },
});

/** All types except the names of own events. */
export const WEBHOOK_TYPES: readonly WebhookType[] = [
  ...Object.entries(EVENTS).map(([type, [description, properties]]) => ofEvent(type, description, properties)),
  ...Object.entries(NOTICES).map(([type, [description, data]]) => ofNotice(type, description, data)),
];

const isNotice = (type: string): type is NoticeType => (NOTICE_TYPES as readonly string[]).includes(type);

/** Returns the data of a test delivery. An unknown type is that of an own event. */
export function exampleData(type: string): Record<string, unknown> {
  if (isNotice(type)) return NOTICES[type][1];
  return eventData(EVENTS[type]?.[1] ?? { plan: 'pro' });
}

const KNOWN = new Set(WEBHOOK_TYPES.map(({ type }) => type));
/** Before the first dot of the service's own types. */
const NAMESPACES = new Set([...KNOWN].map((type) => type.slice(0, type.indexOf('.'))));
const SEGMENT_TYPE = /^segment\.[^.]+\.(entry|exit)$/su;
/** Of an endpoint. */
export const MAX_TYPES = 100;
/** A name that differs from a known one by so few characters is a mistake. */
const MAX_TYPO = 2;

/**
 * Checks the types of an endpoint: known types, `email.*` and so on, names of own events, `custom.*`, and `*`.
 *
 * @param own the names of the events that the project has stored
 * @returns one error per unknown type, with the nearest known one
 */
export function checkTypes(types: readonly string[], own: ReadonlySet<string>): FieldError[] {
  return types.flatMap((type, index) => {
    const problem = problemOf(type, own);
    return problem === null ? [] : [{ field: `events.${index}`, message: problem, code: 'custom', received: type }];
  });
}

function problemOf(type: string, own: ReadonlySet<string>): string | null {
  if (KNOWN.has(type) || SEGMENT_TYPE.test(type) || own.has(type) || type === '*' || type === 'custom.*') return null;
  if (!isEventName(type)) return `The name of an event has 1 to ${MAX_EVENT_NAME} characters and no space around it.`;
  const namespace = type.includes('.') ? type.slice(0, type.indexOf('.')) : '';
  if (type.endsWith('.*') && type === `${namespace}.*`) {
    if (NAMESPACES.has(namespace) || [...own].some((name) => name.startsWith(`${namespace}.`))) return null;
    const nearest = nearestOf(namespace, NAMESPACES);
    return nearest.distance <= MAX_TYPO ? `Unknown type. Did you mean "${nearest.name}.*"?` : null;
  }
  const nearest = nearestOf(type, KNOWN);
  return NAMESPACES.has(namespace) || nearest.distance <= MAX_TYPO
    ? `Unknown type. Did you mean "${nearest.name}"?`
    : null;
}

function nearestOf(name: string, known: Iterable<string>): { name: string; distance: number } {
  return [...known]
    .map((candidate) => ({ name: candidate, distance: leven(name, candidate) }))
    .reduce((best, next) => (next.distance < best.distance ? next : best));
}
