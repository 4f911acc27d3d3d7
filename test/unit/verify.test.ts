import { describe, expect, test } from 'vitest';
import type { DomainFacts } from '../../src/domain/verify/facts.js';
import { evaluateDomain } from '../../src/domain/verify/verdict.js';
import { loadLists } from '../../src/domain/verify/lists.js';
import { cacheResults } from '../../src/domain/verify/verify.js';
import { suggestDomain } from '../../src/domain/verify/typo.js';

const { wellKnown, isPersonal, isDisposable } = await loadLists();

describe('a typo in a domain', () => {
  const suggest = (domain: string, isEstablished: boolean): string | null =>
    suggestDomain(domain, { wellKnown, isEstablished });

  test.each([
    ['gmial.com', 'gmail.com'],
    ['gmai.com', 'gmail.com'],
    ['gmaill.com', 'gmail.com'],
    ['gnail.com', 'gmail.com'],
    ['gmail.co', 'gmail.com'],
    ['gmail.con', 'gmail.com'],
    ['gmail.cmo', 'gmail.com'],
    ['yaho.com', 'yahoo.com'],
    ['yahooo.com', 'yahoo.com'],
    ['hotmial.com', 'hotmail.com'],
    ['hotmai.com', 'hotmail.com'],
    ['hotmal.co.uk', 'hotmail.co.uk'],
    ['outlok.com', 'outlook.com'],
    ['iclod.com', 'icloud.com'],
    ['protonmal.com', 'protonmail.com'],
  ])('one edit from the largest providers is a typo even of an established domain: %s', (domain, meant) => {
    for (const isEstablished of [true, false]) expect(suggest(domain, isEstablished)).toBe(meant);
  });

  test.each([
    ['gmial.con', 'gmail.com'],
    ['hotmial.co', 'hotmail.com'],
    ['comcst.net', 'comcast.net'],
    ['aol.con', 'aol.com'],
    ['gmx.dee', 'gmx.de'],
    ['orage.fr', 'orange.fr'],
    ['fastmial.com', 'fastmail.com'],
  ])('two edits, or one edit from another provider, are a typo only of an unknown domain: %s', (domain, meant) => {
    expect(suggest(domain, false)).toBe(meant);
    expect(suggest(domain, true)).toBeNull();
  });

  test('the domain of a provider is not a typo', () => {
    for (const domain of wellKnown) expect(suggest(domain, false), domain).toBeNull();
    for (const domain of ['email.com', 'ymail.com', 'mail.com', 'gmx.at', 'yahoo.at', 'live.nl'])
      expect(suggest(domain, false), domain).toBeNull();
  });

  test.each([
    'hp.com',
    'ge.com',
    'ibm.com',
    'example.com',
    'cloud.com',
    'example.test',
    'yahoo.lu',
    'xn--bcher-kva.test',
    'mail.gmial.com',
    'a.b',
  ])('a domain without a similar provider is not a typo: %s', (domain) => {
    expect(suggest(domain, false)).toBeNull();
  });
});

describe('the lists', () => {
  test('providers and disposable domains do not overlap', () => {
    expect(wellKnown.filter(isDisposable)).toEqual([]);
    expect(wellKnown.filter((domain) => !isPersonal(domain))).toEqual([]);
    expect(isPersonal('mailinator.com')).toBe(false);
  });

  test('names in other scripts are found by their ASCII form', () => {
    expect(isPersonal('xn--mllmail-n2a.com')).toBe(true);
  });
});

describe('a domain with incomplete DNS answers', () => {
  const nothing: DomainFacts = { zone: [], mx: [], addresses: [], www: [], alias: [], exchanges: [] };
  const judge = (facts: Partial<DomainFacts>) => evaluateDomain({ ...nothing, ...facts });
  const mx = [{ exchange: 'mail.test', priority: 10 }];

  test('accepts mail by its MX records alone', () => {
    const verdict = judge({ zone: 'timeout', mx, addresses: 'timeout', www: 'timeout' });
    expect(verdict).toMatchObject({
      acceptsMail: true,
      domainExists: true,
      hasMxRecords: true,
      hasWebsite: false,
      isComplete: false,
    });
    expect(verdict.reasons).toEqual([
      'The domain has MX records.',
      'The DNS did not answer in time, so it is unknown whether the domain has a website.',
    ]);
  });

  test('does not accept mail at its address if the MX lookup failed: it may have a null MX', () => {
    const verdict = judge({ zone: ['ns.test'], mx: 'failure', addresses: ['192.0.2.1'] });
    expect(verdict).toMatchObject({
      acceptsMail: null,
      domainExists: true,
      hasMxRecords: false,
      hasWebsite: true,
      isComplete: false,
    });
    expect(verdict.reasons).toEqual([
      "The domain's DNS servers failed to answer (SERVFAIL or similar), so it is unknown whether the domain accepts mail. This counts as not valid.",
    ]);
  });

  test('without MX records needs the lookup of its address', () => {
    expect(judge({ zone: ['ns.test'], addresses: 'timeout' })).toMatchObject({
      acceptsMail: null,
      domainExists: true,
      isComplete: false,
    });
  });

  test('is complete without an answer for its zone', () => {
    expect(judge({ zone: 'timeout', addresses: ['192.0.2.1'] })).toMatchObject({
      acceptsMail: true,
      domainExists: true,
      hasWebsite: true,
      isComplete: true,
    });
  });

  test('does not exist only if all answers are empty', () => {
    expect(judge({})).toMatchObject({ acceptsMail: false, domainExists: false, isComplete: true });
    for (const unknown of [{ zone: 'timeout' }, { mx: 'timeout' }, { addresses: 'failure' }] as const)
      expect(judge(unknown)).toMatchObject({ acceptsMail: null, domainExists: false, isComplete: false });
  });

  test('ignores a null MX among other MX records', () => {
    expect(judge({ mx: [{ exchange: '', priority: 0 }, ...mx] })).toMatchObject({
      acceptsMail: true,
      hasMxRecords: true,
    });
    expect(judge({ zone: ['ns.test'], mx: [{ exchange: '', priority: 0 }], addresses: ['192.0.2.1'] })).toMatchObject({
      acceptsMail: false,
      hasMxRecords: false,
    });
  });

  test('warns about mail servers without an address only if none of them has one', () => {
    const exchanges = (second: DomainFacts['addresses']) =>
      judge({
        mx,
        exchanges: [
          { host: 'a.test', addresses: [] },
          { host: 'b.test', addresses: second },
        ],
      }).reasons.length;
    expect([exchanges([]), exchanges('timeout'), exchanges(['192.0.2.1'])]).toEqual([2, 1, 1]);
  });
});

describe('cached results', () => {
  const counted = (options: { max?: number; ttlMs?: number; fail?: boolean }) => {
    const calls: string[] = [];
    const get = cacheResults(
      async (key) => {
        calls.push(key);
        if (options.fail) throw new Error('no');
        return key.toUpperCase();
      },
      { max: options.max ?? 10, ttlMs: () => options.ttlMs ?? 10_000 },
    );
    return { calls, get };
  };

  test('concurrent calls share a load, and a result without a time to live is loaded again', async () => {
    const { calls, get } = counted({ ttlMs: 0 });
    expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual(['A', 'A', 'B']);
    expect(await get('a')).toBe('A');
    expect(calls).toEqual(['a', 'b', 'a']);
  });

  test('a result is cached for its time to live', async () => {
    const { calls, get } = counted({ ttlMs: 300 });
    await get('a');
    await get('a');
    expect(calls).toEqual(['a']);
    await expect.poll(() => get('a').then(() => calls.length)).toBe(2);
  });

  test('the least recently used results are evicted', async () => {
    const { calls, get } = counted({ max: 2 });
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await get(key);
    expect(calls).toEqual(['a', 'b', 'c', 'a']);
  });

  test('a failure rejects all waiting calls and is not cached', async () => {
    const { calls, get } = counted({ fail: true });
    expect((await Promise.allSettled([get('a'), get('a')])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    await expect(get('a')).rejects.toThrow('no');
    expect(calls).toEqual(['a', 'a']);
  });
});
