/** The types of webhooks: what each one tells, its JSON Schema, and an example; and the check of an endpoint's types. */
import leven from 'leven';
import type { FieldError } from '../../errors.js';
import { isEventName, isNoticeType, MAX_EVENT_NAME, type NoticeType } from '../events/name.js';

/** A property of `data`: its JSON Schema and an example. */
interface Property {
  type: string | string[];
  enum?: string[];
  description?: string;
  example: unknown;
}
type Properties = Record<string, Property>;

export interface WebhookType {
  type: string;
  description: string;
  /** JSON Schema of `data`. */
  schema: Record<string, unknown>;
  /** Of the whole body. */
  example: { type: string; timestamp: string; data: Record<string, unknown> };
}

const ID = '0192f3a1-7c1e-7f00-8000-3f6f0c1b2a10';
const TIMESTAMP = '2026-11-23T09:41:00.000Z';
const MESSAGE_ID = '<CAJ8u7@mail.example.com>';

const text = (example: string): Property => ({ type: 'string', example });
const textOrNull = (example: string | null): Property => ({ type: ['string', 'null'], example });
const number = (example: number): Property => ({ type: 'number', example });
const oneOf = (values: string[], example = values[0]): Property => ({ type: 'string', enum: values, example });

const ID_TEXT = text(ID);
const OF_EMAIL: Properties = {
  campaignId: { ...ID_TEXT, description: 'Of an email of a campaign.' },
  templateId: { ...ID_TEXT, description: 'Of an email with a template.' },
  tags: { type: 'array', description: 'Texts. Of an email with tags.', example: ['receipt'] },
};
const GROUP: Properties = { group: { ...text('order 17'), description: 'Of an email with a group.' } };
const OF_FEEDBACK: Properties = {
  ...OF_EMAIL,
  timestamp: { ...text(TIMESTAMP), description: 'When it happened, as it was reported.' },
};
const REASON = '550 5.1.1 No such user';
const OF_CONTACT: Properties = {
  source: {
    ...text('one_click'),
    description:
      'What changed the subscription: `api`, `send`, `track`, `import`, `bulk`, `page`, `one_click`, `mailto`, `bounce`, ' +
      '`complaint`, `workflow`, or `snooze_expired`.',
  },
};
const OF_SEGMENT: Properties = { segmentId: ID_TEXT, segmentName: text('VIP') };
const RESULTS = ['pass', 'fail', 'none', 'softfail', 'neutral', 'temperror', 'permerror', 'policy'];

/** Events that are stored (contract, section 8), with their properties. */
const EVENTS: Record<string, [description: string, properties: Properties]> = {
  'email.scheduled': [
    'An email was accepted that is sent later.',
    { ...OF_EMAIL, ...GROUP, scheduledFor: text('2026-12-24T08:00:00.000Z') },
  ],
  'email.cancelled': ['An email was canceled by a request, and is not sent.', { ...OF_EMAIL, ...GROUP }],
  'email.sent': ['The mail server accepted an email.', OF_EMAIL],
  'email.failed': [
    'An email was rejected, or could not be sent.',
    {
      ...OF_EMAIL,
      error: { ...text(REASON), description: 'The response of the mail server, or why it was not asked.' },
      ambiguous: { type: 'boolean', example: true, description: 'True if it may have been sent.' },
    },
  ],
  'email.delivered': ['A provider reported the delivery of an email.', OF_FEEDBACK],
  'email.opened': ['A recipient opened an email.', OF_FEEDBACK],
  'email.clicked': ['A recipient clicked a link.', { ...OF_FEEDBACK, url: text('https://example.com/offer') }],
  'email.bounced': [
    'An email bounced.',
    { ...OF_FEEDBACK, bounceType: oneOf(['permanent', 'transient']), reason: text(REASON) },
  ],
  'email.complained': ['A recipient reported an email as spam.', { ...OF_FEEDBACK, reason: text('abuse') }],
  'email.received': [
    'An email arrived at the inbound listener.',
    {
      from: textOrNull('ada@example.com'),
      fromName: textOrNull('Ada'),
      to: text('reply@in.example.com'),
      subject: textOrNull('Re: Hello'),
      text: text('Thank you'),
      textTruncated: { type: 'boolean', example: false },
      messageId: textOrNull(MESSAGE_ID),
      inReplyTo: textOrNull(null),
      date: textOrNull(TIMESTAMP),
      attachments: {
        type: 'array',
        description: 'Objects with `filename`, `contentType`, and `size` in bytes.',
        example: [],
      },
      automatic: { type: 'boolean', example: false, description: 'Whether a program wrote it.' },
      authentication: {
        type: 'object',
        description: `\`spf\`, \`dkim\`, and \`dmarc\`: ${RESULTS.join(', ')}.`,
        example: { spf: 'pass', dkim: 'pass', dmarc: 'pass' },
      },
    },
  ],
  'contact.subscribed': [
    'A contact subscribed again.',
    { ...OF_CONTACT, reason: { ...text('snooze_expired'), description: 'Of the end of a snooze.' } },
  ],
  'contact.unsubscribed': [
    'A contact unsubscribed.',
    {
      ...OF_CONTACT,
      emailId: { ...ID_TEXT, description: 'The email that was the reason.' },
      snoozedUntil: text('2026-12-23T09:41:00.000Z'),
    },
  ],
  'segment.vip.entry': ['A contact entered the tracked segment with the slug `vip`.', OF_SEGMENT],
  'segment.vip.exit': ['A contact left the tracked segment with the slug `vip`.', OF_SEGMENT],
};

const OF_CAMPAIGN: Properties = { campaignId: ID_TEXT, name: text('Autumn news') };
const ofExecution = (statuses: string[]): Properties => ({
  executionId: ID_TEXT,
  workflowId: ID_TEXT,
  contactId: ID_TEXT,
  status: oneOf(statuses),
  reason: textOrNull(null),
});
const OF_DOMAIN: Properties = { domainId: ID_TEXT, domain: text('example.com') };

/** Notices, with their data (src/db/functions/announce.sql). */
const NOTICES: Record<NoticeType, [description: string, data: Properties]> = {
  'campaign.started': ['A campaign began to be sent.', OF_CAMPAIGN],
  'campaign.sent': ['All emails of a campaign have ended.', OF_CAMPAIGN],
  'campaign.cancelled': ['A campaign was canceled.', OF_CAMPAIGN],
  'execution.completed': [
    'A contact reached the end of a workflow, or an EXIT step.',
    ofExecution(['COMPLETED', 'EXITED']),
  ],
  'execution.failed': ['An execution of a workflow failed.', ofExecution(['FAILED'])],
  'import.completed': [
    'An import has ended.',
    {
      jobId: ID_TEXT,
      successCount: number(100),
      createdCount: number(90),
      updatedCount: number(10),
      skippedCount: number(0),
      failureCount: number(0),
    },
  ],
  'domain.verified': ['A sender domain was verified.', OF_DOMAIN],
  'domain.failed': ['A sender domain is no longer verified.', OF_DOMAIN],
  'project.disabled': ['The project was disabled.', { reason: textOrNull('Too many complaints') }],
  'webhook.disabled': [
    'Another endpoint was disabled because it failed.',
    { webhookId: ID_TEXT, url: text('https://example.com/hook'), reason: text('The receiver replied 410 Gone.') },
  ],
};

const schemaOf = (properties: Properties): Record<string, unknown> => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, { example: _example, ...schema }]) => [name, schema]),
  ),
});

const examplesOf = (properties: Properties): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, { example }]) => [name, example]));

const PROJECT: Properties = { projectId: ID_TEXT };
const ABOUT: Properties = {
  ...PROJECT,
  contactId: textOrNull(ID),
  email: { ...textOrNull('ada@example.com'), description: "The contact's address at the time of the delivery." },
  emailId: textOrNull(ID),
};
const TRUNCATED: Property = {
  type: 'boolean',
  example: true,
  description: 'True if the body would be larger than 20 KB. Then `properties` is empty.',
};

/** Returns the data of an event as it is delivered. */
const eventData = (properties: Record<string, unknown>): Record<string, unknown> => ({
  ...examplesOf(ABOUT),
  properties,
});

/** The properties are not required: a body that would be too large has none of them. */
function ofEvent(type: string, description: string, properties: Properties): WebhookType {
  const about = { ...ABOUT, properties: { ...schemaOf(properties), type: 'object', example: null } };
  return {
    type,
    description,
    schema: { ...schemaOf({ ...about, truncated: TRUNCATED }), required: Object.keys(about) },
    example: { type, timestamp: TIMESTAMP, data: eventData(examplesOf(properties)) },
  };
}

function ofNotice(type: string, description: string, properties: Properties): WebhookType {
  const data = { ...PROJECT, ...properties };
  return {
    type,
    description,
    schema: { ...schemaOf(data), required: Object.keys(data) },
    example: { type, timestamp: TIMESTAMP, data: examplesOf(data) },
  };
}

/** All types except the names of own events. */
export const WEBHOOK_TYPES: readonly WebhookType[] = [
  ...Object.entries(EVENTS).map(([type, [description, properties]]) => ofEvent(type, description, properties)),
  ...Object.entries(NOTICES).map(([type, [description, data]]) => ofNotice(type, description, data)),
];

/** Returns the data of a test delivery. An unknown type is that of an own event. */
export function exampleData(type: string): Record<string, unknown> {
  if (isNoticeType(type)) return examplesOf(NOTICES[type][1]);
  const known = SEGMENT_TYPE.test(type) ? `segment.vip.${type.slice(type.lastIndexOf('.') + 1)}` : type;
  const properties = EVENTS[known]?.[1];
  return eventData(properties ? examplesOf(properties) : { plan: 'pro' });
}

const KNOWN = new Set(WEBHOOK_TYPES.map(({ type }) => type));
/** Before the first dot of the service's own types. */
const NAMESPACES = new Set([...KNOWN].map((type) => type.slice(0, type.indexOf('.'))));
const SEGMENT_TYPE = /^segment\.[^.]+\.(entry|exit)$/su;
/** Of an endpoint. */
export const MAX_TYPES = 100;
/** A name that differs from a known one by so few characters is a mistake. */
const MAX_TYPO = 2;

/** What is allowed in addition to single types. */
interface Allowed {
  patterns: boolean;
}

/**
 * Checks types: known ones, names of own events, and patterns, which are `email.*` and so on, `custom.*`, and `*`.
 *
 * @param own the names of the events that the project has stored
 * @param field the name of the list
 * @returns one error per unknown type, with the nearest known one
 */
export const checkTypes = (types: readonly string[], own: ReadonlySet<string>, field: string): FieldError[] =>
  types.flatMap((type, index) => toErrors(`${field}.${index}`, type, problemOf(type, own, { patterns: true })));

/** Checks a single type. */
export const checkType = (type: string, own: ReadonlySet<string>, field: string): FieldError[] =>
  toErrors(field, type, problemOf(type, own, { patterns: false }));

const toErrors = (field: string, received: string, message: string | null): FieldError[] =>
  message === null ? [] : [{ field, message, code: 'custom', received }];

function problemOf(type: string, own: ReadonlySet<string>, { patterns }: Allowed): string | null {
  if (KNOWN.has(type) || SEGMENT_TYPE.test(type) || own.has(type)) return null;
  if (!isEventName(type)) return `The name of an event has 1 to ${MAX_EVENT_NAME} characters and no space around it.`;
  if (type.includes('*')) return patterns ? problemOfPattern(type, own) : 'must be a single type, not a pattern';
  const namespace = type.includes('.') ? type.slice(0, type.indexOf('.')) : '';
  const nearest = nearestOf(type, KNOWN);
  return NAMESPACES.has(namespace) || nearest.distance <= MAX_TYPO
    ? `Unknown type. Did you mean "${nearest.name}"?`
    : null;
}

function problemOfPattern(pattern: string, own: ReadonlySet<string>): string | null {
  if (pattern === '*' || pattern === 'custom.*') return null;
  const [, namespace] = /^([^.*]+)\.\*$/su.exec(pattern) ?? [];
  if (namespace === undefined) return 'A pattern is `*`, or one word and `.*`, such as `email.*`.';
  if (NAMESPACES.has(namespace) || [...own].some((name) => name.startsWith(`${namespace}.`))) return null;
  const nearest = nearestOf(namespace, NAMESPACES);
  return nearest.distance <= MAX_TYPO ? `Unknown type. Did you mean "${nearest.name}.*"?` : null;
}

function nearestOf(name: string, known: Iterable<string>): { name: string; distance: number } {
  return [...known]
    .map((candidate) => ({ name: candidate, distance: leven(name, candidate) }))
    .reduce((best, next) => (next.distance < best.distance ? next : best));
}
