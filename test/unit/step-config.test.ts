import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/errors.js';
import type { StepType } from '../../src/generated/prisma/enums.js';
import { readConditionField } from '../../src/domain/workflows/condition-fields.js';
import { branchesOf, delayMs, readStepConfig, toStoredConfig } from '../../src/domain/workflows/step-config.js';

const ID = '0191d1a0-0000-7000-8000-000000000001';
const YEAR = 365 * 24 * 3600;

/** The problems of a config: `config.amount too_small`. */
function problems(type: StepType, config: unknown): string[] {
  try {
    readStepConfig(type, config);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([error.status, error.code]).toEqual([422, 'VALIDATION_ERROR']);
    return (error.errors ?? []).map(({ field, code }) => `${field} ${code}`);
  }
}

/** The stored form of a config, which must read back unchanged. */
function stored(type: StepType, config: unknown): Record<string, unknown> {
  const read = readStepConfig(type, config);
  const written: unknown = JSON.parse(JSON.stringify(toStoredConfig(read)));
  expect(readStepConfig(type, written)).toEqual(read);
  return toStoredConfig(read);
}

const filter = (field: string, operator = 'equals', value: unknown = 1) => ({ field, operator, value });
const treeOf = (...filters: unknown[]) => ({ logic: 'AND', groups: [{ filters }] });

describe('the config of each step type', () => {
  test.each<[StepType, unknown, unknown]>([
    ['TRIGGER', { eventName: ' signed up ', more: 1 }, { eventName: 'signed up' }],
    ['SEND_EMAIL', { templateId: ID.toUpperCase() }, { templateId: ID, recipient: { type: 'CONTACT' } }],
    [
      'SEND_EMAIL',
      { templateId: ID, recipient: { type: 'CONTACT', customEmail: 'ignored' } },
      { templateId: ID, recipient: { type: 'CONTACT' } },
    ],
    [
      'SEND_EMAIL',
      { templateId: ID, recipient: { type: 'CUSTOM', customEmail: ' Team@Bücher.Example ' } },
      { templateId: ID, recipient: { type: 'CUSTOM', customEmail: 'team@xn--bcher-kva.example' } },
    ],
    ['DELAY', { amount: 1.5, unit: 'hours' }, { amount: 1.5, unit: 'hours' }],
    ['DELAY', { amount: 365, unit: 'days' }, { amount: 365, unit: 'days' }],
    ['WAIT_FOR_EVENT', { eventName: 'email.opened' }, { eventName: 'email.opened', timeout: null }],
    [
      'WAIT_FOR_EVENT',
      { eventName: 'segment.vip.entry', timeout: YEAR },
      { eventName: 'segment.vip.entry', timeout: YEAR },
    ],
    [
      'WAIT_FOR_EVENT',
      { eventName: 'contact.subscribed', timeout: 1 },
      { eventName: 'contact.subscribed', timeout: 1 },
    ],
    [
      'CONDITION',
      { ...filter('contact.data.plan', 'equals', 'pro'), id: 'x' },
      { field: 'contact.data.plan', operator: 'equals', value: 'pro' },
    ],
    ['CONDITION', filter('data.plan', 'equals', null), { field: 'data.plan', operator: 'equals', value: null }],
    [
      'CONDITION',
      { field: 'contact.createdAt', operator: 'within', value: 3, unit: 'days' },
      { field: 'contact.createdAt', operator: 'within', value: 3, unit: 'days' },
    ],
    ['CONDITION', { field: 'event.bought', operator: 'triggered' }, { field: 'event.bought', operator: 'triggered' }],
    [
      'CONDITION',
      { mode: 'tree', ...treeOf(filter('event.amount', 'greaterThan')), x: 1 },
      treeOf(filter('event.amount', 'greaterThan')),
    ],
    ['CONDITION', { logic: 'OR', groups: [] }, { logic: 'OR', groups: [] }],
    [
      'CONDITION',
      {
        mode: 'multi',
        field: 'contact.plan',
        branches: [
          { id: ' a ', name: 'Pro', operator: 'equals', value: 'pro', x: 1 },
          { id: 'b', name: 'None', operator: 'notExists' },
        ],
      },
      {
        mode: 'multi',
        field: 'contact.plan',
        branches: [
          { id: 'a', name: 'Pro', operator: 'equals', value: 'pro' },
          { id: 'b', name: 'None', operator: 'notExists' },
        ],
      },
    ],
    [
      'WEBHOOK',
      { url: ' https://api.x.test/{{ id }}?q={{ data.city ?? none }} ' },
      { url: 'https://api.x.test/{{ id }}?q={{ data.city ?? none }}', method: 'POST', headers: {}, body: undefined },
    ],
    [
      'WEBHOOK',
      {
        url: 'HTTP://x.test:8080',
        method: 'GET',
        headers: { 'X-Key': '{{ data.key }}', Authorization: 'Bearer ü' },
        body: null,
      },
      {
        url: 'HTTP://x.test:8080',
        method: 'GET',
        headers: { 'X-Key': '{{ data.key }}', Authorization: 'Bearer ü' },
        body: undefined,
      },
    ],
    [
      'WEBHOOK',
      { url: 'https://x.test', method: 'PUT', body: { a: ['{{ email }}', 1, null] } },
      { url: 'https://x.test', method: 'PUT', headers: {}, body: { a: ['{{ email }}', 1, null] } },
    ],
    [
      'UPDATE_CONTACT',
      { updates: { plan: 'pro', old: null } },
      { updates: { plan: 'pro', old: null }, subscriptionAction: 'none' },
    ],
    ['UPDATE_CONTACT', { subscriptionAction: 'unsubscribe' }, { updates: {}, subscriptionAction: 'unsubscribe' }],
    ['EXIT', {}, { reason: null }],
    ['EXIT', { reason: ' Bought ' }, { reason: 'Bought' }],
  ])('%s %j is stored as %j and reads back unchanged', (type, config, expected) => {
    expect(stored(type, config)).toEqual(expected);
  });

  test.each<[StepType, unknown, string[]]>([
    ['EXIT', [], ['config invalid_type']],
    ['EXIT', 'x', ['config invalid_type']],
    ['EXIT', undefined, ['config required']],
    ['EXIT', { reason: 5 }, ['config.reason invalid_type']],
    ['EXIT', { reason: 'x'.repeat(1001) }, ['config.reason too_big']],
    ['TRIGGER', {}, ['config.eventName required']],
    ['TRIGGER', { eventName: ' ' }, ['config.eventName too_small']],
    ['TRIGGER', { eventName: 'x'.repeat(256) }, ['config.eventName too_big']],
    ['TRIGGER', { eventName: '🎉'.repeat(255) }, []],
    ['TRIGGER', { eventName: ['a'] }, ['config.eventName invalid_type']],
    ['SEND_EMAIL', {}, ['config.templateId required']],
    ['SEND_EMAIL', { templateId: 7 }, ['config.templateId invalid_type']],
    ['SEND_EMAIL', { templateId: ID, recipient: 'CONTACT' }, ['config.recipient invalid_type']],
    ['SEND_EMAIL', { templateId: ID, recipient: {} }, ['config.recipient.type required']],
    ['SEND_EMAIL', { templateId: ID, recipient: { type: 'ALL' } }, ['config.recipient.type invalid_string']],
    ['SEND_EMAIL', { templateId: ID, recipient: { type: 'CUSTOM' } }, ['config.recipient.customEmail required']],
    [
      'SEND_EMAIL',
      { templateId: ID, recipient: { type: 'CUSTOM', customEmail: 'no-address' } },
      ['config.recipient.customEmail invalid_string'],
    ],
    ['DELAY', {}, ['config.amount required', 'config.unit required']],
    ['DELAY', { amount: 0, unit: 'days' }, ['config.amount too_small']],
    ['DELAY', { amount: -1, unit: 'days' }, ['config.amount too_small']],
    ['DELAY', { amount: '5', unit: 'days' }, ['config.amount invalid_type']],
    ['DELAY', { amount: Infinity, unit: 'days' }, ['config.amount too_big']],
    ['DELAY', { amount: 5, unit: 'months' }, ['config.unit invalid_string']],
    ['DELAY', { amount: 5, unit: 3 }, ['config.unit invalid_type']],
    ['DELAY', { amount: 365.001, unit: 'days' }, ['config.amount too_big']],
    ['DELAY', { amount: 53, unit: 'weeks' }, ['config.amount too_big']],
    ['DELAY', { amount: YEAR + 1, unit: 'seconds' }, ['config.amount too_big']],
    ['WAIT_FOR_EVENT', { timeout: 5 }, ['config.eventName required']],
    ['WAIT_FOR_EVENT', { eventName: 'e', timeout: 0 }, ['config.timeout too_small']],
    ['WAIT_FOR_EVENT', { eventName: 'e', timeout: YEAR + 1 }, ['config.timeout too_big']],
    ['WAIT_FOR_EVENT', { eventName: 'e', timeout: '60' }, ['config.timeout invalid_type']],
    ['UPDATE_CONTACT', {}, ['config.updates required']],
    ['UPDATE_CONTACT', { updates: [] }, ['config.updates invalid_type']],
    ['UPDATE_CONTACT', { updates: {}, subscriptionAction: 'snooze' }, ['config.subscriptionAction invalid_string']],
    [
      'UPDATE_CONTACT',
      { updates: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, n])) },
      ['config.updates too_big'],
    ],
    ['WEBHOOK', {}, ['config.url required']],
    ['WEBHOOK', { url: 'x'.repeat(4097) }, ['config.url too_big', 'config.url invalid_string']],
    ['WEBHOOK', { url: 'https://x.test', method: 'HEAD' }, ['config.method invalid_string']],
    ['WEBHOOK', { url: 'https://x.test', method: 'post' }, ['config.method invalid_string']],
    ['WEBHOOK', { url: 'https://x.test', method: 'GET', body: {} }, ['config.body custom']],
    ['WEBHOOK', { url: 'https://x.test', headers: [] }, ['config.headers invalid_type']],
    ['WEBHOOK', { url: 'https://x.test', headers: { 'X-A': 5 } }, ['config.headers.X-A invalid_type']],
    ['WEBHOOK', { url: 'https://x.test', headers: { 'X-A': 'a\r\nX-B: b' } }, ['config.headers.X-A invalid_string']],
    ['WEBHOOK', { url: 'https://x.test', headers: { 'X-A': 'a\nb' } }, ['config.headers.X-A invalid_string']],
    ['WEBHOOK', { url: 'https://x.test', headers: { 'X A': 'a' } }, ['config.headers.X A invalid_string']],
    ['WEBHOOK', { url: 'https://x.test', headers: { '': 'a' } }, ['config.headers. invalid_string']],
    ['WEBHOOK', { url: 'https://x.test', headers: { 'X-A': 'a', 'x-a': 'b' } }, ['config.headers.x-a custom']],
    [
      'WEBHOOK',
      {
        url: 'https://x.test',
        headers: { Host: 'y.test', 'Webhook-Signature': 'v1', 'Content-Length': '0', 'Proxy-Authorization': 'x' },
      },
      [
        'config.headers.Host custom',
        'config.headers.Webhook-Signature custom',
        'config.headers.Content-Length custom',
        'config.headers.Proxy-Authorization custom',
      ],
    ],
    ['WEBHOOK', { url: 'https://x.test', headers: { 'X-A': 'x'.repeat(8193) } }, ['config.headers.X-A too_big']],
    [
      'WEBHOOK',
      { url: 'https://x.test', headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`X-${n}`, ''])) },
      ['config.headers too_big'],
    ],
    [
      'WEBHOOK',
      { url: 'https://x.test/{{ id', headers: { 'X-A': '{% if %}' }, body: { a: { b: ['ok', '{{ | }}'] }, c: '{{' } },
      ['config.url custom', 'config.body.a.b.1 custom', 'config.body.c custom', 'config.headers.X-A custom'],
    ],
    ['CONDITION', {}, ['config.field required']],
    ['CONDITION', { mode: 'other' }, ['config.mode invalid_string']],
    ['CONDITION', { field: 'data.plan' }, ['config.operator required']],
    ['CONDITION', { field: 'plan', operator: 'equals', value: 1 }, ['config.field invalid_string']],
    ['CONDITION', { field: 'contact.', operator: 'exists' }, ['config.field invalid_string']],
    ['CONDITION', { field: 'workflow.', operator: 'exists' }, ['config.field invalid_string']],
    ['CONDITION', { field: 'contact.email', operator: 'greaterThan', value: 1 }, ['config.operator invalid_string']],
    ['CONDITION', { field: 'contact.subscribed', operator: 'equals', value: 'yes' }, ['config.value invalid_type']],
    ['CONDITION', { field: 'contact.subscribed', operator: 'equals' }, ['config.value required']],
    ['CONDITION', { field: 'event.amount', operator: 'within', value: 3 }, ['config.unit required']],
    [
      'CONDITION',
      { field: 'event.amount', operator: 'within', value: 3, unit: 'weeks' },
      ['config.unit invalid_string'],
    ],
    ['CONDITION', { field: 'workflow.x', operator: 'triggered' }, ['config.operator invalid_string']],
    [
      'CONDITION',
      { field: 'data.x', operator: 'in', value: Array.from({ length: 1001 }, () => 1) },
      ['config.value too_big'],
    ],
    [
      'CONDITION',
      { logic: 'NOT', groups: [{ filters: [filter('contact.email'), filter('nothing')] }] },
      [
        'config.logic invalid_string',
        'config.groups.0.filters.0.value invalid_type',
        'config.groups.0.filters.1.field invalid_string',
      ],
    ],
    ['CONDITION', { logic: 'AND' }, ['config.groups required']],
    ['CONDITION', treeOf(...Array.from({ length: 101 }, () => filter('contact.plan'))), ['config too_big']],
    [
      'CONDITION',
      nest(6),
      [
        'config.groups.0.conditions.groups.0.conditions.groups.0.conditions.groups.0.conditions.groups.0.conditions too_big',
      ],
    ],
    ['CONDITION', nest(5), []],
    ['CONDITION', { mode: 'multi', field: 'data.x' }, ['config.branches required']],
    ['CONDITION', { mode: 'multi', field: 'data.x', branches: {} }, ['config.branches invalid_type']],
    ['CONDITION', { mode: 'multi', field: 'data.x', branches: [] }, ['config.branches too_small']],
    ['CONDITION', { mode: 'multi', field: 'data.x', branches: branches(21) }, ['config.branches too_big']],
    ['CONDITION', { mode: 'multi', field: 'data.x', branches: branches(20) }, []],
    ['CONDITION', { mode: 'multi', field: 'data.x', branches: [5] }, ['config.branches.0 invalid_type']],
    [
      'CONDITION',
      { mode: 'multi', field: 'data.x', branches: [...branches(2), ...branches(1)] },
      ['config.branches.2.id custom'],
    ],
    [
      'CONDITION',
      { mode: 'multi', field: 'data.x', branches: [{ ...branches(1)[0], id: 'default' }] },
      ['config.branches.0.id custom'],
    ],
    [
      'CONDITION',
      { mode: 'multi', field: 'data.x', branches: [{ id: 'a', name: '', operator: 'within', value: 1 }] },
      ['config.branches.0.name too_small', 'config.branches.0.unit required'],
    ],
  ])('%s breaks the rules: case %#', (type, config, expected) => {
    expect(problems(type, config)).toEqual(expected);
  });

  test.each([
    ['another scheme', 'ftp://x.test'],
    ['no scheme', 'x.test/hook'],
    ['no host', 'https://'],
    ['a scheme from a value', '{{ url }}'],
    ['a host from a value', 'https://{{ host }}/hook'],
    ['a script', 'javascript:alert(1)'],
    ['a space in the host', 'https://x y.test'],
  ])('a webhook to a URL with %s is rejected', (_, url) => {
    expect(problems('WEBHOOK', { url })).toEqual(['config.url invalid_string']);
  });

  test.each(['https://user@x.test', 'https://user:secret@x.test/{{ id }}'])(
    'a webhook with credentials in its URL is rejected without repeating them: %s',
    (url) => {
      expect(problems('WEBHOOK', { url })).toEqual(['config.url custom']);
    },
  );

  test('every problem contains the received value if it is short and plain', () => {
    try {
      readStepConfig('DELAY', { amount: -5, unit: 'y'.repeat(200) });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        errors: [
          { field: 'config.amount', received: -5 },
          { field: 'config.unit', received: 'y'.repeat(100) },
        ],
      });
    }
  });

  test('a config of more than 256 KiB is rejected in any encoding', () => {
    const webhook = (length: number) => ({ url: 'https://x.test', body: 'ä'.repeat(length / 2) });
    expect(problems('WEBHOOK', webhook(256 * 1024))).toEqual(['config too_big']);
    // The stored config also contains the defaults, and must be readable.
    for (let length = 256 * 1024 - 80; length < 256 * 1024 - 40; length += 4) {
      const config = webhook(length);
      if (problems('WEBHOOK', config).length === 0) stored('WEBHOOK', config);
    }
  });

  test('names of prototype properties are removed from values that are stored as given', () => {
    const body: unknown = JSON.parse('{"a": [{"__proto__": 1, "constructor": {"prototype": 2}, "b": 3}]}');
    expect(
      JSON.stringify([
        stored('WEBHOOK', { url: 'https://x.test', body }).body,
        stored('UPDATE_CONTACT', { updates: body }).updates,
        stored('CONDITION', { field: 'data.x', operator: 'equals', value: body }).value,
      ]),
    ).toBe(JSON.stringify([{ a: [{ b: 3 }] }, { a: [{ b: 3 }] }, { a: [{ b: 3 }] }]));
  });

  test('names of prototype properties are not fields of a config', () => {
    expect(problems('DELAY', JSON.parse('{"__proto__": {"amount": 5, "unit": "days"}}'))).toEqual([
      'config.amount required',
      'config.unit required',
    ]);
  });
});

function nest(levels: number): unknown {
  return levels === 1
    ? treeOf(filter('workflow.x'))
    : { logic: 'AND', groups: [{ filters: [], conditions: nest(levels - 1) }] };
}

function branches(count: number) {
  return Array.from({ length: count }, (_, n) => ({ id: `b${n}`, name: `B ${n}`, operator: 'equals', value: n }));
}

describe('delayMs', () => {
  test.each([
    [1, 'seconds', 1000],
    [2, 'minutes', 120_000],
    [1.5, 'hours', 5_400_000],
    [1, 'days', 86_400_000],
    [1, 'weeks', 604_800_000],
    [0.0000001, 'seconds', 1],
  ] as const)('%d %s are %d milliseconds', (amount, unit, ms) => {
    expect(delayMs({ amount, unit })).toBe(ms);
  });
});

describe('branchesOf', () => {
  test.each<[StepType, unknown, Array<string | null>]>([
    ['TRIGGER', { eventName: 'e' }, [null]],
    ['SEND_EMAIL', { templateId: ID }, [null]],
    ['DELAY', { amount: 1, unit: 'days' }, [null]],
    ['WAIT_FOR_EVENT', { eventName: 'e' }, [null, 'event', 'timeout']],
    ['CONDITION', filter('data.x'), ['yes', 'no']],
    ['CONDITION', treeOf(), ['yes', 'no']],
    ['CONDITION', { mode: 'multi', field: 'data.x', branches: branches(2) }, ['b0', 'b1', 'default']],
    ['WEBHOOK', { url: 'https://x.test' }, [null, 'error']],
    ['UPDATE_CONTACT', { updates: {} }, [null]],
    ['EXIT', {}, []],
  ])('of %s %j are %j', (type, config, expected) => {
    expect(branchesOf(readStepConfig(type, config))).toEqual(expected);
  });
});

describe('the fields of conditions', () => {
  test.each([
    ['contact.email', 'equals', 'contact', 'email'],
    ['contact.createdAt', 'within', 'contact', 'createdAt'],
    ['contact.data.plan.name', 'equals', 'contact', 'data.plan.name'],
    ['contact.plan', 'equals', 'contact', 'data.plan'],
    ['email', 'equals', 'contact', 'email'],
    ['data.plan', 'equals', 'contact', 'data.plan'],
    ['email.opened', 'triggered', 'contact', 'email.opened'],
    ['segment.1', 'memberOfSegment', 'contact', 'segment.1'],
    ['event.amount', 'equals', 'context', 'data.amount'],
    ['event.order.total', 'greaterThan', 'context', 'data.order.total'],
    ['workflow.amount', 'equals', 'context', 'data.amount'],
    ['event.bought', 'triggered', 'contact', 'event.bought'],
    ['event.bought', 'notTriggeredWithin', 'contact', 'event.bought'],
    ['event.bought', undefined, 'context', 'data.bought'],
  ])('%s with %s is a field of the %s: %s', (field, operator, of, segmentField) => {
    expect(readConditionField(field, operator)).toEqual({ of, field: segmentField });
  });
});
