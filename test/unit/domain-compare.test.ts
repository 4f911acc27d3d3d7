import { describe, expect, test } from 'vitest';
import { compareRecords } from '../../src/domain/domains/compare.js';
import { sendingHost } from '../../src/address.js';
import { expectedRecords } from '../../src/domain/domains/records.js';

const KEY = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7/+x9==';
const records = expectedRecords({
  domain: 'example.com',
  selector: 'sl1',
  publicKey: KEY,
  host: 'mail.sender.example',
});
const NONE: string[] = [];

const dkim = (...found: string[]) => compareRecords(records, [found, NONE, NONE, NONE]);
const statuses = (answers: Array<string[] | null>) =>
  compareRecords(records, answers).records.map((record) => record.status);

test('a domain has DKIM, SPF, DMARC, and return path records, and only DKIM is required', () => {
  expect(
    records.map(({ type, name, value, purpose, required, status }) => [type, name, value, purpose, required, status]),
  ).toEqual([
    ['TXT', 'sl1._domainkey.example.com', `v=DKIM1; k=rsa; p=${KEY}`, 'DKIM', true, 'PENDING'],
    ['TXT', 'example.com', 'v=spf1 a:mail.sender.example ~all', 'SPF', false, 'PENDING'],
    ['TXT', '_dmarc.example.com', 'v=DMARC1; p=none;', 'DMARC', false, 'PENDING'],
    ['CNAME', 'bounces.example.com', 'mail.sender.example', 'RETURN_PATH', false, 'PENDING'],
  ]);
});

test.each([
  ['https://mail.example.com/x', 'mail.example.com'],
  ['http://127.0.0.1:3000', 'mail.sendloom.test'],
  ['http://[::1]:3000', 'mail.sendloom.test'],
  ['http://localhost:3000', 'mail.sendloom.test'],
])('the target host of the records for %s is %s', (url, host) => expect(sendingHost(url)).toBe(host));

describe('DKIM alone decides whether a domain passes', () => {
  test('it passes with DKIM and no other record', () =>
    expect(dkim(`v=DKIM1; k=rsa; p=${KEY}`)).toMatchObject({
      passed: true,
      records: [{ status: 'VERIFIED' }, { status: 'PENDING' }, {}, {}],
    }));

  test('it does not pass with all records except DKIM', () => {
    const judged = compareRecords(records, [
      NONE,
      ['v=spf1 a:mail.sender.example ~all'],
      ['v=DMARC1; p=none'],
      ['mail.sender.example'],
    ]);
    expect(judged.passed).toBe(false);
    expect(judged.records.map((record) => record.status)).toEqual(['PENDING', 'VERIFIED', 'VERIFIED', 'VERIFIED']);
  });

  test('a domain without required records never passes', () => expect(compareRecords([], []).passed).toBe(false));
});

describe('the comparison of DKIM is tolerant', () => {
  test.each([
    ['of missing white space', `v=DKIM1;k=rsa;p=${KEY}`],
    ['of more white space', `  v = DKIM1 ;  k = rsa ;\t p = ${KEY} ; `],
    ['of the order of tags', `p=${KEY}; k=rsa; v=DKIM1`],
    ['of a key that is folded', `v=DKIM1; k=rsa; p=${KEY.slice(0, 20)} ${KEY.slice(20)}`],
    ['of missing optional tags', `p=${KEY}`],
    ['of other tags', `v=DKIM1; k=rsa; t=y; n=hello; h=sha1:sha256; s=email; p=${KEY}`],
  ])('%s', (_what, value) => expect(dkim(value).passed).toBe(true));

  test('one of several TXT records', () =>
    expect(dkim('google-site-verification=abc', 'v=DKIM1; p=AAAA', `v=DKIM1; k=rsa; p=${KEY}`).passed).toBe(true));
});

describe('a DKIM record fails', () => {
  test.each([
    ['with another key', 'v=DKIM1; k=rsa; p=AAAA'],
    ['with a key that only begins like ours', `v=DKIM1; k=rsa; p=${KEY}A`],
    ['with our key in another case', `v=DKIM1; k=rsa; p=${KEY.toLowerCase()}`],
    ['when it is revoked', 'v=DKIM1; k=rsa; p='],
    ['with another key type', `v=DKIM1; k=ed25519; p=${KEY}`],
    ['when it allows other hashes only', `v=DKIM1; h=sha1; p=${KEY}`],
    ['when it is for another service', `v=DKIM1; s=tlsrpt; p=${KEY}`],
  ])('%s', (_what, value) =>
    expect(dkim(value)).toMatchObject({ passed: false, records: [{ status: 'FAILED' }, {}, {}, {}] }),
  );

  test('only if it exists: with unrelated records alone it is pending', () =>
    expect(dkim('hello world')).toMatchObject({ passed: false, records: [{ status: 'PENDING' }, {}, {}, {}] }));
});

describe('each recommended record has its own status', () => {
  test.each([
    ['our mechanism among others', ['v=spf1 include:other.example a:mail.sender.example -all'], 'VERIFIED'],
    ['among other TXT records', ['something', 'V=SPF1 A:mail.sender.example ?all'], 'VERIFIED'],
    ['a policy without us', ['v=spf1 include:other.example -all'], 'FAILED'],
    ['two policies, which no receiver takes', ['v=spf1 a:mail.sender.example ~all', 'v=spf1 -all'], 'FAILED'],
    ['no policy', ['something'], 'PENDING'],
  ])('SPF: %s', (_what, found, status) => expect(statuses([NONE, found, NONE, NONE])[1]).toBe(status));

  test.each([
    ['any policy of the owner', ['v=DMARC1; p=reject; rua=mailto:a@example.com'], 'VERIFIED'],
    ['a record without a policy', ['v=DMARC1; rua=mailto:a@example.com'], 'FAILED'],
    ['two policies, of which receivers apply none', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], 'FAILED'],
    ['a policy and an unrelated text', ['v=DMARC1; p=none', 'other'], 'VERIFIED'],
    ['a text that does not begin with the version', ['p=none; v=DMARC1'], 'PENDING'],
    ['none', NONE, 'PENDING'],
  ])('DMARC: %s', (_what, found, status) => expect(statuses([NONE, NONE, found, NONE])[2]).toBe(status));

  test.each([
    ['our host', ['Mail.Sender.example.'], 'VERIFIED'],
    ['another host', ['other.example'], 'FAILED'],
    ['none', NONE, 'PENDING'],
  ])('return path: %s', (_what, found, status) => expect(statuses([NONE, NONE, NONE, found])[3]).toBe(status));
});

describe('an unavailable DNS changes no status', () => {
  const verified = records.map((record) => ({ ...record, status: 'VERIFIED' as const }));

  test('for DKIM, the check has no result', () =>
    expect(compareRecords(verified, [null, NONE, NONE, NONE]).passed).toBeNull());

  test('for a recommended record, its status stays and DKIM still decides', () => {
    const judged = compareRecords(verified, [[`p=${KEY}`], null, NONE, null]);
    expect(judged.passed).toBe(true);
    expect(judged.records.map((record) => record.status)).toEqual(['VERIFIED', 'VERIFIED', 'PENDING', 'VERIFIED']);
  });
});
