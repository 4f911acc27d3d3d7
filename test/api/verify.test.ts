/** `POST /v1/verify` against a real DNS server, which has only names under `.test`. */
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useApi, type TestProject } from '../helpers/api.js';
import { startZone } from '../helpers/dns.js';

const zone = await startZone();
const api = useApi({ DNS_SERVERS: zone.server });
let project: TestProject;

beforeAll(async () => {
  project = await api.project();
});
beforeEach(() => zone.clear());
afterAll(() => zone.stop());

interface Verification {
  email: string;
  valid: boolean;
  isDisposable: boolean;
  isAlias: boolean;
  isTypo: boolean;
  isPlusAddressed: boolean;
  isPersonalEmail: boolean;
  domainExists: boolean;
  hasWebsite: boolean;
  hasMxRecords: boolean;
  reasons: string[];
}

const post = (email: unknown, headers?: Record<string, string>) =>
  api.as(project, 'POST', '/v1/verify', { email }, headers);
const verify = async (email: string): Promise<Verification> => {
  const response = await post(email);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ data: Verification }>().data;
};

/** Returns a domain without a cached result. */
let counter = 0;
const newName = (): string => `v${++counter}.test`;
interface Entry {
  type: string;
  value: string;
  priority?: number;
  /** Returns a name below the domain. */
  below?: string;
}
const publish = (domain: string, ...entries: Entry[]): string => {
  zone.publish(
    entries.map(({ below, ...entry }) => ({ ...entry, name: below === undefined ? domain : `${below}.${domain}` })),
  );
  return domain;
};
const A: Entry = { type: 'A', value: '192.0.2.1' };
const NS: Entry = { type: 'NS', value: 'ns.test' };
/** Returns a domain with a zone, mail, and a website, as most have. */
const usual = (domain = newName()): string =>
  publish(
    domain,
    NS,
    { type: 'SOA', value: 'ns.test' },
    A,
    { type: 'MX', value: `mail.${domain}` },
    { ...A, below: 'mail' },
    { ...A, below: 'www' },
  );
const withRecords = (...entries: Entry[]): string => publish(newName(), ...entries);

const DNS_FIELDS = ['valid', 'domainExists', 'hasWebsite', 'hasMxRecords'] as const;
const dnsFields = (result: Verification): string => DNS_FIELDS.filter((field) => result[field]).join(' ');

describe('POST /v1/verify', () => {
  test('returns { success, data } with every field of the result', async () => {
    const domain = usual();
    const response = await post(`ada@${domain}`);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      success: true,
      data: {
        email: `ada@${domain}`,
        valid: true,
        isDisposable: false,
        isAlias: false,
        isTypo: false,
        isPlusAddressed: false,
        isPersonalEmail: false,
        domainExists: true,
        hasWebsite: true,
        hasMxRecords: true,
        reasons: ['The domain has MX records.'],
      },
    });
    expect(response.headers['ratelimit-remaining']).toMatch(/^\d+$/);
  });

  test('accepts the secret key; the public key, a wrong key, and none return 401 INVALID_API_KEY', async () => {
    const keys = [`Bearer ${project.public}`, `Bearer sk_${'0'.repeat(64)}`, 'Bearer x', ''];
    for (const authorization of keys) {
      const response = await post('ada@x.test', { authorization });
      expect([response.statusCode, response.json().error.code], authorization).toEqual([401, 'INVALID_API_KEY']);
    }
  });

  test.each([
    ['no address', 'ada', 'invalid_string'],
    ['no domain', 'ada@', 'invalid_string'],
    ['no local part', '@x.test', 'invalid_string'],
    ['two at signs', 'a@b@x.test', 'invalid_string'],
    ['a domain of one label', 'ada@localhost', 'invalid_string'],
    ['an empty label', 'ada@x..test', 'invalid_string'],
    ['two dots in a row', 'a..b@x.test', 'invalid_string'],
    ['a blank', 'a b@x.test', 'invalid_string'],
    ['a display name', 'Ada <ada@x.test>', 'invalid_string'],
    ['an IP address for a domain', 'ada@192.0.2.1', 'invalid_string'],
    ['a local part of 65 characters', `${'a'.repeat(65)}@x.test`, 'invalid_string'],
    ['255 characters', `a@${'b.'.repeat(125)}test`, 'too_big'],
    ['an empty text', '', 'invalid_string'],
    ['NUL', 'a\0b@x.test', 'invalid_string'],
    ['nothing', undefined, 'required'],
    ['null', null, 'invalid_type'],
    ['a number', 7, 'invalid_type'],
    ['a list', ['ada@x.test'], 'invalid_type'],
  ])('%s returns 422 VALIDATION_ERROR for the field email', async (_what, email, code) => {
    const response = await post(email);
    expect(response.statusCode, response.body).toBe(422);
    expect(response.json().error).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ field: 'email', code }] });
  });

  test('email is returned trimmed and lowercased, with its domain in ASCII, which the DNS lookup uses', async () => {
    usual('xn--bcher-kva.test');
    expect(await verify('  Ada.L@BÜCHER.test ')).toMatchObject({ email: 'ada.l@xn--bcher-kva.test', valid: true });
  });
});

describe('valid, domainExists, hasMxRecords and hasWebsite', () => {
  test('a domain that does not exist has none of them', async () => {
    const result = await verify(`ada@${newName()}`);
    expect(dnsFields(result)).toBe('');
    expect(result.reasons).toEqual(['The domain does not exist: it has no DNS records.']);
  });

  test('without MX records, a domain receives mail at its own address (RFC 5321), IPv4 or IPv6', async () => {
    for (const address of [A, { type: 'AAAA', value: '2001:db8::1' }]) {
      const result = await verify(`ada@${withRecords(address)}`);
      expect(dnsFields(result)).toBe('valid domainExists hasWebsite');
      expect(result.reasons).toEqual(['The domain has no MX records, but accepts mail at its address (RFC 5321).']);
    }
  });

  test('a null MX (RFC 7505) does not accept mail and does not count as an MX record, with any address', async () => {
    const result = await verify(`ada@${withRecords(NS, A, { type: 'MX', value: '.', priority: 0 })}`);
    expect(dnsFields(result)).toBe('domainExists hasWebsite');
    expect(result.reasons).toEqual(['The domain does not accept mail: it has a null MX record (RFC 7505).']);
  });

  test.each(['NS', 'SOA'])('a domain with only %s exists, and receives no mail', async (type) => {
    const result = await verify(`ada@${withRecords({ type, value: 'ns.test' })}`);
    expect(dnsFields(result)).toBe('domainExists');
    expect(result.reasons).toEqual(['The domain does not accept mail: it has neither MX records nor an address.']);
  });

  test('a domain with only MX records receives mail and has no website', async () => {
    const domain = withRecords({ type: 'MX', value: 'mail.v.test' });
    publish('mail.v.test', A);
    expect(dnsFields(await verify(`ada@${domain}`))).toBe('valid domainExists hasMxRecords');
  });

  test('an address of www. is a website, and receives no mail', async () => {
    expect(dnsFields(await verify(`ada@${withRecords(NS, { ...A, below: 'www' })}`))).toBe('domainExists hasWebsite');
  });

  test('records of other types and subdomains do not make a domain exist', async () => {
    expect(
      dnsFields(await verify(`ada@${withRecords({ type: 'TXT', value: 'v=spf1 -all' }, { ...A, below: 'mail' })}`)),
    ).toBe('');
  });

  test('an alias (CNAME) is followed', async () => {
    const target = usual();
    expect(dnsFields(await verify(`ada@${withRecords({ type: 'CNAME', value: target })}`))).toBe(
      'valid domainExists hasWebsite hasMxRecords',
    );
  });

  test('an alias (CNAME) without a target does not exist', async () => {
    const result = await verify(`ada@${withRecords({ type: 'CNAME', value: 'gone.test' })}`);
    expect(dnsFields(result)).toBe('');
    expect(result.reasons).toEqual([
      'The domain does not exist: it is an alias (CNAME) of gone.test, which has no records.',
    ]);
  });

  test('MX records without a reachable host count as MX records, and reasons warn', async () => {
    const result = await verify(
      `ada@${withRecords(NS, { type: 'MX', value: 'mx1.gone.test', priority: 5 }, { type: 'MX', value: 'mx2.gone.test' })}`,
    );
    expect(dnsFields(result)).toBe('valid domainExists hasMxRecords');
    expect(result.reasons).toEqual([
      'The domain has MX records.',
      'The mail servers of the domain have no address (mx1.gone.test, mx2.gone.test). Mail to it will probably bounce.',
    ]);
  });

  test('one mail server with an address is enough', async () => {
    publish('mx3.here.test', { type: 'AAAA', value: '2001:db8::1' });
    expect(
      (
        await verify(
          `ada@${withRecords({ type: 'MX', value: 'mx1.gone.test', priority: 5 }, { type: 'MX', value: 'mx3.here.test' })}`,
        )
      ).reasons,
    ).toEqual(['The domain has MX records.']);
  });

  test('an MX record with an IP address counts as an MX record, and reasons warn', async () => {
    const result = await verify(`ada@${withRecords(NS, { type: 'MX', value: '192.0.2.1' })}`);
    expect(dnsFields(result)).toBe('valid domainExists hasMxRecords');
    expect(result.reasons).toEqual([
      'The domain has MX records.',
      'An MX record must name a host, but 192.0.2.1 is an IP address. Many servers do not deliver to it.',
    ]);
  });
});

describe('a DNS that does not respond', () => {
  const timed = async (email: string): Promise<{ result: Verification; ms: number }> => {
    const start = performance.now();
    const result = await verify(email);
    return { result, ms: performance.now() - start };
  };

  test('a DNS server that never responds makes an address invalid within 5 seconds, with a reason', async () => {
    zone.become('silent');
    const { result, ms } = await timed(`ada@${usual()}`);
    expect(ms).toBeLessThan(5000);
    expect(dnsFields(result)).toBe('');
    expect(result.reasons).toEqual([
      'The DNS did not answer in time, so it is unknown whether the domain exists. This counts as not valid.',
    ]);
  });

  test('a server that fails (SERVFAIL) differs from a name that does not exist', async () => {
    zone.become('failing');
    const { result } = await timed(`ada@${usual()}`);
    expect(dnsFields(result)).toBe('');
    expect(result.reasons).toEqual([
      "The domain's DNS servers failed to answer (SERVFAIL or similar), so it is unknown whether the domain exists. This counts as not valid.",
    ]);
  });

  test('an incomplete result is not cached: the next request looks up again', async () => {
    const domain = usual();
    zone.become('failing', domain);
    expect((await verify(`ada@${domain}`)).valid).toBe(false);
    zone.become('normal', domain);
    expect((await verify(`ada@${domain}`)).valid).toBe(true);
  });

  test('an unanswered lookup delays the response by less than 5 seconds and hides no other result', async () => {
    const domain = publish(newName(), NS, { type: 'MX', value: 'silent.test' });
    zone.become('silent', 'silent.test');
    zone.become('silent', `www.${domain}`);
    const { result, ms } = await timed(`ada@${domain}`);
    expect(ms).toBeLessThan(5000);
    expect(dnsFields(result)).toBe('valid domainExists hasMxRecords');
    expect(result.reasons).toEqual([
      'The domain has MX records.',
      'The DNS did not answer in time, so it is unknown whether the domain has a website.',
    ]);
  });

  test('one lost packet is repeated', async () => {
    const domain = usual();
    zone.become('silent', domain);
    const answer = verify(`ada@${domain}`);
    await expect.poll(() => zone.asked(domain)).toBeGreaterThan(0);
    zone.become('normal', domain);
    expect(dnsFields(await answer)).toBe('valid domainExists hasWebsite hasMxRecords');
  });

  test('concurrent requests for a domain share its lookups, and the result is cached', async () => {
    const domain = usual();
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => verify(`a${index}@${domain}`)));
    expect(results.every(({ valid }) => valid)).toBe(true);
    // NS, SOA, MX, A and AAAA.
    expect(zone.asked(domain)).toBe(5);
    expect((await verify(`again@${domain}`)).valid).toBe(true);
    expect(zone.asked(domain)).toBe(5);
  });
});

describe('the lists', () => {
  test.each(['mailinator.com', 'guerrillamail.com', 'yopmail.com', 'MAILINATOR.com', 'anything.mailinator.com'])(
    'isDisposable: %s',
    async (domain) => {
      const result = await verify(`ada@${domain}`);
      expect(result).toMatchObject({ isDisposable: true, isPersonalEmail: false, isAlias: false, isTypo: false });
      expect(result.reasons).toContain('The domain belongs to a service of disposable addresses.');
    },
  );

  test.each(['gmail.com', 'notmailinator.test', 'mailinator.com.test', 'com.test'])(
    'not isDisposable: %s',
    async (domain) => {
      expect((await verify(`ada@${domain}`)).isDisposable).toBe(false);
    },
  );

  test.each([
    'privaterelay.appleid.com',
    'duck.com',
    'mozmail.com',
    'ada.mozmail.com',
    'simplelogin.com',
    'passmail.net',
    'ada.anonaddy.com',
  ])('isAlias: %s', async (domain) => {
    const result = await verify(`ada@${domain}`);
    expect(result).toMatchObject({ isAlias: true, isDisposable: false, isPersonalEmail: false, isTypo: false });
    expect(result.reasons).toContain('The domain belongs to a service that forwards to other mailboxes.');
  });

  test.each(['icloud.com', 'appleid.com', 'proton.me', 'duck.com.test'])('not isAlias: %s', async (domain) => {
    expect((await verify(`ada@${domain}`)).isAlias).toBe(false);
  });

  test.each([
    'gmail.com',
    'googlemail.com',
    'outlook.de',
    'yahoo.co.uk',
    'icloud.com',
    'proton.me',
    'gmx.ch',
    'web.de',
    'qq.com',
    'tuta.com',
  ])('isPersonalEmail: %s', async (domain) => {
    const result = await verify(`ada@${domain}`);
    expect(result).toMatchObject({ isPersonalEmail: true, isDisposable: false, isTypo: false });
    expect(result.reasons).toContain('The domain belongs to a provider of personal mailboxes.');
  });

  test.each(['example.com', 'ibm.com', 'mail.gmail.com', 'gmail.com.test'])(
    'not isPersonalEmail: %s',
    async (domain) => {
      expect((await verify(`ada@${domain}`)).isPersonalEmail).toBe(false);
    },
  );

  test('isTypo: a typo of a provider, and reasons contain the probable address', async () => {
    const result = await verify('ada+news@gmial.com');
    expect(result).toMatchObject({ isTypo: true, isPersonalEmail: false });
    expect(result.reasons).toContain('The domain may contain a typo: ada+news@gmail.com may be meant.');
  });

  test('isTypo: a domain similar to a smaller provider is a typo only if it receives no mail', async () => {
    expect(await verify('ada@charter.test')).toMatchObject({
      isTypo: true,
      valid: false,
      reasons: expect.arrayContaining(['The domain may contain a typo: ada@charter.net may be meant.']),
    });
    expect(await verify(`ada@${usual('comcast.test')}`)).toMatchObject({ isTypo: false, valid: true });
    zone.become('failing', 'verizon.test');
    expect(await verify('ada@verizon.test')).toMatchObject({ isTypo: false, valid: false });
  });

  test('isPlusAddressed: a tag after a name', async () => {
    const domain = usual();
    expect(await verify(`ada+news@${domain}`)).toMatchObject({
      isPlusAddressed: true,
      valid: true,
      reasons: ['The domain has MX records.', 'The address has a plus tag.'],
    });
    for (const local of ['ada', 'ada-news', '+ada'])
      expect((await verify(`${local}@${domain}`)).isPlusAddressed, local).toBe(false);
  });
});
