import { describe, expect, test, vi } from 'vitest';
import type { DomainFacts } from '../../src/domain/verify/facts.js';
import { judgeDomain } from '../../src/domain/verify/judge.js';
import { loadLists } from '../../src/domain/verify/lists.js';
import { remember } from '../../src/domain/verify/remember.js';
import { suggestDomain } from '../../src/domain/verify/typo.js';

const { wellKnown, isPersonal, isDisposable } = await loadLists();

describe('a misspelt domain', () => {
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
  ])('one slip from the largest providers is one whatever speaks for it: %s', (domain, meant) => {
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
  ])('two slips, or one from another provider, are one only where nothing speaks for it: %s', (domain, meant) => {
    expect(suggest(domain, false)).toBe(meant);
    expect(suggest(domain, true)).toBeNull();
  });

  test('the domain of a provider is none', () => {
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
  ])('no provider is near: %s', (domain) => {
    expect(suggest(domain, false)).toBeNull();
  });
});

describe('the lists', () => {
  test('a provider is not disposable, and a disposable domain no provider', () => {
    expect(wellKnown.filter(isDisposable)).toEqual([]);
    expect(wellKnown.filter((domain) => !isPersonal(domain))).toEqual([]);
    expect(isPersonal('mailinator.com')).toBe(false);
  });

  test('names of other scripts are found by their ASCII form', () => {
    expect(isPersonal('xn--mllmail-n2a.com')).toBe(true);
  });
});

describe('judging a domain of which the DNS said only a part', () => {
  const nothing: DomainFacts = { zone: [], mx: [], addresses: [], www: [], alias: [], exchanges: [] };
  const judge = (facts: Partial<DomainFacts>) => judgeDomain({ ...nothing, ...facts });
  const mx = [{ exchange: 'mail.test', priority: 10 }];

  test('MX records are enough', () => {
    const verdict = judge({ zone: 'timeout', mx, addresses: 'timeout', www: 'timeout' });
    expect(verdict).toMatchObject({
      takesMail: true,
      domainExists: true,
      hasMxRecords: true,
      hasWebsite: false,
      isComplete: false,
    });
    expect(verdict.reasons).toEqual([
      'The domain has MX records.',
      'The DNS did not answer in time, so it is not known whether the domain has a website.',
    ]);
  });

  test('without word of MX records an address proves nothing: there may be a null MX', () => {
    const verdict = judge({ zone: ['ns.test'], mx: 'failure', addresses: ['192.0.2.1'] });
    expect(verdict).toMatchObject({
      takesMail: null,
      domainExists: true,
      hasMxRecords: false,
      hasWebsite: true,
      isComplete: false,
    });
    expect(verdict.reasons).toEqual([
      "The domain's DNS servers failed to answer (SERVFAIL or the like), so it is not known whether the domain takes mail; that counts as not valid.",
    ]);
  });

  test('without MX records it depends on the address', () => {
    expect(judge({ zone: ['ns.test'], addresses: 'timeout' })).toMatchObject({
      takesMail: null,
      domainExists: true,
      isComplete: false,
    });
  });

  test('an address alone may be missing without harm', () => {
    expect(judge({ zone: 'timeout', addresses: ['192.0.2.1'] })).toMatchObject({
      takesMail: true,
      domainExists: true,
      hasWebsite: true,
      isComplete: true,
    });
  });

  test('a domain does not exist only when every answer says so', () => {
    expect(judge({})).toMatchObject({ takesMail: false, domainExists: false, isComplete: true });
    for (const unknown of [{ zone: 'timeout' }, { mx: 'timeout' }, { addresses: 'failure' }] as const)
      expect(judge(unknown)).toMatchObject({ takesMail: null, domainExists: false, isComplete: false });
  });

  test('a null MX beside other MX records does not count', () => {
    expect(judge({ mx: [{ exchange: '', priority: 0 }, ...mx] })).toMatchObject({
      takesMail: true,
      hasMxRecords: true,
    });
    expect(judge({ zone: ['ns.test'], mx: [{ exchange: '', priority: 0 }], addresses: ['192.0.2.1'] })).toMatchObject({
      takesMail: false,
      hasMxRecords: false,
    });
  });

  test('mail servers are said to have no address only when all that were asked for certainly have none', () => {
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

describe('remembered results', () => {
  const counted = (options: { max?: number; keepMs?: number; fail?: boolean }) => {
    const calls: string[] = [];
    const get = remember(
      async (key) => {
        calls.push(key);
        if (options.fail) throw new Error('no');
        return key.toUpperCase();
      },
      { max: options.max ?? 10, keepMs: () => options.keepMs ?? 1000 },
    );
    return { calls, get };
  };

  test('a load that is under way is shared, and one whose result is not kept happens again', async () => {
    const { calls, get } = counted({ keepMs: 0 });
    expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual(['A', 'A', 'B']);
    expect(await get('a')).toBe('A');
    expect(calls).toEqual(['a', 'b', 'a']);
  });

  test('a result is kept for its time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { calls, get } = counted({ keepMs: 1000 });
      await get('a');
      vi.advanceTimersByTime(999);
      await get('a');
      expect(calls).toEqual(['a']);
      vi.advanceTimersByTime(1);
      await get('a');
      expect(calls).toEqual(['a', 'a']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('more than the most push out the oldest', async () => {
    const { calls, get } = counted({ max: 2 });
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await get(key);
    expect(calls).toEqual(['a', 'b', 'c', 'a']);
  });

  test('a failure is given to all who wait, and forgotten', async () => {
    const { calls, get } = counted({ fail: true });
    expect((await Promise.allSettled([get('a'), get('a')])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ]);
    await expect(get('a')).rejects.toThrow('no');
    expect(calls).toEqual(['a', 'a']);
  });
});
