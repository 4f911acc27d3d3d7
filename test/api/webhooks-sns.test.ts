/** `POST /webhooks/sns` (contract, section 8): reports of Amazon SES, as notifications and as events. */
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import type { Config } from '../../src/config.js';
import { settle } from '../../src/domain/emails/sql/delivery.js';
import { newId } from '../../src/ids.js';
import { drainHits } from '../../src/domain/tracking/drain.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { readSes } from '../../src/domain/feedback/ses.js';
import { createSnsWebhook } from '../../src/domain/feedback/sns.js';
import type { SnsMessage } from '../../src/domain/feedback/sns-message.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { feedbackHelpers, type SentEmail } from '../helpers/feedback.js';
import { signed, startFakeSns, TOPIC, type FakeSns } from '../helpers/sns.js';

const sns: FakeSns = await startFakeSns();
afterAll(() => sns.stop());

const api = useApi({ SNS_API_BASE: sns.origin });
const { sent, fate } = feedbackHelpers(api);

let project: TestProject;
beforeAll(async () => {
  project = await api.project();
});
beforeEach(() => sns.requests.splice(0));

const make = (fields: Partial<SnsMessage> = {}, version?: '1' | '2') =>
  signed({ SigningCertURL: sns.certificateUrl, ...fields }, version);

/** Posts as SNS does: JSON with the content type text. */
const post = (message: object, headers: InjectOptions['headers'] = {}) =>
  api.app.inject({
    method: 'POST',
    url: '/webhooks/sns',
    headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification', ...headers },
    payload: JSON.stringify(message),
  });

const AT = '2026-03-02T10:00:00.000Z';

interface Said {
  type: string;
  body: Record<string, unknown>;
  mail?: Record<string, unknown>;
}

/** The two formats of SES reports. */
const forms = [
  ['notification', 'notificationType'],
  ['event', 'eventType'],
] as const;

const sesMessage = (email: SentEmail, { type, body, mail = {} }: Said, key: string = 'notificationType') =>
  JSON.stringify({
    [key]: type,
    [type.toLowerCase()]: body,
    mail: {
      timestamp: '2026-03-01T00:00:00.000Z',
      source: `news@${project.domain}`,
      messageId: newId(),
      destination: [email.address],
      commonHeaders: { messageId: `<${email.id}@${project.domain}>` },
      ...mail,
    },
  });

const BOUNCE: Said = {
  type: 'Bounce',
  body: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    timestamp: AT,
    feedbackId: 'f',
    bouncedRecipients: [
      { emailAddress: 'a@b.test', action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' },
    ],
  },
};

async function say(email: SentEmail, said: Said, key?: string): Promise<void> {
  const response = await post(make({ Message: sesMessage(email, said, key) }));
  expect([response.statusCode, response.json()], response.body).toEqual([200, { received: true }]);
}

async function one(): Promise<SentEmail> {
  const [email] = await sent(project, 1);
  if (!email) throw new Error('unreachable');
  return email;
}

describe.each(forms)('an SES %s', (_form, key) => {
  test('of a permanent bounce bounces the email, unsubscribes the contact and suppresses the address', async () => {
    const email = await one();
    await say(email, BOUNCE, key);
    expect(await fate(email)).toMatchObject({
      row: {
        status: 'BOUNCED',
        bounceType: 'permanent',
        bounceReason: 'smtp; 550 5.1.1 user unknown',
        bouncedAt: new Date(AT),
      },
      subscribed: false,
      suppression: { reason: 'bounce', isOfThis: true },
    });
  });

  test.each(['Transient', 'Undetermined'])(
    'of a bounce that is %s leaves the contact subscribed',
    async (bounceType) => {
      const email = await one();
      await say(
        email,
        { type: 'Bounce', body: { bounceType, bounceSubType: 'MailboxFull', timestamp: AT, bouncedRecipients: [] } },
        key,
      );
      expect(await fate(email)).toMatchObject({
        row: { status: 'BOUNCED', bounceType: 'transient', bounceReason: `${bounceType}: MailboxFull` },
        subscribed: true,
        suppression: null,
      });
    },
  );

  test('of a complaint unsubscribes the contact', async () => {
    const email = await one();
    await say(
      email,
      {
        type: 'Complaint',
        body: {
          timestamp: AT,
          complaintFeedbackType: 'abuse',
          complainedRecipients: [{ emailAddress: email.address }],
        },
      },
      key,
    );
    expect(await fate(email)).toMatchObject({
      row: { status: 'COMPLAINED', complainedAt: new Date(AT) },
      subscribed: false,
      suppression: { reason: 'complaint', detail: 'abuse' },
    });
  });

  test('without a type counts as a complaint, and a report of "not spam" does not', async () => {
    const [bare, happy] = await sent(project, 2);
    if (!bare || !happy) throw new Error('unreachable');
    await say(bare, { type: 'Complaint', body: { timestamp: AT, complaintSubType: null } }, key);
    await say(happy, { type: 'Complaint', body: { timestamp: AT, complaintFeedbackType: 'not-spam' } }, key);
    expect([(await fate(bare)).row.status, (await fate(happy)).row.status, (await fate(happy)).subscribed]).toEqual([
      'COMPLAINED',
      'SENT',
      true,
    ]);
  });

  test('of a delivery marks the email as delivered', async () => {
    const email = await one();
    await say(email, { type: 'Delivery', body: { timestamp: AT, smtpResponse: '250 ok' } }, key);
    expect(await fate(email)).toMatchObject({
      row: { status: 'DELIVERED', deliveredAt: new Date(AT) },
      subscribed: true,
    });
  });
});

describe('an SES event', () => {
  test('of an email that SES rejects later is a transient bounce', async () => {
    const email = await one();
    await say(email, { type: 'Reject', body: { reason: 'Bad content' } }, 'eventType');
    expect(await fate(email)).toMatchObject({
      row: { status: 'BOUNCED', bounceType: 'transient', bounceReason: 'Rejected by Amazon SES: Bad content' },
      subscribed: true,
    });
  });

  test.each(['Send', 'DeliveryDelay', 'Rendering Failure', 'Subscription', 'Something new'])(
    '%s changes nothing',
    async (type) => {
      const email = await one();
      await say(email, { type, body: { timestamp: AT } }, 'eventType');
      expect((await fate(email)).row.status).toBe('SENT');
    },
  );

  test('of an open or a click is classified like hits of our own links', async () => {
    const [person, robot] = await sent(project, 2);
    if (!person || !robot) throw new Error('unreachable');
    const browser =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
    await say(
      person,
      { type: 'Open', body: { timestamp: AT, userAgent: browser, ipAddress: '192.0.2.1' } },
      'eventType',
    );
    await say(
      person,
      {
        type: 'Click',
        body: { timestamp: AT, userAgent: browser, ipAddress: '192.0.2.1', link: 'https://shop.test/a' },
      },
      'eventType',
    );
    await say(
      robot,
      { type: 'Open', body: { timestamp: AT, userAgent: 'Mozilla/5.0', ipAddress: '192.0.2.2' } },
      'eventType',
    );
    await eventually(async () => {
      await drainHits(api.ctx);
      expect(await fate(person)).toMatchObject({ row: { status: 'CLICKED', opens: 1, clicks: 1 } });
      expect(await api.ctx.prisma.email.findUniqueOrThrow({ where: { id: robot.id } })).toMatchObject({
        status: 'SENT',
        opens: 0,
        machineOpens: 1,
      });
    });
    // All orders and repeats end in the same state: the times are those that SES says, to the millisecond.
    expect((await fate(person)).row).toMatchObject({ openedAt: new Date(AT), clickedAt: new Date(AT) });
  });
});

/** Records that a mail server accepted an email with a reply. */
async function recordAcceptance({ id }: { id: string }, response: string): Promise<void> {
  const claimedBy = newId();
  await api.ctx.prisma.email.update({ where: { id }, data: { status: 'SENDING', claimedBy } });
  await settle(api.ctx.pool, claimedBy, [{ id, status: 'SENT', error: null, response, retryMs: 0 }]);
}

describe('the email is found', () => {
  const found = async (mail: Record<string, unknown>, email: SentEmail) => {
    await say(email, { ...BOUNCE, mail: { commonHeaders: undefined, ...mail } });
    return (await fate(email)).row.status;
  };

  test('by the Message-ID of its handover', async () => {
    const email = await one();
    expect(
      await found(
        {
          headers: [
            { name: 'From', value: 'x' },
            { name: 'message-id', value: `<${email.id.toUpperCase()}@${project.domain}>` },
          ],
        },
        email,
      ),
    ).toBe('BOUNCED');
  });

  test('by our Message-ID, or its left part, as the id of the SES stub', async () => {
    for (const name of [
      (id: string) => id,
      (id: string) => `${id}@${project.domain}`,
      (id: string) => `<${id}@${project.domain}>`,
    ]) {
      const email = await one();
      expect(await found({ messageId: name(email.id) }, email)).toBe('BOUNCED');
    }
  });

  test('by its return path', async () => {
    const email = await one();
    expect(await found({ source: api.ctx.returnPaths.of(email.id, `bounces.${project.domain}`) }, email)).toBe(
      'BOUNCED',
    );
  });

  test('by the id in the reply of SES', async () => {
    const email = await one();
    const serverId = `0100018f${newId().replaceAll('-', '').slice(0, 8)}-3f7b1c1e-aaaa-bbbb-cccc-123456789012-000000`;
    await recordAcceptance(email, `250 Ok ${serverId}`);
    expect(await found({ messageId: serverId }, email)).toBe('BOUNCED');
  });

  test('not by other words in the reply of a server', async () => {
    const email = await one();
    await recordAcceptance(email, '250 2.0.0 Ok: queued as 4F7B1C1E');
    expect(await api.ctx.prisma.emailServerId.count({ where: { emailId: email.id } })).toBe(0);
  });

  test('not by the names of others, and SNS gets a success response', async () => {
    const email = await one();
    const [token = '', host = ''] = api.ctx.returnPaths.of(email.id, 'bounces.x.test').split('@');
    for (const mail of [
      { source: `${token.slice(0, -6)}aaaaaa@${host}` },
      { source: 'b+short@x.test' },
      { messageId: '' },
      { headers: [{ name: 'Message-ID', value: `<${newId()}@x.test>` }] },
      { headers: 'none', commonHeaders: 7 },
    ]) {
      expect(await found(mail, email)).toBe('SENT');
    }
  });

  test('is retried by SNS while the record of its acceptance is not committed', async () => {
    const email = await one();
    const serverId = `fresh-${newId()}`;
    const message = make({
      Message: sesMessage(email, {
        ...BOUNCE,
        mail: { commonHeaders: undefined, messageId: serverId, timestamp: new Date().toISOString() },
      }),
    });
    expect((await post(message)).statusCode).toBe(503);
    await recordAcceptance(email, `250 2.0.0 OK ${serverId}`);
    expect((await post(message)).statusCode).toBe(200);
    expect((await fate(email)).row.status).toBe('BOUNCED');
  });
});

describe('each notification', () => {
  test('is applied once with any number of sequential and concurrent repeats', async () => {
    const email = await one();
    const message = make({
      Message: sesMessage(
        email,
        { type: 'Open', body: { timestamp: AT, userAgent: 'Thunderbird', ipAddress: '192.0.2.9' } },
        'eventType',
      ),
    });
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(message)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
    expect((await post(message)).statusCode).toBe(200);
    await drainHits(api.ctx);
    expect((await fate(email)).row.opens).toBe(1);
  });

  test('that is repeated does not end a later subscription', async () => {
    const email = await one();
    const message = make({ Message: sesMessage(email, BOUNCE) });
    await post(message);
    await api.ctx.prisma.contact.update({ where: { id: email.contactId ?? '' }, data: { subscribed: true } });
    await post(message);
    await say(email, BOUNCE);
    expect(await fate(email)).toMatchObject({ subscribed: true, row: { status: 'BOUNCED' } });
  });

  test('is rejected if it is older than the memory of notifications', async () => {
    const email = await one();
    const response = await post(
      make({ Message: sesMessage(email, BOUNCE), Timestamp: new Date(Date.now() - 59 * 24 * 3600_000).toISOString() }),
    );
    expect([response.statusCode, response.json<{ error: { code: string } }>().error.code]).toEqual([
      400,
      'BAD_REQUEST',
    ]);
    expect((await fate(email)).row.status).toBe('SENT');
  });

  test('is remembered for 60 days, by housekeeping', async () => {
    const { prisma } = api.ctx;
    const at = (days: number): Date => new Date(Date.now() - days * 24 * 3600_000);
    await prisma.appliedNotification.createMany({
      data: [
        { source: 'sns', id: 'old', at: at(61) },
        { source: 'inbound', id: 'old', at: at(61) },
        { source: 'sns', id: 'young', at: at(59) },
      ],
    });
    await runMaintenanceTask(api.ctx, 'expiry');
    const left = await prisma.appliedNotification.findMany({
      where: { id: { in: ['old', 'young'] } },
      orderBy: { source: 'asc' },
    });
    expect(left.map(({ source, id }) => `${source} ${id}`)).toEqual(['sns young']);
  });

  test('has no effect if it is not about an email: the greeting of a new topic, text, other JSON', async () => {
    for (const Message of [
      'Successfully validated SNS topic for Amazon SES event publishing.',
      '',
      '[]',
      'null',
      '{"mail":null}',
      '{"notificationType":"AmazonSnsSubscriptionSucceeded"}',
      '{"notificationType":"Bounce","mail":{}}',
    ]) {
      expect((await post(make({ Message }))).statusCode, Message).toBe(200);
    }
  });

  test('stores a reason without NUL and unpaired surrogates, and at most 500 characters', async () => {
    const email = await one();
    const diagnosticCode = `a\0b\ud800 ${'x'.repeat(600)}`;
    await say(email, {
      type: 'Bounce',
      body: { bounceType: 'Permanent', timestamp: 'nonsense', bouncedRecipients: [{ diagnosticCode }] },
    });
    const { bounceReason, bouncedAt } = (await fate(email)).row;
    expect(bounceReason).toMatch(/^ab\ufffd x+$/);
    expect(bounceReason).toHaveLength(500);
    expect(Math.abs(Date.now() - (bouncedAt?.getTime() ?? 0))).toBeLessThan(60_000);
  });
});

describe('a message', () => {
  test.each(['1', '2'] as const)('with signature version %s is accepted, also as JSON', async (version) => {
    const email = await one();
    expect(
      (await post(make({ Message: sesMessage(email, BOUNCE) }, version), { 'content-type': 'application/json' }))
        .statusCode,
    ).toBe(200);
    expect((await fate(email)).row.status).toBe('BOUNCED');
  });

  test('without a valid signature of SNS has no effect: 403', async () => {
    const email = await one();
    const message = make({ Message: sesMessage(email, BOUNCE) });
    const forged: SnsMessage[] = [
      { ...message, Message: `${message.Message} ` },
      { ...message, SignatureVersion: '1' },
      make({ Message: message.Message, SigningCertURL: sns.certificateUrl.replace('good', 'expired') }),
      make({ Message: message.Message, SigningCertURL: sns.certificateUrl.replace('good', 'garbage') }),
      make({ Message: message.Message, SigningCertURL: 'https://sns.us-east-1.amazonaws.com.evil.test/good.pem' }),
      make({ Message: message.Message, SigningCertURL: sns.certificateUrl.replace('127.0.0.1', 'localhost') }),
    ];
    for (const one of forged) {
      const response = await post(one);
      expect(
        [response.statusCode, response.json<{ error: { code: string } }>().error.code],
        one.SigningCertURL,
      ).toEqual([403, 'FORBIDDEN']);
    }
    expect((await fate(email)).row.status).toBe('SENT');
  });

  test.each([
    ['text', 'text', 400],
    ['an empty body', '', 422],
    ['missing fields', '{"Type":"Notification"}', 422],
    ['an unknown type', JSON.stringify({ ...signed(), Type: 'Other' }), 422],
    ['an invalid time', JSON.stringify({ ...signed(), Timestamp: 'yesterday' }), 422],
    ['other JSON', '[1]', 422],
  ])('with %s is rejected', async (_what, payload, status) => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/webhooks/sns',
      headers: { 'content-type': 'text/plain' },
      payload,
    });
    expect([response.statusCode, response.json<{ success: boolean }>().success]).toEqual([status, false]);
  });

  test('larger than the messages of SNS returns 413', async () => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/webhooks/sns',
      headers: { 'content-type': 'text/plain' },
      payload: JSON.stringify(make({ Message: 'x'.repeat(3_000_000) })),
    });
    expect(response.statusCode).toBe(413);
  });

  test('with the content type text is rejected by other routes', async () => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/v1/send',
      headers: { 'content-type': 'text/plain', authorization: `Bearer ${project.secret}` },
      payload: '{}',
    });
    expect(response.statusCode).toBe(415);
  });
});

describe('a subscription', () => {
  test('is confirmed automatically', async () => {
    expect(
      (
        await post(
          make({
            Type: 'SubscriptionConfirmation',
            Token: 't',
            SubscribeURL: sns.confirmUrl,
            Message: 'You have chosen to subscribe',
          }),
        )
      ).statusCode,
    ).toBe(200);
    expect(sns.requests.map(({ method, url }) => `${method} ${url}`)).toContain(
      'GET /?Action=ConfirmSubscription&Token=t',
    );
  });

  test('is not confirmed at another host or without a signature', async () => {
    for (const message of [
      make({
        Type: 'SubscriptionConfirmation',
        Token: 't',
        SubscribeURL: 'https://evil.test/?Action=ConfirmSubscription',
      }),
      { ...make({ Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL: sns.confirmUrl }), Token: 'other' },
    ]) {
      expect((await post(message)).statusCode).toBe(403);
    }
    expect(sns.requests.filter(({ url }) => url.includes('ConfirmSubscription'))).toEqual([]);
  });

  test('that ends is acknowledged and not restarted', async () => {
    expect(
      (await post(make({ Type: 'UnsubscribeConfirmation', Token: 't', SubscribeURL: sns.confirmUrl }))).statusCode,
    ).toBe(200);
    expect(sns.requests.filter(({ url }) => url.includes('ConfirmSubscription'))).toEqual([]);
  });
});

describe('with SNS_TOPIC_ARNS', () => {
  const listed = useApi({ SNS_API_BASE: sns.origin, SNS_TOPIC_ARNS: ` ${TOPIC} ,arn:aws:sns:eu-west-1:1:other` });

  test('only messages of these topics are accepted, and only their subscriptions are confirmed', async () => {
    const payload = (fields: Partial<SnsMessage>) => ({
      method: 'POST' as const,
      url: '/webhooks/sns',
      headers: { 'content-type': 'text/plain' },
      payload: JSON.stringify(make(fields)),
    });
    expect((await listed.app.inject(payload({}))).statusCode).toBe(200);
    expect((await listed.app.inject(payload({ TopicArn: 'arn:aws:sns:eu-west-1:1:other' }))).statusCode).toBe(200);
    expect((await listed.app.inject(payload({ TopicArn: `${TOPIC}x` }))).statusCode).toBe(403);
    expect(
      (
        await listed.app.inject(
          payload({
            TopicArn: 'arn:aws:sns:us-east-1:666:ses',
            Type: 'SubscriptionConfirmation',
            Token: 't',
            SubscribeURL: sns.confirmUrl,
          }),
        )
      ).statusCode,
    ).toBe(403);
    expect(sns.requests.filter(({ url }) => url.includes('ConfirmSubscription'))).toEqual([]);
  });
});

describe('without SNS_TOPIC_ARNS', () => {
  const lines: string[] = [];
  const logTo = { write: (line: string) => void lines.push(line) };
  const webhookIn = (NODE_ENV: string, fields: Partial<Config> = {}) => {
    lines.splice(0);
    const config = { ...api.ctx.config, SNS_TOPIC_ARNS: undefined, NODE_ENV, ...fields };
    return createSnsWebhook({ ...api.ctx, config, log: pino({ level: 'info' }, logTo) });
  };

  test('production rejects every topic, and logs the variable to set at startup', async () => {
    const webhook = webhookIn('production');
    expect(lines).toEqual([expect.stringContaining('SNS_TOPIC_ARNS')]);
    const messages = [
      make({ Message: sesMessage(await one(), BOUNCE) }),
      make({ Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL: sns.confirmUrl }),
    ];
    for (const message of messages)
      await expect(webhook.receive(message)).rejects.toMatchObject({
        code: 'FORBIDDEN',
        status: 403,
        message: expect.stringContaining('SNS_TOPIC_ARNS'),
      });
    expect(sns.requests).toEqual([]);
  });

  test('production with a list of topics logs nothing at startup', () => {
    webhookIn('production', { SNS_TOPIC_ARNS: TOPIC });
    expect(lines).toEqual([]);
  });

  test('development accepts a topic and warns', async () => {
    const webhook = webhookIn('development');
    expect(lines).toEqual([]);
    await webhook.receive(make({}));
    expect(lines).toEqual([expect.stringMatching(/unlisted topic.*SNS_TOPIC_ARNS/)]);
  });
});

test('a time in the future counts as now', () => {
  const now = new Date('2026-05-05T05:05:05Z');
  const read = readSes(
    JSON.stringify({ eventType: 'Delivery', mail: {}, delivery: { timestamp: '2099-01-01T00:00:00Z' } }),
    now,
  );
  expect(read?.feedback).toEqual({ kind: 'delivered', at: now });
});
