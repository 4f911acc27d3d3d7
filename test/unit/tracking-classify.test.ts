import { describe, expect, it } from 'vitest';
import type { HitEmail, NearbyHit, QueuedHit } from '../../src/domain/tracking/sql.js';
import { classifyHit, classifyRequest, isLocalUrl } from '../../src/domain/tracking/classify.js';

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

const request = (
  agent: string | undefined,
  {
    kind = 'open',
    method = 'GET',
    headers = {},
  }: { kind?: 'open' | 'click'; method?: string; headers?: Record<string, string> } = {},
) => classifyRequest({ kind, method, headers: { 'user-agent': agent, ...headers } });

describe('a request of a person', () => {
  it.each([
    BROWSER,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
    'Mozilla/5.0 (X11; Linux x86_64; rv:102.0) Gecko/20100101 Thunderbird/102.4.2',
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/8.0; .NET4.0C; .NET4.0E; Microsoft Outlook 16.0.4266; ms-office; MSOffice 16)',
    'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.12026; Pro)',
    'Outlook-iOS/711.2620504.prod.iphone (3.34.0)',
    'SamsungEmail/6.1',
    'Airmail 5',
    'Evolution/3.36',
    'Dalvik/2.1.0 (Linux; U; Android 13; SM-G991B Build/TP1A.220624.014)',
  ])('opens with %s', (agent) => {
    expect(request(agent)).toEqual({ machine: false, reason: null });
  });

  it('opens by a proxy that requests images when the mail is opened, with that reason', () => {
    expect(
      request('Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'),
    ).toEqual({ machine: false, reason: 'google_proxy' });
    expect(request('YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html')).toEqual({
      machine: false,
      reason: 'yahoo_proxy',
    });
  });

  it('clicks with a browser', () => {
    expect(request(BROWSER, { kind: 'click' })).toEqual({ machine: false, reason: null });
  });
});

describe('a request of a machine', () => {
  it.each([
    ['apple_privacy', 'Mozilla/5.0'],
    [
      'gmail_prefetch',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0',
    ],
    ['scanner', 'Barracuda Sentinel (EE)'],
    ['scanner', 'Mozilla/5.0 (compatible; Proofpoint URL Defense)'],
    ['scanner', 'Mimecast'],
    ['scanner', 'Mozilla/5.0 SafeLinks'],
    ['bot', 'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b'],
    ['bot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
    [
      'bot',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0 Safari/537.36',
    ],
    ['bot', 'python-requests/2.31.0'],
    ['bot', 'curl/8.5.0'],
    ['bot', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
    ['no_user_agent', ''],
    ['no_user_agent', undefined],
  ])('is detected by its user agent: %s %j', (reason, agent) => {
    expect(request(agent)).toEqual({ machine: true, reason });
  });

  it('is detected by its method and by prefetch headers', () => {
    expect(request(BROWSER, { method: 'HEAD' })).toEqual({ machine: true, reason: 'head' });
    for (const [name, value] of [
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
      ['x-purpose', 'preview'],
      ['x-moz', 'prefetch'],
    ] as const) {
      expect(request(BROWSER, { kind: 'click', headers: { [name]: value } }), name).toEqual({
        machine: true,
        reason: 'prefetch',
      });
    }
  });

  it('is detected by the client of a click: an image proxy, or Office before it opens the browser', () => {
    expect(
      request('Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)', {
        kind: 'click',
      }).machine,
    ).toBe(true);
    expect(request('Mozilla/4.0 (compatible; ms-office; MSOffice 16)', { kind: 'click' }).machine).toBe(true);
  });
});

const SENT = Date.parse('2026-03-01T12:00:00Z');
const at = (ms: number): Date => new Date(SENT + ms);
const sentEmail: HitEmail = { id: 'e', projectId: 'p', ambiguous: false, claimedAt: at(-50), sentAt: at(0) };
const hit = (kind: 'open' | 'click', ms: number, overrides: Partial<QueuedHit> = {}): QueuedHit => ({
  id: `${kind}${ms}`,
  emailId: 'e',
  kind,
  url: kind === 'click' ? 'https://x.test/' : null,
  userAgent: BROWSER,
  ip: '10.0.0.1',
  machine: false,
  reason: null,
  at: at(ms),
  ...overrides,
});
const judge = (one: QueuedHit, email: HitEmail = sentEmail, beside: NearbyHit[] = []) =>
  classifyHit(one, email, beside).reason;

describe('on a local installation', () => {
  it('a script counts as a person at any speed, unless it identifies itself as a machine', () => {
    for (const agent of [
      'curl/8.5.0',
      'node',
      'undici',
      'python-requests/2.31.0',
      'Python-urllib/3.11',
      'axios/1.6.0',
      'acceptance test',
      '',
      undefined,
    ]) {
      for (const kind of ['open', 'click'] as const)
        expect(classifyRequest({ kind, method: 'GET', headers: { 'user-agent': agent }, local: true }), agent).toEqual({
          machine: false,
          reason: 'local_tool',
        });
    }
    for (const [reason, agent, method] of [
      ['head', 'curl/8.5.0', 'HEAD'],
      ['scanner', 'Mimecast', 'GET'],
      ['bot', 'Googlebot/2.1', 'GET'],
      ['bot', 'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/120.0 Safari/537.36', 'GET'],
      ['apple_privacy', 'Mozilla/5.0', 'GET'],
    ] as const) {
      expect(classifyRequest({ kind: 'open', method, headers: { 'user-agent': agent }, local: true })).toEqual({
        machine: true,
        reason,
      });
    }
    // Apple's proxy follows no links.
    expect(
      classifyRequest({ kind: 'click', method: 'GET', headers: { 'user-agent': 'Mozilla/5.0' }, local: true }).machine,
    ).toBe(false);
    expect(classifyHit(hit('click', 10), sentEmail, [], { local: true })).toMatchObject({ machine: false });
  });

  it('a hit before the record of the acceptance counts as one of a person', () => {
    for (const kind of ['open', 'click'] as const) {
      expect(classifyHit(hit(kind, -20), sentEmail, [], { local: true })).toMatchObject({
        machine: false,
        reason: null,
      });
      expect(classifyHit(hit(kind, 20), { ...sentEmail, sentAt: null }, [], { local: true })).toMatchObject({
        machine: false,
        reason: null,
      });
    }
  });

  it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://app.localhost', 'http://[::1]:3000'])(
    'includes links to %s',
    (url) => expect(isLocalUrl(url)).toBe(true),
  );
  it.each([
    'https://mail.example.com',
    'http://10.0.0.5:3000',
    'https://localhost.example.com',
    'https://127.0.0.1.example.com',
    'http://0.0.0.0:3000',
  ])('does not include links to %s', (url) => expect(isLocalUrl(url)).toBe(false));
});

describe('the time of a hit', () => {
  it('before the mail server has accepted the mail identifies a machine', () => {
    expect(judge(hit('open', -20))).toBe('before_sent');
    expect(judge(hit('click', -20))).toBe('before_sent');
    expect(judge(hit('open', 20), { ...sentEmail, sentAt: null })).toBe('before_sent');
    expect(judge(hit('open', -100), { ...sentEmail, sentAt: null })).toBe('before_sent');
  });

  it('is ignored if the record may be late or an earlier attempt may have arrived', () => {
    expect(judge(hit('open', 20_000), { ...sentEmail, sentAt: null })).toBeNull();
    expect(judge(hit('open', 20_000), { ...sentEmail, sentAt: at(60_000) })).toBeNull();
    expect(judge(hit('open', -60_000), { ...sentEmail, ambiguous: true })).toBeNull();
    expect(judge(hit('open', 20), { ...sentEmail, claimedAt: null, sentAt: null, ambiguous: true })).toBeNull();
  });

  it('a click within a second of the delivery is a machine, unless its address has opened the mail', () => {
    expect(judge(hit('click', 999))).toBe('too_fast');
    expect(judge(hit('click', 1000))).toBeNull();
    expect(judge(hit('click', 900), sentEmail, [hit('open', 500)])).toBeNull();
    expect(judge(hit('click', 900), sentEmail, [hit('open', 500, { ip: '10.0.0.2' })])).toBe('too_fast');
    expect(judge(hit('click', 900), sentEmail, [hit('open', 950)])).toBe('too_fast');
    expect(judge(hit('open', 1))).toBeNull();
  });
});

describe('many links of one mail', () => {
  const burst = (times: number[]): QueuedHit[] =>
    times.map((ms, n) => hit('click', ms, { url: `https://x.test/${n}` }));
  const judgeAll = (hits: QueuedHit[]): Array<string | null> =>
    hits.map((one) =>
      judge(
        one,
        sentEmail,
        hits.filter((other) => other !== one),
      ),
    );

  it('within a second identify a machine, including the first click', () => {
    expect(judgeAll(burst([60_000, 60_300, 60_600, 61_000]))).toEqual(['burst', 'burst', 'burst', 'burst']);
  });

  it('count as a person if they are few, slow, or the same link', () => {
    expect(judgeAll(burst([60_000, 60_100, 60_200]))).toEqual([null, null, null]);
    expect(judgeAll(burst([60_000, 60_400, 60_800, 61_200]))).toEqual([null, null, null, null]);
    expect(judgeAll([0, 1, 2, 3, 4, 5].map((n) => hit('click', 60_000 + n)))).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('do not affect a later click', () => {
    expect(judgeAll(burst([58_500, 60_000, 60_100, 60_200, 60_300, 61_500]))).toEqual([
      null,
      'burst',
      'burst',
      'burst',
      'burst',
      null,
    ]);
  });
});

describe('the result of the request itself', () => {
  it('is not changed by the time of the hit', () => {
    expect(judge(hit('open', -20, { machine: true, reason: 'bot' }))).toBe('bot');
    expect(classifyHit(hit('open', 60_000, { reason: 'google_proxy' }), sentEmail, [])).toMatchObject({
      machine: false,
      reason: 'google_proxy',
    });
  });
});
