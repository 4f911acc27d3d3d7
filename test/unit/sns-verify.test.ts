/** The signature of SNS messages, and the URLs that they may contain. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { certificateUrl, pinnedUrl, signedText, type SnsMessage } from '../../src/domain/feedback/sns-message.js';
import { createSnsClient } from '../../src/domain/feedback/sns-verify.js';
import { EXPIRED_CERTIFICATE, signed, SNS_CERTIFICATE } from '../helpers/sns.js';

/** A client with a fake network. */
function client(
  answer: (url: string, init?: RequestInit) => Promise<Response> | Response = () => new Response(SNS_CERTIFICATE),
) {
  const asked: string[] = [];
  const fake: typeof fetch = async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    asked.push(url);
    return answer(url, init);
  };
  return { asked, ...createSnsClient({ fetch: fake }) };
}

const refused = { code: 'FORBIDDEN', status: 403 };
const later = { code: 'SERVICE_UNAVAILABLE', status: 503 };

describe('the signature', () => {
  test.each(['1', '2'] as const)('of version %s is valid with and without a subject', async (version) => {
    const { verify } = client();
    await verify(signed({}, version));
    await verify(signed({ Subject: 'Amazon SES Email Event Notification' }, version));
    await verify(signed({ Subject: null }, version));
    await verify(
      signed(
        {
          Type: 'SubscriptionConfirmation',
          Token: 't',
          SubscribeURL: 'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription',
        },
        version,
      ),
    );
  });

  test('covers every field: a message with one changed field is rejected', async () => {
    const { verify } = client();
    const notification = signed({ Subject: 's' });
    const confirmation = signed({
      Type: 'UnsubscribeConfirmation',
      Token: 't',
      SubscribeURL: 'https://sns.us-east-1.amazonaws.com/?a=b',
    });
    const changes: Array<[SnsMessage, Partial<SnsMessage>]> = [
      ...(['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn'] as const).map(
        (name): [SnsMessage, Partial<SnsMessage>] => [notification, { [name]: 'other' }],
      ),
      ...(['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn'] as const).map(
        (name): [SnsMessage, Partial<SnsMessage>] => [confirmation, { [name]: 'other' }],
      ),
      [notification, { Type: 'SubscriptionConfirmation' }],
      [confirmation, { Type: 'SubscriptionConfirmation' }],
      [notification, { Subject: undefined }],
      [notification, { Signature: 'AAAA' }],
      [notification, { Signature: 'no base64 at all' }],
    ];
    for (const [message, change] of changes)
      await expect(verify({ ...message, ...change }), JSON.stringify(change)).rejects.toMatchObject(refused);
    await verify(notification);
  });

  test('of one version is invalid for the other version and for unknown versions', async () => {
    const { verify } = client();
    await expect(verify({ ...signed({}, '1'), SignatureVersion: '2' })).rejects.toMatchObject(refused);
    await expect(verify({ ...signed({}, '2'), SignatureVersion: '1' })).rejects.toMatchObject(refused);
    for (const version of ['0', '3', '', 'sha256'])
      await expect(verify({ ...signed(), SignatureVersion: version })).rejects.toMatchObject(refused);
  });

  test('of another key is rejected', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const message = signed();
    await expect(
      client().verify({
        ...message,
        Signature: sign('sha256', Buffer.from(signedText(message)), privateKey).toString('base64'),
      }),
    ).rejects.toMatchObject(refused);
  });
});

describe('the address of the certificate', () => {
  const good = [
    'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem',
    'https://sns.eu-central-1.amazonaws.com/a.pem',
    'https://sns.cn-north-1.amazonaws.com.cn/a.pem',
    'https://sns.us-gov-west-1.amazonaws.com/a.pem',
    'https://SNS.us-east-1.amazonaws.com:443/a.pem',
  ];
  const bad = [
    'http://sns.us-east-1.amazonaws.com/a.pem',
    'https://sns.us-east-1.amazonaws.com.evil.test/a.pem',
    'https://evil.test/sns.us-east-1.amazonaws.com/a.pem',
    'https://sns.us-east-1.amazonaws.com@evil.test/a.pem',
    'https://user:pass@sns.us-east-1.amazonaws.com/a.pem',
    'https://xsns.us-east-1.amazonaws.com/a.pem',
    'https://sns.us-east-1.amazonaws.com:8443/a.pem',
    'https://sns.us-east-1.x.amazonaws.com/a.pem',
    'https://sns.amazonaws.com/a.pem',
    'https://s3.amazonaws.com/bucket/a.pem',
    'https://sns.us-east-1.amazonaws.com/a.pem?x=1',
    'https://sns.us-east-1.amazonaws.com/?Action=GetTopic&x=a.pem',
    'https://sns.us-east-1.amazonaws.com/a/b.pem',
    'https://sns.us-east-1.amazonaws.com/a.txt',
    'https://sns.us-east-1.amazonaws.com/',
    'https://127.0.0.1/a.pem',
    'file:///etc/a.pem',
    '//sns.us-east-1.amazonaws.com/a.pem',
    'a.pem',
    '',
  ];

  test.each(good)('may be %s', async (url) => {
    expect(certificateUrl(url)).not.toBeNull();
    await client().verify(signed({ SigningCertURL: url }));
  });

  test.each(bad)('must not be %s, which is not requested', async (url) => {
    const { asked, verify } = client();
    await expect(verify(signed({ SigningCertURL: url }))).rejects.toMatchObject(refused);
    expect(asked).toEqual([]);
  });

  test('must have the configured origin if SNS_API_BASE replaces SNS', () => {
    const base = 'http://127.0.0.1:4566';
    expect(certificateUrl('http://127.0.0.1:4566/a.pem', base)).not.toBeNull();
    for (const url of [
      good[0] ?? '',
      'http://127.0.0.1:4567/a.pem',
      'https://127.0.0.1:4566/a.pem',
      'http://u@127.0.0.1:4566/a.pem',
    ])
      expect(pinnedUrl(url, base), url).toBeNull();
  });
});

describe('the certificate', () => {
  test('is fetched once for many concurrent messages', async () => {
    const { asked, verify } = client();
    await Promise.all(Array.from({ length: 20 }, () => verify(signed())));
    await verify(signed());
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['has expired', () => new Response(EXPIRED_CERTIFICATE)],
    ['is not a certificate', () => new Response('-----BEGIN CERTIFICATE-----\nxxxx\n-----END CERTIFICATE-----')],
    ['is not there', () => new Response('', { status: 404 })],
    [
      'is elsewhere, by a redirect',
      () => new Response(SNS_CERTIFICATE, { status: 302, headers: { location: 'https://evil.test/a.pem' } }),
    ],
  ])('that %s is rejected and not requested again for a while', async (_what, answer) => {
    const { asked, verify } = client(answer);
    for (let i = 0; i < 3; i++) await expect(verify(signed())).rejects.toMatchObject(refused);
    expect(asked).toHaveLength(1);
  });

  test.each<[string, () => Promise<Response> | Response]>([
    ['does not answer', () => Promise.reject(new TypeError('fetch failed'))],
    ['fails', () => new Response('', { status: 503 })],
    ['sends more than a certificate is long', () => new Response(SNS_CERTIFICATE.padEnd(100_000))],
  ])('of a server that %s is requested again with the next message', async (_what, answer) => {
    let isUp = false;
    const { verify } = client(() => (isUp ? new Response(SNS_CERTIFICATE) : answer()));
    await expect(verify(signed())).rejects.toMatchObject(later);
    isUp = true;
    await verify(signed());
  });

  test('is requested with a timeout and without redirects', async () => {
    let given: RequestInit | undefined;
    const { verify } = client((_url, init) => {
      given = init;
      return new Response(SNS_CERTIFICATE);
    });
    await verify(signed());
    expect(given).toMatchObject({ redirect: 'manual', signal: expect.any(AbortSignal) });
  });

  test('a flood of forged names has at most five requests in flight', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { asked, verify } = client(async () => {
      await held;
      return new Response('', { status: 404 });
    });
    const all = Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        verify(signed({ SigningCertURL: `https://sns.us-east-1.amazonaws.com/${i}.pem` })),
      ),
    );
    await expect(Promise.race([all, new Promise((resolve) => setImmediate(() => resolve('waiting')))])).resolves.toBe(
      'waiting',
    );
    expect(asked).toHaveLength(5);
    release();
    await all;
  });
});

describe('a subscription', () => {
  const confirmation = (SubscribeURL?: string) =>
    signed({ Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL });

  test('is confirmed by a request to its URL', async () => {
    const { asked, confirm } = client();
    const url = 'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=a&Token=t';
    await confirm(confirmation(url));
    expect(asked).toEqual([url]);
  });

  test.each([
    'https://evil.test/?Action=ConfirmSubscription',
    'http://sns.us-east-1.amazonaws.com/?a',
    'http://169.254.169.254/latest',
    '',
    undefined,
  ])('is not confirmed at %s', async (url) => {
    const { asked, confirm } = client();
    await expect(confirm(confirmation(url))).rejects.toMatchObject(refused);
    expect(asked).toEqual([]);
  });

  test('that SNS does not confirm is retried', async () => {
    await expect(
      client(() => new Response('', { status: 500 })).confirm(confirmation('https://sns.us-east-1.amazonaws.com/?a')),
    ).rejects.toMatchObject(later);
  });
});
