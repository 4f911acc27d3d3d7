import { describe, expect, test } from 'vitest';
import { parseDomainName } from '../../src/domain/domains/name.js';
import { ApiError } from '../../src/errors.js';

const label63 = 'a'.repeat(63);
const name253 = `${label63}.${label63}.${label63}.${'b'.repeat(61)}`;

describe('a domain name', () => {
  test.each([
    ['example.com', 'example.com'],
    ['  Mail.Example.COM  ', 'mail.example.com'],
    ['example.com.', 'example.com'],
    ['a-b.c-d.example', 'a-b.c-d.example'],
    ['1e100.net', '1e100.net'],
    [`${label63}.example`, `${label63}.example`],
    [name253, name253],
  ])('%j is stored as %j', (given, stored) => expect(parseDomainName(given)).toBe(stored));

  test.each([
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
  ])('in another script is stored in its ASCII form: %j as %j', (given, stored) =>
    expect(parseDomainName(given)).toBe(stored),
  );

  test.each([
    '',
    '   ',
    '.',
    '..',
    'example',
    'localhost.',
    'example..com',
    '.example.com',
    'example.com..',
    '-a.example.com',
    'a-.example.com',
    'a_b.example.com',
    'exa mple.com',
    'example.com\n.evil.com',
    'user@example.com',
    'https://example.com',
    'example.com/path',
    'example.com:25',
    'example.com?x=1',
    'example.com#x',
    'ex%41mple.com',
    '*.example.com',
    '*',
    '127.0.0.1',
    '1.2',
    '0x7f.0x1',
    '::1',
    '[::1]',
    '１２７.０.０.１',
    'example.123',
    'xn--a.com',
    `${'a'.repeat(64)}.example`,
    `${name253}b`,
    'a.'.repeat(600),
  ])('%.40j is rejected with 422, which names the field', (given) => {
    let thrown: unknown;
    try {
      parseDomainName(given);
    } catch (error) {
      thrown = error;
    }
    if (!(thrown instanceof ApiError)) throw new Error('No ApiError was thrown');
    expect(thrown.code).toBe('VALIDATION_ERROR');
    expect(thrown.errors).toMatchObject([{ field: 'domain', code: 'invalid_string' }]);
  });
});
