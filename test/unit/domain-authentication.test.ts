/** What a domain lacks for bulk email, by its stored records. */
import { describe, expect, test } from 'vitest';
import { adviceFor, findMissingRecords } from '../../src/domain/domains/authentication.js';
import { compareRecords } from '../../src/domain/domains/compare.js';
import { expectedRecords } from '../../src/domain/domains/records.js';

const expected = expectedRecords({ domain: 'a.test', selector: 's', publicKey: 'MIIB', host: 'mail.sender.example' });
const DMARC = 'v=DMARC1; p=none;';
const OUR_SPF = 'v=spf1 a:mail.sender.example ~all';

const checked = ({ spf = [], dmarc = [], returnPath = [] }: { [name: string]: string[] }) => ({
  records: compareRecords(expected, [['v=DKIM1; p=MIIB'], spf, dmarc, returnPath]).records,
  lastCheckedAt: new Date(),
});

describe('the missing records of a domain', () => {
  test.each([
    ['none published', {}, ['SPF', 'DMARC']],
    ['only SPF', { spf: [OUR_SPF] }, ['DMARC']],
    ['only DMARC', { dmarc: [DMARC] }, ['SPF']],
    ['both', { spf: [OUR_SPF], dmarc: [DMARC] }, []],
    ['the SPF policy of another host', { spf: ['v=spf1 include:relay.example -all', 'other'], dmarc: [DMARC] }, []],
    // A permanent error, even if one of them names our host (RFC 7208, section 4.5).
    ['two SPF policies', { spf: [OUR_SPF, 'v=spf1 -all'], dmarc: [DMARC] }, ['SPF']],
    ['a text that only resembles SPF', { spf: ['v=spf10 all'], dmarc: [DMARC] }, ['SPF']],
    ['two DMARC policies', { spf: [OUR_SPF], dmarc: [DMARC, 'v=DMARC1; p=reject'] }, ['DMARC']],
    ['an invalid DMARC policy', { spf: [OUR_SPF], dmarc: ['v=DMARC1; rua=mailto:a@a.test'] }, ['DMARC']],
  ])('with %s', (_, answers, missing) => {
    expect(findMissingRecords(checked(answers), { hasReturnPaths: false })).toEqual(missing);
  });

  test('do not include SPF if emails use a verified return path', () => {
    const domain = checked({ returnPath: ['mail.sender.example'] });
    expect(findMissingRecords(domain, { hasReturnPaths: true })).toEqual(['DMARC']);
    expect(findMissingRecords(domain, { hasReturnPaths: false })).toEqual(['SPF', 'DMARC']);
    expect(findMissingRecords(checked({ returnPath: ['x.test'] }), { hasReturnPaths: true })).toContain('SPF');
  });

  test('are unknown before the first check, and for records that were never looked up', () => {
    expect(findMissingRecords({ records: expected, lastCheckedAt: null }, { hasReturnPaths: false })).toEqual([]);
    expect(findMissingRecords({ records: [], lastCheckedAt: new Date() }, { hasReturnPaths: false })).toEqual([]);
  });

  test('are the advice for DMARC', () => {
    expect(adviceFor({ domain: 'a.test', ...checked({}) }).map(({ code }) => code)).toEqual(['dmarc_missing']);
    expect(adviceFor({ domain: 'a.test', ...checked({ dmarc: [DMARC] }) })).toEqual([]);
  });
});
