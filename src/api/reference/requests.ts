/**
 * The example bodies of operations whose fields depend on each other, by operation. All other bodies follow from their
 * schemas (example.ts).
 */
import { idOf, OBJECTS } from './example-values.js';

const CONTENT = {
  subject: 'Your order {{ order }}',
  body: '<p>Hello {{ firstName ?? "there" }}, your order {{ order }} is on its way.</p>',
  from: 'shop@example.com',
  fromName: 'Shop',
  replyTo: 'help@example.com',
};
const NEWS = {
  subject: 'News of November',
  body: '<h1>Hello {{ firstName ?? "there" }}</h1><p>Read our <a href="https://example.com/news">news</a>.</p>',
  from: 'news@example.com',
  fromName: 'Shop',
  replyTo: 'help@example.com',
};
const TRACK = { email: 'ada@example.com', event: 'order.paid', subscribed: true, data: { order: '1001', total: 59.9 } };
const CONDITION = OBJECTS.condition;
const GRAPH = {
  steps: [
    { id: idOf('trigger'), type: 'TRIGGER', config: { eventName: 'signup' } },
    { key: 'wait', type: 'DELAY', name: 'A day', position: { x: 0, y: 120 }, config: { amount: 1, unit: 'days' } },
    { key: 'end', type: 'EXIT' },
  ],
  transitions: [
    { from: idOf('trigger'), to: 'wait' },
    { from: 'wait', to: 'end' },
  ],
};
const CAMPAIGN = {
  name: 'November news',
  description: 'To all who bought in the last 30 days',
  ...NEWS,
  type: 'MARKETING',
  audienceType: 'FILTERED',
  audienceCondition: CONDITION,
};

export const REQUESTS: Record<string, unknown> = {
  'POST /v1/send': {
    to: { email: 'ada@example.com', name: 'Ada' },
    from: { email: 'shop@example.com', name: 'Shop' },
    subject: CONTENT.subject,
    body: CONTENT.body,
    reply: CONTENT.replyTo,
    data: { order: '1001', firstName: 'Ada' },
    attachments: [{ filename: 'invoice.pdf', content: 'JVBERi0xLjcK', contentType: 'application/pdf' }],
  },
  'POST /v1/batch': {
    emails: [
      {
        to: 'ada@example.com',
        from: CONTENT.from,
        subject: CONTENT.subject,
        body: CONTENT.body,
        data: { order: '1001' },
      },
      { to: 'eve@example.com', template: idOf('template'), data: { order: '1002' } },
    ],
  },
  'POST /v1/track': TRACK,
  'POST /events/track': TRACK,
  'POST /templates': { name: 'Order confirmation', description: 'After each order', ...CONTENT, type: 'TRANSACTIONAL' },
  'PATCH /templates/{id}': { subject: 'Thank you for your order {{ order }}' },
  'POST /segments': {
    name: 'Paying customers',
    description: 'Bought in the last 30 days',
    type: 'DYNAMIC',
    condition: CONDITION,
    trackMembership: true,
  },
  'PATCH /segments/{id}': { name: 'Recent customers', condition: CONDITION },
  'POST /campaigns': CAMPAIGN,
  'PUT /campaigns/{id}': CAMPAIGN,
  'PATCH /campaigns/{id}': { subject: 'News of December', draft: true },
  'POST /campaigns/{id}/test': { email: 'ada@example.com', contactId: idOf('contact') },
  'POST /templates/{id}/test': { email: 'ada@example.com', contactId: idOf('contact') },
  'POST /render': {
    subject: CONTENT.subject,
    preheader: 'It arrives on Friday',
    body: CONTENT.body,
    from: CONTENT.from,
    type: 'TRANSACTIONAL',
    contactId: idOf('contact'),
    data: { order: '1001' },
  },
  'POST /campaigns/audience': { audienceType: 'FILTERED', audienceCondition: CONDITION, type: 'MARKETING' },
  'POST /campaigns/{id}/winner': { variant: 'a' },
  'POST /campaigns/{id}/send': { scheduledFor: '2026-12-01T09:00:00.000Z' },
  'PATCH /emails/{id}': { scheduledFor: '2026-12-24T09:00', timezone: 'Europe/Berlin' },
  'POST /workflows': {
    name: 'Welcome series',
    description: 'Three emails in the first week',
    eventName: 'signup',
    allowReentry: false,
  },
  'PATCH /workflows/{id}': { enabled: true },
  'POST /workflows/{id}/steps': {
    type: 'DELAY',
    name: 'Wait for two days',
    position: { x: 120, y: 240 },
    config: { amount: 2, unit: 'days' },
  },
  'PATCH /workflows/{id}/steps/{stepId}': { name: 'Wait for three days', config: { amount: 3, unit: 'days' } },
  'POST /workflows/{id}/transitions': { fromStepId: idOf('step'), toStepId: idOf('next step'), branch: 'yes' },
  'PUT /workflows/{id}/graph': GRAPH,
  'POST /workflows/{id}/validate': GRAPH,
  'POST /workflows/{id}/executions': { contactId: idOf('contact'), context: { plan: 'pro' } },
  'POST /users/@me/projects': { name: 'Shop' },
  'PATCH /users/@me/projects/{id}': { name: 'Shop', tracking: 'ENABLED', language: 'en' },
  'POST /contacts/query': { condition: CONDITION, status: 'subscribed', limit: 50 },
  'POST /contacts/preview': { condition: CONDITION },
  'POST /contacts/bulk': { operation: 'set', data: { plan: 'pro' }, query: { condition: CONDITION }, except: [] },
  'PATCH /contacts/{id}': { subscribed: true, data: { plan: 'pro' } },
  'POST /suppressions': { email: 'ada@example.com', reason: 'manual', detail: 'Asked by phone' },
  'POST /webhooks/sns': {
    Type: 'Notification',
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: 'arn:aws:sns:eu-west-1:123456789012:ses-feedback',
    Message: '{"notificationType":"Bounce", …}',
    Timestamp: '2026-11-02T09:30:00.000Z',
    SignatureVersion: '2',
    Signature: 'EXAMPLE…',
    SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123.pem',
  },
};
