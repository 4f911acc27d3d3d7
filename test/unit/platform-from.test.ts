import { describe, expect, test } from 'vitest';
import { parseEnvironment } from '../../src/config.js';
import { testConfig } from '../helpers/project.js';

const sender = (environment: Record<string, string>) => testConfig('postgresql://x', environment).PLATFORM_FROM;

describe('PLATFORM_FROM', () => {
  test.each<[string, { email: string; name: string | null }]>([
    ['accounts@example.com', { email: 'accounts@example.com', name: null }],
    [' Accounts@Example.COM ', { email: 'accounts@example.com', name: null }],
    ['Example <accounts@example.com>', { email: 'accounts@example.com', name: 'Example' }],
    ['"Example, Inc." <accounts@example.com>', { email: 'accounts@example.com', name: 'Example, Inc.' }],
    ['<accounts@example.com>', { email: 'accounts@example.com', name: null }],
    ['Straße & Söhne <post@straße.example>', { email: 'post@xn--strae-oqa.example', name: 'Straße & Söhne' }],
  ])('%s is an address with or without a name', (text, expected) => {
    expect(sender({ PLATFORM_FROM: text })).toEqual(expected);
  });

  test.each([
    'accounts',
    'accounts@',
    'accounts@localhost',
    'a@example.com, b@example.com',
    'Example accounts@example.com',
    'Example <accounts@example.com',
    'a\r\nBcc: x@example.com <a@example.com>',
    '<>',
  ])('%j is rejected with a message that names the variable', (text) => {
    expect(() => parseEnvironment({ PLATFORM_FROM: text })).toThrow(/PLATFORM_FROM: must be an address/);
  });

  test.each([
    ['https://mail.example.com', 'no-reply@mail.example.com'],
    ['https://mail.example.com:8443/api/', 'no-reply@mail.example.com'],
    ['http://127.0.0.1:3000', 'no-reply@mail.sendloom.test'],
    ['http://[::1]:3000', 'no-reply@mail.sendloom.test'],
    ['http://localhost:3000', 'no-reply@mail.sendloom.test'],
    ['https://my_mail.example.com', 'no-reply@mail.sendloom.test'],
  ])('unset, with PUBLIC_URL %s, is %s', (PUBLIC_URL, email) => {
    expect(sender({ PUBLIC_URL })).toEqual({ email, name: 'Sendloom' });
    expect(sender({ PUBLIC_URL, PLATFORM_FROM: '' })).toEqual({ email, name: 'Sendloom' });
  });
});
